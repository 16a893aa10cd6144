"""The address under which other machines of the private network reach this one."""

import ipaddress
import socket
from collections.abc import Iterator

# Documentation's own addresses (RFC 5737, RFC 3849): routed like any other, and never sent to.
_FAR = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


def binds_all(host: str) -> bool:
    return host in {"0.0.0.0", "::"}


def private_address() -> str:
    """Of the interface that leads outside, or of the machine's name; loopback when there is none."""
    for text in (*_outward_addresses(), *_named_addresses()):
        address = ipaddress.ip_address(text.partition("%")[0])
        is_ours_alone = address.is_loopback or address.is_link_local or address.is_unspecified
        if address.is_private and not is_ours_alone:
            return str(address)
    return "127.0.0.1"


def _outward_addresses() -> Iterator[str]:
    for family, far in _FAR:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((far, 9))  # chooses a route, sends nothing
                yield probe.getsockname()[0]
        except OSError:
            continue


def _named_addresses() -> list[str]:
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)]
    except OSError:
        return []
