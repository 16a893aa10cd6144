"""The order in which people expect names: folders first, numbers by value, letters without their case."""

import re
from typing import Final

_NUMBERS: Final = re.compile(r"(\d+)")
_Part = tuple[int, int, str]


def order_of(name: str, is_folder: bool) -> tuple[bool, list[_Part], str]:
    parts: list[_Part] = [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in _NUMBERS.split(name.casefold())
        if part
    ]
    return not is_folder, parts, name
