"""Which addresses the app may connect to on a reader's behalf: those of the public internet and no others."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Protocol

# The only unicast addresses of the public IPv6 internet (RFC 4291, IANA's registry).
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
# An IPv4 address in their last four bytes (RFC 6052, RFC 8215).
_TRANSLATED: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
# Answer the virtual machines of two clouds only, with what they are configured with. Python's list of private
# networks has neither in all its versions.
_CLOUD_CONFIGURATION: Final = (ip_network("168.63.129.16/32"), ip_network("192.0.0.0/24"))


class AddressPolicy(Protocol):
    def __call__(self, address: str) -> bool:
        """Whether a connection to this address (of an IP, without brackets) may be made."""
        ...


def is_public(address: str) -> bool:
    """Private, loopback, link-local (with the clouds' metadata), shared, multicast, reserved and
    documentation addresses are not, nor is an IPv6 address that carries such an IPv4 address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public_v4(parsed) if isinstance(parsed, IPv4Address) else _is_public_v6(parsed)


def _is_public_v4(address: IPv4Address) -> bool:
    if address.is_multicast or address.is_reserved:
        return False
    return address.is_global and not any(address in network for network in _CLOUD_CONFIGURATION)


def _is_public_v6(address: IPv6Address) -> bool:
    carried = _carried_v4(address)
    if carried is not None:
        return _is_public_v4(carried)
    return address in _GLOBAL_UNICAST and address.is_global and not address.is_multicast


def _carried_v4(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if any(address in network for network in _TRANSLATED):
        return IPv4Address(address.packed[-4:])
    return None
