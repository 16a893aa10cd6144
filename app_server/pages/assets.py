"""Files of the browser application, as they are sent: right type, ETag by content, always revalidated."""

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import web
from aiohttp.web_exceptions import HTTPNotFound

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".webmanifest": "application/manifest+json; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class _Asset:
    body: bytes
    etag: str
    modified_ns: int


class Assets:
    def __init__(self, *, root: Path, footer: bytes = b"") -> None:
        """footer: markup at the end of every page."""
        self._root = root.resolve()
        self._footer = footer
        self._read: dict[Path, _Asset] = {}

    def has(self, name: str) -> bool:
        return self._path(name) is not None

    async def response(self, request: web.Request, name: str, *, status: int = 200) -> web.Response:
        """Raises HTTPNotFound for what isn't a file of the application."""
        path = self._path(name)
        if path is None:
            raise HTTPNotFound
        asset = await asyncio.to_thread(self._asset, path)
        headers = {"Cache-Control": "no-cache", "ETag": asset.etag, "Content-Type": _TYPES[path.suffix]}
        if status == 200 and _matches(request, asset.etag):
            return web.Response(status=304, headers={"Cache-Control": "no-cache", "ETag": asset.etag})
        response = web.Response(status=status, body=asset.body, headers=headers)
        if len(asset.body) > 1024:
            response.enable_compression()
        return response

    def _path(self, name: str) -> Path | None:
        if "\0" in name:
            return None
        path = (self._root / name).resolve()
        hidden = any(part.startswith(".") for part in path.parts[len(self._root.parts) :])
        if not path.is_relative_to(self._root) or hidden or path.suffix not in _TYPES or not path.is_file():
            return None
        return path

    def _asset(self, path: Path) -> _Asset:
        modified_ns = path.stat().st_mtime_ns
        known = self._read.get(path)
        if known is None or known.modified_ns != modified_ns:
            body = path.read_bytes()
            if path.suffix == ".html":
                body = body.replace(b"</body>", self._footer + b"</body>")
            # Weak: the same content, compressed or not.
            known = _Asset(body, f'W/"{hashlib.sha256(body).hexdigest()[:20]}"', modified_ns)
            self._read[path] = known
        return known


def _matches(request: web.Request, etag: str) -> bool:
    tags = request.if_none_match or ()
    return any(tag.value in {"*", etag.removeprefix('W/"').removesuffix('"')} for tag in tags)
