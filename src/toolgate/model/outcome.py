"""What became of an invocation: the one record that all four result shapes are computed from."""

from typing import Any

import msgspec

from toolgate.errors import FieldError, Kind, ToolgateError, find_class
from toolgate.model.event import Event
from toolgate.model.invocation import Invocation
from toolgate.model.response import ToolInvocationStatus
from toolgate.model.run import NO_USAGE, Usage
from toolgate.model.side_effect import SideEffect
from toolgate.model.status import STATUS_TABLE


class Failure(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An error as data: what the class said, ready to be stored, published and rendered."""

    code: str
    message: str
    category: str
    taxonomy_code: str
    http_status: int
    number: str | None = None
    retryable: bool = False
    details: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    errors: tuple[FieldError, ...] = ()

    @classmethod
    def of(cls, error: ToolgateError) -> "Failure":
        return cls(
            number=error.number,
            code=error.code,
            message=error.message,
            category=error.category.value,
            taxonomy_code=_taxonomy_code(error),
            http_status=error.http_status,
            retryable=error.retryable,
            details=error.facts,
            errors=error.errors,
        )

    def as_exception(self) -> ToolgateError:
        return find_class(self.number, self.code).revive(message=self.message, facts=self.details, errors=self.errors)


def _taxonomy_code(error: ToolgateError) -> str:
    """Bad input is named after its first fault (`RequiredMissing`, `InvalidType` …); everything else by its row."""
    if error.kind is Kind.INVALID_INPUT and error.errors:
        return error.errors[0].code
    return error.taxonomy_code


class PolicySnapshot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The policy values in force when the call ran (envelope specification)."""

    timeout_seconds: float
    max_attempts: int = 1
    rate_limit_ids: tuple[str, ...] = ()
    circuit_state: str = "closed"
    redactions: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    invocation: Invocation
    kind: Kind
    completed_at: float
    duration_ms: float
    output: Any = None
    output_size_bytes: int | None = None
    output_truncated: bool = False
    error: Failure | None = None
    usage: Usage = NO_USAGE
    side_effects: tuple[SideEffect, ...] = ()
    sandbox_id: str | None = None
    policy_snapshot: PolicySnapshot | None = None

    @property
    def invocation_id(self) -> str:
        return self.invocation.invocation_id

    @property
    def tool_version(self) -> str:
        return self.invocation.tool_version

    @property
    def status(self) -> ToolInvocationStatus:
        return STATUS_TABLE[self.kind].l03

    @property
    def ok(self) -> bool:
        return self.kind is Kind.SUCCESS

    @property
    def http_status(self) -> int:
        return self.error.http_status if self.error else STATUS_TABLE[self.kind].http

    @property
    def may_repeat(self) -> bool:
        """True if the same call may be sent again: the failure was passing, and nothing would be done twice."""
        if self.error is None or not self.error.retryable or "Retryable" not in STATUS_TABLE[self.kind].envelope:
            return False
        if self.invocation.attempts == 0:
            return True  # refused before anything ran
        key = self.invocation.idempotency_key
        return self.invocation.effect.allows_repeat(has_idempotency_key=key is not None)

    def raise_for_status(self) -> "Outcome":
        """Return self if the call succeeded.

        Raises:
            ToolgateError: the class of the failure's row.
        """
        if self.error is not None:
            raise self.error.as_exception()
        return self


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is kept of an invocation, in one transaction: the outcome, its output (encoded, redacted), its events."""

    outcome: Outcome
    output: bytes | None
    events: tuple[Event, ...] = ()
