"""DocumentService: starts, joins or finds the parsing of a stored file."""

import re
from typing import Any

from compute_worker.documents.artifacts import document_key
from compute_worker.documents.passwords import (
    EARLIER_ARGUMENT,
    MOST_BYTES,
    SEALED_ARGUMENT,
    DocumentPasswords,
)
from compute_worker.operations.model import OperationKind
from compute_worker.operations.proto_mapping import operation_to_proto
from compute_worker.operations.queue import OperationQueue
from lectern.compute.v1 import documents_pb2 as pb
from lectern.compute.v1.documents_pb2_grpc import DocumentServiceServicer
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore
from shared.readings import PARSER_VERSION, password_name_in

SHA256 = re.compile(r"[0-9a-f]{64}")
FORMATS = {
    pb.DOCUMENT_FORMAT_EPUB: "epub",
    pb.DOCUMENT_FORMAT_HTML: "html",
    pb.DOCUMENT_FORMAT_MARKDOWN: "markdown",
    pb.DOCUMENT_FORMAT_TEXT: "text",
    pb.DOCUMENT_FORMAT_PDF: "pdf",
    pb.DOCUMENT_FORMAT_DOCX: "docx",
    pb.DOCUMENT_FORMAT_WEB_PAGE: "web_page",
}


class DocumentServicer(DocumentServiceServicer):
    def __init__(self, *, queue: OperationQueue, store: ObjectStore, passwords: DocumentPasswords) -> None:
        self._queue = queue
        self._store = store
        self._passwords = passwords

    async def ParseDocument(self, request: pb.ParseDocumentRequest, context: Any) -> pb.ParseDocumentResponse:
        if not SHA256.fullmatch(request.document_sha256):
            raise LecternError(
                Code.INVALID_ARGUMENT,
                "document_sha256 must be 64 lowercase hex digits.",
                details={"field": "document_sha256"},
            )
        name = FORMATS.get(request.format)
        if name is None:
            raise LecternError(
                Code.INVALID_ARGUMENT,
                "Documents of this format can't be read yet.",
                reason="FORMAT_UNSUPPORTED",
                details={"field": "format"},
            )
        key = f"{request.document_sha256}:{name}:{PARSER_VERSION}"
        arguments = {"sha256": request.document_sha256, "format": name, "file_name": request.file_name}
        if request.password:
            _check_password(request.password, name)
            key += f":{self._passwords.name(request.password, request.document_sha256)}"
            arguments[SEALED_ARGUMENT] = self._passwords.seal(request.password, request.document_sha256)
        elif request.earlier_ref:
            key += f":{_password_name(request)}"
            arguments[EARLIER_ARGUMENT] = request.earlier_ref
        record = await self._queue.submit(
            OperationKind.DOCUMENT,
            key,
            arguments,
            again=request.retry,
            result_exists=self._artifacts_exist,
        )
        return pb.ParseDocumentResponse(operation=operation_to_proto(record))

    async def _artifacts_exist(self, reading_ref: str) -> bool:
        return await self._store.info(document_key(reading_ref)) is not None


def _password_name(request: pb.ParseDocumentRequest) -> str:
    name = password_name_in(request.earlier_ref)
    if not name or not request.earlier_ref.startswith(f"reading/{request.document_sha256}/"):
        raise LecternError(
            Code.INVALID_ARGUMENT,
            "earlier_ref must be what a password opened of this document.",
            details={"field": "earlier_ref"},
        )
    return name


def _check_password(password: str, format_name: str) -> None:
    problem = ""
    if format_name != "pdf":
        problem = "Only PDF files can be opened with a password: leave password empty."
    elif len(password.encode()) > MOST_BYTES:
        problem = f"password must not be longer than {MOST_BYTES:,} bytes."
    if problem:
        raise LecternError(Code.INVALID_ARGUMENT, problem, details={"field": "password"})
