"""The one thing that a style sheet can tell a reader aloud: what isn't shown."""

import re

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_MEDIA = re.compile(r"@(media|supports)[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_HIDES = re.compile(r"(display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_SIMPLE = re.compile(r"[A-Za-z][A-Za-z0-9]*([.#][\w-]+)|([.#][\w-]+)")


def hidden_names(css: str) -> frozenset[str]:
    """ ".class" and "#id" that are hidden as such; conditions and combinations are left alone."""
    names = set()
    for selectors, declarations in _RULE.findall(_MEDIA.sub("", _COMMENT.sub("", css))):
        if _HIDES.search(declarations):
            matches = (_SIMPLE.fullmatch(selector.strip()) for selector in selectors.split(","))
            names |= {match.group(1) or match.group(2) for match in matches if match}
    return frozenset(names)
