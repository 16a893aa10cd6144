"""Documents: parsing, the pictures of pages."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from compute_worker.documents.handler import DocumentHandler
from compute_worker.documents.layout_models import open_layout_models
from compute_worker.documents.page_images.drawings import PageDrawings
from compute_worker.documents.page_images.open_files import OpenFiles
from compute_worker.documents.page_images.servicer import PageImageServicer
from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from compute_worker.documents.passwords import DocumentPasswords
from compute_worker.documents.servicer import DocumentServicer
from compute_worker.operations.lanes import PREVIEWS
from compute_worker.operations.runner import OperationRunner, RunnerOptions
from compute_worker.playback.planned_document import PlannedDocumentHandler
from compute_worker.playback.plans import Plans
from compute_worker.wiring.foundations import DOCUMENT_LANES, DOCUMENTS_AT_ONCE, Foundations
from compute_worker.wiring.runners import Runners

_RUNNER = RunnerOptions(
    lane=PREVIEWS,
    max_attempts=3,
    max_concurrent=DOCUMENTS_AT_ONCE,
    heartbeat_seconds=2.0,
    ack_wait_seconds=10.0,
)


@dataclass(frozen=True, kw_only=True)
class Documents:
    handler: DocumentHandler
    servicers: tuple[DocumentServicer, PageImageServicer]


@asynccontextmanager
async def open_documents(base: Foundations) -> AsyncIterator[Documents]:
    settings = base.settings
    parser_seconds = settings.work.document_timeout_ms / 1000
    async with AsyncExitStack() as stack:
        passwords = DocumentPasswords(secret=settings.playback_token_secret)
        files = await stack.enter_async_context(OpenFiles(store=base.store, temporary_folder=base.scratch))
        drawings = await stack.enter_async_context(PageDrawings(store=base.store, files=files))
        layout_models = await stack.enter_async_context(
            open_layout_models(
                base_url=settings.models.pdf_layout_base_url,
                folder=settings.models.folder,
                session=base.http,
                parser_seconds=parser_seconds,
                prewarm=settings.models.prewarm,
            )
        )
        yield Documents(
            handler=DocumentHandler(
                store=base.store,
                passwords=passwords,
                layout_models=layout_models,
                parser=ParserProcess(limits=ParserLimits(wall_seconds=parser_seconds)),
                temporary_folder=base.scratch,
            ),
            servicers=(
                DocumentServicer(queue=base.queue, store=base.store, passwords=passwords),
                PageImageServicer(drawings=drawings),
            ),
        )


def document_runners(
    documents: Documents, *, plans: Plans, pdf_attempts: int, runners: Runners
) -> list[OperationRunner]:
    planned = PlannedDocumentHandler(documents=documents.handler, plans=plans)
    options = replace(
        _RUNNER,
        max_attempts=max(_RUNNER.max_attempts, pdf_attempts),
        own_attempts=lambda arguments: (
            pdf_attempts if arguments.get("format") == "pdf" else _RUNNER.max_attempts
        ),
    )
    return [runners.runner(replace(options, lane=lane), planned) for lane in DOCUMENT_LANES]
