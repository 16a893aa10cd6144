"""A ZIP archive as a stream of bytes: nothing of it is ever held whole."""

import io
import json
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Final

from app_server.account_export.model import AccountContent, OwnedFile

_README: Final = """\
Everything that Lectern keeps for your account.

documents/   your files, as you uploaded them
data/        what Lectern knows about them and about you, one JSON file for each kind of record

Times are in UTC. Passwords, keys and links in messages are left out: Lectern keeps none that can be read.
"""


class _Pipe(io.RawIOBase):
    """What zipfile writes to: it can't go back, so the archive is written in one go."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        self._chunks.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        taken = b"".join(self._chunks)
        self._chunks.clear()
        return taken


async def archive(
    content: AccountContent,
    *,
    read: Callable[[OwnedFile], AsyncIterator[bytes]],
    at_ms: int,
    on_file: Callable[[], Awaitable[None]],
) -> AsyncIterator[bytes]:
    """on_file is awaited after each file. A file whose bytes are gone is named in data/missing.json."""
    pipe = _Pipe()
    missing: list[str] = []
    written_at = datetime.fromtimestamp(at_ms / 1000, tz=UTC).timetuple()[:6]
    with zipfile.ZipFile(pipe, "w", allowZip64=True) as packed:
        packed.writestr(_entry("README.txt", written_at), _README)
        for name, rows in content.records.items():
            packed.writestr(_entry(f"data/{name}.json", written_at), _json(rows))
            yield pipe.taken()
        for file in content.files:
            # Books and PDFs are compressed already.
            entry = _entry(f"documents/{file.name}", written_at, compression=zipfile.ZIP_STORED)
            chunks = read(file)
            first = await anext(chunks, None)
            if first is None:
                missing.append(file.name)
            else:
                with packed.open(entry, "w", force_zip64=True) as target:
                    target.write(first)
                    async for chunk in chunks:
                        target.write(chunk)
                        yield pipe.taken()
            yield pipe.taken()
            await on_file()
        if missing:
            packed.writestr(_entry("data/missing.json", written_at), _json(missing))
    yield pipe.taken()


def _entry(
    name: str, written_at: tuple[int, ...], *, compression: int = zipfile.ZIP_DEFLATED
) -> zipfile.ZipInfo:
    year, month, day, hour, minute, second = written_at
    entry = zipfile.ZipInfo(name, (max(year, 1980), month, day, hour, minute, second))
    entry.compress_type = compression
    entry.external_attr = 0o644 << 16
    return entry


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()
