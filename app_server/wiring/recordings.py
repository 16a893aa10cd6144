"""People's own recordings of their documents."""

from aiohttp import web

from app_server.ids import new_id
from app_server.library.service import LibraryService
from app_server.recordings.file_routes import RecordingFileRoutes
from app_server.recordings.routes import RecordingRoutes
from app_server.recordings.service import RecordingService
from app_server.recordings.sql_store import SqlRecordingStore
from app_server.wiring.foundations import Foundations


def add_recordings(app: web.Application, base: Foundations, library: LibraryService) -> None:
    store = SqlRecordingStore(database=base.database)
    service = RecordingService(
        store=store,
        library=library,
        objects=base.objects,
        worker=base.worker,
        clock=base.clock,
        new_id=new_id,
    )
    RecordingRoutes(service=service, features=base.features).add_to(app)
    RecordingFileRoutes(service=service, objects=base.objects, sender=base.file_sender).add_to(app)
