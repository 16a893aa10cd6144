"""Children's lines of output, each in its own format, as lines of our logs."""

import json
import re
from typing import Final

from app_server.supervisor.child import OutputLine

_LEVELS: Final = {
    "debug": "debug",
    "info": "info",
    "notice": "info",
    "warning": "warning",
    "error": "error",
    "critical": "error",
    "exception": "error",
}
# nats-server with logtime off: "[4711] [INF] Server is ready"
_NATS_LINE: Final = re.compile(r"\[\d+\] \[(?P<level>[A-Z]{3})\] ?(?P<event>.*)")
# Its information is of interest only when something is looked for.
_NATS_LEVELS: Final = {
    "INF": "debug",
    "DBG": "debug",
    "TRC": "debug",
    "WRN": "warning",
    "ERR": "error",
    "FTL": "error",
}
# The password is made for one run, in a file that only we can read.
_NATS_HARMLESS: Final = ("Plaintext passwords detected",)
# It tidies a folder up after an object while another one is being put into it.
_RCLONE_HARMLESS: Final = ("Dir.Remove not empty",)


def worker_line(text: str) -> OutputLine:
    """The worker logs JSON here; anything else it prints is worth seeing."""
    fields = _json_object(text)
    if fields is None or "event" not in fields:
        return OutputLine("warning", text)
    level = _LEVELS.get(str(fields.pop("level", "info")), "info")
    event = str(fields.pop("event"))
    return OutputLine(
        level, event, {key: fields[key] for key in fields if key not in {"timestamp", "process"}}
    )


def object_store_line(text: str) -> OutputLine:
    """rclone with --use-json-log."""
    fields = _json_object(text)
    if fields is None:
        return OutputLine("warning", text)
    level = _LEVELS.get(str(fields.get("level")), "info")
    if str(fields.get("msg")).startswith(_RCLONE_HARMLESS):
        level = "debug"
    event = " ".join(str(fields[key]) for key in ("object", "msg") if fields.get(key))
    return OutputLine("debug" if level == "info" else level, event)


def broker_line(text: str) -> OutputLine:
    match = _NATS_LINE.fullmatch(text)
    if match is None:
        return OutputLine("warning", text)
    level, event = _NATS_LEVELS.get(match["level"], "info"), match["event"]
    return OutputLine("debug" if event.strip().startswith(_NATS_HARMLESS) else level, event)


def _json_object(text: str) -> dict[str, object] | None:
    try:
        fields = json.loads(text)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None
