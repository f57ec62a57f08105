"""One call on its way through the pipeline: the facts known about it so far.

A value that exists only after some step (a token, a grant, an output) is a local variable of the pipeline, not a
field here.
"""

from typing import Any

import msgspec

from toolgate.model.effect import Effect
from toolgate.model.request import Priority
from toolgate.model.response import CheckpointMetadata, DocumentAccess
from toolgate.model.side_effect import SideEffect


class Invocation(msgspec.Struct, kw_only=True, gc=False):
    invocation_id: str
    correlation_id: str
    tool_id: str
    started_at: float
    requested_version: str | None = None
    causation_id: str | None = None
    tool_version: str = ""
    origin: str = "local"
    effect: Effect = Effect.NON_IDEMPOTENT_WRITE
    agent_did: str = ""
    tenant_id: str = ""
    user_did: str | None = None
    session_id: str = ""
    idempotency_key: str | None = None
    priority: Priority = "normal"
    timeout_seconds: float = 30.0
    attempts: int = 0
    parameters: bytes = b"{}"  # encoded and redacted: the only form that is kept, logged or published
    redactions: tuple[str, ...] = ()
    notices: list[str] = msgspec.field(default_factory=list[str])
    side_effects: list[SideEffect] = msgspec.field(default_factory=list[SideEffect])
    headers: dict[str, str] | None = None
    metadata: dict[str, Any] | None = None
    documents_accessed: list[DocumentAccess] | None = None
    checkpoints_created: list[CheckpointMetadata] | None = None
