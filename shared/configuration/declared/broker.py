"""The message broker, the sizes of what it keeps, and how long compute work may take."""

from pathlib import Path

from shared.configuration import parsers
from shared.configuration.declared.worker import has_embedded_worker
from shared.configuration.variable import APP, BOTH, WORKER, Scope, Values, Variable

_HALF_AN_HOUR_MS = 30 * 60 * 1000


def has_embedded_broker(values: Values) -> bool:
    """An external worker brings its own broker: the app itself speaks only to the worker."""
    return has_embedded_worker(values) and not values.is_written(BROKER_URL)


def _embedded_url(values: Values) -> str | None:
    return f"nats://127.0.0.1:{values.get(EMBEDDED_BROKER_PORT)}" if has_embedded_broker(values) else None


def _stale_ms(values: Values) -> int:
    timeouts = (COMPUTE_PDF_TIMEOUT_MS, COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS, COMPUTE_ALIGN_TIMEOUT_MS)
    return max(_HALF_AN_HOUR_MS, 4 * max(values.get(timeout) or 0 for timeout in timeouts))


def _creds(raw: str) -> str:
    # Two blocks, as `nsc generate creds` writes them.
    if "-----BEGIN NATS USER JWT-----" not in raw or "-----BEGIN USER NKEY SEED-----" not in raw:
        raise ValueError("Write the whole content of a .creds file, the line breaks included.")
    return raw


def _creds_file(raw: str) -> Path:
    file = parsers.path(raw)
    try:
        _creds(parsers.readable_text(file))
    except ValueError as error:
        raise ValueError(f"Write the path of a readable .creds file. {error}") from error
    return file.absolute()


def _remark_replicas(raw: str) -> str | None:
    return None if raw in {"1", "3", "5"} else f"is {raw!r}: only 1, 3 and 5 are effective, so 1 is used."


EMBEDDED_BROKER_PORT = Variable(
    name="EMBEDDED_BROKER_PORT",
    scopes=APP,
    parse=parsers.port,
    default=4222,
    meaning="Client port of the embedded broker.",
    rule="A port number.",
)
EMBEDDED_BROKER_MONITOR_PORT = Variable(
    name="EMBEDDED_BROKER_MONITOR_PORT",
    scopes=APP,
    parse=parsers.port,
    default=8222,
    meaning="Monitor port of the embedded broker.",
    rule="A port number.",
)
EMBEDDED_BROKER_STORE_DIR = Variable(
    name="EMBEDDED_BROKER_STORE_DIR",
    scopes=APP,
    parse=parsers.directory,
    default=Path("docstore/broker"),
    meaning="Stream storage directory of the embedded broker.",
    rule="Relative paths start at the working directory.",
)
BROKER_URL = Variable[str](
    name="BROKER_URL",
    scopes=BOTH,
    parse=parsers.broker_urls,
    compute=_embedded_url,
    shown_default="nats://127.0.0.1:4222 in embedded mode",
    required=lambda values: "is required on a standalone worker" if values.scope is Scope.WORKER else None,
    example="nats://user:password@broker:4222",
    secret=True,
    meaning="The broker's address.",
    rule="nats:// or tls:// addresses, separated by commas. Unset: the embedded broker.",
)
BROKER_CREDS = Variable[str](
    name="BROKER_CREDS",
    scopes=WORKER,
    parse=_creds,
    secret=True,
    meaning="The broker's credentials file, inline.",
    rule="The content of a .creds file. Wins over BROKER_CREDS_FILE. Not for the embedded broker.",
)
BROKER_CREDS_FILE = Variable[Path](
    name="BROKER_CREDS_FILE",
    scopes=WORKER,
    parse=_creds_file,
    meaning="Path of the broker's credentials file.",
    rule="A readable .creds file. Not for the embedded broker.",
)
COMPUTE_PDF_JOB_ATTEMPTS = Variable(
    name="COMPUTE_PDF_JOB_ATTEMPTS",
    scopes=WORKER,
    parse=parsers.integer(unit="attempts"),
    default=1,
    meaning="How often the broker may hand out the work on one PDF file.",
    rule="A whole number. With 1, work that was interrupted has to be asked for again.",
)
COMPUTE_JOBS_STREAM_MAX_BYTES = Variable(
    name="COMPUTE_JOBS_STREAM_MAX_BYTES",
    scopes=WORKER,
    parse=parsers.integer(unit="bytes"),
    default=268_435_456,
    meaning="Largest size of the jobs stream.",
    rule="Bytes.",
)
COMPUTE_EVENTS_STREAM_MAX_BYTES = Variable(
    name="COMPUTE_EVENTS_STREAM_MAX_BYTES",
    scopes=WORKER,
    parse=parsers.integer(unit="bytes"),
    default=134_217_728,
    meaning="Largest size of the operation-events stream.",
    rule="Bytes.",
)
COMPUTE_JOB_STATES_MAX_BYTES = Variable(
    name="COMPUTE_JOB_STATES_MAX_BYTES",
    scopes=WORKER,
    parse=parsers.integer(unit="bytes"),
    default=67_108_864,
    meaning="Largest size of the job-state bucket.",
    rule="Bytes.",
)
COMPUTE_BROKER_REPLICAS = Variable(
    name="COMPUTE_BROKER_REPLICAS",
    scopes=WORKER,
    parse=parsers.replicas,
    default=1,
    remark=_remark_replicas,
    meaning="Copies that a clustered broker keeps.",
    rule="1, 3 or 5; any other value becomes 1.",
)
COMPUTE_PDF_TIMEOUT_MS = Variable(
    name="COMPUTE_PDF_TIMEOUT_MS",
    scopes=WORKER,
    parse=parsers.integer(unit="milliseconds"),
    default=300_000,
    meaning="Longest time for reading one document.",
    rule="Milliseconds.",
)
COMPUTE_ALIGN_TIMEOUT_MS = Variable(
    name="COMPUTE_ALIGN_TIMEOUT_MS",
    scopes=WORKER,
    parse=parsers.integer(unit="milliseconds"),
    default=30_000,
    meaning="Longest time for aligning one segment.",
    rule="Milliseconds.",
)
COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS = Variable[int](
    name="COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS",
    scopes=WORKER,
    parse=parsers.integer(unit="milliseconds"),
    compute=lambda values: values.get(COMPUTE_ALIGN_TIMEOUT_MS),
    shown_default="COMPUTE_ALIGN_TIMEOUT_MS",
    meaning="Longest time for making one segment's audio.",
    rule="Milliseconds.",
)
COMPUTE_OP_STALE_MS = Variable[int](
    name="COMPUTE_OP_STALE_MS",
    scopes=WORKER,
    parse=parsers.integer(unit="milliseconds"),
    compute=_stale_ms,
    shown_default="the larger of 30 minutes and 4 times the longest compute timeout",
    meaning="After this long without a sign of life an operation may be replaced.",
    rule="Milliseconds.",
)

VARIABLES = (
    EMBEDDED_BROKER_PORT,
    EMBEDDED_BROKER_MONITOR_PORT,
    EMBEDDED_BROKER_STORE_DIR,
    BROKER_URL,
    BROKER_CREDS,
    BROKER_CREDS_FILE,
    COMPUTE_PDF_JOB_ATTEMPTS,
    COMPUTE_JOBS_STREAM_MAX_BYTES,
    COMPUTE_EVENTS_STREAM_MAX_BYTES,
    COMPUTE_JOB_STATES_MAX_BYTES,
    COMPUTE_BROKER_REPLICAS,
    COMPUTE_PDF_TIMEOUT_MS,
    COMPUTE_ALIGN_TIMEOUT_MS,
    COMPUTE_TTS_PLAYBACK_SEGMENT_TIMEOUT_MS,
    COMPUTE_OP_STALE_MS,
)
