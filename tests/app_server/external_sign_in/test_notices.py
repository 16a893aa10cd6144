"""The sign-in page has words of its own for every way in which a callback can fail."""

import re

from servers.lectern import ROOT

_PAGES_OWN_WORDS = "SIGN_IN_FAILED"  # for all that isn't foreseen
_NEVER_AT_A_PAGE = {"IDENTITY_NOT_FOUND", "LAST_SIGN_IN", "PROVIDER_NOT_FOUND"}  # answers of the API


def test_every_reason_has_a_notice() -> None:
    package = ROOT / "app_server" / "external_sign_in"
    source = "".join(path.read_text() for path in package.glob("*.py"))
    source += (ROOT / "app_server" / "accounts" / "service.py").read_text()
    reasons = set(re.findall(r'reason="([A-Z_]+)"', source)) - _NEVER_AT_A_PAGE - {"CREDENTIALS_WRONG"}
    assert "PROVIDER_UNREACHABLE" in reasons
    page = (ROOT / "app_server" / "ui" / "model" / "sign-in-notices.js").read_text()
    notices = set(re.findall(r"^  ([A-Z_]+): \(", page, re.MULTILINE))
    assert reasons - {_PAGES_OWN_WORDS} <= notices
