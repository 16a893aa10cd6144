import pytest

from app_server.secrets.sealing import Place, SealBrokenError, SecretSealer

PLACE = Place(table="providers", column="api_key", row="1")


@pytest.fixture
def sealer() -> SecretSealer:
    return SecretSealer(auth_secret="one secret")


def test_what_is_sealed_opens_in_its_place(sealer: SecretSealer) -> None:
    sealed = sealer.seal("ключ", PLACE)
    assert "ключ" not in sealed
    assert sealer.open(sealed, PLACE) == "ключ"


def test_two_seals_of_one_secret_differ(sealer: SecretSealer) -> None:
    assert sealer.seal("key", PLACE) != sealer.seal("key", PLACE)


@pytest.mark.parametrize(
    "place",
    [Place("users", "api_key", "1"), Place("providers", "x", "1"), Place("providers", "api_key", "2")],
)
def test_it_opens_in_no_other_place(sealer: SecretSealer, place: Place) -> None:
    with pytest.raises(SealBrokenError):
        sealer.open(sealer.seal("key", PLACE), place)


@pytest.mark.parametrize("sealed", ["", "v1:", "v1:####", "v2:AAAA", "v1:" + "A" * 40, "plain text"])
def test_what_was_tampered_with_does_not_open(sealer: SecretSealer, sealed: str) -> None:
    with pytest.raises(SealBrokenError):
        sealer.open(sealed, PLACE)


def test_another_secret_opens_nothing(sealer: SecretSealer) -> None:
    with pytest.raises(SealBrokenError):
        SecretSealer(auth_secret="another").open(sealer.seal("key", PLACE), PLACE)
