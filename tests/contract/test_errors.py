"""A servicer's LecternError reaches the caller whole, whichever way the call went."""

import aiohttp
import grpc
import pytest
from contract.mesh import Mesh, answers_of
from contract.services import GET_PLAN, WATCH_SESSION, method_named
from google.protobuf import message_factory
from google.protobuf.message import Message

from shared.errors import Code, LecternError, code_of_number
from shared.rpc.statuses import grpc_code

# https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
HTTP_STATUSES = {
    Code.CANCELLED: 499,
    Code.UNKNOWN: 500,
    Code.INVALID_ARGUMENT: 400,
    Code.DEADLINE_EXCEEDED: 504,
    Code.NOT_FOUND: 404,
    Code.ALREADY_EXISTS: 409,
    Code.PERMISSION_DENIED: 403,
    Code.RESOURCE_EXHAUSTED: 429,
    Code.FAILED_PRECONDITION: 400,
    Code.ABORTED: 409,
    Code.OUT_OF_RANGE: 400,
    Code.UNIMPLEMENTED: 501,
    Code.INTERNAL: 500,
    Code.UNAVAILABLE: 503,
    Code.DATA_LOSS: 500,
    Code.UNAUTHENTICATED: 401,
}
RETRYABLE = {Code.DEADLINE_EXCEEDED, Code.RESOURCE_EXHAUSTED, Code.ABORTED, Code.UNAVAILABLE}
every_code = pytest.mark.parametrize("code", list(Code), ids=lambda code: code.name)


def a_request(name: str) -> Message:
    return message_factory.GetMessageClass(method_named(name).input_type)(session_id="s")


async def failure_of(mesh: Mesh, transport: str, name: str) -> LecternError:
    method = method_named(name)
    async with mesh.calling(transport, method) as call:
        with pytest.raises(LecternError) as caught:
            await answers_of(call, method, a_request(name))
    return caught.value


@every_code
def test_the_table_follows_the_standard_mapping(code: Code) -> None:
    assert code.http_status == HTTP_STATUSES[code]
    assert code.retryable == (code in RETRYABLE)
    assert grpc_code(code) is grpc.StatusCode[code.name]
    assert code_of_number(code.number) is code


@pytest.mark.parametrize("name", [GET_PLAN, WATCH_SESSION])
@every_code
async def test_every_code_arrives_with_all_it_carries(
    mesh: Mesh, transport: str, code: Code, name: str
) -> None:
    sent = LecternError(
        code,
        "Wörter fehlen: 100 %",
        reason="WORDS_MISSING",
        details={"retryable": "ä", "n": "1"},
        retryable=not code.retryable,
    )
    mesh.recorder.failure = sent
    got = await failure_of(mesh, transport, name)
    assert (got.code, got.message, got.reason) == (sent.code, sent.message, sent.reason)
    assert (got.details, got.retryable) == (sent.details, sent.retryable)


async def test_an_unexpected_exception_becomes_internal_and_tells_nothing(mesh: Mesh, transport: str) -> None:
    mesh.recorder.failure = KeyError("the password is swordfish")
    for name in (GET_PLAN, WATCH_SESSION):
        got = await failure_of(mesh, transport, name)
        assert got.code is Code.INTERNAL
        assert "swordfish" not in got.message


async def test_a_long_message_arrives_shortened_rather_than_not_at_all(mesh: Mesh, transport: str) -> None:
    mesh.recorder.failure = LecternError(Code.NOT_FOUND, "\N{GRINNING FACE}" * 5000)
    got = await failure_of(mesh, transport, GET_PLAN)
    assert got.code is Code.NOT_FOUND
    assert got.message.startswith("\N{GRINNING FACE}" * 1000)


async def test_a_stream_that_fails_midway_gives_its_messages_and_then_the_error(
    mesh: Mesh, transport: str
) -> None:
    method = method_named(WATCH_SESSION)
    answer_type = message_factory.GetMessageClass(method.output_type)
    mesh.recorder.answers = [answer_type(event_id=number) for number in (1, 2)]
    mesh.recorder.failure = LecternError(Code.ABORTED, "Moved elsewhere.", reason="MOVED")
    async with mesh.calling(transport, method) as call:
        stream = call(a_request(WATCH_SESSION))
        seen = [(await anext(stream)).event_id, (await anext(stream)).event_id]
        with pytest.raises(LecternError) as caught:
            await anext(stream)
    assert seen == [1, 2]
    assert (caught.value.code, caught.value.reason) == (Code.ABORTED, "MOVED")


async def test_the_gateway_says_errors_in_its_documented_shape(mesh: Mesh) -> None:
    mesh.recorder.failure = LecternError(Code.NOT_FOUND, "No such session.", reason="SESSION_UNKNOWN")
    headers = {"Authorization": f"Bearer {mesh.token}", "X-Request-Id": "from-the-edge"}
    url = f"{mesh.address('http')}/v1/tts-playback/sessions/s/plan"
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
        assert response.status == 404
        assert response.headers["X-Request-Id"] == "from-the-edge"
        assert response.headers["Cache-Control"] == "no-store"
        assert await response.json() == {
            "code": "NOT_FOUND",
            "message": "No such session.",
            "details": {"reason": "SESSION_UNKNOWN", "retryable": False, "metadata": {}},
            "request_id": "from-the-edge",
        }


def test_no_grpc_code_is_left_out() -> None:
    assert {grpc_code(code) for code in Code} == set(grpc.StatusCode) - {grpc.StatusCode.OK}
