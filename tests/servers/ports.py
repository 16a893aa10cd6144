"""Free ports for real servers."""

import random
import socket

# Below the range from which systems choose the ports of outgoing connections (Linux: from 32768), so that
# no connection takes a port between the choice and its use.
_PORTS = range(10_240, 32_000)
_handed_out: set[int] = set()
_random = random.SystemRandom()


def free_port() -> int:
    """Never the same one twice in a test process."""
    while True:
        port = _random.choice(_PORTS)
        if port not in _handed_out and _is_free(port):
            _handed_out.add(port)
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True
