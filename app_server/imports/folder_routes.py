"""/api/server-folders: what lies in folders of the server, and into the library with it."""

import asyncio
from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import Field

from app_server.accounts.access import Access, TokenScope
from app_server.accounts.current_user import require_user
from app_server.clock import iso_time
from app_server.compute_limits.callers import Callers
from app_server.compute_limits.refusals import LIMIT_PROBLEMS
from app_server.http.endpoints import Endpoint, add_endpoints
from app_server.http.json_bodies import (
    AnswerBody,
    RequestBody,
    RequestQuery,
    json_response,
    read_body,
    read_query,
)
from app_server.imports.server_folders import FILE_PROBLEMS, FOLDER_PROBLEMS, Entry, ServerFolders
from app_server.imports.service import ImportService
from app_server.library.changes import DocumentChanges
from app_server.library.json_mapping import AddedAnswer, added_answer
from app_server.library.uploads import UPLOAD_PROBLEMS

_Path = Annotated[str, Field(max_length=4096)]
_RootNumber = Annotated[int, Field(ge=0, le=10_000)]


class FolderQuery(RequestQuery):
    root: _RootNumber
    # From the root, with "/" between its parts; empty for the root itself.
    path: _Path = ""
    # All folders below are searched for names with these words.
    search: Annotated[str, Field(max_length=200)] = ""
    offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    limit: Annotated[int, Field(ge=1, le=1000)] = 200


class ImportBody(RequestBody):
    root: _RootNumber
    path: Annotated[str, Field(min_length=1, max_length=4096)]


class ShownRoot(AnswerBody):
    root: int
    name: str
    # Why it can't be read; null where it can.
    problem: str | None


class RootsAnswer(AnswerBody):
    roots: list[ShownRoot]


class ShownEntry(AnswerBody):
    name: str
    path: str
    is_folder: bool
    # Null for folders.
    size_bytes: int | None
    modified_at: str | None


class EntriesAnswer(AnswerBody):
    entries: list[ShownEntry]
    # On all pages.
    total: int
    next_offset: int | None
    # False for a search that was ended at its limit.
    is_complete: bool


class FolderRoutes:
    """Every account may see these folders: they are the instance's, and hold what is meant to be read."""

    def __init__(
        self, *, folders: ServerFolders, service: ImportService, callers: Callers, changes: DocumentChanges
    ) -> None:
        self._folders = folders
        self._service = service
        self._callers = callers
        self._changes = changes

    def add_to(self, app: web.Application) -> None:
        endpoint = partial(Endpoint, tag="Server folders", access=Access.USER)
        add_endpoints(
            app,
            [
                endpoint(
                    method="GET",
                    path="/api/server-folders",
                    handler=self.roots,
                    summary="List the folders of the server that documents can be imported from",
                    scope=TokenScope.DOCUMENTS_READ,
                    answer=RootsAnswer,
                ),
                endpoint(
                    method="GET",
                    path="/api/server-folders/entries",
                    handler=self.entries,
                    summary="List or search a folder of the server",
                    scope=TokenScope.DOCUMENTS_READ,
                    query=FolderQuery,
                    answer=EntriesAnswer,
                    problems=FOLDER_PROBLEMS,
                ),
                endpoint(
                    method="POST",
                    path="/api/server-folders/imports",
                    handler=self.add,
                    summary="Make a document of a file in a folder of the server",
                    scope=TokenScope.DOCUMENTS_WRITE,
                    body=ImportBody,
                    answer=AddedAnswer,
                    status=201,
                    problems=tuple(dict.fromkeys((*FILE_PROBLEMS, *UPLOAD_PROBLEMS, *LIMIT_PROBLEMS))),
                ),
            ],
        )

    async def roots(self, _request: web.Request) -> web.Response:
        found = await asyncio.to_thread(self._folders.roots)
        shown = [ShownRoot(root=root.number, name=root.name, problem=root.problem or None) for root in found]
        return json_response(RootsAnswer(roots=shown))

    async def entries(self, request: web.Request) -> web.Response:
        query = read_query(request, FolderQuery)
        if query.search.split():
            listing = await asyncio.to_thread(self._folders.search, query.root, query.path, query.search)
        else:
            listing = await asyncio.to_thread(
                self._folders.list, query.root, query.path, offset=query.offset, limit=query.limit
            )
        answer = EntriesAnswer(
            entries=[_shown(entry) for entry in listing.entries],
            total=listing.total,
            next_offset=listing.next_offset,
            is_complete=listing.is_complete,
        )
        return json_response(answer)

    async def add(self, request: web.Request) -> web.Response:
        user = await require_user(request)
        body = await read_body(request, ImportBody)
        added = await self._service.add_file(self._callers.of(request, user), body.root, body.path)
        progress = self._changes.progress_of(added.document.id)
        return json_response(added_answer(added, progress), status=201)


def _shown(entry: Entry) -> ShownEntry:
    return ShownEntry(
        name=entry.name,
        path=entry.path,
        is_folder=entry.is_folder,
        size_bytes=None if entry.is_folder else entry.size_bytes,
        modified_at=None if entry.is_folder else iso_time(int(entry.modified_at * 1000)),
    )
