"""Who makes a limited request: the user, the guest's device by a signed cookie, and the network address.

Neither cookie nor address is kept anywhere, only hashes under a key of our own.
"""

import hashlib
import hmac
import secrets
from http.cookies import SimpleCookie
from typing import Final

from aiohttp import web
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app_server.accounts.model import User
from app_server.compute_limits.caller import Caller
from app_server.http.client_address import ClientAddresses

_YEAR_SECONDS: Final = 365 * 24 * 3600
_ID_BYTES: Final = 16
_HASH_CHARACTERS: Final = 32
_NEW_COOKIE: "web.RequestKey[str]" = web.RequestKey("new_device_cookie", str)


class Callers:
    def __init__(self, *, auth_secret: str, addresses: ClientAddresses, is_https: bool) -> None:
        derivation = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lectern compute limits v1")
        self._key = derivation.derive(auth_secret.encode())
        self._addresses = addresses
        self._is_https = is_https
        self._cookie_name = "__Host-lectern_device" if is_https else "lectern_device"

    def setup(self, app: web.Application) -> None:
        app.on_response_prepare.append(self._show_cookie)

    def of(self, request: web.Request, user: User) -> Caller:
        address = self._addresses.of(request)
        return Caller(
            user_id=user.id,
            is_anonymous=user.is_guest,
            device=self._hash("device", self._device_of(request)) if user.is_guest else "",
            address="" if address == "unknown" else self._hash("address", address),
        )

    def _device_of(self, request: web.Request) -> str:
        """A cookie that we did not sign is as good as none: nobody picks a device to be."""
        cookie = request.get(_NEW_COOKIE) or request.cookies.get(self._cookie_name, "")
        device, _, signature = cookie.partition(".")
        if not hmac.compare_digest(signature.encode(), self._hash("cookie", device).encode()):
            device = secrets.token_urlsafe(_ID_BYTES)
            request[_NEW_COOKIE] = f"{device}.{self._hash('cookie', device)}"
        return device

    async def _show_cookie(self, request: web.Request, response: web.StreamResponse) -> None:
        value = request.get(_NEW_COOKIE)
        if value is None:
            return
        cookie: SimpleCookie = SimpleCookie({self._cookie_name: value})
        morsel = cookie[self._cookie_name]
        morsel.update({"path": "/", "max-age": str(_YEAR_SECONDS), "samesite": "Lax"})
        morsel["httponly"], morsel["secure"] = True, self._is_https
        response.headers.add("Set-Cookie", morsel.OutputString())

    def _hash(self, purpose: str, text: str) -> str:
        message = f"{purpose}\0{text}".encode("utf-8", "surrogateescape")
        return hmac.digest(self._key, message, hashlib.sha256).hex()[:_HASH_CHARACTERS]
