"""The one error type of both processes, with gRPC's code names and the HTTP status of each.

LecternError(code, message, reason, details)
  message is safe to show to a user: it names the cause and what to do.
  reason is a stable UPPER_SNAKE word for programs, such as DOCUMENT_EMPTY.

Subclass only where somebody catches the subclass.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class Code(Enum):
    """Status codes, by gRPC's names (https://grpc.io/docs/guides/status-codes/).

    Values: gRPC number, HTTP status (google.rpc.Code's mapping), whether asking again may help.
    """

    CANCELLED = (1, 499, False)
    UNKNOWN = (2, 500, False)
    INVALID_ARGUMENT = (3, 400, False)
    DEADLINE_EXCEEDED = (4, 504, True)
    NOT_FOUND = (5, 404, False)
    ALREADY_EXISTS = (6, 409, False)
    PERMISSION_DENIED = (7, 403, False)
    RESOURCE_EXHAUSTED = (8, 429, True)
    FAILED_PRECONDITION = (9, 400, False)
    ABORTED = (10, 409, True)
    OUT_OF_RANGE = (11, 400, False)
    UNIMPLEMENTED = (12, 501, False)
    INTERNAL = (13, 500, False)
    UNAVAILABLE = (14, 503, True)
    DATA_LOSS = (15, 500, False)
    UNAUTHENTICATED = (16, 401, False)

    def __init__(self, number: int, http_status: int, retryable: bool) -> None:
        self.number = number
        self.http_status = http_status
        self.retryable = retryable


_BY_NUMBER: Final = {code.number: code for code in Code}
_BY_HTTP_STATUS: Final = {
    400: Code.INVALID_ARGUMENT,
    401: Code.UNAUTHENTICATED,
    403: Code.PERMISSION_DENIED,
    404: Code.NOT_FOUND,
    409: Code.ABORTED,
    429: Code.RESOURCE_EXHAUSTED,
    499: Code.CANCELLED,
    501: Code.UNIMPLEMENTED,
    503: Code.UNAVAILABLE,
    504: Code.DEADLINE_EXCEEDED,
}


def code_of_number(number: int) -> Code:
    return _BY_NUMBER.get(number, Code.UNKNOWN)


def code_of_http_status(status: int) -> Code:
    return _BY_HTTP_STATUS.get(status, Code.UNKNOWN)


class LecternError(Exception):
    """Something went wrong that its receiver can be told about."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        reason: str = "",
        details: Mapping[str, str] | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason or code.name
        self.details = dict(details or {})
        self.retryable = code.retryable if retryable is None else retryable
