"""Who lays pages out: geometry alone, or a layout model, which is loaded only where there is one."""

from typing import Final, Protocol

from compute_worker.documents.model import LayoutRecord
from compute_worker.documents.pdf.layout import regions_of
from compute_worker.documents.pdf.model import Page, Region

NO_MODEL: Final = "No layout model is set up (PDF_LAYOUT_MODEL_BASE_URL)."


class PageLayout(Protocol):
    def regions(self, page: Page) -> list[Region]:
        """In reading order."""
        ...

    def record(self) -> LayoutRecord:
        """Of all pages so far."""
        ...


class GeometricLayout:
    def __init__(self, *, reason: str = NO_MODEL) -> None:
        self._reason = reason

    def regions(self, page: Page) -> list[Region]:
        return regions_of(page.words, page.number)

    def record(self) -> LayoutRecord:
        return LayoutRecord(reason=self._reason)
