"""What several domains of the worker are built upon."""

from pathlib import Path

from aiohttp import ClientSession
from grpc.aio import Channel

from compute_worker.operations.backlog import Room
from compute_worker.operations.broker import Broker, BrokerLimits
from compute_worker.operations.events import Events
from compute_worker.operations.job_states import JobStates
from compute_worker.operations.lanes import CONVERSIONS, PDFS, PREVIEWS, lane_of
from compute_worker.operations.policy import PolicyInForce
from compute_worker.operations.queue import OperationQueue
from compute_worker.operations.slots import Pool, Slots
from shared.configuration.worker_settings import WorkerSettings
from shared.objects.s3_store import S3Store

DOCUMENT_LANES = (PREVIEWS, PDFS, CONVERSIONS)
DOCUMENTS_AT_ONCE = 2  # in a parser each, whatever their format and the policy
_POOLS = (Pool(frozenset(lane.action for lane in DOCUMENT_LANES), DOCUMENTS_AT_ONCE),)


class Foundations:
    """Open resources, and the queue with what says how much of it is worked on."""

    def __init__(
        self,
        *,
        settings: WorkerSettings,
        worker_id: str,
        broker: Broker,
        store: S3Store,
        app_channel: Channel,
        http: ClientSession,
        scratch: Path,
    ) -> None:
        """scratch: for files of work in hand, gone with the worker."""
        self.settings = settings
        self.worker_id = worker_id
        self.broker = broker
        self.store = store
        self.app_channel = app_channel
        self.http = http
        self.scratch = scratch
        self.policy = PolicyInForce()
        self.slots = Slots(policy=self.policy, pools=_POOLS)
        self.states = JobStates(broker=broker)
        self.events = Events(broker=broker)
        self.queue = OperationQueue(
            broker=broker,
            states=self.states,
            events=self.events,
            stale_seconds=settings.broker.stale_ms / 1000,
            lane_of=lane_of,
            check_room=Room(broker=broker, policy=self.policy).check,
        )


def broker_limits(settings: WorkerSettings) -> BrokerLimits:
    return BrokerLimits(
        jobs_max_bytes=settings.broker.jobs_max_bytes,
        events_max_bytes=settings.broker.events_max_bytes,
        job_states_max_bytes=settings.broker.state_max_bytes,
        replicas=settings.broker.replicas,
    )
