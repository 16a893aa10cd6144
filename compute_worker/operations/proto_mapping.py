"""Operation records as protocol messages."""

from google.protobuf.timestamp_pb2 import Timestamp

from compute_worker.operations.model import OperationRecord
from lectern.compute.v1 import operations_pb2 as pb


def _timestamp(seconds: float) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromMilliseconds(int(seconds * 1000))
    return timestamp


def operation_to_proto(record: OperationRecord) -> pb.Operation:
    message = pb.Operation(
        operation_id=record.operation_id,
        kind=pb.OperationKind.Value(f"OPERATION_KIND_{record.kind.name}"),
        dedup_key=record.dedup_key,
        state=pb.OperationState.Value(f"OPERATION_STATE_{record.state.name}"),
        attempt=record.attempt,
        progress=pb.Progress(
            phase=record.progress.phase, done=record.progress.done, total=record.progress.total
        ),
        result_ref=record.result_ref,
        worker_id=record.worker_id,
        create_time=_timestamp(record.created_at),
        update_time=_timestamp(record.updated_at),
        heartbeat_time=_timestamp(record.heartbeat_at),
    )
    if record.failure is not None:
        message.error.CopyFrom(
            pb.OperationError(
                code=record.failure.code,
                message=record.failure.message,
                retryable=record.failure.retryable,
            )
        )
    return message
