"""Which models an OpenAI-compatible server says it has (GET {base}/models)."""

from collections.abc import Mapping

import aiohttp

_TIMEOUT = aiohttp.ClientTimeout(total=5)
_MOST_MODELS = 100
_MOST_CHARACTERS = 200


async def discover_models(
    session: aiohttp.ClientSession, base_url: str, headers: Mapping[str, str]
) -> list[str]:
    """Empty when the server doesn't say. Some list models of other kinds too: nothing tells them apart."""
    try:
        async with session.get(
            f"{base_url}/models", headers=headers, timeout=_TIMEOUT, allow_redirects=False
        ) as answer:
            body = await answer.json(content_type=None) if answer.status == 200 else None
    except (aiohttp.ClientError, TimeoutError, ValueError):
        return []
    items = body.get("data") if isinstance(body, dict) else body
    names = [item.get("id") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    found = [name for name in names if isinstance(name, str) and 0 < len(name) <= _MOST_CHARACTERS]
    return list(dict.fromkeys(found))[:_MOST_MODELS]
