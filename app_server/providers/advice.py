"""What to change when a shared provider doesn't work. No I/O."""

from typing import Final
from urllib.parse import urlsplit

from app_server.providers.model import Provider
from shared.configuration.parsers import is_loopback

_BY_REASON: Final = {
    "PROVIDER_TIMEOUT": (
        "Check that the speech server isn't overloaded and that no firewall lies between; a slow one may "
        "need a longer ttsUpstreamTimeoutMs under Site features."
    ),
    "PROVIDER_UNAUTHORIZED": "Enter the provider's API key again, or a key that may make speech.",
    "STORED_SECRET_UNREADABLE": (
        "Enter the key again: it was stored under another AUTH_SECRET. Or bring the old AUTH_SECRET back and "
        "run `lectern rotate-secret`."
    ),
    "PROVIDER_EXHAUSTED": "Look into the account at the provider: its credit or quota is used up.",
    "PROVIDER_RATE_LIMITED": "Wait a moment, or ask the provider for a higher rate limit.",
    "PROVIDER_FAILING": "Look into the log of the speech server: it reports a fault of its own.",
    "PROVIDER_REDIRECTS": "Enter the address that it redirects to, often https:// instead of http://.",
    "PROVIDER_REJECTED": "Check the default model: the provider doesn't accept this one.",
    "PROVIDER_NOT_FOUND": "Check that the provider is turned on and saved.",
}
_SPEECH_PATH: Final = "/audio/speech"


def advice_for(reason: str, provider: Provider) -> str:
    """Empty for a reason that speaks for itself."""
    if reason == "PROVIDER_UNREACHABLE":
        return _reachability(provider.base_url)
    if reason == "PROVIDER_INCOMPLETE":
        return "Enter the address of the speech API, such as http://speech.example:8880/v1."
    if reason == "PROVIDER_NOT_FOUND":
        return _path(provider)
    return _BY_REASON.get(reason, "")


def _reachability(base_url: str) -> str:
    parts = urlsplit(base_url)
    if is_loopback(parts.hostname or ""):
        return (
            f"{parts.hostname} is the machine or the container in which the compute worker runs, not yours. "
            "Does the speech server run elsewhere? In Docker, write its service name (such as "
            f"http://speech:{parts.port or 80}) or host.docker.internal instead; otherwise start it and "
            "check its port."
        )
    return (
        "Check the host and the port, that the speech server runs, that it listens on more than its own "
        "loopback address, and that the machine of the compute worker may connect to it."
    )


def _path(provider: Provider) -> str:
    path = urlsplit(provider.base_url).path.rstrip("/")
    if path.endswith(_SPEECH_PATH):
        return f"Take {_SPEECH_PATH} off the base URL: it is added to it."
    if provider.base_url and not path.endswith("/v1"):
        return (
            f"Speech is asked for at {provider.base_url}{_SPEECH_PATH}. Most servers want /v1 at the end of "
            "the base URL; check the default model as well."
        )
    return "Check the base URL's path and the default model: the provider knows one of them not."
