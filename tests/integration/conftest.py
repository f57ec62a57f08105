"""An open gate on each embedded store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from toolgate import Toolgate
from toolgate.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "sqlite"])
async def gate(request: pytest.FixtureRequest, data_dir: Path, clock: FakeClock) -> AsyncIterator[Toolgate]:
    """A gate whose time stands still until the test moves it."""
    store = {"memory": "memory://", "sqlite": f"sqlite:///{data_dir}/gate.db"}[request.param]
    async with Toolgate(data_dir=data_dir, settings={"store": store}, clock=clock) as opened:
        yield opened
