"""Where a parser puts its results: files in one folder, in the form in which they are stored."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compute_worker.documents.artifact_json import write_document, write_section
from compute_worker.documents.failures import over_limit
from compute_worker.documents.model import ReadingDocument, Section

_COMPRESSION_LEVEL = 5  # a third faster than 6 for 1% more bytes


class ArtifactFolder:
    def __init__(self, *, folder: Path, most_bytes: int, report: Callable[[str, int, int], None]) -> None:
        self._folder = folder
        self._left_bytes = most_bytes
        self.report = report
        for name in ("sections", "resources"):
            (folder / name).mkdir()

    def write_resource(self, name: str, content: bytes) -> None:
        self._write(f"resources/{name}", content)

    def write_section(self, section: Section) -> None:
        self._write_json(f"sections/{section.index}.json.gz", write_section(section))

    def write_document(self, document: ReadingDocument) -> None:
        self._write_json("document.json.gz", write_document(document))

    def extra_file(self, name: str) -> Path:
        """Where to write a file that lies beside the document."""
        return self._folder / name

    def _write_json(self, name: str, content: dict[str, Any]) -> None:
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        self._write(name, gzip.compress(body, _COMPRESSION_LEVEL, mtime=0))

    def _write(self, name: str, content: bytes) -> None:
        self._left_bytes -= len(content)
        if self._left_bytes < 0:
            raise over_limit(
                "DOCUMENT_TOO_LARGE", "The document unfolds into more data than the server accepts."
            )
        (self._folder / name).write_bytes(content)
