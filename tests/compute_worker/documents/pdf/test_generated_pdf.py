"""PDFs that no program would write: each is read, or refused with a reason, by a process with limits."""

import asyncio
import tempfile
from pathlib import Path

from books.generated_pdfs import pdfs
from books.reading import load
from hypothesis import HealthCheck, Phase, given, settings

from compute_worker.documents.parser_process import ParserLimits, ParserProcess
from shared.errors import Code, LecternError

LIMITS = ParserLimits(wall_seconds=30, cpu_seconds=10)


async def ignore(phase: str, done: int, total: int) -> None:
    pass


def parse(content: bytes) -> None:
    """Holds what was read against what every document promises."""
    with tempfile.TemporaryDirectory() as name:
        source, artifacts = Path(name) / "source", Path(name) / "artifacts"
        source.write_bytes(content)
        artifacts.mkdir()
        asyncio.run(
            ParserProcess(limits=LIMITS).parse(
                path=source, folder=artifacts, source_format="pdf", file_name="x.pdf", on_progress=ignore
            )
        )
        load(artifacts)


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # to make a case smaller takes hundreds of processes
)
@given(pdfs())
def test_any_pdf_ends_in_a_document_or_a_clear_error(content: bytes) -> None:
    try:
        parse(content)
    except LecternError as error:
        assert error.code in {Code.INVALID_ARGUMENT, Code.RESOURCE_EXHAUSTED}, error  # noqa: PT017 - or it is read
        assert error.reason, error  # noqa: PT017
        assert error.message.endswith("."), error.message  # noqa: PT017
