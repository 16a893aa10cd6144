"""What a servicer object offers: its methods with their message types, read from the descriptors.

A servicer is an instance of a generated XServicer class; nothing else has to be registered.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message

from shared.errors import Code, LecternError

_GENERATED_MODULE_ENDING: Final = "_pb2_grpc"
_GENERATED_CLASS_ENDING: Final = "Servicer"


@dataclass(frozen=True)
class Method:
    """One RPC of one servicer."""

    descriptor: MethodDescriptor
    request_type: type[Message]
    # (request, context) -> awaitable response, or async iterator of responses when it streams.
    behavior: Callable[[Any, Any], Any]

    @property
    def path(self) -> str:
        return f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"

    @property
    def streams(self) -> bool:
        return self.descriptor.server_streaming


def service_of(servicer: object) -> ServiceDescriptor:
    """The service whose generated servicer class this object derives from."""
    for ancestor, module in _generated_ancestors(type(servicer)):
        messages = sys.modules[module.removesuffix("_grpc")]
        name = ancestor.__name__.removesuffix(_GENERATED_CLASS_ENDING)
        service: ServiceDescriptor = messages.DESCRIPTOR.services_by_name[name]
        return service
    raise TypeError(f"{type(servicer).__name__} derives from no generated servicer class")


def methods_of(servicer: object) -> list[Method]:
    return [_method(servicer, descriptor) for descriptor in service_of(servicer).methods]


def _generated_ancestors(cls: type) -> list[tuple[type, str]]:
    return [
        (ancestor, ancestor.__module__)
        for ancestor in cls.__mro__
        if ancestor.__module__.endswith(_GENERATED_MODULE_ENDING)
        and ancestor.__name__.endswith(_GENERATED_CLASS_ENDING)
    ]


def _method(servicer: object, descriptor: MethodDescriptor) -> Method:
    if descriptor.client_streaming:
        raise TypeError(f"{descriptor.full_name}: client streams have no HTTP form here")
    return Method(
        descriptor=descriptor,
        request_type=message_factory.GetMessageClass(descriptor.input_type),
        behavior=_behavior(servicer, descriptor),
    )


def _behavior(servicer: object, descriptor: MethodDescriptor) -> Callable[[Any, Any], Any]:
    generated, _ = _generated_ancestors(type(servicer))[0]
    if getattr(type(servicer), descriptor.name) is not getattr(generated, descriptor.name):
        behavior: Callable[[Any, Any], Any] = getattr(servicer, descriptor.name)
        return behavior

    def unimplemented(_request: Message, _context: object) -> Any:
        raise LecternError(Code.UNIMPLEMENTED, f"{descriptor.full_name} is not offered by this server.")

    return unimplemented
