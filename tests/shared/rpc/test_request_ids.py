import pytest
from structlog.contextvars import bound_contextvars

from shared.rpc.request_ids import accepted_request_id, current_request_id


def test_a_well_formed_id_is_taken_over() -> None:
    assert accepted_request_id("edge-1.a_B") == "edge-1.a_B"


@pytest.mark.parametrize("presented", [None, "", "a b", "a\nb", "ä", "x" * 65])
def test_another_id_is_replaced(presented: str | None) -> None:
    made = accepted_request_id(presented)
    assert made != presented
    assert accepted_request_id(made) == made


def test_the_present_requests_id_goes_on() -> None:
    with bound_contextvars(request_id="edge-1"):
        assert current_request_id() == "edge-1"


def test_outside_of_a_request_every_call_has_its_own() -> None:
    assert current_request_id() != current_request_id()
