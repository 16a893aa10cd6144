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
_INTERNAL_REASONS: Final = {"SERVICE_UNREACHABLE", "NO_ANSWER", "TOKEN_REFUSED"}
_INTERNAL_CODES: Final = {Code.UNAUTHENTICATED, Code.UNIMPLEMENTED}
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
        _log.warning("the worker can't be asked", reason=error.reason, message=error.message)
        raise LecternError(
            Code.UNAVAILABLE,
            "The part of Lectern that speaks isn't available just now. Try again in a moment.",
            reason="WORKER_UNAVAILABLE",
        ) from error
