"""The one part "file" of an upload's multipart body, as a stream."""

from collections.abc import AsyncIterator

from aiohttp import BodyPartReader, ClientPayloadError, web
from aiohttp.http import HttpProcessingError

from app_server.library.uploads import upload_incomplete
from shared.errors import Code, LecternError

# What aiohttp raises for a body that is cut off or isn't what its headers say.
_BROKEN_BODY = (
    ValueError,
    RuntimeError,
    AssertionError,
    EOFError,
    ConnectionError,
    ClientPayloadError,
    HttpProcessingError,
)


async def file_part(request: web.Request) -> BodyPartReader:
    """Raises when the request isn't multipart/form-data with a part "file" that comes first."""
    if request.content_type != "multipart/form-data":
        raise LecternError(
            Code.INVALID_ARGUMENT, "Send the file as multipart/form-data.", reason="MEDIA_TYPE_UNSUPPORTED"
        )
    try:
        part = await (await request.multipart()).next()
    except _BROKEN_BODY as error:
        raise upload_incomplete() from error
    if not isinstance(part, BodyPartReader) or part.name != "file" or part.filename is None:
        raise LecternError(Code.INVALID_ARGUMENT, 'Send one part "file".', reason="FILE_MISSING")
    return part


async def chunks_of(part: BodyPartReader) -> AsyncIterator[bytes]:
    try:
        while chunk := await part.read_chunk(256 * 1024):
            yield bytes(chunk)
    except _BROKEN_BODY as error:
        raise upload_incomplete() from error
    # The part ends with a boundary; a body that was cut off just ends.
    if not part.at_eof():
        raise upload_incomplete()
