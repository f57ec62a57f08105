"""Hands a call to the runner its tool asks for. No runner, no run: it never falls back to weaker isolation."""

from collections.abc import Awaitable, Mapping
from typing import Any

from toolgate.errors import RunnerUnavailable
from toolgate.model.invocation import Invocation
from toolgate.model.proof import Grant, Permit
from toolgate.model.run import RunResult
from toolgate.model.tool import Tool
from toolgate.ports import Runner


class Executor:
    def __init__(self, runners: Mapping[str, Runner]) -> None:
        self.runners = runners

    def run(
        self, tool: Tool, parameters: dict[str, Any], *, invocation: Invocation, grant: Grant, permit: Permit
    ) -> Awaitable[RunResult]:
        """Run the tool once.

        Raises:
            RunnerUnavailable: the runner that the tool needs does not exist here.
        """
        runner = self.runners.get(tool.runner)
        if runner is None:
            raise RunnerUnavailable(runner=tool.runner)
        return runner.run(tool, parameters, invocation=invocation, grant=grant, permit=permit)
