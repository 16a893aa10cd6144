"""One id for everything that one request causes, from the browser's edge to the last log line.

It travels as x-request-id (HTTP header, gRPC metadata) and lies in structlog's context variables.
"""

import re
import uuid
from typing import Final

from structlog.contextvars import get_contextvars

REQUEST_ID_HEADER: Final = "x-request-id"
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


def accepted_request_id(presented: str | None) -> str:
    """The caller's id if it is well-formed (it ends up in logs), else a new one."""
    if presented and _WELL_FORMED.fullmatch(presented):
        return presented
    return uuid.uuid4().hex


def current_request_id() -> str:
    """The id of the request being served, or a new one outside of any."""
    return accepted_request_id(get_contextvars().get("request_id"))
