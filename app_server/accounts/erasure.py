"""What a user has stored, gone before the user is: rows that still name it would be the last to know it."""

from collections.abc import Sequence
from typing import Protocol

from app_server.account_export.model import exports_of
from app_server.library.model import Document
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore


class OwnedLibrary(Protocol):
    async def list(self, owner_id: str) -> Sequence[Document]: ...

    async def delete(self, owner_id: str, document_id: str) -> None: ...


class AccountErasure:
    def __init__(self, *, library: OwnedLibrary, objects: ObjectStore) -> None:
        self._library = library
        self._objects = objects

    async def erase_storage(self, user_id: str) -> None:
        """Safe to repeat after a failure half-way."""
        for document in await self._library.list(user_id):
            try:
                await self._library.delete(user_id, document.id)
            except LecternError as error:
                if error.code is not Code.NOT_FOUND:  # deleted at the same time elsewhere
                    raise
        await self._objects.delete_prefix(exports_of(user_id))
