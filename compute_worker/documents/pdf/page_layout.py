"""Who lays pages out: geometry alone, or a layout model, which is loaded only where there is one."""

from typing import Final, Protocol

from compute_worker.documents.model import LayoutRecord
from compute_worker.documents.pdf.model import Page, Region
from compute_worker.documents.pdf.tagged_layout import geometric_regions

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
        return geometric_regions(page)

    def record(self) -> LayoutRecord:
        return LayoutRecord(reason=self._reason)
