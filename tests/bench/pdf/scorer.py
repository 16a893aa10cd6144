"""How well a text that was read matches the truth: order, furniture, paragraph starts, roles."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import mean

from bench.pdf.specimens import Specimen
from bench.pdf.typesetter import TrueBlock

NOT_READ = frozenset({"header", "footer", "page_number", "footnote", "other"})
_WORD = re.compile(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+")
_START_WORDS = 5  # or characters of Japanese


@dataclass(frozen=True)
class FoundBlock:
    role: str
    text: str


@dataclass(frozen=True)
class Score:
    order: float
    furniture: float
    starts: float
    roles: float


def score(specimen: Specimen, found: Sequence[FoundBlock]) -> Score:
    read = [block for block in found if block.role not in NOT_READ]
    truth = [block for block in specimen.truth if block.role not in NOT_READ]
    return Score(
        order=similarity(_words_of(truth), _words_of(read)),
        furniture=_furniture_read(specimen, read),
        starts=_starts_f1(truth, read),
        roles=_role_accuracy(specimen.truth, found),
    )


def similarity(true: list[str], read: list[str]) -> float:
    """Of the two sequences of words: twice what they have in common in order, over what they have."""
    return SequenceMatcher(None, true, read, autojunk=False).ratio()


def mean_score(scores: Sequence[Score]) -> Score:
    names = ("order", "furniture", "starts", "roles")
    return Score(*(mean(getattr(score, name) for score in scores) for name in names))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _words_of(blocks: Sequence[TrueBlock | FoundBlock]) -> list[str]:
    return [word for block in blocks for word in _words(block.text)]


def _furniture_read(specimen: Specimen, read: Sequence[FoundBlock]) -> float:
    """The share of running heads and page numbers that would be heard."""
    texts = [" ".join(_words(block.text)) for block in read]
    heard = 0
    for line, count in Counter(" ".join(_words(line)) for line in specimen.furniture).items():
        if line.isdigit():
            heard += min(count, sum(1 for text in texts if text == line))
        else:
            heard += min(count, sum(text.count(line) for text in texts))
    return heard / max(1, len(specimen.furniture))


def _start(text: str) -> str:
    return " ".join(_words(text)[:_START_WORDS])


def _starts_f1(truth: Sequence[TrueBlock], read: Sequence[FoundBlock]) -> float:
    true = Counter(_start(block.text) for block in truth if block.role != "table")
    starts = Counter(_start(block.text) for block in read if block.role != "table")
    hits = sum((true & starts).values())
    return 2 * hits / max(1, true.total() + starts.total())


def _role_accuracy(truth: Sequence[TrueBlock], found: Sequence[FoundBlock]) -> float:
    roles = {}
    for block in found:
        roles.setdefault(_start(block.text), block.role)
    texts = [(block.role, " ".join(_words(block.text))) for block in found]
    right = 0
    for block in truth:
        role = roles.get(_start(block.text))
        if role is None:
            start = _start(block.text)
            role = next((role for role, text in texts if start in text), "")
        right += role == block.role
    return right / len(truth)
