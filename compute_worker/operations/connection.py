"""The first connection to the broker, however long it takes; what keeps us from it is said in an operator's
words, and what waiting won't mend ends the wait."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any, Final

import structlog
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.errors import APIError, ServiceUnavailableError

from compute_worker.obstacle import Obstacle
from shared.errors import Code, LecternError

REFUSAL_SECONDS: Final = 2.0  # a server that has just started may not know every account yet
RETRY_SECONDS: Final = 0.2

# JetStream's own numbers: JSInsufficientResourcesErr, JSStorageResourcesExceededErr, JSClusterNoPeersErrF,
# JSStreamReplicasNotSupportedErr, JSClusterNotAvailErr.
_NO_ROOM: Final = frozenset({10023, 10047, 10028})
_NO_PEERS: Final = frozenset({10005, 10074})
_NO_LEADER_YET: Final = 10008

log = structlog.get_logger(__name__)


async def connect_client(
    client: Client,
    options: Mapping[str, Any],
    *,
    name: str,
    reconnected: Callable[[], None],
    obstacle: Obstacle,
) -> None:
    """options are the client's own: servers and credentials. Raises FAILED_PRECONDITION when the broker
    refuses the credentials; later interruptions are mended silently."""
    tries = _Tries(servers=_named(options), obstacle=obstacle)
    connecting = asyncio.create_task(_connect(client, options, name, reconnected, tries))
    try:
        while not connecting.done():
            tries.raise_if_refused()
            await asyncio.wait({connecting}, timeout=RETRY_SECONDS)
            obstacle.tell_if_due()
        connecting.result()
        tries.are_over = True
    finally:
        connecting.cancel()
        await asyncio.gather(connecting, return_exceptions=True)


async def when_available(what: Callable[[], Awaitable[None]], *, replicas: int, obstacle: Obstacle) -> None:
    """Repeats a start-up request while a cluster still elects its leaders. Raises FAILED_PRECONDITION when
    the broker can't do it as we are set up."""
    while True:
        try:
            return await what()
        except (NatsError, TimeoutError) as error:
            message = _explained(error, replicas)
            if not _is_temporary(error):
                raise _failure(message, "BROKER_UNUSABLE") from error
            log.debug("the broker's streams are not available yet", cause=type(error).__name__)
            obstacle.note(message, cause="its streams are not available")
        await asyncio.sleep(RETRY_SECONDS)


class _Tries:
    """What went wrong so far."""

    def __init__(self, *, servers: str, obstacle: Obstacle) -> None:
        self._servers = servers
        self._obstacle = obstacle
        self._refused_at: float | None = None
        self.are_over = False  # what goes wrong later, the client mends

    async def note(self, error: Exception) -> None:
        log.debug("broker connection error", cause=type(error).__name__)
        if self.are_over:
            return
        cause = _cause_of(error)
        self._obstacle.note(_unreachable(self._servers, cause), cause=cause)
        # While it connects, the client wraps what the server says in its general error.
        if isinstance(error, NatsError) and "auth" in str(error).lower():  # violation, expired, revoked
            self._refused_at = self._refused_at or monotonic()
        else:
            self._refused_at = None

    def raise_if_refused(self) -> None:
        if self._refused_at is not None and monotonic() - self._refused_at >= REFUSAL_SECONDS:
            told = "refuses the credentials. Check the user name and password in BROKER_URL, or BROKER_CREDS"
            raise _failure(f"The broker at {self._servers} {told} and BROKER_CREDS_FILE.", "BROKER_REFUSES")


async def _connect(
    client: Client,
    options: Mapping[str, Any],
    name: str,
    reconnected: Callable[[], None],
    tries: _Tries,
) -> None:
    async def on_reconnect() -> None:
        log.info("broker reconnected")
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
                error_cb=tries.note,
                disconnected_cb=_log_disconnected,
                closed_cb=_log_closed,
                reconnected_cb=on_reconnect,
            )
        except (OSError, NatsError, TimeoutError) as error:
            await tries.note(error)
            await asyncio.sleep(RETRY_SECONDS)


def _cause_of(error: Exception) -> str:
    """Not by the text of an error of the loop, which names the address."""
    number, text = (error.errno or 0, error.strerror) if isinstance(error, OSError) else (0, None)
    return os.strerror(number) if number > 0 else text or type(error).__name__


def _named(options: Mapping[str, Any]) -> str:
    """The servers, without what they hold of credentials."""
    servers = options.get("servers", ())
    names = servers if isinstance(servers, list | tuple) else [servers]
    return ", ".join(str(server).rpartition("@")[2] for server in names)


async def _log_disconnected() -> None:
    log.info("broker disconnected")  # on purpose at the end, or about to be mended


async def _log_closed() -> None:
    log.debug("broker connection closed")


def _is_temporary(error: Exception) -> bool:
    """Also a connection that is lost, and an answer that does not come."""
    if not isinstance(error, APIError):
        return True
    return isinstance(error, ServiceUnavailableError) and error.err_code in {None, _NO_LEADER_YET}


def _explained(error: Exception, replicas: int) -> str:
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
    return f"The broker can't keep Lectern's streams ({said}). {remedy}"


def _unreachable(servers: str, cause: str) -> str:
    return f"The broker at {servers} can't be reached ({cause}). Check BROKER_URL, and that the broker runs."


def _failure(message: str, reason: str) -> LecternError:
    return LecternError(Code.FAILED_PRECONDITION, message, reason=reason)
