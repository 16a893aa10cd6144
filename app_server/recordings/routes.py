"""/api/documents/{id}/recordings: audiobooks that people own, aligned with the text."""

from collections.abc import AsyncGenerator
from functools import partial

from aiohttp import web

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.http.endpoints import Endpoint, Events, FileUpload, add_endpoints
from app_server.http.event_stream import ServerEvent, send_events
from app_server.http.json_bodies import json_response, no_content, shown_json
from app_server.library.upload_parts import chunks_of, file_part
from app_server.recordings.answers import (
    RecordingAnswer,
    RecordingsAnswer,
    ShownRecording,
    shown_recording,
)
from app_server.recordings.model import most_recording_bytes
from app_server.recordings.service import RecordingService
from app_server.site_features.ports import FeatureReader

MANY = "/api/documents/{document_id}/recordings"
ONE = MANY + "/{recording_id}"
UNKNOWN = ("DOCUMENT_NOT_FOUND", "RECORDING_NOT_FOUND")
_ADD_PROBLEMS = (
    "DOCUMENT_NOT_FOUND",
    "DOCUMENT_NOT_READY",
    "FILE_EMPTY",
    "FILE_MISSING",
    "FILE_TOO_LARGE",
    "MEDIA_TYPE_UNSUPPORTED",
    "RECORDINGS_TOO_MANY",
    "RECORDING_UNSUPPORTED",
    "UPLOAD_INCOMPLETE",
)


class RecordingRoutes:
    def __init__(self, *, service: RecordingService, features: FeatureReader) -> None:
        self._service = service
        self._features = features

    def add_to(self, app: web.Application) -> None:
        reads = partial(
            Endpoint, tag="Recordings", access=Access.GUEST_OR_USER, scope=TokenScope.DOCUMENTS_READ
        )
        writes = partial(
            Endpoint, tag="Recordings", access=Access.GUEST_OR_USER, scope=TokenScope.DOCUMENTS_WRITE
        )
        add_endpoints(
            app,
            [
                reads(
                    method="GET",
                    path=MANY,
                    handler=self.list,
                    summary="List your own recordings of a document",
                    answer=RecordingsAnswer,
                    problems=("DOCUMENT_NOT_FOUND",),
                ),
                writes(
                    method="POST",
                    path=MANY,
                    handler=self.add,
                    summary="Upload your own recording of a document and have it aligned with the text",
                    body=FileUpload(part="file"),
                    answer=RecordingAnswer,
                    status=201,
                    problems=_ADD_PROBLEMS,
                ),
                reads(
                    method="GET",
                    path=ONE + "/events",
                    handler=self.events,
                    summary="Follow a recording until it is aligned or that has failed",
                    answer=Events({"recording": ShownRecording}),
                    problems=UNKNOWN,
                ),
                writes(
                    method="POST",
                    path=ONE + "/retry",
                    handler=self.retry,
                    summary="Align a recording once more",
                    answer=RecordingAnswer,
                    status=202,
                    problems=(*UNKNOWN, "DOCUMENT_NOT_READY"),
                ),
                writes(
                    method="POST",
                    path=ONE + "/cancel",
                    handler=self.cancel,
                    summary="Stop aligning a recording",
                    answer=RecordingAnswer,
                    problems=(*UNKNOWN, "WORKER_UNAVAILABLE"),
                ),
                writes(
                    method="DELETE",
                    path=ONE,
                    handler=self.delete,
                    summary="Delete a recording",
                    status=204,
                    problems=UNKNOWN,
                ),
            ],
        )

    async def list(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        found = await self._service.list(user.id, request.match_info["document_id"])
        shown = [shown_recording(*one) for one in found]
        megabytes = await self._max_bytes() // 1024**2
        return json_response(RecordingsAnswer(recordings=shown, max_megabytes=megabytes))

    async def add(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        await self._service.check(user.id, request.match_info["document_id"])
        part = await file_part(request)
        recording = await self._service.add(
            user.id,
            request.match_info["document_id"],
            chunks_of(part),
            file_name=part.filename or "",
            max_bytes=await self._max_bytes(),
        )
        return json_response(RecordingAnswer(recording=shown_recording(recording)), status=201)

    async def _max_bytes(self) -> int:
        return most_recording_bytes((await self._features.current()).max_upload_bytes)

    async def events(self, request: web.Request) -> web.StreamResponse:
        user = await require_user(request)
        return await send_events(request, self._follow(user.id, *_ids(request)))

    async def _follow(
        self, owner_id: str, document_id: str, recording_id: str
    ) -> AsyncGenerator[ServerEvent, None]:
        async for recording, progress in self._service.follow(owner_id, document_id, recording_id):
            yield ServerEvent("recording", shown_json(shown_recording(recording, progress)))

    async def retry(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        recording = await self._service.retry(user.id, *_ids(request))
        return json_response(RecordingAnswer(recording=shown_recording(recording)), status=202)

    async def cancel(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        recording = await self._service.cancel(user.id, *_ids(request))
        return json_response(RecordingAnswer(recording=shown_recording(recording)))

    async def delete(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        await self._service.delete(user.id, *_ids(request))
        return no_content()


def _ids(request: web.Request) -> tuple[str, str]:
    return request.match_info["document_id"], request.match_info["recording_id"]
