"""E-mail addresses as people type them, brought to the one form that names an account."""

import re
import unicodedata

_LOCAL = re.compile(r"[^\s@\x00-\x1f\x7f<>()\[\]\\,;:\"]{1,64}")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_MAX_CHARACTERS = 254


def normalized_email(text: str) -> str | None:
    """Lower case, Unicode NFC, the domain in ASCII; None when it isn't an address."""
    local, at, domain = unicodedata.normalize("NFC", text.strip()).lower().rpartition("@")
    if not at or not _LOCAL.fullmatch(local) or local.startswith(".") or local.endswith(".") or ".." in local:
        return None
    ascii_domain = _ascii_domain(domain)
    if ascii_domain is None or len(local) + 1 + len(ascii_domain) > _MAX_CHARACTERS:
        return None
    return f"{local}@{ascii_domain}"


def _ascii_domain(domain: str) -> str | None:
    try:
        encoded = domain.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
    labels = encoded.split(".")
    # A name without a dot is an address on one's own network, such as me@nas.
    return encoded if all(_LABEL.fullmatch(label) for label in labels) else None
