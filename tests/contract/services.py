"""Every service of the protos, found in the generated code; nothing here names one."""

import importlib
from functools import cache
from pathlib import Path

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

import lectern


@cache
def all_services() -> list[tuple[ServiceDescriptor, type]]:
    """(descriptor, generated servicer class) of every service under lectern."""
    root = Path(next(iter(lectern.__path__)))
    found = []
    for path in sorted(root.rglob("*_pb2_grpc.py")):
        name = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        generated = importlib.import_module(name)
        messages = importlib.import_module(name.removesuffix("_grpc"))
        services = messages.DESCRIPTOR.services_by_name.values()
        found.extend((service, getattr(generated, f"{service.name}Servicer")) for service in services)
    return found


def stub_type(service: ServiceDescriptor, servicer_type: type) -> type:
    generated = importlib.import_module(servicer_type.__module__)
    return getattr(generated, f"{service.name}Stub")


def all_methods() -> list[MethodDescriptor]:
    return [method for service, _ in all_services() for method in service.methods]


def method_named(full_name: str) -> MethodDescriptor:
    return next(method for method in all_methods() if method.full_name == full_name)


WATCH_SESSION = "lectern.compute.v1.PlaybackService.WatchSession"
GET_PLAN = "lectern.compute.v1.PlaybackService.GetPlan"
ISSUE_CREDENTIALS = "lectern.credentials.v1.CredentialBrokerService.IssueTtsCredentials"
