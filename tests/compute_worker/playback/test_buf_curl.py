"""The documented buf commands against a whole worker, which describes itself by reflection."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[3] / "docs" / "internal-api.md"
COMMANDS = re.findall(r"```sh\n(buf .*?)```", DOCUMENT.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("--list-methods", "lectern.compute.v1.PlaybackService/CreateSession"),
        ("SpeechService/ListVoices", '"voiceId": "en-us"'),
        ("Health/Check", "SERVING"),
    ],
)
async def test_a_documented_command_works_against_a_worker(worker, part, expected):
    command = next(command for command in COMMANDS if part in command)
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        command.replace("localhost:8082", worker.grpc_address),
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COMPUTE_WORKER_TOKEN": "worker-token-for-tests",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    assert re.sub(r'":\s*"', '": "', output.decode()).count(expected)
