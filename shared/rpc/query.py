"""Query parameters as message fields: nested by dots, repeated by repetition (google/api/http.proto)."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from shared.errors import Code, LecternError

# Well-known types whose JSON form is one text.
_TEXT_TYPES: Final = {
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
}
_WRAPPER: Final = re.compile(r"google\.protobuf\.(\w+)Value")
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}")
_INTEGER_TYPES: Final = {
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
}
_BOOLEANS: Final = {"true": True, "false": False}


def json_of_query(request: Message, items: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The proto JSON object that the parameters describe; INVALID_ARGUMENT names the first bad one."""
    tree: dict[str, Any] = {}
    descriptor = cast("Descriptor", request.DESCRIPTOR)
    for name, text in items:
        _place(tree, descriptor, name, text)
    return tree


def query_of_json(tree: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The parameters of a proto JSON object; INVALID_ARGUMENT for what a query can't say."""
    for name, value in tree.items():
        if isinstance(value, dict):
            for inner, text in query_of_json(value):
                yield f"{name}.{inner}", text
        else:
            for item in value if isinstance(value, list) else [value]:
                yield name, _text(name, item)


def _place(tree: dict[str, Any], descriptor: Descriptor, name: str, text: str) -> None:
    *parents, last = name.split(".")
    for parent in parents:
        field = _field(descriptor, parent, name)
        if field.message_type is None or field.is_repeated:
            raise _refused(name, "is not a field of the request")
        tree = tree.setdefault(field.name, {})
        descriptor = field.message_type
    field = _field(descriptor, last, name)
    value = _value(field, name, text)
    if field.is_repeated:
        tree.setdefault(field.name, []).append(value)
    elif field.name in tree:
        raise _refused(name, "is given more than once")
    else:
        tree[field.name] = value


def _field(descriptor: Descriptor, segment: str, name: str) -> FieldDescriptor:
    field = descriptor.fields_by_name.get(segment) or descriptor.fields_by_camelcase_name.get(segment)
    if field is None:
        raise _refused(name, "is not a field of the request")
    return field


def _value(field: FieldDescriptor, name: str, text: str) -> str | bool:
    """Proto JSON takes numbers and enums as text, but not booleans."""
    if field.message_type is not None:
        return _message_value(field.message_type, name, text)
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        if text not in _BOOLEANS:
            raise _refused(name, "must be true or false")
        return _BOOLEANS[text]
    if field.cpp_type in _INTEGER_TYPES and not _INTEGER.fullmatch(text):
        raise _refused(name, "must be a whole number")
    return text


def _message_value(message: Descriptor, name: str, text: str) -> str | bool:
    if message.full_name in _TEXT_TYPES:
        return text
    if _WRAPPER.fullmatch(message.full_name):
        return _value(message.fields_by_name["value"], name, text)
    raise _refused(name, "can't be given in the query")


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        raise _refused(name, "can't be given in a query")
    return str(value)


def _refused(name: str, why: str) -> LecternError:
    return LecternError(
        Code.INVALID_ARGUMENT, f"The query parameter {name!r} {why}.", reason="REQUEST_MALFORMED"
    )
