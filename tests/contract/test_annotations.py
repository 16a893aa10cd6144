"""What every service definition keeps to."""

from collections import Counter

import pytest
from contract.services import all_methods
from google.protobuf.descriptor import MethodDescriptor

from shared.rpc.bindings import bindings_of

every_method = pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.full_name)


@every_method
def test_has_an_http_binding(method: MethodDescriptor) -> None:
    assert bindings_of(method)


@every_method
def test_names_request_and_response_after_itself(method: MethodDescriptor) -> None:
    assert method.input_type.name == f"{method.name}Request"
    assert method.output_type.name == f"{method.name}Response"


@every_method
def test_lies_where_the_spec_puts_its_service(method: MethodDescriptor) -> None:
    prefix = "/v1/" if method.full_name.startswith("lectern.compute.") else "/api/internal/compute/"
    assert all(binding.template.startswith(prefix) for binding in bindings_of(method))


@every_method
def test_takes_fields_from_the_query_only_when_it_reads(method: MethodDescriptor) -> None:
    for binding in bindings_of(method):
        assert (binding.body == "") == (binding.verb in ("GET", "DELETE"))


def test_no_two_methods_share_an_address() -> None:
    addresses = Counter((b.verb, b.route) for method in all_methods() for b in bindings_of(method))
    assert [address for address, uses in addresses.items() if uses > 1] == []


def test_every_resumable_stream_has_event_ids() -> None:
    for method in all_methods():
        if "after_event_id" in method.input_type.fields_by_name:
            assert method.server_streaming
            assert "event_id" in method.output_type.fields_by_name
