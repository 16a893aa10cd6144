"""From a variable's text to its value. A ValueError's text says what to write instead."""

import ipaddress
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off"})
_SHORTEST_SECRET: Final = 16
_PRIVATE_SUFFIXES: Final = (
    ".localhost",
    ".local",
    ".internal",
    ".lan",
    ".home.arpa",
    ".svc",
    ".cluster.local",
)


def text(raw: str) -> str:
    return raw


def boolean(raw: str) -> bool:
    word = raw.lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise ValueError("Write true or false.")


def choice(*allowed: str) -> Callable[[str], str]:
    def parse(raw: str) -> str:
        word = raw.lower()
        if word not in allowed:
            raise ValueError(f"Write one of: {', '.join(allowed)}.")
        return word

    return parse


def integer(*, unit: str, minimum: int = 1) -> Callable[[str], int]:
    def parse(raw: str) -> int:
        if not raw.isascii() or not raw.isdecimal() or int(raw) < minimum:
            raise ValueError(f"Write a whole number of {unit}, {minimum} or more, without a unit.")
        return int(raw)

    return parse


def port(raw: str) -> int:
    if raw.isascii() and raw.isdecimal() and 1 <= int(raw) <= 65535:
        return int(raw)
    raise ValueError("Write a port number from 1 to 65535.")


def replicas(raw: str) -> int:
    """The spec: any value but 1, 3 and 5 becomes 1."""
    return int(raw) if raw in {"1", "3", "5"} else 1


def path(raw: str) -> Path:
    return Path(raw).expanduser()


def executable(raw: str) -> Path:
    program = path(raw)
    if not program.is_file():
        raise ValueError("Write the path of an existing program, or leave it out to use the bundled one.")
    return program


def bind_host(raw: str) -> str:
    if raw == "localhost":
        return raw
    try:
        return str(ipaddress.ip_address(raw.strip("[]")))
    except ValueError as error:
        raise ValueError("Write an IP address to listen on, such as 127.0.0.1 or 0.0.0.0.") from error


def secret(raw: str) -> str:
    """A random text. Catches the commands that env files do not run."""
    if "$(" in raw or raw.startswith("`"):
        raise ValueError("Run the command yourself and write what it prints: env files do not run commands.")
    if len(raw) < _SHORTEST_SECRET:
        raise ValueError(
            f"Write {_SHORTEST_SECRET} or more random characters, as `openssl rand -base64 32` prints them."
        )
    return raw


def origin(raw: str) -> str:
    """scheme://host[:port] as a browser writes it: lower case, no default port, no path."""
    parts = _split(raw, schemes=("http", "https"))
    if parts.path not in {"", "/"} or parts.query or parts.fragment or parts.username is not None:
        raise ValueError("Write only scheme, host and port, for example http://localhost:3003.")
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else str(parts.hostname)
    is_default = parts.port in {None, 443 if parts.scheme == "https" else 80}
    return f"{parts.scheme}://{host}" + ("" if is_default else f":{parts.port}")


def origins(raw: str) -> tuple[str, ...]:
    return tuple(origin(part.strip()) for part in raw.split(",") if part.strip())


def url(*schemes: str, credentials: bool = False) -> Callable[[str], str]:
    """Without a trailing slash. User names and passwords only where the variable is for them."""

    def parse(raw: str) -> str:
        parts = _split(raw, schemes=schemes)
        if not credentials and parts.username is not None:
            raise ValueError("Write the address without a user name or password.")
        if parts.query or parts.fragment:
            raise ValueError("Write the address without anything after ? or #.")
        return raw.rstrip("/")

    return parse


def broker_urls(raw: str) -> str:
    """One or more of a cluster's servers, separated by commas."""
    parse = url("nats", "tls", "ws", "wss", credentials=True)
    return ",".join(parse(part.strip()) for part in raw.split(",") if part.strip())


def server_database_url(raw: str) -> str:
    parts = _split(raw, schemes=("postgres", "postgresql", "postgresql+asyncpg"))
    if not parts.path.strip("/"):
        raise ValueError("Write the database's name at the end: postgresql://user:password@host:5432/lectern")
    return f"postgresql+asyncpg://{raw.split('://', 1)[1]}"


def bucket(raw: str) -> str:
    """S3's naming rule for buckets."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", raw):
        raise ValueError("Write 3 to 63 lower-case letters, digits, hyphens or dots.")
    return raw


def key_prefix(raw: str) -> str:
    prefix = raw.strip("/")
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", prefix, re.ASCII) or {".", ".."} & set(prefix.split("/")):
        raise ValueError("Write letters, digits, '.', '_' and '-', in parts separated by '/'.")
    return prefix


def is_loopback(hostname: str) -> bool:
    if hostname == "localhost" or hostname.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return False


def is_private(hostname: str) -> bool:
    """Whether plain HTTP to the host stays in a private network: also a service's bare name."""
    try:
        address = ipaddress.ip_address(hostname)
    except ValueError:
        return "." not in hostname or hostname.endswith(_PRIVATE_SUFFIXES)
    return address.is_private


def _split(raw: str, *, schemes: tuple[str, ...]) -> SplitResult:
    wanted = " or ".join(f"{scheme}://" for scheme in schemes)
    try:
        parts = urlsplit(raw)
        is_complete = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_complete = False
    if not is_complete or parts.scheme not in schemes or any(character.isspace() for character in raw):
        raise ValueError(f"Write a complete address that begins with {wanted} and names a host.")
    return parts
