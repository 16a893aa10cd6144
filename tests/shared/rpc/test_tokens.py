import pytest

from shared.rpc.tokens import authorization_value, bearer_check


def test_the_token_that_is_sent_is_accepted() -> None:
    assert bearer_check("geheim")(authorization_value("geheim"))


@pytest.mark.parametrize("scheme", ["bearer", "BEARER"])
def test_the_schemes_case_does_not_matter(scheme: str) -> None:
    assert bearer_check("geheim")(f"{scheme} geheim")


@pytest.mark.parametrize(
    "presented", [None, "", "geheim", "Bearer", "Bearer Geheim", "Basic geheim", "Bearer \udcff"]
)
def test_anything_else_is_refused(presented: str | None) -> None:
    assert not bearer_check("geheim")(presented)


def test_an_empty_token_protects_nothing_and_is_refused_at_start() -> None:
    with pytest.raises(ValueError, match="empty"):
        bearer_check("")
