"""Step 14: every outcome is redacted, stored together with its events, counted and, if it failed, logged.

None is answered before it is stored. If it cannot be stored, the result is withheld: a call that leaves no record
must not look like one that does.
"""

import logging
from typing import Any

import msgspec
import orjson
from uuid_utils import uuid7

from toolgate.audit.events import events_of
from toolgate.audit.log import get_logger
from toolgate.audit.redaction import redact, redact_encoded, redact_text
from toolgate.errors import FieldError, IdempotencyConflict, InternalError, Kind, StoreUnavailable, ToolgateError
from toolgate.model.outcome import Failure, Outcome, Record
from toolgate.model.side_effect import SideEffect
from toolgate.ports import InvocationLog, Meter

MESSAGE_LIMIT = 1000
DETAILS_LIMIT = 16_384

_log = get_logger()


class Ledger:
    def __init__(self, log: InvocationLog, meter: Meter) -> None:
        self._store = log
        self._meter = meter

    def describe(self, error: ToolgateError) -> Failure:
        """The error as data, fit to be stored and answered: without secrets, and of a bounded size."""
        failure = Failure.of(error)
        return msgspec.structs.replace(
            failure,
            message=redact_text(failure.message)[:MESSAGE_LIMIT],
            details=_small(redact(failure.details).value),
            errors=tuple(_redacted_fault(fault) for fault in failure.errors),
        )

    async def settle(self, outcome: Outcome, encoded: bytes | None, *, invoked: bool) -> Outcome:
        """Store the outcome, then return it. What is returned instead, if it cannot be stored, says so."""
        try:
            await self._store.record(_record(outcome, encoded, invoked=invoked))
        except IdempotencyConflict as conflict:
            outcome = await self._settle_conflict(outcome, conflict)
        except StoreUnavailable as error:
            _log.error("outcome not stored", exc_info=error)
            outcome = self._replace(outcome, error)
        except Exception as bug:
            _log.error("outcome could not be stored as it is", exc_info=bug)
            outcome = await self._settle_bare(outcome)
        self._meter.observe(outcome)
        if outcome.error is not None:
            _log_failure(outcome, outcome.error)
        return outcome

    async def _settle_conflict(self, outcome: Outcome, conflict: IdempotencyConflict) -> Outcome:
        """Another instance took the caller's invocation id meanwhile: this outcome needs an id of its own."""
        outcome.invocation.invocation_id = str(uuid7())
        outcome = self._replace(outcome, conflict)
        try:
            await self._store.record(_record(outcome, None, invoked=True))
        except StoreUnavailable as error:
            outcome = self._replace(outcome, error)
        return outcome

    async def _settle_bare(self, outcome: Outcome) -> Outcome:
        """Something in the outcome breaks its own record: keep that the call was made, and that it failed."""
        bare = msgspec.structs.replace(self._replace(outcome, InternalError()), side_effects=())
        try:
            await self._store.record(Record(outcome=bare, output=None, events=events_of(bare, None, invoked=False)))
        except Exception as bug:
            _log.error("outcome not stored", exc_info=bug)
        return bare

    def _replace(self, outcome: Outcome, error: ToolgateError) -> Outcome:
        return msgspec.structs.replace(
            outcome, kind=error.kind, error=self.describe(error), output=None, output_size_bytes=None
        )


def _record(outcome: Outcome, encoded: bytes | None, *, invoked: bool) -> Record:
    stored = None if encoded is None else _redacted_output(outcome.output, encoded)
    # The caller has the outcome and could go on writing in its facts; what is stored must not follow it.
    facts = msgspec.structs.replace(outcome.invocation, notices=outcome.invocation.notices.copy(), side_effects=[])
    effects = _redacted_effects(outcome.side_effects)
    kept = msgspec.structs.replace(outcome, output=None, invocation=facts, side_effects=effects)
    return Record(outcome=kept, output=stored, events=events_of(outcome, stored, invoked=invoked))


def _redacted_effects(effects: tuple[SideEffect, ...]) -> tuple[SideEffect, ...]:
    if not effects:
        return effects
    return msgspec.convert(redact(msgspec.to_builtins(effects)).value, type=tuple[SideEffect, ...])


def _redacted_fault(fault: FieldError) -> FieldError:
    """A pointer holds names that the caller chose, and a name may be a secret that slipped into the wrong place."""
    return FieldError(redact_text(fault.pointer), redact_text(fault.message), fault.code)


def _small(details: dict[str, Any]) -> dict[str, Any]:
    try:
        return details if len(msgspec.json.encode(details)) <= DETAILS_LIMIT else {}
    except (TypeError, ValueError, RecursionError):
        return {}


_HARMLESS = (int, float, bool, type(None))


def _redacted_output(output: Any, encoded: bytes) -> bytes:
    if type(output) in _HARMLESS:
        return encoded
    clean = redact_encoded(output, encoded)
    return encoded if clean.value is output else orjson.dumps(clean.value)


def _log_failure(outcome: Outcome, error: Failure) -> None:
    invocation = outcome.invocation
    # A refusal is the layer at work, not a fault of the program it is embedded in.
    _log.log(
        logging.ERROR if outcome.kind is Kind.INTERNAL else logging.INFO,
        "invocation failed",
        invocation_id=invocation.invocation_id,
        correlation_id=invocation.correlation_id,
        tool_id=invocation.tool_id,
        tool_version=invocation.tool_version,
        kind=outcome.kind.value,
        number=error.number,
        code=error.code,
        duration_ms=round(outcome.duration_ms, 3),
    )
