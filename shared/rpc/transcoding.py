"""A request message in an HTTP request's path, query and body, in both directions; answers as JSON."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar, cast

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from shared.errors import Code, LecternError
from shared.rpc.bindings import WHOLE_BODY, HttpBinding
from shared.rpc.query import json_of_query, query_of_json

_MessageT = TypeVar("_MessageT", bound=Message)

# What json_format lets through for malformed input besides its own ParseError.
_PARSE_FAILURES: Final = (
    json_format.ParseError,
    ValueError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


def message_of_http(
    request: _MessageT,
    binding: HttpBinding,
    *,
    path_values: Sequence[str],
    query: Iterable[tuple[str, str]],
    body: bytes,
) -> _MessageT:
    """Fills the empty request. INVALID_ARGUMENT for unknown fields, bad types and contradictions."""
    _fill_from_body(request, binding, body)
    parameters = json_of_query(request, query)
    if parameters and binding.body == WHOLE_BODY:
        raise _malformed("This method takes no query parameters.")
    for name in (*binding.path_fields, binding.body):
        if _holds(parameters, name):
            raise _malformed(f"{name} is not a query parameter; it has its place elsewhere in the request.")
    _merge(request, parameters)
    path = dict(zip(binding.path_fields, path_values, strict=True))
    for name, text in path.items():
        _fill_from_path(request, name, text)
    return request


def http_of_message(request: Message, binding: HttpBinding) -> tuple[str, list[tuple[str, str]], bytes]:
    """(path, query, body) that say this request."""
    path = binding.path([_path_text(request, name) for name in binding.path_fields])
    rest = type(request)()
    rest.CopyFrom(request)
    for name in binding.path_fields:
        parent, field = _owner(rest, name)
        parent.ClearField(field)
    if binding.body == WHOLE_BODY:
        return path, [], json_bytes(rest)
    body = b""
    tree = json_format.MessageToDict(rest, preserving_proto_field_name=True)
    if binding.body:
        body = json.dumps(tree.pop(binding.body, {})).encode()
    return path, list(query_of_json(tree)), body


def json_bytes(message: Message) -> bytes:
    """Canonical proto JSON, with zeros written out where the field can't be absent."""
    tree = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode()


def message_of_json(text: bytes, message: _MessageT) -> _MessageT:
    """A peer's answer. Unknown fields are skipped: the peer may be newer, as over gRPC."""
    try:
        return json_format.Parse(text, message, ignore_unknown_fields=True)
    except _PARSE_FAILURES as error:
        raise LecternError(
            Code.INTERNAL, f"The answer is not a {message.DESCRIPTOR.full_name} message."
        ) from error


def _fill_from_body(request: Message, binding: HttpBinding, body: bytes) -> None:
    if not body:
        return
    if not binding.body:
        raise _malformed("This method takes no request body.")
    try:
        tree = json.loads(body.decode(), object_pairs_hook=_without_duplicates)
        tree = tree if binding.body == WHOLE_BODY else {binding.body: tree}
        _require_objects(cast("Descriptor", request.DESCRIPTOR), tree)
    except (ValueError, RecursionError) as error:
        raise _malformed("The request body is not valid JSON.") from error
    _merge(request, tree)


def _require_objects(descriptor: Descriptor, value: object) -> None:
    """json_format takes [] for an empty message."""
    if not isinstance(value, dict):
        raise _malformed(f"A JSON object is needed for {descriptor.full_name}.")
    for name, inner in value.items():
        field = descriptor.fields_by_camelcase_name.get(name) or descriptor.fields_by_name.get(name)
        if field is None or field.message_type is None or inner is None:
            continue
        if not field.message_type.full_name.startswith("google.protobuf."):
            for item in inner if field.is_repeated and isinstance(inner, list) else [inner]:
                _require_objects(field.message_type, item)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) < len(pairs):
        raise _malformed("The request body has a name twice.")
    return tree


def _fill_from_path(request: Message, name: str, text: str) -> None:
    parent, field = _owner(request, name)
    in_body = getattr(parent, field)
    _merge(request, json_of_query(request, [(name, text)]))
    if in_body not in (type(in_body)(), getattr(parent, field)):
        raise _malformed(f"{name} in the body contradicts the path.")


def _merge(request: Message, tree: dict[str, Any]) -> None:
    try:
        json_format.ParseDict(tree, request)
    except _PARSE_FAILURES as error:
        raise _malformed(_explained(error)) from error


def _holds(tree: Any, path: str) -> bool:
    for name in path.split("."):
        if not isinstance(tree, dict) or name not in tree:
            return False
        tree = tree[name]
    return True


def _owner(request: Message, path: str) -> tuple[Any, str]:
    *parents, field = path.split(".")
    owner: Any = request
    for parent in parents:
        owner = getattr(owner, parent)
    return owner, field


def _path_text(request: Message, name: str) -> str:
    owner, field = _owner(request, name)
    value = getattr(owner, field)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _explained(error: Exception) -> str:
    known = str(error) if isinstance(error, json_format.ParseError) else ""
    # The list of every field there is helps nobody.
    return (
        f"The request doesn't fit its message: {known.split(' Available Fields', 1)[0] or 'malformed JSON'}"
    )


def _malformed(message: str) -> LecternError:
    return LecternError(Code.INVALID_ARGUMENT, message, reason="REQUEST_MALFORMED")
