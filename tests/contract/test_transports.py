"""Both transports carry every message unchanged, in both directions."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from contract.mesh import TRANSPORTS, Mesh, answers_of, running_mesh, stub_method
from contract.messages import messages
from contract.services import all_methods
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings

from shared.rpc.channel import open_channel

every_method = pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.full_name)


@every_method
def test_a_call_arrives_and_is_answered_equally(method: MethodDescriptor) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()

        async def start() -> tuple[Mesh, dict[str, object]]:
            mesh = await stack.enter_async_context(running_mesh())
            channels = {
                transport: await stack.enter_async_context(open_channel(mesh.address(transport), mesh.token))
                for transport in TRANSPORTS
            }
            return mesh, channels

        mesh, channels = runner.run(start())

        async def exchanged(transport: str, request: Message, answer: Message) -> None:
            mesh.recorder.requests.clear()
            mesh.recorder.answers = [answer]
            answers = await answers_of(stub_method(channels[transport], method), method, request)
            assert wire(mesh.recorder.requests) == wire([request])
            assert wire(answers) == wire([answer])

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(request=messages(method.input_type), answer=messages(method.output_type))
        def holds(request: Message, answer: Message) -> None:
            if "event_id" in method.output_type.fields_by_name:
                answer.event_id = 2**63 - 1
                request.after_event_id = min(request.after_event_id, 2**63 - 2)
            for transport in TRANSPORTS:
                runner.run(exchanged(transport, request, answer))

        try:
            holds()
        finally:
            runner.run(stack.aclose())


def wire(sent: list[Message]) -> list[bytes]:
    return [message.SerializeToString(deterministic=True) for message in sent]
