"""Real servers and sample documents for all tests. What is started is stopped; ports are free ones."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from servers import ports
from servers.identity_provider.process import IdentityProviderServer, running_identity_provider
from servers.lectern import LecternInstance, running_lectern
from servers.nats import NatsServer, running_nats
from servers.object_store import ObjectStoreServer, running_object_store
from servers.other_object_store import running_other_object_store

_SAMPLES = Path(__file__).parents[2] / "shared" / "samples"


# Their tests start whole instances, browsers among them, and follow them in time.
_ONE_AFTER_THE_OTHER = ("tests/e2e/", "tests/faults/")


class OneStoryAtATime(LoadFileScheduling):
    """By file, but everything that runs whole instances in one process: two at once starve each other."""

    def _split_scope(self, nodeid: str) -> str:
        return "stories" if nodeid.startswith(_ONE_AFTER_THE_OTHER) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    return OneStoryAtATime(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The sample documents lie beside the checkout only for those who have them."""
    if _SAMPLES.is_dir():
        return
    needy = [item for item in items if item.get_closest_marker("samples")]
    if needy:
        config.hook.pytest_deselected(items=needy)
        items[:] = [item for item in items if item not in needy]


def pytest_report_header() -> str | None:
    if _SAMPLES.is_dir():
        return None
    return "../shared/samples is not there: the tests with real books are left out"


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real books; for tests marked with `samples`."""
    return _SAMPLES


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    """Call it for each port that is needed."""
    return ports.free_port


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with running_nats(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture(scope="session")
def object_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStoreServer]:
    with running_object_store(tmp_path_factory.mktemp("objects")) as server:
        yield server


@pytest.fixture(scope="session")
def other_object_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStoreServer]:
    """Another make of S3 server than the embedded one. It takes any keys."""
    with running_other_object_store(tmp_path_factory.mktemp("other-objects")) as server:
        yield server


@pytest.fixture(scope="session")
def lectern_instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LecternInstance]:
    """The whole application, shared by the tests of one pytest process: bring your own account."""
    with running_lectern(tmp_path_factory.mktemp("lectern")) as instance:
        yield instance


@pytest.fixture(scope="session")
def identity_provider_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IdentityProviderServer]:
    """An OpenID provider and a Git hosting service; ask for `identity_provider` instead."""
    with running_identity_provider(tmp_path_factory.mktemp("identity-provider")) as server:
        yield server


@pytest.fixture
def identity_provider(identity_provider_server: IdentityProviderServer) -> IdentityProviderServer:
    """Without the faults that another test has given it."""
    identity_provider_server.be()
    return identity_provider_server
