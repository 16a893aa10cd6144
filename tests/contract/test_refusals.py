"""What doesn't fit a method's request, or comes without the token, is refused on both transports."""

import json
from typing import Any

import aiohttp
import grpc
import pytest
from contract.mesh import Mesh, answers_of
from contract.services import all_methods
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from shared.errors import Code, LecternError
from shared.rpc.bindings import bindings_of

every_method = pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.full_name)
wrong_headers = pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Basic contract-token",
        "contract-token",
        "Bearer contract-token2",
    ],
)
# Of no field's type.
BAD_VALUES = {
    FieldDescriptor.CPPTYPE_STRING: 7,
    FieldDescriptor.CPPTYPE_BOOL: "perhaps",
    FieldDescriptor.CPPTYPE_MESSAGE: [],
    FieldDescriptor.CPPTYPE_ENUM: "NO_SUCH_NAME",
}


async def send(
    mesh: Mesh,
    method: MethodDescriptor,
    *,
    body: Any = None,
    query: dict[str, str] | None = None,
    **headers: str,
) -> tuple[int, dict[str, Any]]:
    binding = bindings_of(method)[0]
    url = mesh.address("http") + binding.path(["x"] * len(binding.path_fields))
    data = body if isinstance(body, bytes | None) else json.dumps(body)
    headers.setdefault("Authorization", f"Bearer {mesh.token}")
    async with (
        aiohttp.ClientSession() as session,
        session.request(binding.verb, url, data=data, params=query, headers=headers) as response,
    ):
        return response.status, await response.json()


async def refused(mesh: Mesh, method: MethodDescriptor, **parts: Any) -> dict[str, Any]:
    status, answer = await send(mesh, method, **parts)
    assert (status, answer["code"]) == (400, "INVALID_ARGUMENT"), answer
    assert answer["message"]
    assert answer["request_id"]
    assert mesh.recorder.requests == []
    return answer


@every_method
async def test_an_unknown_field_is_an_invalid_argument(mesh: Mesh, method: MethodDescriptor) -> None:
    if bindings_of(method)[0].body:
        answer = await refused(mesh, method, body={"noSuchField": 1})
    else:
        answer = await refused(mesh, method, query={"noSuchField": "1"})
    assert "noSuchField" in answer["message"]


@every_method
async def test_a_value_of_the_wrong_type_is_an_invalid_argument(mesh: Mesh, method: MethodDescriptor) -> None:
    binding = bindings_of(method)[0]
    for field in method.input_type.fields:
        if field.name in binding.path_fields:
            continue
        bad = 7 if field.is_repeated else BAD_VALUES.get(field.cpp_type, "many")
        if binding.body:
            await refused(mesh, method, body={field.name: bad})
        elif field.cpp_type != FieldDescriptor.CPPTYPE_STRING:  # any query value is a text
            await refused(mesh, method, query={field.name: str(bad)})


@every_method
@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"7", b"null", b"\xff", b'{"a":' * 100_000], ids=lambda body: repr(body[:9])
)
async def test_a_body_that_is_no_object_is_an_invalid_argument(
    mesh: Mesh, method: MethodDescriptor, body: bytes
) -> None:
    await refused(mesh, method, body=body)


@every_method
async def test_bytes_that_are_no_message_are_an_invalid_argument(
    mesh: Mesh, method: MethodDescriptor
) -> None:
    path = f"/{method.containing_service.full_name}/{method.name}"
    metadata = [("authorization", f"Bearer {mesh.token}")]
    async with grpc.aio.insecure_channel(mesh.address("grpc").removeprefix("grpc://")) as channel:
        call = channel.unary_unary(path)(b"\xff\xff\xff", metadata=metadata)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert mesh.recorder.requests == []


@every_method
async def test_the_wrong_token_is_unauthenticated(
    mesh: Mesh, transport: str, method: MethodDescriptor
) -> None:
    request = message_factory.GetMessageClass(method.input_type)()
    async with mesh.calling(transport, method, token="wrong") as call:
        with pytest.raises(LecternError) as caught:
            await answers_of(call, method, request)
    assert caught.value.code is Code.UNAUTHENTICATED
    assert mesh.recorder.requests == []


@wrong_headers
@every_method
async def test_only_the_right_bearer_token_opens_the_gateway(
    mesh: Mesh, method: MethodDescriptor, authorization: str | None
) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    binding = bindings_of(method)[0]
    url = mesh.address("http") + binding.path(["x"] * len(binding.path_fields))
    async with (
        aiohttp.ClientSession() as session,
        session.request(binding.verb, url, headers=headers) as response,
    ):
        assert response.status == 401
        assert response.headers["WWW-Authenticate"] == "Bearer"
        assert (await response.json())["code"] == "UNAUTHENTICATED"


@wrong_headers
async def test_only_the_right_bearer_token_opens_grpc(mesh: Mesh, authorization: str | None) -> None:
    metadata = [] if authorization is None else [("authorization", authorization)]
    async with grpc.aio.insecure_channel(mesh.address("grpc").removeprefix("grpc://")) as channel:
        for path in ("/lectern.compute.v1.PlaybackService/GetPlan", "/no.such.Service/Method"):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_unary(path)(b"", metadata=metadata)
            assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        # Nothing is sent: a message that crosses the refusal on its way fails in the client's own words.
        reflection = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(metadata=metadata)
        assert await reflection.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_grpc_health_needs_no_token(mesh: Mesh) -> None:
    async with grpc.aio.insecure_channel(mesh.address("grpc").removeprefix("grpc://")) as channel:
        answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_reflection_lists_every_service_to_who_has_the_token(mesh: Mesh) -> None:
    async with grpc.aio.insecure_channel(mesh.address("grpc").removeprefix("grpc://")) as channel:
        answer = await reflected(channel, [("authorization", f"Bearer {mesh.token}")])
    listed = {service.name for service in answer.list_services_response.service}
    assert listed >= {method.containing_service.full_name for method in all_methods()}


async def reflected(channel: grpc.aio.Channel, metadata: list[tuple[str, str]]) -> Any:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    call = stub.ServerReflectionInfo(metadata=metadata)
    await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    await call.done_writing()
    answers = [answer async for answer in call]
    return answers[0]
