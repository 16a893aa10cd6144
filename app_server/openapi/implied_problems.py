"""The codes of problems that go without saying for an endpoint: by its access, its body, its query."""

from typing import Final

from app_server.accounts.access import Access
from app_server.http.endpoints import Endpoint, FileUpload

_SAFE_METHODS: Final = {"GET", "HEAD", "OPTIONS"}
_OF_ACCESS: Final[dict[Access, tuple[str, ...]]] = {
    Access.ANYBODY: (),
    Access.OWN_SECRET: (),
    Access.GUEST_OR_USER: ("NOT_SIGNED_IN",),
    Access.USER: ("NOT_SIGNED_IN", "ACCOUNT_NEEDED"),
    Access.ADMIN: ("NOT_SIGNED_IN", "ACCOUNT_NEEDED", "ADMIN_REQUIRED", "PASSWORD_CHANGE_REQUIRED"),
}
# Any address may answer these: our own fault, or that of what we depend on.
ANYWHERE: Final = ("INTERNAL", "DATABASE_UNAVAILABLE", "OBJECT_STORE_UNAVAILABLE", "WORKER_UNAVAILABLE")


def problem_codes(endpoint: Endpoint) -> tuple[str, ...]:
    """In their order, without those that any address may answer."""
    codes = [*_OF_ACCESS[endpoint.access]]
    if endpoint.access not in {Access.ANYBODY, Access.OWN_SECRET}:
        codes += (
            ["TOKEN_NOT_ACCEPTED"] if endpoint.scope is None else ["TOKEN_INVALID", "TOKEN_SCOPE_MISSING"]
        )
    if endpoint.method not in _SAFE_METHODS:
        codes.append("ORIGIN_NOT_TRUSTED")
    if endpoint.query is not None:
        codes.append("FIELDS_INVALID")
    if endpoint.body is not None:
        codes += ["MEDIA_TYPE_UNSUPPORTED", "REQUEST_TOO_LARGE"]
        if not isinstance(endpoint.body, FileUpload):
            codes += ["BODY_MALFORMED", "FIELDS_INVALID"]
    return tuple(dict.fromkeys([*codes, *endpoint.problems]))
