"""OperationService: unpacks, asks the queue, packs."""

from collections.abc import AsyncIterator
from typing import Any

from compute_worker.operations.proto_mapping import operation_to_proto
from compute_worker.operations.queue import OperationQueue
from lectern.compute.v1 import operations_pb2 as pb
from lectern.compute.v1.operations_pb2_grpc import OperationServiceServicer


class OperationServicer(OperationServiceServicer):
    def __init__(self, *, queue: OperationQueue) -> None:
        self._queue = queue

    async def GetOperation(self, request: pb.GetOperationRequest, context: Any) -> pb.GetOperationResponse:
        return pb.GetOperationResponse(
            operation=operation_to_proto(await self._queue.get(request.operation_id))
        )

    async def WatchOperation(
        self, request: pb.WatchOperationRequest, context: Any
    ) -> AsyncIterator[pb.WatchOperationResponse]:
        async for record in self._queue.watch(request.operation_id):
            yield pb.WatchOperationResponse(operation=operation_to_proto(record))

    async def CancelOperation(
        self, request: pb.CancelOperationRequest, context: Any
    ) -> pb.CancelOperationResponse:
        record = await self._queue.cancel(request.operation_id)
        return pb.CancelOperationResponse(operation=operation_to_proto(record))
