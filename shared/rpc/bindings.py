"""google.api.http annotations: which HTTP request a method answers, and which one calls it.

Understands what google/api/http.proto allows except response_body, several segments in one
variable ({name=a/*/b}) and unnamed wildcards; using one of those fails at start-up.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import quote

from google.api import annotations_pb2, http_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

WHOLE_BODY: Final = "*"
_VARIABLE: Final = re.compile(r"\{([a-z][a-z0-9_.]*)(?:=(\*\*?))?\}")
_VERBS: Final = ("get", "put", "post", "delete", "patch")
_PATH_TYPES: Final = {
    FieldDescriptor.CPPTYPE_STRING,
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
    FieldDescriptor.CPPTYPE_BOOL,
    FieldDescriptor.CPPTYPE_ENUM,
}


@dataclass(frozen=True)
class HttpBinding:
    verb: str
    template: str
    # "" (no body), "*" (the whole request but the path's fields) or a field's name.
    body: str

    @cached_property
    def path_fields(self) -> tuple[str, ...]:
        """Dotted field paths in the order of the template."""
        return tuple(match[1] for match in _VARIABLE.finditer(self.template))

    @cached_property
    def route(self) -> str:
        """aiohttp's form; variables are called v0, v1, ... and may be empty, as over gRPC."""
        numbers = iter(range(len(self.path_fields)))

        def variable(match: re.Match[str]) -> str:
            pattern = ".*" if match[2] == "**" else "[^/]*"
            return f"{{v{next(numbers)}:{pattern}}}"

        return _VARIABLE.sub(variable, self.template)

    def path(self, values: Sequence[str]) -> str:
        """The template with percent-encoded values in place of its variables."""
        remaining = iter(values)

        def encoded(match: re.Match[str]) -> str:
            return _encoded(next(remaining), safe="/" if match[2] == "**" else "")

        return _VARIABLE.sub(encoded, self.template)


def bindings_of(method: MethodDescriptor) -> list[HttpBinding]:
    """The main binding first. TypeError for an annotation that can't be served."""
    rule = method.GetOptions().Extensions[annotations_pb2.http]
    bindings = [_binding(each) for each in (rule, *rule.additional_bindings) if each.WhichOneof("pattern")]
    for binding in bindings:
        for problem in _problems(binding, method.input_type):
            raise TypeError(f"{method.full_name}, {binding.template}: {problem}")
    return bindings


def _binding(rule: http_pb2.HttpRule) -> HttpBinding:
    verb = rule.WhichOneof("pattern")
    if verb not in _VERBS or rule.response_body:
        raise TypeError(f"This google.api.http rule is not supported: {rule}")
    return HttpBinding(verb=verb.upper(), template=getattr(rule, verb), body=rule.body)


def _problems(binding: HttpBinding, request: Descriptor) -> Iterator[str]:
    if re.search(r"[{}*]", _VARIABLE.sub("", binding.template)):
        yield "the path template is not supported"
    for path in binding.path_fields:
        field = _field(request, path)
        if field is None or field.is_repeated or field.cpp_type not in _PATH_TYPES:
            yield f"{path} is not a single text, number, boolean or enum"
    if binding.body not in ("", WHOLE_BODY) and binding.body not in request.fields_by_name:
        yield f"the body {binding.body} is not a field"


def _field(request: Descriptor, path: str) -> FieldDescriptor | None:
    *parents, last = path.split(".")
    for parent in parents:
        field = request.fields_by_name.get(parent)
        if field is None or field.message_type is None or field.is_repeated:
            return None
        request = field.message_type
    return request.fields_by_name.get(last)


def _encoded(value: str, *, safe: str) -> str:
    if value in (".", ".."):  # would be taken for a step in the path
        return value.replace(".", "%2E")
    return quote(value, safe=safe)
