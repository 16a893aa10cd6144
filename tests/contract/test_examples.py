"""The commands in docs/internal-api.md work as written, but for the address."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from contract.mesh import TOKEN, Mesh, running_mesh
from contract.services import all_services
from google.protobuf.descriptor_pool import Default

from lectern.compute.v1.operations_pb2 import Operation, WatchOperationResponse
from lectern.compute.v1.speech_pb2 import ListVoicesResponse, Voice

DOCUMENT = Path(__file__).parents[2] / "docs" / "internal-api.md"
BLOCKS = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)
BUF_COMMANDS = [block for block in BLOCKS if block.startswith("buf ")]
CURL_ADDRESSES = re.findall(
    r"https?://[^\s'…]+", "".join(block for block in BLOCKS if block.startswith("curl "))
)
GRPC_ADDRESS, HTTP_ADDRESS = "localhost:8082", "localhost:8081"


async def run(command: str, mesh: Mesh, token: str = TOKEN) -> tuple[int, str]:
    tools = Path(sys.executable).parent
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        addressed(command, mesh),
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "COMPUTE_WORKER_TOKEN": token},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


async def fetched(address: str, mesh: Mesh) -> str:
    """What curl, which not every machine has, would print."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(addressed(address, mesh), headers=headers) as response,
    ):
        assert response.status == 200
        return await response.text()


def addressed(text: str, mesh: Mesh) -> str:
    for documented, transport in ((GRPC_ADDRESS, "grpc"), (HTTP_ADDRESS, "http")):
        text = text.replace(documented, mesh.address(transport).split("://")[1])
    return text


def command_with(text: str) -> str:
    return next(command for command in BUF_COMMANDS if text in command)


@pytest.fixture
async def answering() -> AsyncIterator[Mesh]:
    async with running_mesh() as mesh:
        mesh.recorder.answers = [ListVoicesResponse(voices=[Voice(voice_id="ef_dora", name="Dora")])]
        yield mesh


@pytest.fixture
async def streaming() -> AsyncIterator[Mesh]:
    async with running_mesh() as mesh:
        mesh.recorder.answers = [
            WatchOperationResponse(operation=Operation(operation_id="op-1", attempt=attempt))
            for attempt in (1, 2)
        ]
        yield mesh


async def test_list_methods_names_every_method(answering: Mesh) -> None:
    code, output = await run(command_with("--list-methods"), answering)
    assert code == 0, output
    for service, _ in all_services():
        for method in service.methods:
            assert f"{service.full_name}/{method.name}" in output


async def test_the_call_answers(answering: Mesh) -> None:
    code, output = await run(command_with("SpeechService/ListVoices"), answering)
    assert code == 0, output
    assert "ef_dora" in output
    assert '"language":' in output  # although it is empty
    assert [request.provider_ref for request in answering.recorder.requests] == ["builtin"]


async def test_the_stream_gives_every_message(streaming: Mesh) -> None:
    code, output = await run(command_with("OperationService/WatchOperation"), streaming)
    assert code == 0, output
    assert re.findall(r'"attempt": ?(\d)', output) == ["1", "2"]


async def test_health_answers(answering: Mesh) -> None:
    code, output = await run(command_with("Health/Check"), answering)
    assert (code, "SERVING" in output) == (0, True), output


async def test_the_gateways_call_answers(answering: Mesh) -> None:
    output = await fetched(address_with("/v1/speech/voices"), answering)
    assert "ef_dora" in output
    assert '"language":""' in output
    assert [request.provider_ref for request in answering.recorder.requests] == ["builtin"]


async def test_the_gateways_stream_gives_every_message(streaming: Mesh) -> None:
    output = await fetched(address_with("/v1/operations/"), streaming)
    assert re.findall(r'"attempt":(\d)', output) == ["1", "2"]


@pytest.mark.parametrize("command", BUF_COMMANDS, ids=range(len(BUF_COMMANDS)))
async def test_no_command_gets_through_without_the_token(answering: Mesh, command: str) -> None:
    code, output = await run(command, answering, token="wrong")
    assert code != 0, output
    assert answering.recorder.requests == []


def address_with(text: str) -> str:
    return next(address for address in CURL_ADDRESSES if text in address)


def test_every_method_that_the_document_names_exists() -> None:
    named = re.findall(r"(lectern\.[\w.]+)/(\w+)", DOCUMENT.read_text())
    assert named
    for service, method in named:
        assert Default().FindServiceByName(service).methods_by_name[method]
