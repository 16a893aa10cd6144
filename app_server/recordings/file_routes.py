"""The sound of a recording, and what aligning it found, to whom the document belongs."""

import re
import zlib
from functools import partial
from typing import Final

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Content, Endpoint, add_endpoints
from app_server.library.stored_files import RANGE_ANSWERS, StoredFile, StoredFileSender
from app_server.recordings.model import audio_key
from app_server.recordings.routes import ONE, UNKNOWN
from app_server.recordings.service import RecordingService
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectNotFoundError, ObjectStore

_SECTION: Final = re.compile(r"[0-9]{1,6}")
_ADDRESS_SECONDS: Final = 12 * 3600  # a browser asks for parts as long as it plays
_AUDIO_TYPES: Final = (
    "audio/mpeg",
    "audio/mp4",
    "audio/ogg",
    "audio/flac",
    "audio/wav",
    "audio/webm",
    "audio/aac",
)


class RecordingFileRoutes:
    def __init__(self, *, service: RecordingService, objects: ObjectStore, sender: StoredFileSender) -> None:
        self._service = service
        self._objects = objects
        self._sender = sender

    def add_to(self, app: web.Application) -> None:
        reads = partial(
            Endpoint,
            method="GET",
            tag="Recordings",
            access=Access.GUEST_OR_USER,
            scope=TokenScope.DOCUMENTS_READ,
        )
        aligned = (*UNKNOWN, "RECORDING_NOT_READY")
        add_endpoints(
            app,
            [
                reads(
                    path=ONE + "/audio",
                    handler=self.audio,
                    summary="Get the sound of a recording, or a part of it",
                    answer=Content(_AUDIO_TYPES),
                    other_answers=RANGE_ANSWERS,
                    problems=(*UNKNOWN, "FILE_GONE"),
                ),
                reads(
                    path=ONE + "/alignment",
                    handler=self.outline,
                    summary="Get which sections of the document are heard when in a recording",
                    answer=Content(("application/json",)),
                    problems=aligned,
                ),
                reads(
                    path=ONE + "/alignment/sections/{index}",
                    handler=self.section,
                    summary="Get when the words of a section are heard in a recording",
                    answer=Content(("application/json",)),
                    problems=(*aligned, "PART_NOT_FOUND"),
                ),
                reads(
                    path=ONE + "/transcript.vtt",
                    handler=self.transcript,
                    summary="Get the text of a recording with times, as WebVTT",
                    answer=Content(("text/vtt",)),
                    problems=aligned,
                ),
            ],
        )

    async def audio(self, request: web.Request) -> web.StreamResponse:
        user = await require_user(request)
        recording = await self._service.get(user.id, *_ids(request))
        gone = LecternError(Code.NOT_FOUND, "The file of this recording is gone.", reason="FILE_GONE")
        file = StoredFile(
            key=audio_key(recording.id),
            tag=recording.id,
            size_bytes=recording.size_bytes,
            content_type=recording.media_type,
            content_disposition="inline",
            gone=gone,
            address_seconds=_ADDRESS_SECONDS,
        )
        return await self._sender.send(request, file)

    async def outline(self, request: web.Request) -> web.Response:
        return await self._artifact(request, "alignment.json.gz", "application/json")

    async def section(self, request: web.Request) -> web.Response:
        index = request.match_info["index"]
        if not _SECTION.fullmatch(index):
            raise _part_not_found()
        return await self._artifact(request, f"sections/{int(index)}.json.gz", "application/json")

    async def transcript(self, request: web.Request) -> web.Response:
        return await self._artifact(request, "transcript.vtt.gz", "text/vtt")

    async def _artifact(self, request: web.Request, name: str, content_type: str) -> web.Response:
        user = await require_user(request)
        _, result_ref = await self._service.get_ready(user.id, *_ids(request))
        try:
            packed = await self._objects.get(f"{result_ref}{name}")
        except ObjectNotFoundError as error:
            raise _part_not_found() from error
        return web.Response(
            body=zlib.decompress(packed, zlib.MAX_WBITS | 16),
            content_type=content_type,
            charset="utf-8",
            headers={"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"},
        )


def _part_not_found() -> LecternError:
    return LecternError(Code.NOT_FOUND, "There is no such section in this document.", reason="PART_NOT_FOUND")


def _ids(request: web.Request) -> tuple[str, str]:
    return request.match_info["document_id"], request.match_info["recording_id"]
