"""How often a run is tried: once, until retries are configured."""

from collections.abc import Awaitable, Callable

from toolgate.model.invocation import Invocation
from toolgate.model.run import RunResult
from toolgate.model.tool import Tool


class OneAttempt:
    """Implements `Attempts`."""

    async def run(self, invocation: Invocation, tool: Tool, attempt: Callable[[], Awaitable[RunResult]]) -> RunResult:
        run = attempt()  # refuses at once if there is nothing to run it with, which is no attempt
        invocation.attempts += 1
        return await run
