"""RecordingService: starts, joins or finds the alignment of a stored recording."""

import re
from typing import Any, Final

from compute_worker.operations.model import OperationKind
from compute_worker.operations.proto_mapping import operation_to_proto
from compute_worker.operations.queue import OperationQueue
from compute_worker.recordings.handler import RECORDING_ID, outline_key
from compute_worker.recordings.model import ALIGNMENT_VERSION
from lectern.compute.v1 import recordings_pb2 as pb
from lectern.compute.v1.recordings_pb2_grpc import RecordingServiceServicer
from shared.errors import Code, LecternError
from shared.objects.ports import ObjectStore

_READING_REF: Final = re.compile(r"reading/[0-9a-f]{64}/[A-Za-z0-9._-]{1,60}/")


class RecordingServicer(RecordingServiceServicer):
    def __init__(self, *, queue: OperationQueue, store: ObjectStore) -> None:
        self._queue = queue
        self._store = store

    async def AlignRecording(
        self, request: pb.AlignRecordingRequest, context: Any
    ) -> pb.AlignRecordingResponse:
        _check("recording_id", request.recording_id, RECORDING_ID, "32 lowercase hex digits")
        _check("reading_ref", request.reading_ref, _READING_REF, "the reference of a reading document")
        record = await self._queue.submit(
            OperationKind.ALIGN,
            f"{request.recording_id}:{request.reading_ref}:{ALIGNMENT_VERSION}",
            {"recording_id": request.recording_id, "reading_ref": request.reading_ref},
            again=request.retry,
            result_exists=self._result_exists,
        )
        return pb.AlignRecordingResponse(operation=operation_to_proto(record))

    async def _result_exists(self, result_ref: str) -> bool:
        return await self._store.info(outline_key(result_ref)) is not None


def _check(field: str, value: str, pattern: re.Pattern[str], meaning: str) -> None:
    if not pattern.fullmatch(value):
        raise LecternError(Code.INVALID_ARGUMENT, f"{field} must be {meaning}.", details={"field": field})
