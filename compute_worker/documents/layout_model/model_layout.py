"""Lays pages out by a model as long as it can, and says of the others why it did not."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from compute_worker.documents.layout_model.claims import claimed_regions
from compute_worker.documents.layout_model.detector import LayoutDetector
from compute_worker.documents.layout_model.picture import picture_of
from compute_worker.documents.model import LayoutRecord
from compute_worker.documents.pdf.model import Page, Region
from compute_worker.documents.pdf.tagged_layout import geometric_regions
from shared.errors import LecternError

_TURNED: Final = "Its text is turned against the page."
_MISSED: Final = "The layout model missed too much of the text."
_TOO_LONG: Final = "The layout model would have taken too long."
_NO_PICTURE: Final = "The page could not be drawn for the layout model."


class ModelLayout:
    """folder: of the model. Once the seconds are used up, or the model has failed, the rest of the document
    is laid out by geometry."""

    def __init__(
        self, *, document: Any, folder: Path, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._document = document
        self._clock = clock
        self._ends = clock() + seconds
        self._detector: LayoutDetector | None = None
        self._stopped = ""
        self._model_pages = 0
        self._reasons: Counter[str] = Counter()
        try:
            self._detector = LayoutDetector(folder)
        except LecternError as error:
            self._stopped = error.message

    def regions(self, page: Page) -> list[Region]:
        if not page.words:
            return []
        try:
            regions = self._by_model(page)
        except _DeclinedError as declined:
            self._reasons[declined.reason] += 1
            return geometric_regions(page)
        self._model_pages += 1
        return regions

    def record(self) -> LayoutRecord:
        parts = [
            reason if not self._model_pages and len(self._reasons) == 1 else f"{_pages(pages)}: {reason}"
            for reason, pages in self._reasons.most_common()
        ]
        name = self._detector.name if self._detector and self._model_pages else ""
        return LayoutRecord(model=name, model_pages=self._model_pages, reason=" ".join(parts))

    def _by_model(self, page: Page) -> list[Region]:
        detector = self._detector
        if not self._stopped and self._clock() >= self._ends:
            self._stopped = _TOO_LONG
        if detector is None or self._stopped:
            raise _DeclinedError(self._stopped)
        if page.turn:
            raise _DeclinedError(_TURNED)
        settings = detector.settings
        picture = picture_of(self._document, page.number, settings.input_width, settings.input_height)
        if picture is None:
            raise _DeclinedError(_NO_PICTURE)
        try:
            boxes = detector.boxes(picture)
        except LecternError as error:
            self._stopped = error.message
            raise _DeclinedError(error.message) from error
        regions = claimed_regions(page, boxes)
        if regions is None:
            raise _DeclinedError(_MISSED)
        return regions


class _DeclinedError(Exception):
    """Geometry has to do this page."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"
