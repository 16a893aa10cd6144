"""Rules between variables, which no single one of them can check."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from shared.configuration.declared import accounts, broker, first_boot, hosting, sign_in, storage, worker
from shared.configuration.parsers import is_loopback, is_private
from shared.configuration.problem import Problem
from shared.configuration.variable import Scope, Values, Variable

_SERVICE_SECRETS = (
    worker.COMPUTE_WORKER_TOKEN,
    worker.COMPUTE_CREDENTIAL_BROKER_TOKEN,
    worker.TTS_PLAYBACK_TOKEN_SECRET,
)


def rule_problems(values: Values) -> Iterator[Problem]:
    yield from _equal_secrets(values)
    yield from _equal_ports(values)
    if values.scope is Scope.APP:
        yield from _credentials_in_public_url(values)
        yield from _external_worker_without_storage_keys(values)
        yield from _proxy_on_request_duration_hosting(values)
        yield from _single_user_beyond_loopback(values)
        yield from _first_administrator(values)
    else:
        yield from _credential_broker_url(values)


def _equal_secrets(values: Values) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    own = (accounts.AUTH_SECRET, hosting.CRON_SECRET) if values.scope is Scope.APP else ()
    for variable in (*own, *_SERVICE_SECRETS):
        if not values.is_set(variable):
            continue
        first = seen.setdefault(values.need(variable), variable.name)
        if first != variable.name:
            yield Problem(variable.name, f"has the same value as {first}", "Give each its own random value.")


def _ports(values: Values) -> Iterator[Variable[int]]:
    if values.scope is Scope.WORKER:
        yield from (worker.WORKER_PORT, worker.COMPUTE_WORKER_GRPC_PORT)
        return
    yield from (accounts.APP_PORT, worker.CREDENTIAL_BROKER_GRPC_PORT)
    if storage.has_embedded_store(values):
        yield storage.OBJSTORE_PORT
    if broker.has_embedded_broker(values):
        yield from (broker.EMBEDDED_BROKER_PORT, broker.EMBEDDED_BROKER_MONITOR_PORT)
    if worker.has_embedded_worker(values):
        yield from (worker.EMBEDDED_COMPUTE_WORKER_PORT, worker.COMPUTE_WORKER_GRPC_PORT)


def _equal_ports(values: Values) -> Iterator[Problem]:
    seen: dict[int, Variable[Any]] = {}
    for variable in _ports(values):
        number = values.need(variable)
        first = seen.setdefault(number, variable)
        if first is not variable:
            yield Problem(variable.name, f"is {number}, like {first.name}", "Give each its own port.")


def _credentials_in_public_url(values: Values) -> Iterator[Problem]:
    token = values.get(worker.COMPUTE_WORKER_TOKEN)
    public_url = values.get(worker.COMPUTE_WORKER_PUBLIC_URL)
    if token and public_url and token in public_url:
        yield Problem(
            worker.COMPUTE_WORKER_PUBLIC_URL.name,
            "holds the worker token",
            "Write the address without the token.",
        )


def _external_worker_without_storage_keys(values: Values) -> Iterator[Problem]:
    if worker.has_embedded_worker(values) or not storage.has_embedded_store(values):
        return
    for variable in (storage.S3_ACCESS_KEY_ID, storage.S3_SECRET_ACCESS_KEY):
        if not values.is_set(variable):
            yield Problem(
                variable.name,
                "is required because the worker of COMPUTE_WORKER_URL needs the object store too",
                "Set the same random value on the app and on the worker.",
            )


def _proxy_on_request_duration_hosting(values: Values) -> Iterator[Problem]:
    if values.platform and values.get(storage.S3_BROWSER_TRANSPORT) == "proxy":
        yield Problem(
            storage.S3_BROWSER_TRANSPORT.name,
            f"is 'proxy', which serverless hosting ({values.platform} is set) cuts off",
            "Write presigned, and set S3_PUBLIC_ENDPOINT.",
        )


def _single_user_beyond_loopback(values: Values) -> Iterator[Problem]:
    host = values.need(accounts.APP_HOST)
    if values.get(sign_in.AUTH_MODE) == "single-user" and not is_loopback(host):
        yield Problem(
            sign_in.AUTH_MODE.name,
            f"is 'single-user' while APP_HOST is {host}: everybody who reaches it would be administrator",
            "Set APP_HOST to 127.0.0.1, or write accounts.",
        )


def _first_administrator(values: Values) -> Iterator[Problem]:
    email, inline, file = (
        first_boot.BOOTSTRAP_ADMIN_EMAIL,
        first_boot.BOOTSTRAP_ADMIN_PASSWORD,
        first_boot.BOOTSTRAP_ADMIN_PASSWORD_FILE,
    )
    given = [variable.name for variable in (inline, file) if values.is_written(variable)]
    if len(given) == 2:
        yield Problem(file.name, f"is set beside {inline.name}", "Take one of the two out.")
    if given and not values.is_written(email):
        yield Problem(email.name, f"is required because {given[0]} is set", f"Set it to {email.example}.")
    if values.is_written(email) and not given:
        yield Problem(
            inline.name,
            f"is required because {email.name} is set",
            f"Set it, or {file.name}, to {inline.example}.",
        )


def _credential_broker_url(values: Values) -> Iterator[Problem]:
    url = values.get(worker.COMPUTE_CREDENTIAL_BROKER_URL)
    if url is None:
        return
    parts = urlsplit(url)
    name = worker.COMPUTE_CREDENTIAL_BROKER_URL.name
    if parts.scheme.startswith("grpc"):
        if parts.path or parts.port is None:
            yield Problem(
                name, f"is {url!r}, which is not valid", "Write grpc://host:port or grpcs://host:port."
            )
    elif parts.path != worker.CREDENTIALS_PATH:
        yield Problem(
            name,
            f"ends with {parts.path!r}",
            f"Write the app's address and the path {worker.CREDENTIALS_PATH}.",
        )
    own_ports = {values.need(worker.WORKER_PORT), values.need(worker.COMPUTE_WORKER_GRPC_PORT)}
    if is_loopback(parts.hostname or "") and parts.port in own_ports:
        yield Problem(name, "leads back to this worker", "Write the app's address, not the worker's own.")
    if parts.scheme in {"http", "grpc"} and not is_private(parts.hostname or ""):
        yield Problem(
            name, "would send keys unencrypted to a public host", "Write an https:// or grpcs:// address."
        )
