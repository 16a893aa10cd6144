"""What a client's call needs on either transport: its metadata, its deadline, its end by the caller."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, Generic, TypeVar

from shared.errors import Code, LecternError
from shared.rpc.request_ids import REQUEST_ID_HEADER, current_request_id
from shared.rpc.tokens import authorization_value

UNARY_DEADLINE_SECONDS: Final = 10.0
# Longest answer that is accepted.
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024

_T = TypeVar("_T")


def call_headers(token: str, extra: Any) -> list[tuple[str, str]]:
    return [
        ("authorization", authorization_value(token)),
        (REQUEST_ID_HEADER, current_request_id()),
        *((name, value) for name, value in extra or ()),
    ]


def unreachable(service: str) -> LecternError:
    return LecternError(
        Code.UNAVAILABLE,
        f"The service at {service} can't be reached. Check that it runs and that the address is right.",
        reason="SERVICE_UNREACHABLE",
    )


def untrusted(service: str, why: str) -> LecternError:
    return LecternError(
        Code.UNAVAILABLE,
        f"The certificate of the service at {service} is not trusted ({why}). Address it by the name that "
        "the certificate is for, and name the file of an authority of your own in SSL_CERT_FILE.",
        reason="CERTIFICATE_UNTRUSTED",
        retryable=False,
    )


def deadline_passed(service: str, seconds: float | None) -> LecternError:
    within = "in time" if seconds is None else f"within {seconds:g} s"
    return LecternError(
        Code.DEADLINE_EXCEEDED, f"The service at {service} did not answer {within}.", reason="NO_ANSWER"
    )


class StreamCall(Generic[_T]):
    """A server stream as its caller sees it: an async iterator that can be cancelled at any time."""

    def __init__(self) -> None:
        self._cancelled = False
        self._step: asyncio.Task[_T] | None = None

    def __aiter__(self) -> "StreamCall[_T]":
        return self

    async def __anext__(self) -> _T:
        if self._cancelled:
            raise _cancelled_by_caller()
        self._step = asyncio.create_task(self._next())
        try:
            return await self._step
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._cancelled and not (task and task.cancelling()):
                raise _cancelled_by_caller() from None
            self.cancel()
            raise

    def cancel(self) -> bool:
        """Closes the call at once; whoever waits for its next message gets CANCELLED."""
        if self._cancelled:
            return False
        self._cancelled = True
        if self._step is not None:
            self._step.cancel()
        self._close()
        return True

    def cancelled(self) -> bool:
        return self._cancelled

    async def aclose(self) -> None:
        self.cancel()

    def _next(self) -> Coroutine[Any, Any, _T]:
        """The next message, StopAsyncIteration at the proper end, LecternError otherwise."""
        raise NotImplementedError

    def _close(self) -> None:
        raise NotImplementedError


def _cancelled_by_caller() -> LecternError:
    return LecternError(Code.CANCELLED, "The call was cancelled.")
