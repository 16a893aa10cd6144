"""Hypothesis strategies for any message, made from its descriptor."""

from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import strategies as st

_UNKNOWN_ENUM_NUMBER = 4711
_SCALARS: dict[int, st.SearchStrategy[Any]] = {
    FieldDescriptor.TYPE_STRING: st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.sampled_from(["", ".", "..", "a/b", "%2F", "a+b c&d=e", "ä\N{GRINNING FACE}", "\0", "null"]),
    FieldDescriptor.TYPE_BYTES: st.binary(max_size=40),
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_DOUBLE: st.floats(allow_nan=False),
}


def messages(descriptor: Descriptor, depth: int = 4) -> st.SearchStrategy[Message]:
    if descriptor.full_name == "google.protobuf.Timestamp":
        return st.builds(
            Timestamp, seconds=st.integers(-62135596800, 253402300799), nanos=st.integers(0, 999_999_999)
        )
    message_type = message_factory.GetMessageClass(descriptor)
    plain = [field for field in descriptor.fields if _is_required(field)]
    chosen = [_choice(oneof.fields, depth) for oneof in descriptor.oneofs]
    fields = st.tuples(
        st.fixed_dictionaries({}, optional={f.name: _values(f, depth) for f in plain}), *chosen
    )
    return fields.map(lambda parts: message_type(**{k: v for part in parts for k, v in part.items()}))


def _is_required(field: FieldDescriptor) -> bool:
    return field.containing_oneof is None


def _choice(fields: list[FieldDescriptor], depth: int) -> st.SearchStrategy[dict[str, Any]]:
    one_of = [_values(field, depth).map(lambda value, name=field.name: {name: value}) for field in fields]
    return st.one_of(st.just({}), *one_of)


def _values(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    single = _single(field, depth)
    return st.lists(single, max_size=3 if depth else 0) if field.is_repeated else single


def _single(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        return messages(field.message_type, depth - 1) if depth else st.nothing()
    if field.enum_type is not None:
        return st.sampled_from([*(value.number for value in field.enum_type.values), _UNKNOWN_ENUM_NUMBER])
    return _SCALARS[field.type]
