"""The shared speech provider that a first start creates, and the audio tool."""

import importlib.util
import shutil
from pathlib import Path

from shared.configuration import parsers
from shared.configuration.variable import APP, BOTH, Values, Variable


def _bundled_media_tool(_values: Values) -> Path | None:
    # imageio_ffmpeg's own lookup runs the program to see whether it works; its place is all we want.
    package = importlib.util.find_spec("imageio_ffmpeg")
    folders = package.submodule_search_locations if package else None
    for folder in folders or ():
        for program in sorted(Path(folder, "binaries").glob("ffmpeg-*")):
            return program
    installed = shutil.which("ffmpeg")
    return Path(installed) if installed else None


API_BASE = Variable[str](
    name="API_BASE",
    scopes=APP,
    parse=parsers.url("http", "https"),
    example="http://localhost:8880/v1",
    meaning="Speech API of the shared provider `default-provider`, created when there is no provider yet.",
    rule="The base address of an OpenAI-compatible speech API.",
)
API_KEY = Variable[str](
    name="API_KEY",
    scopes=APP,
    parse=parsers.word,
    secret=True,
    meaning="Key of that provider; stored encrypted.",
    rule="May be empty for an API that asks for none.",
)
API_MODEL_NAME = Variable(
    name="API_MODEL_NAME",
    scopes=APP,
    parse=parsers.text,
    default="kokoro",
    meaning="Default model of that provider.",
    rule="Read only together with API_BASE or API_KEY.",
)
MEDIA_BIN = Variable(
    name="MEDIA_BIN",
    scopes=BOTH,
    parse=parsers.executable,
    compute=_bundled_media_tool,
    shown_default="the bundled ffmpeg",
    required=lambda _values: "is unset and no bundled ffmpeg was found",
    example="/usr/bin/ffmpeg",
    meaning="The audio tool (ffmpeg).",
    rule="Path of an existing program.",
)

VARIABLES = (API_BASE, API_KEY, API_MODEL_NAME, MEDIA_BIN)
