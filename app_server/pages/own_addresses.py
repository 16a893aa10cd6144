"""Where a page may lead on to: addresses of our own, as //elsewhere and the like would lead away."""

from typing import Final

_LIBRARY: Final = "/app"


def own_address(wanted: str) -> str:
    """The library for everything else."""
    is_own = (
        (wanted.startswith(("/read/", "/app/", "/app?")) or wanted == _LIBRARY)
        and "\\" not in wanted
        and wanted.isprintable()
    )
    return wanted if is_own else _LIBRARY
