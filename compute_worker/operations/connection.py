"""Connecting to the broker, once and for all; what keeps a start from it is said in an operator's words."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any, Final, TypeVar

import structlog
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.errors import APIError, NoStreamResponseError, ServiceUnavailableError

from shared.errors import Code, LecternError

WAIT_SECONDS: Final = 15.0  # a broker beside us is there within a few tries; a cluster takes longer
REFUSAL_SECONDS: Final = 2.0  # a server that has just started may not know every account yet
RETRY_SECONDS: Final = 0.2
_STILL_TRYING_SECONDS: Final = 5.0

# JetStream's own numbers: JSInsufficientResourcesErr, JSStorageResourcesExceededErr, JSClusterNoPeersErrF,
# JSStreamReplicasNotSupportedErr, JSClusterNotAvailErr.
_NO_ROOM: Final = frozenset({10023, 10047, 10028})
_NO_PEERS: Final = frozenset({10005, 10074})
_NO_LEADER_YET: Final = 10008
_TEMPORARY: Final = (ServiceUnavailableError, NoStreamResponseError, TimeoutError)

T = TypeVar("T")
log = structlog.get_logger(__name__)


async def open_client(
    options: Mapping[str, Any],
    *,
    name: str,
    reconnected: Callable[[], None] | None = None,
    wait_seconds: float = WAIT_SECONDS,
) -> Client:
    """options are the client's own: servers and credentials. Raises FAILED_PRECONDITION when the broker
    refuses the credentials or can't be reached for wait_seconds; later interruptions are mended silently."""
    client = Client()
    trouble = _Trouble(servers=options.get("servers", ()))
    connecting = asyncio.create_task(_connect(client, options, name, reconnected, trouble))
    try:
        deadline = monotonic() + wait_seconds
        while not connecting.done():
            if monotonic() >= deadline or trouble.is_refused:
                raise trouble.explained()
            await asyncio.wait({connecting}, timeout=RETRY_SECONDS)
            trouble.mention()
        connecting.result()
    except BaseException:
        connecting.cancel()
        await asyncio.gather(connecting, return_exceptions=True)
        await client.close()
        raise
    return client


async def when_available(
    what: Callable[[], Awaitable[T]], *, replicas: int, wait_seconds: float = WAIT_SECONDS
) -> T:
    """Repeats a start-up request while a cluster still elects its leaders; then says what is missing."""
    deadline = monotonic() + wait_seconds
    while True:
        try:
            return await what()
        except (NatsError, TimeoutError) as error:
            if not _is_temporary(error) or monotonic() >= deadline:
                raise _unusable(error, replicas) from error
            log.debug("the broker's streams are not available yet", cause=type(error).__name__)
            await asyncio.sleep(RETRY_SECONDS)


class _Trouble:
    """What went wrong so far, while the first connection is not there."""

    def __init__(self, *, servers: object) -> None:
        names = servers if isinstance(servers, list | tuple) else [servers]
        self._servers = ", ".join(str(server).rpartition("@")[2] for server in names)
        self._last: Exception | None = None
        self._refused_at: float | None = None
        self._mentioned_at = monotonic()

    async def note(self, error: Exception) -> None:
        log.debug("broker connection error", cause=type(error).__name__)
        self._last = error
        # While it connects, the client wraps what the server says in its general error.
        if isinstance(error, NatsError) and "auth" in str(error).lower():  # violation, expired, revoked
            self._refused_at = self._refused_at or monotonic()
        else:
            self._refused_at = None

    @property
    def is_refused(self) -> bool:
        return self._refused_at is not None and monotonic() - self._refused_at >= REFUSAL_SECONDS

    def mention(self) -> None:
        if monotonic() - self._mentioned_at >= _STILL_TRYING_SECONDS:
            self._mentioned_at = monotonic()
            log.warning("broker not reachable, still trying", servers=self._servers, cause=self._cause)

    def explained(self) -> LecternError:
        if self.is_refused:
            told = "refuses the credentials. Check the user name and password in BROKER_URL, or BROKER_CREDS"
            return _failure(f"The broker at {self._servers} {told} and BROKER_CREDS_FILE.", "BROKER_REFUSES")
        return _failure(
            f"The broker at {self._servers} can't be reached ({self._cause}). Check BROKER_URL, and that the "
            "broker runs.",
            "BROKER_UNREACHABLE",
        )

    @property
    def _cause(self) -> str:
        error = self._last
        if error is None:
            return "no answer"
        return (isinstance(error, OSError) and error.strerror) or type(error).__name__


async def _connect(
    client: Client,
    options: Mapping[str, Any],
    name: str,
    reconnected: Callable[[], None] | None,
    trouble: _Trouble,
) -> None:
    async def on_reconnect() -> None:
        log.info("broker reconnected")
        if reconnected:
            reconnected()

    while True:
        try:
            return await client.connect(
                **options,
                name=name,
                max_reconnect_attempts=-1,
                reconnect_time_wait=0.5,  # type: ignore[arg-type]  # whole seconds by its types alone
                ping_interval=5,
                max_outstanding_pings=2,
                connect_timeout=3,
                error_cb=trouble.note,
                disconnected_cb=_log_disconnected,
                closed_cb=_log_closed,
                reconnected_cb=on_reconnect,
            )
        except (OSError, NatsError, TimeoutError) as error:
            await trouble.note(error)
            await asyncio.sleep(RETRY_SECONDS)


async def _log_disconnected() -> None:
    log.info("broker disconnected")  # on purpose at the end, or about to be mended


async def _log_closed() -> None:
    log.debug("broker connection closed")


def _is_temporary(error: Exception) -> bool:
    number = error.err_code if isinstance(error, APIError) else None
    return isinstance(error, _TEMPORARY) and number in {None, _NO_LEADER_YET}


def _unusable(error: Exception, replicas: int) -> LecternError:
    number = error.err_code if isinstance(error, APIError) else None
    said = (error.description if isinstance(error, APIError) else None) or type(error).__name__
    if number in _NO_ROOM:
        remedy = (
            "Give the broker more storage, or lower COMPUTE_JOBS_STREAM_MAX_BYTES, "
            "COMPUTE_EVENTS_STREAM_MAX_BYTES or COMPUTE_JOB_STATES_MAX_BYTES."
        )
    elif number in _NO_PEERS:
        remedy = f"COMPUTE_BROKER_REPLICAS is {replicas}: the broker needs that many servers in its cluster."
    else:
        remedy = "Check that JetStream is enabled there for our account."
    return _failure(f"The broker can't keep Lectern's streams ({said}). {remedy}", "BROKER_UNUSABLE")


def _failure(message: str, reason: str) -> LecternError:
    return LecternError(Code.FAILED_PRECONDITION, message, reason=reason)
