"""ZIP archives whose members are encrypted with a password."""

import zipfile
from typing import Final

_ENCRYPTED: Final = 1  # the bit of a member's flags (PKWARE's APPNOTE, 4.4.4)


def is_locked(archive: zipfile.ZipFile) -> bool:
    return any(member.flag_bits & _ENCRYPTED for member in archive.infolist())
