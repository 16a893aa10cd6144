"""Who is calling: the peer, or what a trusted proxy in front of us says of it."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from aiohttp import web

Network = IPv4Network | IPv6Network


class ClientAddresses:
    def __init__(self, *, trusted_proxies: Sequence[Network] = ()) -> None:
        self._trusted = tuple(trusted_proxies)

    def of(self, request: web.Request) -> str:
        """The last address on the way here that isn't a trusted proxy's."""
        address = _parsed(request.remote or "")
        hops = [hop for line in request.headers.getall("X-Forwarded-For", []) for hop in line.split(",")]
        while address is not None and hops and self._is_trusted(address):
            address = _parsed(hops.pop().strip()) or address
        return _household(address) if address else "unknown"

    def is_by_trusted_proxy(self, request: web.Request) -> bool:
        """Whether the peer's other headers can be believed too."""
        address = _parsed(request.remote or "")
        return address is not None and self._is_trusted(address)

    def _is_trusted(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address.version == network.version and address in network for network in self._trusted)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _household(address: IPv4Address | IPv6Address) -> str:
    """An IPv6 caller chooses freely within its /64, so the network is what counts."""
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address)
