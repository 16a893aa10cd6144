"""From what botocore and aiohttp raise to what callers of the port know."""

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import ClientError as HttpClientError
from botocore.exceptions import BotoCoreError, ClientError

from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError

_MISSING_OBJECT = frozenset({"NoSuchKey", "NotFound", "404"})


def error_code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def translated(key: str) -> Iterator[None]:
    """key: for ObjectNotFoundError only; messages name neither keys nor endpoints."""
    try:
        yield
    except ClientError as error:
        code = error_code(error)
        if code in _MISSING_OBJECT:
            raise ObjectNotFoundError(key) from error
        raise unavailable(code) from error
    except (BotoCoreError, HttpClientError, TimeoutError, OSError) as error:
        raise unavailable(type(error).__name__) from error


def unavailable(cause: str) -> LecternError:
    return LecternError(
        Code.UNAVAILABLE,
        "The file storage cannot be reached just now. Try again in a moment.",
        reason="OBJECT_STORE_UNAVAILABLE",
        details={"cause": cause},
    )
