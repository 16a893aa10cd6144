"""/api/documents/uploads: files that browsers send straight to the object store become documents."""

from typing import Annotated

from aiohttp import web
from pydantic import Field

from app_server.accounts.current_user import require_user
from app_server.clock import Clock, iso_time
from app_server.http.json_bodies import RequestBody, StoredText, json_response, read_body
from app_server.library.changes import DocumentChanges
from app_server.library.json_mapping import shown_document
from app_server.library.service import LibraryService
from app_server.library.upload_tickets import LIFETIME_SECONDS, UploadTicket, UploadTickets
from app_server.library.uploads import UploadReceiver, cleaned_file_name, new_upload_key, too_large
from app_server.site_features.ports import FeatureReader
from shared.errors import Code, LecternError
from shared.objects.presigner import UPLOAD_CONTENT_TYPE, Presigner


class BeginBody(RequestBody):
    file_name: Annotated[StoredText, Field(max_length=1000)]
    size_bytes: Annotated[int, Field(ge=0, le=2**53 - 1)]


class FinalizeBody(RequestBody):
    upload_id: Annotated[str, Field(max_length=4096)]
    # What the browser has made of the file, where it can; ours decides.
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class DirectUploadRoutes:
    """presigner is None where uploads go through the app."""

    def __init__(
        self,
        *,
        presigner: Presigner | None,
        tickets: UploadTickets,
        service: LibraryService,
        receiver: UploadReceiver,
        changes: DocumentChanges,
        features: FeatureReader,
        clock: Clock,
    ) -> None:
        self._presigner = presigner
        self._tickets = tickets
        self._service = service
        self._receiver = receiver
        self._changes = changes
        self._features = features
        self._clock = clock

    def add_to(self, app: web.Application) -> None:
        app.router.add_post("/api/documents/uploads", self.begin)
        app.router.add_post("/api/documents/uploads/finalize", self.finalize)

    async def begin(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, BeginBody)
        presigner = self._required_presigner()
        await self._check_size(body.size_bytes)
        ticket = UploadTicket(
            key=new_upload_key(),
            owner_id=user.id,
            file_name=cleaned_file_name(body.file_name),
            size_bytes=body.size_bytes,
        )
        url = await presigner.upload_url(ticket.key, size_bytes=ticket.size_bytes, seconds=LIFETIME_SECONDS)
        shown = {
            "uploadId": self._tickets.issue(ticket),
            "method": "PUT",
            "url": url,
            "headers": {"Content-Type": UPLOAD_CONTENT_TYPE},
            "expiresAt": iso_time(self._clock() + LIFETIME_SECONDS * 1000),
        }
        return json_response(shown, status=201)

    async def finalize(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, FinalizeBody)
        self._required_presigner()
        ticket = self._tickets.read(body.upload_id, owner_id=user.id)
        await self._check_size(ticket.size_bytes)
        async with self._receiver.adopt(ticket, sha256=body.sha256) as file:
            document = await self._service.add(user.id, file)
        progress = self._changes.progress_of(document.id)
        return json_response({"document": shown_document(document, progress)}, status=201)

    async def _check_size(self, size_bytes: int) -> None:
        if size_bytes == 0:
            raise LecternError(Code.INVALID_ARGUMENT, "This file is empty.", reason="FILE_EMPTY")
        max_bytes = (await self._features.current()).max_upload_bytes
        if size_bytes > max_bytes:
            raise too_large(max_bytes)

    def _required_presigner(self) -> Presigner:
        if self._presigner is None:
            raise LecternError(
                Code.FAILED_PRECONDITION,
                "This instance takes files through the app: send them to /api/documents.",
                reason="UPLOADS_PROXIED",
            )
        return self._presigner
