"""Pasted text, web pages and folders of the server on their way into the library."""

from aiohttp import web

from app_server.imports.folder_routes import FolderRoutes
from app_server.imports.page_fetcher import PageFetcher
from app_server.imports.routes import ImportRoutes
from app_server.imports.server_folders import ServerFolders
from app_server.imports.service import ImportService
from app_server.library.changes import DocumentChanges
from app_server.library.service import LibraryService
from app_server.library.uploads import UploadReceiver
from app_server.wiring.foundations import Foundations


def add_imports(
    app: web.Application,
    base: Foundations,
    *,
    library: LibraryService,
    receiver: UploadReceiver,
    changes: DocumentChanges,
    fetcher: PageFetcher,
) -> None:
    folders = ServerFolders(base.settings.library_dirs)
    service = ImportService(
        library=library, receiver=receiver, features=base.features, fetcher=fetcher, folders=folders
    )
    ImportRoutes(service=service, callers=base.callers, changes=changes).add_to(app)
    FolderRoutes(folders=folders, service=service, callers=base.callers, changes=changes).add_to(app)
