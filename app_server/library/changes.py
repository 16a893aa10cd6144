"""News of documents within this process: how far parsing is, and that a row has changed."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from app_server.library.model import Progress


class DocumentChanges:
    def __init__(self) -> None:
        self._progress: dict[str, Progress] = {}
        self._listeners: dict[str, set[asyncio.Event]] = {}

    def progress_of(self, document_id: str) -> Progress | None:
        return self._progress.get(document_id)

    def report(self, document_id: str, progress: Progress) -> None:
        self._progress[document_id] = progress
        self._notify(document_id)

    def settle(self, document_id: str) -> None:
        """Processing is over, or begins anew."""
        self._progress.pop(document_id, None)
        self._notify(document_id)

    def tell(self, document_id: str) -> None:
        """Its row has changed; how far parsing is has not."""
        self._notify(document_id)

    @contextmanager
    def listen(self, document_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at every change; the listener clears it."""
        changed = asyncio.Event()
        listeners = self._listeners.setdefault(document_id, set())
        listeners.add(changed)
        try:
            yield changed
        finally:
            listeners.discard(changed)
            if not listeners and self._listeners.get(document_id) is listeners:
                del self._listeners[document_id]

    def _notify(self, document_id: str) -> None:
        for changed in self._listeners.get(document_id, ()):
            changed.set()
