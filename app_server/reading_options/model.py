"""What somebody wants to hear of a document, and how. No I/O."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from shared.pronunciation import PronunciationRule, rules_of

# By the names of lectern.reading.v1, in lower case.
BlockRole = Literal[
    "title",
    "heading",
    "paragraph",
    "list_item",
    "quote",
    "code",
    "table",
    "caption",
    "footnote",
    "formula",
    "reference",
    "header",
    "footer",
    "page_number",
    "image_alt",
    "other",
]


@dataclass(frozen=True)
class ReadingOptions:
    """What differs from the default; rules: of this document alone."""

    include_roles: tuple[BlockRole, ...] = ()
    skip_roles: tuple[BlockRole, ...] = ()
    skip_citations: bool = False
    skip_brackets: bool = False
    rules: tuple[PronunciationRule, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(value: dict[str, Any]) -> "ReadingOptions":
        return ReadingOptions(
            **{
                **value,
                "include_roles": tuple(value["include_roles"]),
                "skip_roles": tuple(value["skip_roles"]),
                "rules": rules_of(value["rules"]),
            }
        )

    def with_rules(self, rules: tuple[PronunciationRule, ...]) -> "ReadingOptions":
        """A document's own rules come first: they are the more special ones."""
        return ReadingOptions(**{**vars(self), "rules": (*self.rules, *rules)})

    def fingerprint(self) -> str:
        """The same for what is read and said alike."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()[:16]
