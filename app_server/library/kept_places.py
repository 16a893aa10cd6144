"""The reader's place in a document; when another parser has read it, it is found again by its text."""

from typing import Final

import structlog

from app_server.library.model import Document, Position
from app_server.library.moved_places import Trace, by_distance, found_again, moved, nearest, trace_of
from app_server.library.ports import DocumentStore
from app_server.library.readings import ReadingFiles
from shared.errors import LecternError
from shared.objects.ports import ObjectNotFoundError
from shared.readings import made_by

# A place that none of them holds is sought no further.
_MOST_SECTIONS: Final = 40
# The document may be renewed meanwhile, which happens once.
_ATTEMPTS: Final = 2
_log = structlog.get_logger(__name__)


class KeptPlaces:
    def __init__(self, *, store: DocumentStore, readings: ReadingFiles) -> None:
        self._store = store
        self._readings = readings

    async def save(self, document: Document, position: Position, *, parser: str) -> None:
        """parser: the version whose blocks the position names, as a page has it that was opened before the
        document was read anew; empty for the present one."""
        for _ in range(_ATTEMPTS):
            reading_ref = document.reading_ref or ""
            named_ref = made_by(parser, reading_ref)
            place = position
            if named_ref != reading_ref:
                place = await self._moved(position, document.id, named_ref, reading_ref)
            await self._store.set_position(document.id, place)
            present = await self._store.find(document.id)
            if not parser or present is None or present.reading_ref == reading_ref:
                return
            document = present

    async def moved(self, document: Document, reading_ref: str) -> Position | None:
        """Where the reader's place is in a new reading; as it was where it is found nowhere."""
        if document.position is None:
            return None
        return await self._moved(document.position, document.id, document.reading_ref or "", reading_ref)

    async def _moved(self, position: Position, document_id: str, old_ref: str, new_ref: str) -> Position:
        try:
            return await self._found_again(position, old_ref, new_ref)
        except (LecternError, ObjectNotFoundError) as error:
            _log.warning("a place was not found again", document=document_id, error=repr(error))
            return position

    async def _found_again(self, position: Position, old_ref: str, new_ref: str) -> Position:
        new = await self._readings.section_lengths(new_ref)
        trace, share = await self._traced(position, old_ref)
        likely = by_distance(new, round(share * sum(new)))[:_MOST_SECTIONS]
        if trace is not None:
            for index, expected in likely:
                blocks = await self._readings.blocks(new_ref, index)
                spot = found_again(trace, blocks, characters_before=expected)
                if spot is not None:
                    return moved(position, spot)
        for index, expected in likely[:1]:
            spot = nearest(await self._readings.blocks(new_ref, index), expected)
            if spot is not None:
                return moved(position, spot)
        return position

    async def _traced(self, position: Position, old_ref: str) -> tuple[Trace | None, float]:
        """What stands at the place, and which share of the text lies before it."""
        try:
            old = await self._readings.section_lengths(old_ref)
            trace = trace_of(await self._readings.blocks(old_ref, position.section), position)
        except ObjectNotFoundError:  # nobody has used that reading for long
            return None, position.fraction
        before = sum(old[: position.section]) + (trace.characters_before if trace else 0)
        return trace, before / max(1, sum(old))
