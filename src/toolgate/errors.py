"""Every failure Toolgate can answer with: one class a row (layer specification §3.3, E3001 to E3708 and additions).

A row says once what all surfaces need: the E-number, the symbolic code, the HTTP status, the taxonomy category and
code of the envelope specification, and whether the *kind* of failure is worth repeating. Whether one particular call
may be repeated also depends on its effect; `Outcome.may_repeat` decides that.

Leaves take facts and build their own message from a template. A message never carries a parameter value, a secret
or a path of the host.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Self


class Kind(StrEnum):
    """What became of an invocation: the rows of the status table that all views are computed from."""

    SUCCESS = "success"
    PENDING = "pending"
    RUNNING = "running"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    APPROVAL = "approval"
    DENIED = "denied"
    UNLICENSED = "unlicensed"
    INVALID_INPUT = "invalid_input"
    INVALID_OUTPUT = "invalid_output"
    FAILED = "failed"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    CONCURRENCY = "concurrency"
    CIRCUIT_OPEN = "circuit_open"
    BUDGET = "budget"
    SANDBOX = "sandbox"
    VIOLATION = "violation"
    RESOURCE = "resource"
    CONFLICT = "conflict"
    INTERNAL = "internal"


class Category(StrEnum):
    """The error taxonomy of the envelope specification."""

    CONTRACT = "ContractError"
    POLICY = "PolicyError"
    AUTH = "AuthError"
    EXECUTION = "ExecutionError"
    SYSTEM = "SystemError"


class FieldError(NamedTuple):
    """One fault in a document: where (JSON pointer), what, and the taxonomy code of that fault."""

    pointer: str
    message: str
    code: str = "SchemaInvalid"


class _Unknown(str):
    """Stands for a fact in a message, whatever format the template asked for."""

    __slots__ = ()

    def __format__(self, format_spec: str) -> str:
        return str(self)


class _WithheldFacts(dict[str, Any]):
    """Lets a template name a fact that the raiser did not know."""

    def __missing__(self, key: str) -> str:
        return _Unknown(f"<{key}>")


class ToolgateError(Exception):
    """A failure with a row in the table. Catch this to catch everything the layer reports."""

    number: ClassVar[str | None] = None
    code: ClassVar[str] = "internal_error"
    kind: ClassVar[Kind] = Kind.INTERNAL
    category: ClassVar[Category] = Category.SYSTEM
    taxonomy_code: ClassVar[str] = "Internal"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    template: ClassVar[str] = "the tool layer failed"

    def __init_subclass__(cls, *, number: str | None = None, code: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if code is not None:
            cls.code = code
        if number is None:
            return
        if number in _BY_NUMBER:
            raise TypeError(f"{number} is already {_BY_NUMBER[number].__name__}")
        cls.number = number
        _BY_NUMBER[number] = cls

    def __init__(self, /, *, errors: Sequence[FieldError] = (), message: str | None = None, **facts: Any) -> None:
        self.facts = facts
        self.errors = tuple(errors)
        self.message = message or self.template.format_map(_WithheldFacts(facts))
        super().__init__(self.message)

    @property
    def retry_after_ms(self) -> int | None:
        """How long the caller should wait, where the raiser knew."""
        return self.facts.get("retry_after_ms")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.facts, self.errors)

    def __str__(self) -> str:
        return f"{self.number}: {self.message}" if self.number else self.message

    @classmethod
    def template_facts(cls) -> frozenset[str]:
        """The facts that the message of this row names."""
        return frozenset(name for _, name, _, _ in string.Formatter().parse(cls.template) if name)

    @classmethod
    def revive(cls, *, message: str, facts: Mapping[str, Any], errors: Sequence[FieldError] = ()) -> Self:
        """Make the error again from what a record or a server said of it."""
        return cls(message=message, errors=errors, **{k: v for k, v in facts.items() if k not in {"message", "errors"}})


_BY_NUMBER: dict[str, type[ToolgateError]] = {}


def _rebuild(cls: type[ToolgateError], message: str, facts: Mapping[str, Any], errors: Sequence[FieldError]) -> Any:
    return cls.revive(message=message, facts=facts, errors=errors)


def by_number() -> Mapping[str, type[ToolgateError]]:
    """The table: E-number to class."""
    return _BY_NUMBER


def find_class(number: str | None, code: str) -> type[ToolgateError]:
    """The class that a number (or, where there is none, a symbolic code) stands for."""
    for cls in _walk(_BY_NUMBER.get(number or "", ToolgateError)):
        if cls.code == code and cls.number == number and (number or "code" in vars(cls)):
            return cls
    return _BY_NUMBER.get(number or "", InternalError)


def _walk(cls: type[ToolgateError]) -> list[type[ToolgateError]]:
    return [cls, *(leaf for child in cls.__subclasses__() for leaf in _walk(child))]


class MisuseError(TypeError):
    """The Python interface was called wrongly. The only thing `Toolgate.call` raises."""


class ToolFailure(Exception):
    """Raised by a tool to tell its caller what went wrong. Of any other exception the caller learns only the kind.

    The text is redacted and cut like everything that leaves a tool.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


# ---------------------------------------------------------------- registry, E3001 to E3099


class RegistryError(ToolgateError):
    kind = Kind.NOT_FOUND
    category = Category.CONTRACT
    taxonomy_code = "ToolNotFound"
    http_status = 404


class ToolNotFound(RegistryError, number="E3001", code="tool_not_found"):
    """No tool has this `tool_id`."""

    template = "no tool is registered as {tool_id!r}"


class ToolVersionNotFound(RegistryError, number="E3002", code="tool_version_not_found"):
    """The tool exists, this exact version of it does not."""

    taxonomy_code = "UnsupportedVersion"
    template = "{tool_id!r} has no version {tool_version}; it has {available}"


class ToolDeprecated(RegistryError, number="E3003", code="tool_deprecated"):
    """A notice on a successful outcome: this version is in its sunset phase."""

    kind = Kind.SUCCESS
    taxonomy_code = "Deprecated"
    http_status = 200
    template = "{tool_id}@{tool_version} is deprecated"


class ToolRemoved(RegistryError, number="E3004", code="tool_removed"):
    """The version existed and was removed."""

    taxonomy_code = "UnsupportedVersion"
    http_status = 410
    template = "{tool_id}@{tool_version} was removed"


class SemanticSearchFailed(RegistryError, number="E3005", code="search_failed"):
    """Neither embeddings nor keywords could answer a search."""

    kind = Kind.INTERNAL
    category = Category.SYSTEM
    taxonomy_code = "SearchFailed"
    http_status = 503
    template = "tool search is not available"


class VersionConflict(RegistryError, number="E3006", code="version_conflict"):
    """No version lies in the range that was asked for."""

    taxonomy_code = "UnsupportedVersion"
    http_status = 409
    template = "no version of {tool_id!r} satisfies {tool_version!r}; it has {available}"


class DuplicateTool(RegistryError, number="E3007", code="duplicate_tool"):
    """This `tool_id` and version are registered already, with other content."""

    kind = Kind.CONFLICT
    taxonomy_code = "DuplicateTool"
    http_status = 409
    template = "{tool_id}@{tool_version} is registered already"


class InvalidManifest(RegistryError, number="E3008", code="invalid_manifest"):
    """A manifest does not follow the manifest schema."""

    kind = Kind.INVALID_INPUT
    taxonomy_code = "SchemaInvalid"
    http_status = 422
    template = "the manifest of {tool_id!r} is not valid"


# ---------------------------------------------------------------- execution, E3101 to E3199


class ExecutionError(ToolgateError):
    kind = Kind.FAILED
    category = Category.EXECUTION
    taxonomy_code = "ToolFailed"
    http_status = 502


class SandboxCreationFailed(ExecutionError, number="E3101", code="sandbox_failure"):
    """No sandbox could be made for the call; the tool never started."""

    kind = Kind.SANDBOX
    category = Category.SYSTEM
    taxonomy_code = "SandboxFailure"
    http_status = 500
    retryable = True
    template = "no sandbox could be created: {reason}"


class RunnerUnavailable(SandboxCreationFailed, code="sandbox_unavailable"):
    """This installation has no runner for such a tool; trying again will not make one."""

    retryable = False
    template = "this tool needs the {runner!r} runner, which this installation does not have"


class ResourceLimitExceeded(ExecutionError, number="E3102", code="resource_exhausted"):
    """The tool asked for, or used, more than its agent may have."""

    kind = Kind.RESOURCE
    taxonomy_code = "ResourceLimit"
    http_status = 507
    template = "{resource} limit exceeded: asked for {requested}, allowed {allowed}"


class TimeoutExceeded(ExecutionError, number="E3103", code="timeout"):
    """The deadline passed while the call was under way."""

    kind = Kind.TIMEOUT
    category = Category.POLICY
    taxonomy_code = "Timeout"
    http_status = 504
    retryable = True
    template = "the call did not finish within {timeout_seconds:g} s"


class NetworkPolicyViolation(ExecutionError, number="E3104", code="network_policy_violation"):
    """A running tool tried to reach a host it was not granted."""

    kind = Kind.VIOLATION
    category = Category.AUTH
    taxonomy_code = "Forbidden"
    http_status = 403
    template = "the tool tried to reach {host}, which it was not granted"


class FilesystemPolicyViolation(ExecutionError, number="E3105", code="filesystem_policy_violation"):
    """A running tool tried to touch a path it was not granted."""

    kind = Kind.VIOLATION
    category = Category.AUTH
    taxonomy_code = "Forbidden"
    http_status = 403
    template = "the tool tried to reach a path it was not granted"


class ConcurrencyLimitExceeded(ExecutionError, number="E3106", code="concurrency_limit_exceeded"):
    """The agent already runs as many tools as it may."""

    kind = Kind.CONCURRENCY
    category = Category.POLICY
    taxonomy_code = "ConcurrencyLimited"
    http_status = 429
    retryable = True
    template = "{scope} already runs {limit} calls"


class SandboxCrashed(ExecutionError, number="E3107", code="sandbox_failure"):
    """The sandbox ended without a result."""

    kind = Kind.SANDBOX
    category = Category.SYSTEM
    taxonomy_code = "SandboxFailure"
    http_status = 500
    retryable = True
    template = "the sandbox ended unexpectedly"


class ToolExecutionFailed(ExecutionError, number="E3108", code="tool_execution_error"):
    """The tool itself failed: it raised, or its process ended with an error."""

    template = "the tool failed with {exception}"


class OutOfMemory(ExecutionError, number="E3109", code="resource_exhausted"):
    """The tool used more memory than it was given."""

    kind = Kind.RESOURCE
    taxonomy_code = "ResourceLimit"
    http_status = 507
    template = "the tool ran out of memory"


class Cancelled(ExecutionError, number="E3110", code="cancelled"):
    """Somebody cancelled the call."""

    kind = Kind.CANCELLED
    taxonomy_code = "Cancelled"
    http_status = 499
    template = "the call was cancelled: {reason}"


class QueueFull(ExecutionError, number="E3111", code="queue_full"):
    """Too much work is waiting already."""

    kind = Kind.CONCURRENCY
    category = Category.POLICY
    taxonomy_code = "ConcurrencyLimited"
    http_status = 429
    template = "{queue} is full ({limit} waiting)"


class ApprovalRefused(ExecutionError, number="E3112", code="approval_required"):
    """The call needs a person's approval and does not have it."""

    kind = Kind.DENIED
    category = Category.AUTH
    taxonomy_code = "ApprovalRequired"
    http_status = 403
    template = "this call needs an approval: {reason}"


class ApprovalDenied(ApprovalRefused, code="approval_denied"):
    """A person said no."""

    taxonomy_code = "ApprovalDenied"
    template = "the approval was denied: {reason}"


class ApprovalTimeout(ApprovalRefused, code="approval_timeout"):
    """Nobody answered in time."""

    kind = Kind.CANCELLED
    category = Category.EXECUTION
    taxonomy_code = "Cancelled"
    http_status = 499
    template = "nobody approved the call in time"


class IdempotencyConflict(ExecutionError, number="E3113", code="idempotency_conflict"):
    """The key (or invocation id) was used before with another input."""

    kind = Kind.CONFLICT
    category = Category.CONTRACT
    taxonomy_code = "IdempotencyConflict"
    http_status = 409
    template = "{what} was used before for another call"


class DeadlinePast(ExecutionError, number="E3114", code="timeout"):
    """The deadline lay in the past when the call arrived."""

    kind = Kind.TIMEOUT
    category = Category.POLICY
    taxonomy_code = "Timeout"
    http_status = 504
    template = "the deadline had passed before the call began"


class BudgetExceeded(ExecutionError, number="E3115", code="resource_exhausted"):
    """The agent's budget for this window is spent."""

    kind = Kind.BUDGET
    category = Category.POLICY
    taxonomy_code = "BudgetExceeded"
    http_status = 429
    template = "the {budget} budget is spent"


class TierRequired(ExecutionError, number="E3116", code="license_required"):
    """The feature belongs to a higher tier."""

    kind = Kind.UNLICENSED
    category = Category.AUTH
    taxonomy_code = "LicenseRequired"
    http_status = 403
    template = "this needs the tier {tier}"


class TaskNotFound(ExecutionError, number="E3150", code="task_not_found"):
    """No invocation of this caller has that id."""

    kind = Kind.NOT_FOUND
    category = Category.CONTRACT
    taxonomy_code = "InvocationNotFound"
    http_status = 404
    template = "no invocation {invocation_id!r} of yours exists"


class TaskFinished(ExecutionError, number="E3151", code="task_finished"):
    """The invocation has ended; nothing can change it."""

    kind = Kind.CONFLICT
    category = Category.CONTRACT
    taxonomy_code = "AlreadyFinished"
    http_status = 409
    template = "the invocation has already finished"


class CancelFailed(ExecutionError, number="E3152", code="cancel_failed"):
    """The invocation could not be stopped."""

    kind = Kind.INTERNAL
    category = Category.SYSTEM
    taxonomy_code = "CancelFailed"
    http_status = 500
    template = "the invocation could not be cancelled"


# ---------------------------------------------------------------- permissions, E3201 to E3299


class PermissionDenied(ToolgateError, code="permission_denied"):
    kind = Kind.DENIED
    category = Category.AUTH
    taxonomy_code = "Forbidden"
    http_status = 403


class InvalidToken(PermissionDenied, number="E3201"):
    """The capability token is malformed, not RS256, not signed by a known key, or not for this caller."""

    taxonomy_code = "InvalidCredentials"
    http_status = 401
    template = "the capability token is not valid: {reason}"


class ExpiredToken(PermissionDenied, number="E3202"):
    """The token's `exp` lies in the past."""

    taxonomy_code = "ExpiredCredentials"
    http_status = 401
    template = "the capability token has expired"


class FilesystemDenied(PermissionDenied, number="E3203"):
    """Policy or token do not allow the files this call needs."""

    template = "this call may not use the files it asks for"


class NetworkDenied(PermissionDenied, number="E3204"):
    """Policy or token do not allow the hosts this call needs."""

    template = "host {host} (port {port}) is not allowed for this call"


class CredentialsDenied(PermissionDenied, number="E3205"):
    """Policy or token do not allow the credentials this call needs."""

    template = "this call may not use the credential {credential!r}"


class PolicyUnavailable(PermissionDenied, number="E3206"):
    """The policy engine did not answer; the call is refused."""

    taxonomy_code = "PolicyUnavailable"
    retryable = True
    template = "the policy engine did not answer, so the call is refused"


class MissingClaims(PermissionDenied, number="E3207"):
    """The token (or a claim it needs) is missing."""

    taxonomy_code = "MissingCredentials"
    http_status = 401
    template = "the capability token lacks {claims}"


class RevokedToken(PermissionDenied, number="E3208"):
    """The token was revoked."""

    taxonomy_code = "RevokedCredentials"
    http_status = 401
    template = "the capability token was revoked"


class ToolNotCovered(PermissionDenied, number="E3209"):
    """The token is good, but for another tool or version."""

    template = "the capability token does not cover {tool_id}@{tool_version}"


class OperationNotAllowed(PermissionDenied, number="E3210"):
    """The token does not allow this operation."""

    template = "the capability token does not allow {operation!r}"


# ---------------------------------------------------------------- external services, E3301 to E3399


class ExternalError(ToolgateError, code="external_api_error"):
    kind = Kind.FAILED
    category = Category.EXECUTION
    taxonomy_code = "Downstream"
    http_status = 502


class VaultUnreachable(ExternalError, number="E3301"):
    """The secret store did not answer."""

    http_status = 503
    retryable = True
    template = "the secret store is unreachable"


class CredentialNotFound(ExternalError, number="E3302"):
    """The secret store has no such credential."""

    template = "the credential {credential!r} could not be retrieved"


class RateLimitExceeded(ExternalError, number="E3303", code="rate_limit_exceeded"):
    """A rate limit (ours or the service's) is exhausted."""

    kind = Kind.RATE_LIMITED
    category = Category.POLICY
    taxonomy_code = "RateLimited"
    http_status = 429
    retryable = True
    template = "the rate limit of {scope} is exhausted"


class ExternalServiceError(ExternalError, number="E3304"):
    """The external service answered with a server error."""

    template = "{service} answered with status {status}"


class RetriesExhausted(ExternalError, number="E3305"):
    """Every attempt failed."""

    template = "all {attempts} attempts failed"


class ConnectionTimeout(ExternalError, number="E3306"):
    """The external service could not be reached in time."""

    retryable = True
    template = "{service} could not be reached"


class ExternalAuthenticationFailed(ExternalError, number="E3307"):
    """The external service refused our credential."""

    template = "{service} refused the credential"


class InvalidExternalResponse(ExternalError, number="E3308"):
    """The external service answered something unreadable."""

    template = "{service} answered in a form that cannot be read"


# ---------------------------------------------------------------- circuit breaker, E3401 to E3499


class CircuitError(ToolgateError):
    category = Category.SYSTEM
    taxonomy_code = "CircuitFailure"


class CircuitOpen(CircuitError, number="E3401", code="circuit_breaker_open"):
    """Too many recent failures: the call is not tried."""

    kind = Kind.CIRCUIT_OPEN
    category = Category.POLICY
    taxonomy_code = "CircuitOpen"
    http_status = 503
    retryable = True
    template = "the circuit of {circuit} is open"


class CircuitTransitionFailed(CircuitError, number="E3402"):
    """The shared circuit state could not be changed."""

    template = "the state of circuit {circuit} could not be changed"


class InvalidCircuitConfiguration(CircuitError, number="E3403", code="invalid_configuration"):
    """A circuit setting makes no sense."""

    template = "circuit setting {field} is not valid"


class CircuitProbeFailed(CircuitError, number="E3404"):
    """A health probe failed."""

    template = "the health probe of {circuit} failed"


class HalfOpenTestFailed(CircuitError, number="E3405"):
    """The service still fails while half open."""

    template = "{circuit} still fails its test calls"


# ---------------------------------------------------------------- validation, E3501 to E3599


class InvalidParameters(ToolgateError, code="invalid_parameters"):
    """The parameters do not follow the tool's schema. (The layer specification has no number for this.)"""

    kind = Kind.INVALID_INPUT
    category = Category.CONTRACT
    taxonomy_code = "SchemaInvalid"
    http_status = 422
    template = "the parameters are not valid: {summary}"


class OutputError(ToolgateError, code="invalid_output"):
    kind = Kind.INVALID_OUTPUT
    category = Category.CONTRACT
    taxonomy_code = "SchemaInvalid"
    http_status = 502


class OutputSchemaMismatch(OutputError, number="E3501"):
    """The output does not follow the result schema."""

    template = "the output does not follow the result schema"


class CoercionFailed(OutputError, number="E3502"):
    """A value could not be turned into the type the schema asks for."""

    template = "an output value could not be converted to {expected}"


class SqlInjectionRejected(OutputError, number="E3503"):
    """The output carries a SQL injection pattern."""

    template = "the output was rejected: SQL injection pattern"


class XssRejected(OutputError, number="E3504"):
    """The output carries a cross-site scripting pattern."""

    template = "the output was rejected: script injection pattern"


class CommandInjectionRejected(OutputError, number="E3505"):
    """The output carries a command injection pattern."""

    template = "the output was rejected: command injection pattern"


class OutputFieldMissing(OutputError, number="E3506"):
    """The output lacks a required field."""

    template = "the output lacks a required field"


class OutputTypeMismatch(OutputError, number="E3507"):
    """An output value has a type that the schema, or JSON itself, does not allow."""

    template = "the output has a value of a wrong type: {found}"


class ResultSchemaMissing(OutputError, number="E3508"):
    """Strict mode asks for a result schema and the manifest has none."""

    template = "the tool declares no result schema"


class OutputTooLarge(OutputError, number="E3509"):
    """The output is too deep or too large."""

    template = "the output is too large: {reason}"


# ---------------------------------------------------------------- documents, E3601 to E3699


class DocumentError(ToolgateError, code="document_unavailable"):
    kind = Kind.FAILED
    category = Category.EXECUTION
    taxonomy_code = "DocumentUnavailable"
    http_status = 502


class DocumentNotFound(DocumentError, number="E3601", code="document_not_found"):
    """The document does not exist."""

    taxonomy_code = "DocumentNotFound"
    http_status = 404
    template = "document {document_id!r} was not found"


class DocumentUnavailable(DocumentError, number="E3602"):
    """The document server is down and no copy is cached."""

    http_status = 503
    retryable = True
    template = "documents are not available: {reason}"


class DocumentDenied(DocumentError, number="E3603", code="permission_denied"):
    """The agent may not read the document."""

    kind = Kind.DENIED
    category = Category.AUTH
    taxonomy_code = "Forbidden"
    http_status = 403
    template = "document {document_id!r} is not allowed for this agent"


class DocumentVersionConflict(DocumentError, number="E3604", code="document_version_conflict"):
    """The pinned version is gone."""

    taxonomy_code = "DocumentVersionConflict"
    http_status = 409
    template = "the pinned version of {document_id!r} is gone"


class DocumentServerTimeout(DocumentError, number="E3605"):
    """The document server did not answer in time."""

    http_status = 504
    retryable = True
    template = "the document server did not answer in time"


class DocumentProtocolError(DocumentError, number="E3606"):
    """The document server broke the protocol."""

    template = "the document server answered in a form that cannot be read"


class DocumentCacheUnavailable(DocumentError, number="E3607"):
    """The document cache is down; the server was asked instead."""

    template = "the document cache is unavailable"


class VersionPinningFailed(DocumentError, number="E3608"):
    """The document versions could not be pinned."""

    template = "the document versions could not be pinned"


# ---------------------------------------------------------------- checkpoints, E3701 to E3799


class CheckpointError(ToolgateError, code="checkpoint_failed"):
    kind = Kind.FAILED
    category = Category.EXECUTION
    taxonomy_code = "CheckpointFailed"
    http_status = 500


class CheckpointCreationFailed(CheckpointError, number="E3701"):
    """A checkpoint could not be kept."""

    retryable = True
    template = "the checkpoint could not be created"


class CheckpointNotFound(CheckpointError, number="E3702", code="resume_failed"):
    """No such checkpoint."""

    http_status = 404
    template = "no checkpoint {checkpoint_id!r} exists"


class CheckpointCorrupt(CheckpointError, number="E3703", code="resume_failed"):
    """The checkpoint cannot be read."""

    template = "the checkpoint cannot be read"


class StateConflict(CheckpointError, number="E3704", code="state_conflict"):
    """Two executions changed the same state."""

    http_status = 409
    template = "the state was changed by another execution"


class DeltaFailed(CheckpointError, number="E3705"):
    """The difference to the parent could not be computed."""

    template = "the checkpoint delta could not be computed"


class CompressionFailed(CheckpointError, number="E3706"):
    """The checkpoint could not be compressed."""

    template = "the checkpoint could not be compressed"


class CheckpointExpired(CheckpointError, number="E3707", code="resume_failed"):
    """The checkpoint outlived its time to live."""

    http_status = 410
    template = "the checkpoint has expired"


class ArchiveUnavailable(CheckpointError, number="E3708", code="resume_failed"):
    """The checkpoint lies in cold storage and is not back yet."""

    http_status = 503
    template = "the checkpoint is being restored from the archive"


# ---------------------------------------------------------------- events, E3801 to E3899


class EventError(ToolgateError):
    taxonomy_code = "EventFailure"


class EventSinkUnavailable(EventError, number="E3801"):
    """Events cannot be delivered now; they are kept."""

    http_status = 503
    template = "the event sink is unavailable"


class EventNotSerialisable(EventError, number="E3802"):
    """An event cannot be written as JSON."""

    template = "an event could not be serialised"


class BackPressure(EventError, number="E3803"):
    """Events arrive faster than they can be kept."""

    http_status = 503
    template = "too many events are waiting"


# ---------------------------------------------------------------- our own fault


class InternalError(ToolgateError, number="E3999", code="internal_error"):
    """A bug of ours. Its text is withheld; the log has the traceback under the invocation id."""

    template = "an internal error occurred; the log has it under this invocation id"


class StoreUnavailable(InternalError):
    """The record could not be kept, so no result is answered."""

    template = "the record of this call could not be stored, so its result is withheld"
