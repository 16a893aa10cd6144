"""The command line of `lectern speech-server`."""

import argparse
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

KEY_VARIABLE = "LECTERN_SPEECH_SERVER_KEY"


@dataclass(frozen=True)
class ServerOptions:
    host: str
    port: int
    api_key: str
    delay_ms: int
    fail_first: int
    fail_rate: float
    seed: int
    rate_limit: int
    rejected_fields: tuple[str, ...]
    has_wrong_content_type: bool


def parse_options(argv: list[str]) -> ServerOptions:
    parser = argparse.ArgumentParser(
        prog="lectern speech-server",
        description="The built-in voice as an OpenAI-compatible speech server.",
        epilog=f"A key is asked for when --api-key-file or {KEY_VARIABLE} gives one.",
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8880, help="0 chooses a free one; the address is printed")
    parser.add_argument("--api-key-file", type=Path)
    trouble = parser.add_argument_group("trouble on purpose, for tests")
    trouble.add_argument("--delay-ms", type=int, default=0, help="before every answer with speech")
    trouble.add_argument("--fail-first", type=int, default=0, metavar="N", help="the first N with status 503")
    trouble.add_argument("--fail-rate", type=float, default=0.0, metavar="0..1", help="status 503 at random")
    trouble.add_argument("--seed", type=int, help="for --fail-rate; printed when it is not given")
    trouble.add_argument("--rate-limit", type=int, default=0, metavar="PER_MINUTE", help="then status 429")
    trouble.add_argument("--reject-field", action="append", default=[], metavar="NAME", help="status 400")
    trouble.add_argument("--wrong-content-type", action="store_true", help="call everything text/plain")
    given = parser.parse_args(argv)
    key = given.api_key_file.read_text() if given.api_key_file else os.environ.get(KEY_VARIABLE, "")
    return ServerOptions(
        host=given.host,
        port=given.port,
        api_key=key.strip(),
        delay_ms=given.delay_ms,
        fail_first=given.fail_first,
        fail_rate=given.fail_rate,
        seed=secrets.randbelow(2**32) if given.seed is None else given.seed,
        rate_limit=given.rate_limit,
        rejected_fields=tuple(given.reject_field),
        has_wrong_content_type=given.wrong_content_type,
    )
