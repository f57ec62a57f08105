"""Runs native Python tools in this process: for functions the operator trusts. No isolation, least overhead.

Async functions are awaited, sync functions go to a thread, or run inline where the tool says that it never blocks.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from toolgate.errors import (
    ConnectionTimeout,
    InvalidExternalResponse,
    NetworkDenied,
    OutputTooLarge,
    ToolExecutionFailed,
    ToolFailure,
    ToolgateError,
)
from toolgate.model.invocation import Invocation
from toolgate.model.proof import Grant, Permit
from toolgate.model.run import RunResult, ToolContext, Usage
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
        if target.context_parameter is not None:
            context = ToolContext(invocation=invocation, grant=grant, now_text=self._now_text)
            arguments = {**arguments, target.context_parameter: context}
        try:
            if target.is_async:
                return RunResult(output=await target.function(**arguments))
            if not target.blocking:
                return RunResult(output=target.function(**arguments))
            return await self._threads.run(lambda: _timed(target.function, arguments))
        except ToolRaised as raised:
            raise _failure_of(raised.error) from _cause_of(raised.error)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise _failure_of(error) from error  # nobody cancelled this call: the tool raised it by itself
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _failure_of(error) from _cause_of(error)

    def _now_text(self) -> str:
        return rfc3339(self._clock.now())

    async def close(self) -> None:
        self._threads.close()


_A_TOOL_MAY_RAISE = frozenset({NetworkDenied, ConnectionTimeout, InvalidExternalResponse, OutputTooLarge})
"""Rows of the table that are about a tool's own doing. With any other a tool would speak in the layer's name."""


def _timed(function: Callable[..., Any], arguments: dict[str, Any]) -> RunResult:
    before = time.thread_time()
    output = function(**arguments)
    return RunResult(output=output, usage=Usage(cpu_ms=round((time.thread_time() - before) * 1000)))


def _cause_of(error: BaseException) -> BaseException | None:
    """What the operator finds in the log; an error that says it all has no other cause."""
    return None if type(error) in _A_TOOL_MAY_RAISE else error


def _failure_of(error: BaseException) -> ToolgateError:
    """What the caller may know: the tool's own words if it meant them for the caller, else only the kind of error."""
    if type(error) in _A_TOOL_MAY_RAISE:
        return cast(ToolgateError, error)
    if isinstance(error, ToolFailure):
        return ToolExecutionFailed(message=str(error.text) or "the tool failed", exception="ToolFailure")
    return ToolExecutionFailed(exception=type(error).__name__)
