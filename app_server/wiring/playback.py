"""Playback sessions and voices."""

from aiohttp import web

from app_server.library.service import LibraryService
from app_server.playback.limits import PlaybackLimits
from app_server.playback.routes import PlaybackRoutes
from app_server.playback.service import PlaybackService
from app_server.playback.sql_store import SqlPlaybackSessionStore
from app_server.playback.voice_routes import VoiceRoutes
from app_server.reading_options.routes import ReadingOptionsRoutes
from app_server.reading_options.service import ReadingOptionsService
from app_server.reading_options.sql_store import SqlReadingOptionsStore
from app_server.wiring.foundations import Foundations
from shared.playback_token import PlaybackTokens


def add_playback(app: web.Application, base: Foundations, library: LibraryService) -> None:
    settings = base.settings.worker
    reading_options = ReadingOptionsService(
        store=SqlReadingOptionsStore(database=base.database), library=library
    )
    ReadingOptionsRoutes(service=reading_options).add_to(app)
    service = PlaybackService(
        store=SqlPlaybackSessionStore(database=base.database),
        library=library,
        reading_options=reading_options,
        limits=PlaybackLimits(limits=base.limits),
        providers=base.providers,
        features=base.features,
        worker=base.worker,
        tokens=PlaybackTokens(secret=settings.playback_token_secret, clock=lambda: base.clock() / 1000),
        worker_public_url=settings.public_url,
        clock=base.clock,
    )
    PlaybackRoutes(service=service, worker=base.worker, callers=base.callers).add_to(app)
    VoiceRoutes(providers=base.providers, worker=base.worker, callers=base.callers, meter=base.meter).add_to(
        app
    )
