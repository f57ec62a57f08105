"""The order in which everything happens: fifteen steps from a request to its stored outcome (`docs/architecture.md`).

Steps 2 to 13 are `_steps`, a plain coroutine that either returns a checked output or raises the error of some row of
the table. Everything that ends it, a refusal, a timeout, a cancel, a bug of ours, becomes an outcome at the engine's
edge, and every outcome goes through step 14. There is no other way out.
"""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from toolgate.audit.log import current_invocation, get_logger
from toolgate.audit.redaction import redact_encoded
from toolgate.engine.cause import log_cause, masked_texts
from toolgate.engine.flight import Abandoned, Flight, drive
from toolgate.engine.intake import Intake
from toolgate.engine.ledger import Ledger
from toolgate.errors import Cancelled, IdempotencyConflict, InternalError, Kind, TimeoutExceeded, ToolgateError
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Outcome, PolicySnapshot
from toolgate.model.request import ToolInvokeRequest
from toolgate.model.response import ToolCancelResponse
from toolgate.model.run import RunResult
from toolgate.ports import (
    Approvals,
    Attempts,
    Authoriser,
    Checkpoints,
    Clock,
    Credentials,
    Documents,
    InvocationHistory,
    Limits,
    OutputCheck,
    ParameterCheck,
    Recall,
    Registry,
    Tokens,
)
from toolgate.sandbox.executor import Executor

_log = get_logger()


@dataclass(frozen=True, kw_only=True)
class Components:
    """Who answers for which step. A feature that is switched off is an object here that does nothing."""

    tokens: Tokens
    registry: Registry
    parameters: ParameterCheck
    authoriser: Authoriser
    approvals: Approvals
    recall: Recall
    limits: Limits
    documents: Documents
    checkpoints: Checkpoints
    credentials: Credentials
    attempts: Attempts
    executor: Executor
    output: OutputCheck


class Result(msgspec.Struct, frozen=True, gc=False):
    """What the steps found: the checked output, its encoding, and the run it came from."""

    output: Any
    encoded: bytes
    run: RunResult


class Recalled(msgspec.Struct, frozen=True):
    """The call was answered before; that answer is stored already."""

    outcome: Outcome


class Engine:
    def __init__(
        self, components: Components, *, clock: Clock, intake: Intake, ledger: Ledger, history: InvocationHistory
    ) -> None:
        self._components = components
        self._clock = clock
        self._intake = intake
        self._ledger = ledger
        self._history = history
        self._flights: dict[str, Flight] = {}

    async def invoke(self, request: ToolInvokeRequest) -> Outcome:
        """Carry one request through the pipeline. Every failure is an outcome; only cancellation is raised."""
        invocation = self._intake.open(request)
        flight = Flight(invocation, self._clock, timeout_seconds=invocation.timeout_seconds)
        context = current_invocation.set(invocation)
        try:
            found = await self._find(flight, request)
            if isinstance(found, Recalled):
                return found.outcome
            outcome, encoded = found
            return await self._ledger.settle(outcome, encoded, invoked=flight.granted)
        finally:
            flight.release()
            self._flights.pop(flight.key, None)
            current_invocation.reset(context)

    async def refuse(self, error: ToolgateError) -> Outcome:
        """Keep the outcome of something that did not even become a request."""
        invocation = self._intake.blank()
        flight = Flight(invocation, self._clock, timeout_seconds=invocation.timeout_seconds)
        return await self._ledger.settle(self._failure(flight, error), None, invoked=False)

    def cancel(self, invocation_id: str, *, reason: str = "cancelled by the caller") -> ToolCancelResponse:
        """Stop a running invocation. One that is past stopping keeps its outcome."""
        flight = self._flights.get(invocation_id)
        stopped = flight is not None and flight.cancel(reason)
        message = "cancellation in progress" if stopped else "already completed"
        return ToolCancelResponse(invocation_id=invocation_id, cancelled=stopped, message=message)

    def running(self, invocation_id: str) -> Invocation | None:
        """The facts of an invocation that is under way in this process."""
        flight = self._flights.get(invocation_id)
        return flight.invocation if flight else None

    # ------------------------------------------------------------ steps 2 to 13

    async def _steps(self, flight: Flight, request: ToolInvokeRequest) -> Result | Recalled:
        use, invocation = self._components, flight.invocation
        self._intake.check(invocation, request)

        token = await use.tokens.verify(request)  # 2
        self._intake.note_caller(invocation, token, request)
        flight.key = invocation.invocation_id
        self._flights[flight.key] = flight
        if request.invocation_id is not None:
            await self._claim(flight, self._intake.wanted_id(request.invocation_id))

        tool = await use.registry.resolve(request.tool_id, request.tool_version)  # 3
        self._intake.note_tool(invocation, tool)
        flight.tighten(invocation.timeout_seconds)

        encoded = use.parameters.encode(request.parameters)  # 4
        self._note_parameters(invocation, request.parameters, encoded)
        use.parameters.check(tool, request.parameters, encoded)

        grant = await use.authoriser.grant(invocation, token, tool)  # 5
        await use.approvals.require(invocation, request, tool)  # 6
        flight.granted = True

        if (earlier := await use.recall.find(invocation, tool)) is not None:  # 7
            return Recalled(earlier)
        permit = flight.hold(await use.limits.admit(invocation, grant, tool))  # 8
        await use.documents.attach(invocation, request, tool)  # 9
        await use.checkpoints.attach(invocation, request, tool)
        await use.credentials.issue(tool, grant)  # 10

        attempt = partial(  # 11
            use.executor.run, tool, request.parameters, invocation=invocation, grant=grant, permit=permit
        )
        run = await use.attempts.run(invocation, tool, attempt)
        output, encoded_output = use.output.check(tool, run.output)  # 12, 13
        return Result(output, encoded_output, run)

    async def _claim(self, flight: Flight, wanted: str) -> None:
        """Make the caller's invocation id ours, so that two calls can never share one.

        Raises:
            IdempotencyConflict: somebody has used this id before.
        """
        if wanted in self._flights:
            raise IdempotencyConflict(what="this invocation_id")
        self._flights[wanted] = flight  # before we look it up, or a second call could come in between
        try:
            if await self._history.exists(wanted):
                raise IdempotencyConflict(what="this invocation_id")
        except BaseException:
            del self._flights[wanted]
            raise
        del self._flights[flight.key]
        flight.key = flight.invocation.invocation_id = wanted

    def _note_parameters(self, invocation: Invocation, parameters: dict[str, Any], encoded: bytes) -> None:
        clean = redact_encoded(parameters, encoded)
        invocation.parameters = encoded if clean.value is parameters else msgspec.json.encode(clean.value)
        invocation.redactions = clean.paths

    # ------------------------------------------------------------ the edge: whatever ended the steps, and step 14

    async def _find(self, flight: Flight, request: ToolInvokeRequest) -> tuple[Outcome, bytes | None] | Recalled:
        """Run the steps and make an outcome of whatever ended them."""
        try:
            found = await drive(self._steps(flight, request), flight)
        except asyncio.CancelledError:
            if flight.caller_left or flight.stopped_by is None:
                await self._leave(flight)
                raise
            return self._failure(flight, InternalError()), None
        except Abandoned:
            _log.warning("a stopped call did not end and was left behind")
            return self._failure(flight, InternalError()), None
        except ToolgateError as error:
            log_cause(error, secrets=masked_texts(request.parameters, flight.invocation.redactions))
            return self._failure(flight, error), None
        except Exception as bug:
            _log.exception("internal error", exc_info=bug)
            return self._failure(flight, InternalError()), None
        now = self._clock.monotonic()
        flight.end(now)
        if flight.stopped_by is not None:
            return self._failure(flight, InternalError()), None
        return (self._success(flight, found, ended=now), found.encoded) if isinstance(found, Result) else found

    async def _leave(self, flight: Flight) -> None:
        """The caller was cancelled. Its call still ends in a stored outcome, before the cancellation goes on."""
        gone = self._failure(flight, Cancelled(reason="the caller went away"))
        await self._ledger.settle(gone, None, invoked=flight.granted)

    def _stop_error(self, flight: Flight) -> ToolgateError | None:
        """The error of a flight that we stopped. It outranks whatever the tool did on hearing of it."""
        if flight.stopped_by == "timeout":
            return TimeoutExceeded(timeout_seconds=flight.invocation.timeout_seconds)
        if flight.stopped_by == "cancel":
            return Cancelled(reason=flight.stop_reason)
        return None

    def _success(self, flight: Flight, result: Result, *, ended: float) -> Outcome:
        invocation = flight.invocation
        return Outcome(
            invocation=invocation,
            kind=Kind.SUCCESS,
            completed_at=self._clock.now(),
            duration_ms=(ended - flight.started) * 1000,
            output=result.output,
            output_size_bytes=len(result.encoded),
            usage=result.run.usage,
            side_effects=(*invocation.side_effects, *result.run.side_effects),
            sandbox_id=result.run.sandbox_id,
            policy_snapshot=_snapshot(invocation),
        )

    def _failure(self, flight: Flight, error: ToolgateError) -> Outcome:
        invocation = flight.invocation
        error = self._stop_error(flight) or error
        return Outcome(
            invocation=invocation,
            kind=error.kind,
            completed_at=self._clock.now(),
            duration_ms=(self._clock.monotonic() - flight.started) * 1000,
            error=self._ledger.describe(error),
            side_effects=tuple(invocation.side_effects),
            policy_snapshot=_snapshot(invocation),
        )

    def __repr__(self) -> str:
        return f"Engine({len(self._flights)} calls under way)"


def _snapshot(invocation: Invocation) -> PolicySnapshot:
    return PolicySnapshot(timeout_seconds=invocation.timeout_seconds, redactions=invocation.redactions)
