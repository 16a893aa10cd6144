"""A text as the tokens that a Whisper model was trained on: byte pairs, as tokenizer.json lists them."""

import json
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

import tiktoken

# How GPT-2, and Whisper after it, cuts text before pairing bytes.
_PIECES: Final = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


@dataclass(frozen=True)
class Token:
    """start, end: code points of the text; a token that is part of a character covers that character."""

    id: int
    start: int
    end: int


class TextTokens:
    def __init__(self, path: Path) -> None:
        """Raises OSError, ValueError or KeyError for a file that is something else."""
        vocabulary = json.loads(path.read_bytes())["model"]["vocab"]
        bytes_of = _bytes_by_character()
        ranks = {
            bytes(bytes_of[character] for character in text): int(token)
            for text, token in vocabulary.items()
            if all(character in bytes_of for character in text)
        }
        self._encoding = tiktoken.Encoding(
            "whisper", pat_str=_PIECES, mergeable_ranks=ranks, special_tokens={}
        )

    def encode(self, text: str) -> list[Token]:
        """With the blank before it that the model expects."""
        identifiers = self._encoding.encode(f" {text}", disallowed_special=())
        lengths = [len(self._encoding.decode_single_token_bytes(token)) for token in identifiers]
        character_at = [index for index, character in enumerate(text) for _ in character.encode()]
        character_at.append(len(text))
        ends = list(accumulate(lengths))
        tokens = []
        for token, length, end in zip(identifiers, lengths, ends, strict=True):
            first, last = max(0, end - length - 1), max(0, end - 2)  # without the blank
            tokens.append(Token(token, character_at[first], character_at[last] + 1 if end > 1 else 0))
        return tokens


def _bytes_by_character() -> dict[str, int]:
    """GPT-2 writes every byte as a character that can be seen: itself, or one from 256 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {
        chr(256 + index): byte for index, byte in enumerate(hidden)
    }
