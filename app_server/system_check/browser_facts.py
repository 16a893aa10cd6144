"""Addresses at which an administrator's browser finds out what it reaches."""

from typing import Final

import structlog

from app_server.system_check.model import BrowserFacts
from app_server.system_check.storage_checks import PROBE_PREFIX
from shared.errors import LecternError
from shared.objects.ports import ObjectStore
from shared.objects.presigner import Presigner
from shared.playback_token import SOUND_CHECK_SESSION, PlaybackTokens

_ADDRESS_SECONDS: Final = 120
_log = structlog.get_logger(__name__)


class BrowserFactSource:
    def __init__(
        self,
        *,
        base_url: str,
        worker_public_url: str,
        tokens: PlaybackTokens,
        objects: ObjectStore,
        presigner: Presigner | None,
    ) -> None:
        """presigner is None where files go through the app."""
        self._base_url = base_url
        self._worker_public_url = worker_public_url.rstrip("/")
        self._tokens = tokens
        self._objects = objects
        self._presigner = presigner

    async def facts(self, user_id: str, *, probe_id: str) -> BrowserFacts:
        minted = self._tokens.mint(session_id=SOUND_CHECK_SESSION, user_id=user_id, document_id="")
        path = f"/v1/tts-playback/sessions/{SOUND_CHECK_SESSION}/audio?token={minted.token}"
        return BrowserFacts(
            base_url=self._base_url,
            sound_url=f"{self._worker_public_url}{path}",
            object_url=await self._object_url(probe_id),
            object_text=probe_id,
        )

    async def _object_url(self, probe_id: str) -> str | None:
        """The object stays for a day, with other unfinished uploads."""
        if self._presigner is None:
            return None
        key = f"{PROBE_PREFIX}{probe_id}"
        try:
            await self._objects.put(key, probe_id.encode(), content_type="text/plain")
        except LecternError as error:  # the server's own check says so
            _log.warning("no object for the browser to look at", reason=error.reason)
        return await self._presigner.download_url(key, seconds=_ADDRESS_SECONDS)
