"""Documents: upload, parsing, reading."""

from aiohttp import web

from app_server.accounts.sql_store import SqlAttemptStore
from app_server.ids import new_id
from app_server.imports.page_fetcher import PageFetcher
from app_server.library.changes import DocumentChanges
from app_server.library.direct_upload_routes import DirectUploadRoutes
from app_server.library.file_routes import FileRoutes
from app_server.library.kept_places import KeptPlaces
from app_server.library.limits import OpeningLimits
from app_server.library.metadata_routes import MetadataRoutes
from app_server.library.page_routes import PageRoutes
from app_server.library.parsing import ParsingWatcher
from app_server.library.password_tries import PasswordTries
from app_server.library.reading_routes import ReadingRoutes
from app_server.library.readings import ReadingFiles
from app_server.library.renewals import Renewals
from app_server.library.retired_objects import remove_retired_objects
from app_server.library.routes import DocumentRoutes
from app_server.library.service import LibraryService
from app_server.library.sql_store import SqlDocumentStore
from app_server.library.unlock_routes import UnlockRoutes
from app_server.library.upload_tickets import UploadTickets
from app_server.library.uploads import UploadReceiver
from app_server.wiring.foundations import Foundations
from app_server.wiring.imports import add_imports


def add_library(app: web.Application, base: Foundations, *, fetcher: PageFetcher) -> LibraryService:
    store, changes = SqlDocumentStore(database=base.database), DocumentChanges()
    limits = OpeningLimits(limits=base.limits)
    readings = ReadingFiles(objects=base.objects)
    places = KeptPlaces(store=store, readings=readings)
    watcher = ParsingWatcher(
        store=store,
        worker=base.worker,
        readings=readings,
        limits=limits,
        changes=changes,
        background=base.background,
    )
    library = LibraryService(
        store=store,
        objects=base.objects,
        locks=base.database,
        watcher=watcher,
        limits=limits,
        tries=PasswordTries(store=SqlAttemptStore(database=base.database), clock=base.clock),
        features=base.features,
        changes=changes,
        clock=base.clock,
        new_id=new_id,
    )
    receiver = UploadReceiver(objects=base.objects)
    DirectUploadRoutes(
        presigner=base.presigner,
        tickets=UploadTickets(auth_secret=base.settings.auth_secret, clock=base.clock),
        service=library,
        receiver=receiver,
        changes=changes,
        features=base.features,
        callers=base.callers,
        clock=base.clock,
    ).add_to(app)
    DocumentRoutes(
        service=library,
        receiver=receiver,
        watcher=watcher,
        renewals=Renewals(
            store=store,
            worker=base.worker,
            readings=readings,
            places=places,
            changes=changes,
            background=base.background,
        ),
        places=places,
        changes=changes,
        features=base.features,
        callers=base.callers,
        clock=base.clock,
    ).add_to(app)
    UnlockRoutes(service=library, changes=changes, callers=base.callers).add_to(app)
    MetadataRoutes(service=library, changes=changes).add_to(app)
    add_imports(app, base, library=library, receiver=receiver, changes=changes, fetcher=fetcher)
    ReadingRoutes(service=library, objects=base.objects).add_to(app)
    PageRoutes(service=library, objects=base.objects, worker=base.worker).add_to(app)
    FileRoutes(service=library, sender=base.file_sender).add_to(app)
    base.background.start(watcher.sweep())
    if base.settings.run_v4_decommission:
        base.background.start(remove_retired_objects(base.objects))
    return library
