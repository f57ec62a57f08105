"""What every adapter of a port must do, as tests that anybody can run on an adapter of their own.

Import a suite into a test module and give it the fixture it asks for:

    from toolgate.testing.contracts.outbox import *

    @pytest.fixture
    async def store() -> AsyncIterator[Store]: ...

Needs pytest with pytest-asyncio in its `auto` mode.
"""

import pytest

# Before the suites are imported, so that a failing assert in them shows its values.
pytest.register_assert_rewrite(
    *(f"{__name__}.{suite}" for suite in ("invocation_history", "invocation_log", "outbox", "tool_store"))
)
