"""What callers ask: the request types of the layer specification §4.1, field names exact.

Three fields that the specification requires may be left out here, because the layer can supply them: the version
(highest stable), the invocation id (a new one) and the agent context (the token's). The envelope specification's
invocation fields (correlation, causation, deadline, headers, metadata) ride beside them.
"""

from typing import Any, Literal

import msgspec

from toolgate.model.agent import AgentContext, ResourceLimits

Priority = Literal["low", "normal", "high"]


class DocumentContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Documents that the tool needs."""

    document_refs: tuple[str, ...] | None = None
    version_pinning: bool = False
    query: str | None = None


class CheckpointConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a long run keeps its progress."""

    enable_checkpointing: bool = True
    checkpoint_interval_seconds: int = 30
    resume_from_checkpoint_id: str | None = None


class ExecutionOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the call should be carried out."""

    async_mode: bool = False
    priority: Priority = "normal"
    idempotency_key: str | None = None
    require_approval: bool = False


class ToolInvokeRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Run this tool with these parameters, on behalf of this agent."""

    tool_id: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    tool_version: str | None = None
    invocation_id: str | None = None
    agent_context: AgentContext | None = None
    resource_limits: ResourceLimits | None = None
    document_context: DocumentContext | None = None
    checkpoint_config: CheckpointConfig | None = None
    execution_options: ExecutionOptions | None = None
    capability_token: str = ""

    correlation_id: str | None = None
    causation_id: str | None = None
    deadline: str | None = None
    headers: dict[str, str] | None = None
    metadata: dict[str, Any] | None = None

    def __repr__(self) -> str:
        # Parameters and the token are the caller's secrets; a repr ends up in logs and tracebacks.
        return f"ToolInvokeRequest(tool_id={self.tool_id!r}, tool_version={self.tool_version!r})"


class ToolListRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tools are there?"""

    agent_context: AgentContext
    filters: dict[str, Any] | None = None
    capability_query: str | None = None
    pagination: dict[str, int] | None = None


class ToolStatusRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of this invocation?"""

    invocation_id: str
    agent_context: AgentContext


class ToolCancelRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stop this invocation."""

    invocation_id: str
    agent_context: AgentContext
    reason: str | None = None
