"""The compute worker as the app calls it: generated stubs over one channel, gRPC or HTTP gateway."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import grpc
import structlog

from lectern.compute.v1.documents_pb2_grpc import DocumentServiceStub
from lectern.compute.v1.operations_pb2_grpc import OperationServiceStub
from lectern.compute.v1.page_images_pb2_grpc import PageImageServiceStub
from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceStub
from lectern.compute.v1.recordings_pb2_grpc import RecordingServiceStub
from lectern.compute.v1.speech_pb2_grpc import SpeechServiceStub
from shared.errors import Code, LecternError

if TYPE_CHECKING:
    from lectern.compute.v1.documents_pb2_grpc import DocumentServiceAsyncStub
    from lectern.compute.v1.operations_pb2_grpc import OperationServiceAsyncStub
    from lectern.compute.v1.page_images_pb2_grpc import PageImageServiceAsyncStub
    from lectern.compute.v1.playback_pb2_grpc import PlaybackServiceAsyncStub
    from lectern.compute.v1.recordings_pb2_grpc import RecordingServiceAsyncStub
    from lectern.compute.v1.speech_pb2_grpc import SpeechServiceAsyncStub

# Between the two processes; none of it is the browser's doing or business.
_INTERNAL_REASONS: Final = {
    *("SERVICE_UNREACHABLE", "NO_ANSWER", "TOKEN_REFUSED", "REQUEST_MALFORMED", "CERTIFICATE_UNTRUSTED"),
}
_INTERNAL_CODES: Final = {Code.UNAUTHENTICATED, Code.UNIMPLEMENTED}
# Where a session needs a place in the workers' queue.
WORK_QUEUE_PROBLEMS: Final = ("JOB_STATES_FULL", "QUEUE_FULL", "QUEUE_LIMIT_REACHED", "WAITED_TOO_LONG")
_FIXES: Final = {
    "SERVICE_UNREACHABLE": "is it running, and do COMPUTE_WORKER_URL and COMPUTE_WORKER_GRPC_URL lead to it?",
    "NO_ANSWER": "it is overloaded or hangs: look into its log, or start more workers",
    "TOKEN_REFUSED": "give COMPUTE_WORKER_TOKEN the same value here and on the worker",
    "CERTIFICATE_UNTRUSTED": "address the worker by the name that its certificate is for, and name the file "
    "of an authority of your own in SSL_CERT_FILE",
}
# Requests are made by generated code: what doesn't fit comes from a newer one.
_OTHER_VERSION: Final = "it is of another version: run the same one on both sides"
_IN_VAIN: Final = "The part of Lectern that speaks isn't set up rightly. Please tell the administrator."
_TOO_SLOW: Final = "The part of Lectern that speaks takes too long to answer. Try again in a moment."
_AWAY: Final = "The part of Lectern that speaks isn't available just now. Try again in a moment."
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class WorkerClients:
    documents: "DocumentServiceAsyncStub"
    operations: "OperationServiceAsyncStub"
    page_images: "PageImageServiceAsyncStub"
    playback: "PlaybackServiceAsyncStub"
    recordings: "RecordingServiceAsyncStub"
    speech: "SpeechServiceAsyncStub"


def worker_clients(channel: grpc.aio.Channel) -> WorkerClients:
    return WorkerClients(
        documents=DocumentServiceStub(channel),
        operations=OperationServiceStub(channel),
        page_images=PageImageServiceStub(channel),
        playback=PlaybackServiceStub(channel),
        recordings=RecordingServiceStub(channel),
        speech=SpeechServiceStub(channel),
    )


@contextmanager
def errors_for_browsers() -> Iterator[None]:
    """What went wrong between app and worker becomes 503: a refused worker token signs nobody out."""
    try:
        yield
    except LecternError as error:
        if error.reason not in _INTERNAL_REASONS and error.code not in _INTERNAL_CODES:
            raise
        fix = _OTHER_VERSION if _is_of_another_version(error) else _FIXES.get(error.reason, "")
        _log.warning("the worker can't be asked", reason=error.reason, message=error.message, fix=fix)
        raise LecternError(Code.UNAVAILABLE, _told(error), reason="WORKER_UNAVAILABLE") from error


def _is_of_another_version(error: LecternError) -> bool:
    return error.code is Code.UNIMPLEMENTED or error.reason == "REQUEST_MALFORMED"


def _told(error: LecternError) -> str:
    if error.code in _INTERNAL_CODES or not error.retryable:
        return _IN_VAIN
    return _TOO_SLOW if error.reason == "NO_ANSWER" else _AWAY
