"""Runs native Python tools in this process: for functions the operator trusts. No isolation, least overhead.

Async functions are awaited, sync functions go to a thread, or run inline where the tool says that it never blocks.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from toolgate.errors import ToolExecutionFailed, ToolFailure, ToolgateError
from toolgate.model.invocation import Invocation
from toolgate.model.proof import Grant, Permit
from toolgate.model.run import NO_USAGE, RunResult, ToolContext, Usage
from toolgate.model.timestamp import rfc3339
from toolgate.model.tool import NativeTarget, Tool
from toolgate.ports import Clock
from toolgate.sandbox.runners.threads import ThreadPool, ToolRaised


class InProcessRunner:
    """Implements `Runner` for `NativeTarget`."""

    isolation = "none"

    def __init__(self, clock: Clock, *, threads: int) -> None:
        self._clock = clock
        self._threads = ThreadPool(threads)

    async def probe(self) -> Mapping[str, str]:
        return {"python": "functions run in this process, without isolation"}

    async def run(
        self, tool: Tool, parameters: dict[str, Any], *, invocation: Invocation, grant: Grant, permit: Permit
    ) -> RunResult:
        target: NativeTarget = tool.target
        arguments = parameters if target.bind is None else target.bind(parameters)
        if target.context_parameter is None:
            output, usage = await self._call(target, arguments)
            return RunResult(output=output, usage=usage)
        context = ToolContext(invocation_id=invocation.invocation_id, grant=grant, now_text=self._now_text)
        output, usage = await self._call(target, {**arguments, target.context_parameter: context})
        return RunResult(output=output, usage=usage, side_effects=context.side_effects)

    async def _call(self, target: NativeTarget, arguments: dict[str, Any]) -> tuple[Any, Usage]:
        try:
            if target.is_async:
                return await target.function(**arguments), NO_USAGE
            if not target.blocking:
                return target.function(**arguments), NO_USAGE
            return await self._threads.run(lambda: _timed(target.function, arguments))
        except ToolRaised as raised:
            raise _as_failure(raised.error) from raised.error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise _as_failure(error) from error  # nobody cancelled this call: the tool raised it by itself
        except (KeyboardInterrupt, ToolgateError):
            raise
        except BaseException as error:
            raise _as_failure(error) from error

    def _now_text(self) -> str:
        return rfc3339(self._clock.now())

    async def close(self) -> None:
        self._threads.close()


def _timed(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Any, Usage]:
    before = time.thread_time()
    output = function(**arguments)
    return output, Usage(cpu_ms=round((time.thread_time() - before) * 1000))


def _as_failure(error: BaseException) -> ToolgateError:
    """What the caller may know: the tool's own words if it meant them for the caller, else only the kind of error."""
    if isinstance(error, ToolgateError):
        return error
    if isinstance(error, ToolFailure):
        return ToolExecutionFailed(message=error.text, exception="ToolFailure")
    return ToolExecutionFailed(exception=type(error).__name__)
