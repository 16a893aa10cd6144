"""The google.api.http rules, over message types built for the test."""

import pytest
from google.api import annotations_pb2, http_pb2
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import MethodDescriptor

from shared.rpc.bindings import HttpBinding, bindings_of

FIELD = descriptor_pb2.FieldDescriptorProto


def method_with(rule: http_pb2.HttpRule) -> MethodDescriptor:
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    file.dependency.append("google/api/annotations.proto")
    inner = file.message_type.add(name="Inner")
    inner.field.add(name="key", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    request = file.message_type.add(name="Request")
    request.field.add(name="name", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    request.field.add(
        name="inner", number=2, type=FIELD.TYPE_MESSAGE, type_name=".t.Inner", label=FIELD.LABEL_OPTIONAL
    )
    request.field.add(name="tags", number=3, type=FIELD.TYPE_STRING, label=FIELD.LABEL_REPEATED)
    method = file.service.add(name="S").method.add(name="M", input_type=".t.Request", output_type=".t.Inner")
    method.options.Extensions[annotations_pb2.http].CopyFrom(rule)
    pool = descriptor_pool.DescriptorPool()
    for known in (descriptor_pb2.DESCRIPTOR, http_pb2.DESCRIPTOR, annotations_pb2.DESCRIPTOR):
        pool.AddSerializedFile(known.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindServiceByName("t.S").methods_by_name["M"]


def test_additional_bindings_follow_the_main_one() -> None:
    rule = http_pb2.HttpRule(get="/a/{name}")
    rule.additional_bindings.add(post="/b/{inner.key}:go", body="inner")
    assert [(b.verb, b.template, b.body) for b in bindings_of(method_with(rule))] == [
        ("GET", "/a/{name}", ""),
        ("POST", "/b/{inner.key}:go", "inner"),
    ]


def test_a_method_without_an_annotation_has_no_binding() -> None:
    assert bindings_of(method_with(http_pb2.HttpRule())) == []


@pytest.mark.parametrize(
    "rule",
    [
        http_pb2.HttpRule(get="/a/{unknown}"),
        http_pb2.HttpRule(get="/a/{tags}"),
        http_pb2.HttpRule(get="/a/{inner}"),
        http_pb2.HttpRule(get="/a/{tags.key}"),
        http_pb2.HttpRule(get="/a/{name=x/*}"),
        http_pb2.HttpRule(get="/a/*"),
        http_pb2.HttpRule(post="/a", body="unknown"),
        http_pb2.HttpRule(get="/a", response_body="key"),
        http_pb2.HttpRule(custom=http_pb2.CustomHttpPattern(kind="HEAD", path="/a")),
    ],
    ids=str,
)
def test_a_rule_that_cannot_be_served_fails_at_start(rule: http_pb2.HttpRule) -> None:
    with pytest.raises(TypeError):
        bindings_of(method_with(rule))


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("a", "/s/a/x"),
        ("", "/s//x"),
        ("a/b", "/s/a%2Fb/x"),
        ("..", "/s/%2E%2E/x"),
        ("ä ?#", "/s/%C3%A4%20%3F%23/x"),
    ],
)
def test_a_value_cannot_leave_its_segment(value: str, path: str) -> None:
    assert HttpBinding(verb="GET", template="/s/{name}/x", body="").path([value]) == path


def test_a_double_wildcard_spans_segments() -> None:
    binding = HttpBinding(verb="GET", template="/s/{name=**}", body="")
    assert binding.path(["a/b c"]) == "/s/a/b%20c"
    assert binding.route == "/s/{v0:.*}"
