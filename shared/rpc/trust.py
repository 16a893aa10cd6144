"""Whose certificates are believed on the way to a neighbour: those that OpenSSL believes, on both transports.

SSL_CERT_FILE and SSL_CERT_DIR, OpenSSL's own variables, take the place of the system's file and folder.
"""

import re
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Final

_HASHED_NAME: Final = re.compile(r"[0-9a-f]{8}\.[0-9]+")  # what OpenSSL looks at in a folder


def tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


def trusted_roots() -> bytes | None:
    """In PEM, for gRPC, which has roots of its own and takes them when there are none here."""
    paths = ssl.get_default_verify_paths()
    files = [Path(paths.cafile)] if paths.cafile else []
    if paths.capath:
        files += [file for file in sorted(Path(paths.capath).iterdir()) if _HASHED_NAME.fullmatch(file.name)]
    return b"\n".join(_contents(files)) or None


def _contents(files: list[Path]) -> list[bytes]:
    contents = []
    for file in files:
        with suppress(OSError):  # OpenSSL passes over what it can't read, too
            contents.append(file.read_bytes())
    return contents
