"""LecternError on the wire and back.

gRPC: google.rpc.Status in grpc-status-details-bin with ErrorInfo (reason, details) and RetryInfo
(present exactly when retrying may help); see https://google.aip.dev/193.
HTTP: {code, message, details: {reason, retryable, metadata}, request_id}.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import ErrorInfo, RequestInfo, RetryInfo
from google.rpc.status_pb2 import Status

from shared.errors import Code, LecternError, code_of_http_status, code_of_number

STATUS_DETAILS_KEY: Final = "grpc-status-details-bin"
ERROR_DOMAIN: Final = "lectern"
_Detail = TypeVar("_Detail", bound=Message)
# HTTP/2 header lists are bounded, and the message travels twice.
MAX_GRPC_MESSAGE_CHARACTERS: Final = 1000

_GRPC_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}
# What no gateway of ours says: a proxy about the server behind it, or a server of another version that
# has no such method (as gRPC maps HTTP, doc/http-grpc-status-mapping.md).
_PROXY_STATUSES: Final = {
    404: Code.UNIMPLEMENTED,
    405: Code.UNIMPLEMENTED,
    502: Code.UNAVAILABLE,
}


def grpc_code(code: Code) -> grpc.StatusCode:
    return _GRPC_CODES[code.number]


def status_of(error: LecternError, *, request_id: str) -> Status:
    status = Status(code=error.code.number, message=error.message[:MAX_GRPC_MESSAGE_CHARACTERS])
    parts = [
        ErrorInfo(reason=error.reason, domain=ERROR_DOMAIN, metadata=error.details),
        RequestInfo(request_id=request_id),
        *([RetryInfo()] if error.retryable else []),
    ]
    for part in parts:
        status.details.add().Pack(part)
    return status


def error_of_status(serialized: bytes) -> LecternError | None:
    """The error that a Lectern server sent; None when these are somebody else's details."""
    try:
        status = Status.FromString(serialized)
    except DecodeError:
        return None
    info = _unpacked(status, ErrorInfo())
    if info is None or info.domain != ERROR_DOMAIN:
        return None
    return LecternError(
        code_of_number(status.code),
        status.message,
        reason=info.reason,
        details=info.metadata,
        retryable=_unpacked(status, RetryInfo()) is not None,
    )


def json_of(error: LecternError, *, request_id: str) -> dict[str, Any]:
    return {
        "code": error.code.name,
        "message": error.message,
        "details": {"reason": error.reason, "retryable": error.retryable, "metadata": error.details},
        "request_id": request_id,
    }


def error_of_json(body: object, *, http_status: int) -> LecternError:
    """The error in a gateway's answer, or one made of the HTTP status when a stranger answered."""
    if not isinstance(body, Mapping) or body.get("code") not in Code.__members__:
        code = _PROXY_STATUSES.get(http_status) or code_of_http_status(http_status)
        return LecternError(code, f"The service answered with HTTP status {http_status}.")
    details = body.get("details")
    details = details if isinstance(details, Mapping) else {}
    metadata = details.get("metadata")
    return LecternError(
        Code[body["code"]],
        str(body.get("message", "")),
        reason=str(details.get("reason", "")),
        details=metadata if isinstance(metadata, Mapping) else {},
        retryable=details.get("retryable"),
    )


def _unpacked(status: Status, into: _Detail) -> _Detail | None:
    return next((into for part in status.details if part.Unpack(into)), None)
