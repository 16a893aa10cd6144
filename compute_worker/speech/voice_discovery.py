"""Which voices an OpenAI-compatible server has, at the addresses such servers use for it."""

from collections.abc import Mapping
from typing import Any

import aiohttp

from compute_worker.speech.http_answers import MAX_AUDIO_BYTES
from compute_worker.speech.model import Voice

_PATHS = ("/audio/voices", "/voices", "/styles")
_TIMEOUT = aiohttp.ClientTimeout(total=10)
_MAX_VOICES = 2_000
_MAX_LIST_BYTES = min(MAX_AUDIO_BYTES, 4 * 2**20)


async def discover_voices(
    session: aiohttp.ClientSession, base_url: str, headers: Mapping[str, str]
) -> list[Voice] | None:
    """None when no address answers with a list; an empty list is an answer."""
    for path in _PATHS:
        try:
            async with session.get(
                base_url + path, headers=headers, timeout=_TIMEOUT, allow_redirects=False
            ) as answer:
                if answer.status != 200 or (answer.content_length or 0) > _MAX_LIST_BYTES:
                    continue
                voices = parse_voices(await answer.json(content_type=None))
        except (aiohttp.ClientError, TimeoutError, ValueError):
            continue
        if voices is not None:
            return voices
    return None


def parse_voices(answer: Any) -> list[Voice] | None:
    """An array, or the array in voices, styles or data; of names or of objects."""
    if isinstance(answer, dict):
        found = next((answer[name] for name in ("voices", "styles", "data") if name in answer), None)
        if isinstance(found, dict):  # id -> description
            found = list(found)
        answer = found
    if not isinstance(answer, list):
        return None
    voices = [voice for item in answer[:_MAX_VOICES] if (voice := _parse_voice(item))]
    return list({voice.voice_id: voice for voice in voices}.values())


def _parse_voice(item: Any) -> Voice | None:
    if isinstance(item, str):
        return Voice(item, item) if item else None
    if not isinstance(item, dict):
        return None
    names = [str(item[name]) for name in ("voice_id", "id", "voice", "name") if item.get(name)]
    if not names:
        return None
    title = str(item.get("display_name") or item.get("name") or names[0])
    language = item.get("language") or item.get("lang") or item.get("locale") or ""
    return Voice(names[0], title, str(language) if isinstance(language, str) else "")
