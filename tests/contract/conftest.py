from collections.abc import AsyncIterator

import pytest
from contract.mesh import TRANSPORTS, Mesh, running_mesh


@pytest.fixture
async def mesh() -> AsyncIterator[Mesh]:
    async with running_mesh() as running:
        yield running


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return request.param
