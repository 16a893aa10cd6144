"""`lectern rotate-secret`: seals every stored secret anew after AUTH_SECRET has changed."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from app_server.database.engine import database_url, open_database
from app_server.database.migrate import require_current
from app_server.secrets.sealing import SecretSealer
from app_server.secrets.stored import Rotation, rotate
from app_server.supervisor.claims import data_claimed
from shared.configuration.app_settings import AppSettings, read_app_settings
from shared.configuration.environment import ENV_FILE
from shared.configuration.startup import settings_or_exit
from shared.errors import Code, LecternError

OLD_SECRET_VARIABLE = "OLD_AUTH_SECRET"  # noqa: S105  # a name

_DESCRIPTION = """\
Stop Lectern, set AUTH_SECRET to its new value, and run this with the old one. Every stored key is sealed
anew in one transaction; running it twice does no harm. Audio addresses and the audio cache are keyed by
AUTH_SECRET too unless TTS_PLAYBACK_TOKEN_SECRET is set: cached audio is made again when it is next heard."""


def main(argv: Sequence[str]) -> int:
    arguments = _parser().parse_args(argv)
    settings = settings_or_exit(read_app_settings, env_file=arguments.env_file)
    try:
        old = _old_secret(arguments.old)
        if old == settings.auth_secret:
            raise LecternError(
                Code.INVALID_ARGUMENT, "The old secret is the present AUTH_SECRET: there is nothing to do."
            )
        with data_claimed(settings):
            rotation = asyncio.run(_rotate(settings, old, leave_unreadable=arguments.leave_unreadable))
    except LecternError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    return _report(rotation, leave_unreadable=arguments.leave_unreadable)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lectern rotate-secret",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "old",
        metavar="OLD",
        nargs="?",
        help=f"the old AUTH_SECRET; - reads it from standard input; left out, it is taken from "
        f"{OLD_SECRET_VARIABLE}. Other users of the machine can see a secret that stands on a command line.",
    )
    parser.add_argument("--env-file", type=Path, default=ENV_FILE)
    parser.add_argument(
        "--leave-unreadable",
        action="store_true",
        help="leave keys that open with neither secret as they are, instead of changing nothing",
    )
    return parser


def _old_secret(given: str | None) -> str:
    if given == "-":
        old = sys.stdin.readline().rstrip("\r\n")
    else:
        old = given or os.environ.get(OLD_SECRET_VARIABLE, "")
    if not old:
        raise LecternError(
            Code.INVALID_ARGUMENT,
            f"The old AUTH_SECRET is missing: set {OLD_SECRET_VARIABLE}, or write - and give it as input.",
        )
    return old


async def _rotate(settings: AppSettings, old: str, *, leave_unreadable: bool) -> Rotation:
    url = database_url(settings.database)
    await require_current(url)
    async with open_database(url) as database:
        return await rotate(
            database,
            old=SecretSealer(auth_secret=old),
            new=SecretSealer(auth_secret=settings.auth_secret),
            leave_unreadable=leave_unreadable,
        )


def _report(rotation: Rotation, *, leave_unreadable: bool) -> int:
    for secret in rotation.unreadable:
        sys.stderr.write(f"  {secret.shown}: opens neither with the old secret nor with AUTH_SECRET\n")
    if rotation.unreadable and not leave_unreadable:
        sys.stderr.write(
            "Nothing was changed. Check the old secret, or use --leave-unreadable and enter those again.\n"
        )
        return 1
    sys.stdout.write(
        f"{rotation.sealed_anew} stored secrets were sealed anew; {rotation.already_new} were so already.\n"
    )
    return 0
