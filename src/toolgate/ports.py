"""Every seam of the layer, as a protocol: one question each, no product named.

The first half are roles that adapters fill (time, state, stores, engines, runners, sources). The second half are
roles in the pipeline that a component fills, or, where the feature is switched off, an object that does nothing.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Protocol

from toolgate.errors import FieldError
from toolgate.model.agent import ABACCheckRequest, ABACCheckResponse
from toolgate.model.checkpoint import Checkpoint
from toolgate.model.event import Event
from toolgate.model.invocation import Invocation
from toolgate.model.manifest import ToolDefinition
from toolgate.model.outcome import Outcome, Record
from toolgate.model.page import InvocationFilter, Page
from toolgate.model.proof import Grant, Permit, Token
from toolgate.model.request import ToolInvokeRequest
from toolgate.model.run import RunResult
from toolgate.model.tool import Tool

# ---------------------------------------------------------------- time and state


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """Wall time for timestamps, monotonic time for durations. Nothing else in the layer asks what time it is."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float: ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer: ...

    async def sleep(self, seconds: float) -> None: ...


class KeyValue(Protocol):
    """Bytes under keys, shared by every instance of the layer."""

    async def get(self, key: str) -> bytes | None: ...

    async def put(self, key: str, value: bytes, *, ttl: timedelta | None = None) -> None: ...

    async def swap(self, key: str, old: bytes | None, new: bytes, *, ttl: timedelta | None = None) -> bool:
        """Put `new` only if the value is still `old` (None: only if there is none). Atomic."""
        ...

    async def delete(self, key: str) -> None: ...


# ---------------------------------------------------------------- stores, split by question


class ToolStore(Protocol):
    """Which tools are registered? Survives restarts."""

    async def save(self, definitions: Sequence[ToolDefinition], *, now: float) -> None: ...

    async def load(self) -> tuple[ToolDefinition, ...]: ...


class InvocationLog(Protocol):
    """Keeps records. `record` returns only once the record (with its events) can no longer be lost.

    Raises:
        IdempotencyConflict: a record with this invocation id exists.
        StoreUnavailable: the record could not be kept.
    """

    async def record(self, record: Record) -> None: ...


class InvocationHistory(Protocol):
    """What happened before?"""

    async def get(self, invocation_id: str) -> Outcome | None: ...

    async def exists(self, invocation_id: str) -> bool: ...

    async def list(self, wanted: InvocationFilter, *, limit: int = 50, cursor: str | None = None) -> Page[Outcome]: ...


class Outbox(Protocol):
    """Events that were committed with their record and still have to go out, in order."""

    async def pending(self, *, limit: int = 100) -> Sequence[tuple[int, Event]]: ...

    async def mark_delivered(self, positions: Sequence[int], *, now: float) -> None: ...


class CheckpointStore(Protocol):
    """Durable progress of long runs."""

    async def save(self, checkpoint: Checkpoint) -> None: ...

    async def get(self, checkpoint_id: str) -> Checkpoint | None: ...

    async def latest(self, invocation_id: str) -> Checkpoint | None: ...


class BlobStore(Protocol):
    """Whole outputs, by content."""

    async def put(self, content: bytes) -> str:
        """Keep the bytes; the answer is their digest."""
        ...

    async def get(self, digest: str) -> bytes | None: ...


# ---------------------------------------------------------------- engines, secrets, sinks, sources


class PolicyEngine(Protocol):
    """May this be done? Must answer; what cannot answer raises, and the call is refused.

    Raises:
        PolicyUnavailable: no decision could be made.
    """

    async def decide(self, question: ABACCheckRequest) -> ABACCheckResponse: ...


class VerificationKeys(Protocol):
    """Public keys that may have signed a capability token."""

    def find(self, kid: str | None) -> Any | None: ...


class Revocations(Protocol):
    """Was this token called back?"""

    async def is_revoked(self, jti: str) -> bool: ...


class SecretSource(Protocol):
    """Credentials, by tool and name, fetched once per run.

    Raises:
        VaultUnreachable, CredentialNotFound
    """

    async def fetch(self, *, tool_id: str, credential_name: str) -> str: ...


class EventSink(Protocol):
    """Where events go. Delivery may repeat, never reorder within an invocation.

    Raises:
        EventSinkUnavailable: try again later; the outbox keeps them.
    """

    async def publish(self, events: Sequence[Event]) -> None: ...


class DocumentSource(Protocol):
    """Authoritative documents."""

    async def fetch(self, document_refs: Sequence[str], *, agent_did: str) -> Mapping[str, Any]: ...


class ToolSource(Protocol):
    """A place that tools come from: discovered once, and again whenever it says so."""

    name: str

    async def discover(self) -> Sequence[Tool]: ...


class Runner(Protocol):
    """Runs one call at some level of isolation. Asks for the proofs that the call may run.

    Cancelling the awaiting task stops the run.
    """

    isolation: str

    async def probe(self) -> Mapping[str, str]:
        """What this runner can do here, for `toolgate doctor`; empty if it cannot run at all."""
        ...

    async def run(
        self, tool: Tool, parameters: dict[str, Any], *, invocation: Invocation, grant: Grant, permit: Permit
    ) -> RunResult: ...

    async def close(self) -> None: ...


# ---------------------------------------------------------------- roles in the pipeline


class Tokens(Protocol):
    """Step 2. Raises InvalidToken, ExpiredToken, MissingClaims, RevokedToken, ToolNotCovered."""

    async def verify(self, request: ToolInvokeRequest) -> Token: ...


class Registry(Protocol):
    """Step 3. Raises ToolNotFound, ToolVersionNotFound, VersionConflict, ToolRemoved."""

    async def resolve(self, tool_id: str, version_range: str | None) -> Tool: ...


class ParameterCheck(Protocol):
    """Step 4. Both raise InvalidParameters."""

    def encode(self, parameters: dict[str, Any]) -> bytes:
        """The parameters as JSON, which they may not be."""
        ...

    def check(self, tool: Tool, parameters: dict[str, Any], encoded: bytes) -> None:
        """The parameters against the tool's schema."""
        ...


class SchemaCheck(Protocol):
    """Is this a schema that can be compiled? Answers every fault."""

    def faults(self, schema: Mapping[str, Any], *, pointer: str) -> list[FieldError]: ...


class Authoriser(Protocol):
    """Step 5: token scope, then policy. Raises PermissionDenied."""

    async def grant(self, invocation: Invocation, token: Token, tool: Tool) -> Grant: ...


class Approvals(Protocol):
    """Step 6. Raises ApprovalRefused, or signals that the call waits for a person."""

    async def require(self, invocation: Invocation, request: ToolInvokeRequest, tool: Tool) -> None: ...


class Recall(Protocol):
    """Step 7: idempotency and cache. An outcome means: this call was answered before."""

    async def find(self, invocation: Invocation, tool: Tool) -> Outcome | None: ...


class Limits(Protocol):
    """Step 8: rate, concurrency, budget, circuit. Raises the refusal; the engine releases the permit."""

    async def admit(self, invocation: Invocation, grant: Grant, tool: Tool) -> Permit: ...


class Documents(Protocol):
    """Step 9: documents that the call needs, pinned."""

    async def attach(self, invocation: Invocation, request: ToolInvokeRequest, tool: Tool) -> None: ...


class Credentials(Protocol):
    """Step 10: secrets in the grant, by name, for this run only."""

    async def issue(self, tool: Tool, grant: Grant) -> Mapping[str, str]: ...


class Attempts(Protocol):
    """Step 11: how often a run is tried."""

    async def run(
        self, invocation: Invocation, tool: Tool, attempt: Callable[[], Awaitable[RunResult]]
    ) -> RunResult: ...


class OutputCheck(Protocol):
    """Steps 12 and 13: the checked output and its encoding. Raises OutputError."""

    def check(self, tool: Tool, output: Any) -> tuple[Any, bytes]: ...


class Checkpoints(Protocol):
    """Progress of long runs; asked at step 9 whether a run resumes."""

    async def attach(self, invocation: Invocation, request: ToolInvokeRequest, tool: Tool) -> None: ...


class Meter(Protocol):
    """Told about every outcome, for the metrics page."""

    def observe(self, outcome: Outcome) -> None: ...
