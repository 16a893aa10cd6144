"""The guide names the addresses and limits that are in force."""

from app_server.accounts import rate_limits
from app_server.external_sign_in.githost import GITHOST_ID
from servers.lectern import ROOT


def test_the_guide_names_the_callback_addresses_and_limits() -> None:
    guide = (ROOT / "docs" / "signing-in.md").read_text()
    assert f"`<BASE_URL>/api/auth/callback/{GITHOST_ID}`" in guide
    assert "`<BASE_URL>/api/auth/callback/<OIDC_PROVIDER_ID>`" in guide
    minute, hour = rate_limits._SIGN_IN
    assert f"| {minute.limit} in a minute, {hour.limit} in an hour;" in guide
    for limits in (rate_limits._SIGN_UP, rate_limits._DEPARTURE):
        (window,) = limits
        unit = {60_000: "a minute", 3_600_000: "an hour"}[window.period_ms]
        assert f"per address | {window.limit} in {unit} |" in guide
