"""From a variable's text to its value. A ValueError's text says what to write instead."""

import ipaddress
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off"})
_SHORTEST_SECRET: Final = 16
_LARGEST_TEXT_BYTES: Final = 1024 * 1024
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
    if not raw.isprintable():
        raise ValueError("Write one line of plain text.")
    return raw


def word(raw: str) -> str:
    """A key or a name without blanks, as it stands in a header or an address."""
    if not raw.isascii() or not raw.isprintable() or " " in raw:
        raise ValueError("Write one word of letters, digits and signs, without blanks.")
    return raw


def boolean(raw: str) -> bool:
    lowered = raw.lower()
    if lowered in _TRUE or lowered in _FALSE:
        return lowered in _TRUE
    raise ValueError("Write true or false.")


def choice(*allowed: str) -> Callable[[str], str]:
    def parse(raw: str) -> str:
        lowered = raw.lower()
        if lowered not in allowed:
            raise ValueError(f"Write one of: {', '.join(allowed)}.")
        return lowered

    return parse


def log_level(raw: str) -> str:
    level = raw.lower()
    return "warning" if level == "warn" else choice("debug", "info", "warning", "error")(level)


def integer(*, unit: str, minimum: int = 1) -> Callable[[str], int]:
    def parse(raw: str) -> int:
        # Fifteen digits: what every program on the way holds exactly, in a float too.
        if not raw.isascii() or not raw.isdecimal() or len(raw) > 15 or int(raw) < minimum:
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
    return Path(text(raw)).expanduser()


def file_path(raw: str) -> Path:
    """A file that is there or will be made."""
    file = path(raw)
    if file.is_dir():
        raise ValueError("Write the path of a file; this one is a directory.")
    return file


def directory(raw: str) -> Path:
    """A directory that is there or will be made."""
    folder = path(raw)
    if folder.exists() and not folder.is_dir():
        raise ValueError("Write the path of a directory; this one is a file.")
    return folder


def directories(raw: str) -> tuple[Path, ...]:
    """Separated by commas, colons or semicolons; each named once."""
    found = tuple(dict.fromkeys(directory(part.strip()) for part in re.split("[,:;]", raw) if part.strip()))
    if not found:
        raise ValueError("Write one or more directories, separated by commas, colons or semicolons.")
    return found


def executable(raw: str) -> Path:
    program = path(raw)
    if not program.is_file() or not os.access(program, os.X_OK):
        raise ValueError("Write the path of an existing program, or leave it out to use the bundled one.")
    return program


def readable_text(file: Path) -> str:
    """The text of a file that must be there."""
    try:
        if file.stat().st_size > _LARGEST_TEXT_BYTES:
            raise ValueError("Write the path of another file; this one is larger than a megabyte.")
        return file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("Write the path of another file; this one holds no UTF-8 text.") from error
    except OSError as error:
        raise ValueError(
            f"Write the path of a file that this program can read ({os.strerror(error.errno or 0)})."
        ) from error


def host(raw: str) -> str:
    """A name or an address, without scheme and port."""
    try:
        return str(ipaddress.ip_address(raw.strip("[]")))
    except ValueError:
        if re.fullmatch(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?", raw, re.ASCII):
            return raw.lower()
    raise ValueError("Write a host name or an IP address, without scheme and port.")


def networks(raw: str) -> tuple[Network, ...]:
    """Separated by commas: single addresses, or networks such as 10.0.0.0/8."""
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in raw.split(",") if part.strip())
    except ValueError as error:
        raise ValueError(
            "Write IP addresses or networks, separated by commas, such as 127.0.0.1,10.0.0.0/8."
        ) from error


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
    return text(raw)


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


def secure_url(raw: str) -> str:
    """https; plain http only for this very machine, where nobody listens in."""
    address = url("http", "https")(raw)
    if urlsplit(address).scheme == "http" and not is_loopback(urlsplit(address).hostname or ""):
        raise ValueError("Write an https:// address; http:// is for localhost only.")
    return address


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
