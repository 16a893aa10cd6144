import asyncio
import os
import stat
from pathlib import Path

import pytest

from compute_worker.audio.media_tool import MediaTool
from shared.errors import LecternError


@pytest.fixture
def stuck_tool(tmp_path: Path) -> Path:
    """Tells its process id, then fills its output and never ends by itself."""
    tool = tmp_path / "stuck"
    told = tmp_path / "started"
    tool.write_text(f"#!/bin/sh\necho $$ > {told}.new\nmv {told}.new {told}\nexec yes\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return tool


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


async def test_cancelling_kills_the_process(stuck_tool: Path, tmp_path: Path) -> None:
    task = asyncio.create_task(MediaTool(media_bin=str(stuck_tool)).decode(b"x" * 100_000))
    async with asyncio.timeout(10):
        while not (tmp_path / "started").exists():
            await asyncio.sleep(0.005)
    process_id = int((tmp_path / "started").read_text())
    assert is_running(process_id)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_running(process_id)


async def test_time_is_limited(stuck_tool: Path, tmp_path: Path) -> None:
    with pytest.raises(LecternError) as caught:
        await MediaTool(media_bin=str(stuck_tool), timeout_seconds=0.3).decode(b"x")
    assert caught.value.reason == "AUDIO_DECODE_TIMEOUT"
    assert not is_running(int((tmp_path / "started").read_text()))


async def test_only_so_much_audio_is_decoded(media_tool: MediaTool) -> None:
    tool = MediaTool(media_bin=media_tool.media_bin, max_audio_seconds=2)
    hour = await media_tool.run(("-f", "lavfi", "-i", "sine=duration=60", "-f", "mp3", "pipe:1"), b"")
    assert len(await tool.decode(hour)) == 48_000


async def test_a_playlist_makes_it_open_nothing(media_tool: MediaTool, tmp_path: Path) -> None:
    secret = tmp_path / "secret.wav"
    secret.write_bytes(
        await media_tool.run(("-f", "lavfi", "-i", "sine=duration=1", "-f", "wav", "pipe:1"), b"")
    )
    playlist = f"#EXTM3U\n#EXTINF:1,\nfile://{secret}\n#EXT-X-ENDLIST\n".encode()
    assert not len(await media_tool.decode(playlist))
    assert not len(await media_tool.decode(f"ffconcat version 1.0\nfile {secret}\n".encode()))
