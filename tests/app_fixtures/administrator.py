"""An administrator with rights in force: the first one, who has changed the first password."""

from app_fixtures.browser import Browser, Instance

EMAIL = "admin@example.org"
_FIRST, PASSWORD = "a first password of its own", "another one that only she knows"

# For the instance's environment.
VARIABLES = {"BOOTSTRAP_ADMIN_EMAIL": EMAIL, "BOOTSTRAP_ADMIN_PASSWORD": _FIRST}


async def new_administrator(instance: Instance) -> Browser:
    """Once for each instance's data; sign in with PASSWORD afterwards."""
    browser = await instance.new_browser()
    assert (await browser.enter("sign-in", EMAIL, _FIRST)).status == 200
    change = {"currentPassword": _FIRST, "newPassword": PASSWORD}
    assert (await browser.post("/api/auth/change-password", change)).status == 200
    return browser
