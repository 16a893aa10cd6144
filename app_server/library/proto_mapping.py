"""Documents in the worker's words."""

from typing import Final

from app_server.library.formats import DocumentFormat
from app_server.library.model import Document, DocumentFailure
from lectern.compute.v1 import documents_pb2, operations_pb2
from shared.readings import password_name_in

_FORMATS: Final = {
    DocumentFormat.EPUB: documents_pb2.DOCUMENT_FORMAT_EPUB,
    DocumentFormat.HTML: documents_pb2.DOCUMENT_FORMAT_HTML,
    DocumentFormat.MARKDOWN: documents_pb2.DOCUMENT_FORMAT_MARKDOWN,
    DocumentFormat.TEXT: documents_pb2.DOCUMENT_FORMAT_TEXT,
    DocumentFormat.PDF: documents_pb2.DOCUMENT_FORMAT_PDF,
    DocumentFormat.DOCX: documents_pb2.DOCUMENT_FORMAT_DOCX,
    DocumentFormat.WEB_PAGE: documents_pb2.DOCUMENT_FORMAT_WEB_PAGE,
}


def parse_request(
    document: Document, password: str = "", *, retry: bool = True
) -> documents_pb2.ParseDocumentRequest:
    """retry: an earlier failure of these bytes is tried again. What a password has opened is read from what
    was kept of it."""
    reading_ref = document.reading_ref or ""
    return documents_pb2.ParseDocumentRequest(
        document_sha256=document.sha256,
        format=_FORMATS[document.format],
        file_name=document.file_name,
        retry=retry,
        password=password,
        earlier_ref=reading_ref if password_name_in(reading_ref) and not password else "",
    )


def failure_of(error: operations_pb2.OperationError) -> DocumentFailure:
    return DocumentFailure(
        code=error.code or "PARSING_FAILED",
        message=error.message or "This file could not be opened.",
        retryable=error.retryable,
    )
