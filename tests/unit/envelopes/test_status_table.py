"""Every row of the specifications' status table (spec README §1), in every view."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from toolgate import errors as e
from toolgate.envelopes.document import to_document
from toolgate.envelopes.envelope import to_envelope
from toolgate.envelopes.l03 import to_response, to_status
from toolgate.envelopes.problem import to_problem
from toolgate.envelopes.tool_result import to_tool_result
from toolgate.errors import Kind, ToolgateError
from toolgate.model.effect import Effect
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome


class Row(NamedTuple):
    """One line of the table. `error` is None where nothing failed; `env` is (status, category, code)."""

    kind: Kind
    error: ToolgateError | None
    l03: str
    number: str | None
    code: str | None
    res: tuple[int, str] | None
    env: tuple[str, str | None, str | None] | None
    http: int
    effect: Effect = Effect.NON_IDEMPOTENT_WRITE
    attempts: int = 1

    def outcome(self) -> Outcome:
        invocation = Invocation(
            invocation_id="0190b2f0-0000-7000-8000-000000000001",
            correlation_id="c-1",
            tool_id="t",
            tool_version="1.0.0",
            started_at=1_763_176_000.0,
            effect=self.effect,
            attempts=self.attempts,
        )
        return Outcome(
            invocation=invocation,
            kind=self.kind if self.error is None else self.error.kind,
            completed_at=1_763_176_001.0,
            duration_ms=1000.0,
            output={"sum": 3} if self.error is None and self.kind is Kind.SUCCESS else None,
            error=None if self.error is None else Failure.of(self.error),
        )

    @property
    def label(self) -> str:
        return f"{self.kind}-{self.number or self.code or 'ok'}-{self.env[0] if self.env else 'none'}"


def _done() -> Iterator[Row]:
    yield Row(Kind.SUCCESS, None, "success", None, None, (0, "Success"), ("Ok", None, None), 200)
    yield Row(Kind.PENDING, None, "pending", None, None, None, None, 202, attempts=0)
    yield Row(Kind.RUNNING, None, "running", None, None, None, None, 202)
    yield Row(Kind.APPROVAL, None, "pending_approval", None, None, (3, "RequiresConfirmation"), None, 202, attempts=0)


def _ended_early() -> Iterator[Row]:
    timeout = e.TimeoutExceeded(timeout_seconds=5)
    for effect, status in ((Effect.PURE, "Retryable"), (Effect.NON_IDEMPOTENT_WRITE, "Error")):
        env = (status, "PolicyError", "Timeout")
        yield Row(Kind.TIMEOUT, timeout, "timeout", "E3103", "timeout", (1, "Timeout"), env, 504, effect)
    past = ("Error", "PolicyError", "Timeout")
    yield Row(Kind.TIMEOUT, e.DeadlinePast(), "timeout", "E3114", "timeout", (1, "Timeout"), past, 504, attempts=0)
    env = ("Error", "ExecutionError", "Cancelled")
    cancelled = e.Cancelled(reason="asked")
    yield Row(Kind.CANCELLED, cancelled, "cancelled", "E3110", "cancelled", (2, "Cancelled"), env, 499)
    nobody = e.ApprovalTimeout()
    yield Row(Kind.CANCELLED, nobody, "cancelled", "E3112", "approval_timeout", (2, "Cancelled"), env, 499, attempts=0)


def _denied() -> Iterator[Row]:
    refusals: list[tuple[ToolgateError, str, str, int]] = [
        (e.InvalidToken(reason="signature"), "E3201", "InvalidCredentials", 401),
        (e.ExpiredToken(), "E3202", "ExpiredCredentials", 401),
        (e.FilesystemDenied(), "E3203", "Forbidden", 403),
        (e.NetworkDenied(host="h", port=1), "E3204", "Forbidden", 403),
        (e.CredentialsDenied(credential="c"), "E3205", "Forbidden", 403),
        (e.PolicyUnavailable(), "E3206", "PolicyUnavailable", 403),
        (e.MissingClaims(claims="jti"), "E3207", "MissingCredentials", 401),
        (e.RevokedToken(), "E3208", "RevokedCredentials", 401),
        (e.ToolNotCovered(tool_id="t", tool_version="1.0.0"), "E3209", "Forbidden", 403),
        (e.OperationNotAllowed(operation="x"), "E3210", "Forbidden", 403),
    ]
    for error, number, code, http in refusals:
        env = ("Error", "AuthError", code)
        res = (10, "PermissionDenied")
        yield Row(Kind.DENIED, error, "permission_denied", number, "permission_denied", res, env, http, attempts=0)
    env = ("Error", "AuthError", "LicenseRequired")
    tier = e.TierRequired(tier="teams")
    res = (11, "LicenseRequired")
    yield Row(Kind.UNLICENSED, tier, "permission_denied", "E3116", "license_required", res, env, 403, attempts=0)


def _contract() -> Iterator[Row]:
    for code in ("RequiredMissing", "InvalidType", "InvalidFormat", "InvalidEnumValue"):
        error = e.InvalidParameters(errors=[e.FieldError("/a", "is wrong", code)], summary="/a")
        res, env = (20, "ValidationError"), ("Error", "ContractError", code)
        yield Row(Kind.INVALID_INPUT, error, "error", None, "invalid_parameters", res, env, 422, attempts=0)
    env = ("Error", "ContractError", "SchemaInvalid")
    for number in [f"E350{digit}" for digit in range(1, 10)]:
        error = e.by_number()[number]()
        yield Row(
            Kind.INVALID_OUTPUT, error, "error", number, "invalid_output", (21, "OutputValidationFailed"), env, 502
        )
    missing: list[tuple[ToolgateError, str, str, str, int]] = [
        (e.ToolNotFound(tool_id="t"), "E3001", "tool_not_found", "ToolNotFound", 404),
        (e.ToolVersionNotFound(), "E3002", "tool_version_not_found", "UnsupportedVersion", 404),
        (e.ToolRemoved(), "E3004", "tool_removed", "UnsupportedVersion", 410),
        (e.VersionConflict(), "E3006", "version_conflict", "UnsupportedVersion", 409),
    ]
    for error, number, code, taxonomy, http in missing:
        env = ("Error", "ContractError", taxonomy)
        yield Row(Kind.NOT_FOUND, error, "error", number, code, (31, "ToolNotFound"), env, http, attempts=0)
    conflict = e.IdempotencyConflict(what="the key")
    env = ("Error", "ContractError", "IdempotencyConflict")
    res = (20, "ValidationError")
    yield Row(Kind.CONFLICT, conflict, "error", "E3113", "idempotency_conflict", res, env, 409, attempts=0)


def _limits() -> Iterator[Row]:
    refusals: list[tuple[ToolgateError, str, str, tuple[int, str], tuple[str, str, str], int]] = [
        (
            e.RateLimitExceeded(scope="t", retry_after_ms=250),
            "E3303",
            "rate_limit_exceeded",
            (32, "RateLimited"),
            ("Retryable", "PolicyError", "RateLimited"),
            429,
        ),
        (
            e.ConcurrencyLimitExceeded(scope="agent", limit=4, retry_after_ms=10),
            "E3106",
            "concurrency_limit_exceeded",
            (32, "RateLimited"),
            ("Retryable", "PolicyError", "ConcurrencyLimited"),
            429,
        ),
        (
            e.CircuitOpen(circuit="t", retry_after_ms=10),
            "E3401",
            "circuit_breaker_open",
            (30, "Failed"),
            ("Retryable", "PolicyError", "CircuitOpen"),
            503,
        ),
        (
            e.BudgetExceeded(budget="daily"),
            "E3115",
            "resource_exhausted",
            (32, "RateLimited"),
            ("Error", "PolicyError", "BudgetExceeded"),
            429,
        ),
    ]
    for error, number, code, res, env, http in refusals:
        yield Row(error.kind, error, "error", number, code, res, env, http, attempts=0)


def _ran_and_failed() -> Iterator[Row]:
    env = ("Error", "ExecutionError", "ToolFailed")
    failed = e.ToolExecutionFailed(exception="ValueError")
    yield Row(Kind.FAILED, failed, "error", "E3108", "tool_execution_error", (30, "Failed"), env, 502)
    for effect, status in ((Effect.PURE, "Retryable"), (Effect.EXTERNAL_SIDE_EFFECTS, "Error")):
        down = e.ConnectionTimeout(service="api")
        env = (status, "ExecutionError", "Downstream")
        yield Row(Kind.FAILED, down, "error", "E3306", "external_api_error", (30, "Failed"), env, 502, effect)
        env = (status, "SystemError", "SandboxFailure")
        crash = e.SandboxCrashed()
        yield Row(Kind.SANDBOX, crash, "error", "E3107", "sandbox_failure", (40, "SandboxError"), env, 500, effect)
    refused = e.SandboxCreationFailed(reason="none here")
    env = ("Retryable", "SystemError", "SandboxFailure")
    res = (40, "SandboxError")
    yield Row(Kind.SANDBOX, refused, "error", "E3101", "sandbox_failure", res, env, 500, attempts=0)
    env = ("Error", "AuthError", "Forbidden")
    res = (41, "SecurityViolation")
    network, files = e.NetworkPolicyViolation(host="h"), e.FilesystemPolicyViolation()
    yield Row(Kind.VIOLATION, network, "error", "E3104", "network_policy_violation", res, env, 403)
    yield Row(Kind.VIOLATION, files, "error", "E3105", "filesystem_policy_violation", res, env, 403)
    env = ("Error", "ExecutionError", "ResourceLimit")
    res = (42, "ResourceLimitExceeded")
    for error, number in ((e.ResourceLimitExceeded(), "E3102"), (e.OutOfMemory(), "E3109")):
        yield Row(Kind.RESOURCE, error, "error", number, "resource_exhausted", res, env, 507)
    env = ("Error", "SystemError", "Internal")
    yield Row(Kind.INTERNAL, e.InternalError(), "error", "E3999", "internal_error", (30, "Failed"), env, 500)


ROWS = [*_done(), *_ended_early(), *_denied(), *_contract(), *_limits(), *_ran_and_failed()]


@pytest.fixture(params=ROWS, ids=[row.label for row in ROWS])
def row(request: pytest.FixtureRequest) -> Row:
    return request.param


def test_the_rows_cover_every_kind() -> None:
    assert {row.kind for row in ROWS} == set(Kind)


def test_a_row_has_the_kind_it_claims(row: Row) -> None:
    assert row.outcome().kind is row.kind


def test_the_layer_view_follows_the_table(row: Row) -> None:
    response = to_response(row.outcome())
    assert response.status == row.l03
    assert (response.error is None) == (row.error is None)
    assert response.result == ({"sum": 3} if row.kind is Kind.SUCCESS else None)
    if row.error is not None:
        assert response.error is not None
        assert (response.error.number, response.error.code) == (row.number, row.code)
        assert response.error.category == row.error.category.value
        assert response.error.retryable is row.error.retryable


def test_the_status_view_follows_the_table(row: Row) -> None:
    status, response = to_status(row.outcome()), to_response(row.outcome())
    assert (status.status, status.error, status.result) == (response.status, response.error, response.result)


def test_the_result_record_follows_the_table(row: Row) -> None:
    result = to_tool_result(row.outcome())
    assert (result and (result["status"], result["statusName"])) == row.res
    if result:
        assert result["errorCode"] == (row.code.upper() if row.code else None)
        assert (result["errorMessage"] is None) == (row.error is None)


def test_the_envelope_follows_the_table(row: Row) -> None:
    envelope = to_envelope(row.outcome())
    if row.env is None:
        assert envelope is None
        return
    assert envelope is not None
    error: dict[str, Any] = envelope.get("error") or {}
    assert (envelope["status"], error.get("category"), error.get("code")) == row.env
    assert error.get("isRetryable", False) is (row.env[0] == "Retryable")
    assert error.get("number") == row.number


def test_http_follows_the_table(row: Row) -> None:
    problem = to_problem(row.outcome())
    assert row.outcome().http_status == row.http
    assert (problem is None) == (row.error is None)
    if problem:
        assert (problem["status"], problem["number"], problem["code"]) == (row.http, row.number, row.code)


def test_only_a_finished_outcome_has_a_document(row: Row) -> None:
    document = to_document(row.outcome())
    assert (document is None) == (row.kind in {Kind.PENDING, Kind.RUNNING, Kind.APPROVAL})
    if document:
        assert f"exit_code: {0 if row.kind is Kind.SUCCESS else 1}\n" in document
