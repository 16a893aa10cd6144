"""Structured logs of both processes on standard error: pretty or JSON, with secrets masked.

Libraries' logs through the standard library come out the same way.
"""

import logging
import re
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any, Final

import structlog

from shared.configuration.settings import LogSettings

_MASK: Final = "[secret]"
_SHORTEST_SECRET: Final = 6  # shorter texts would blank out innocent words
# These tell about every request or frame at info.
_CHATTY: Final = [
    "aiobotocore",
    "aiohttp.access",
    "aiosqlite",
    "alembic",
    "asyncio",
    "botocore",
    "grpc",
    "nats",
]

EventDict = MutableMapping[str, Any]


class SecretMask:
    """A structlog processor that replaces known secrets wherever they stand in an event."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # The longest first: one secret may contain another.
        texts = sorted((text for text in secrets if len(text) >= _SHORTEST_SECRET), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, texts)) or r"(?!)")

    def __call__(self, _logger: Any, _method: str, event: EventDict) -> EventDict:
        return {key: self._mask(value) for key, value in event.items()}

    def mask_text(self, text: str) -> str:
        return self._pattern.sub(_MASK, text)

    def _mask(self, value: Any) -> Any:
        match value:
            case str():
                return self.mask_text(value)
            case bool() | int() | float() | None:
                return value
            case dict():
                return {key: self._mask(inner) for key, inner in value.items()}
            case list() | tuple():
                return [self._mask(inner) for inner in value]
        return self.mask_text(str(value))


def configure_logging(settings: LogSettings, *, secrets: Iterable[str], process: str = "") -> None:
    """process is added to every line when it is given."""
    level = getattr(logging, settings.level.upper())
    shared_steps = _shared_steps(process)
    structlog.configure(
        processors=[*shared_steps, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared_steps,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_rendering_steps(settings.format, SecretMask(secrets)),
            ],
        )
    )
    handler.addFilter(_is_news)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    logging.captureWarnings(capture=True)


def _is_news(record: logging.LogRecord) -> bool:
    """Not that the task in which aiohttp's client writes a request found its connection closed: whoever made
    the request has been told by then, and nobody asks the task."""
    error = record.exc_info[1] if record.exc_info else None
    is_told_elsewhere = (
        isinstance(error, ConnectionResetError) and "ClientRequest.write_bytes" in record.getMessage()
    )
    return record.name != "asyncio" or not is_told_elsewhere


def _shared_steps(process: str) -> list[Any]:
    steps: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if process:

        def add_process(_logger: Any, _method: str, event: EventDict) -> EventDict:
            event.setdefault("process", process)
            return event

        steps.append(add_process)
    return steps


def _rendering_steps(log_format: str, mask: SecretMask) -> list[Any]:
    """Tracebacks become text before the mask, so that it sees them too."""
    if log_format == "json":
        renderer: Any = structlog.processors.JSONRenderer()
    else:
        renderer = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
        )
    return [structlog.processors.format_exc_info, mask, renderer]
