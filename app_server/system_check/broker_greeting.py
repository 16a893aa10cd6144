"""Whether a NATS server listens at an address: it greets whoever connects, before any credentials."""

import asyncio
import json
from typing import Final

from app_server.system_check.model import Finding, error, warn

_GREETING: Final = b"INFO "
_FIX: Final = (
    "Check that the broker runs: the embedded one is started by the app (see its log, and whether "
    "EMBEDDED_BROKER_PORT is free), another one is named by BROKER_URL."
)


async def look_for_greeting(host: str, port: int) -> Finding:
    """https://docs.nats.io/reference/reference-protocols/nats-protocol: the server sends INFO first."""
    try:
        reader, writer = await asyncio.open_connection(host, port)
    except OSError:
        return error("Nobody listens at the broker's address.", _FIX)
    try:
        line = await reader.readline()
    finally:
        writer.close()
    if not line.startswith(_GREETING):
        return error("What listens at the broker's address is no NATS server.", _FIX)
    greeting = json.loads(line.removeprefix(_GREETING))
    if not greeting.get("jetstream"):
        return error("The broker runs without JetStream.", "Start it with JetStream on (nats-server -js).")
    return warn(
        f"A NATS server {greeting.get('version', '')} with JetStream listens; only a worker sees its stores.",
        "See to the worker first, then check again.",
    )
