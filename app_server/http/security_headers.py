"""Headers that keep a page from being turned against its reader; book content is hostile."""

from aiohttp import web


def page_policy(*, worker_origin: str, store_origin: str = "") -> str:
    """The Content-Security-Policy of everything that doesn't bring a stricter one.

    store_origin is for uploads that go straight to the object store.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data: blob:",
            f"media-src 'self' blob: {worker_origin}".rstrip(),
            f"connect-src 'self' {store_origin}".rstrip(),
            "font-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def setup_security_headers(
    app: web.Application, *, worker_origin: str, store_origin: str, is_https: bool
) -> None:
    defaults = {
        "Content-Security-Policy": page_policy(worker_origin=worker_origin, store_origin=store_origin),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
    if is_https:
        defaults["Strict-Transport-Security"] = "max-age=31536000"

    async def add(_request: web.Request, response: web.StreamResponse) -> None:
        for name, value in defaults.items():
            response.headers.setdefault(name, value)
        response.headers["Server"] = "lectern"

    app.on_response_prepare.append(add)
