"""Lines of lists: an outcome, or a tool, in short. The same for every surface."""

import msgspec

from toolgate.envelopes.facts import failure_of
from toolgate.errors import Kind
from toolgate.model.manifest import ToolDefinition
from toolgate.model.outcome import Outcome
from toolgate.model.response import ToolInvocationStatus, ToolSummary
from toolgate.model.status import UNFINISHED
from toolgate.model.timestamp import rfc3339


class InvocationSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list; the whole outcome is at `/v1/invocations/{invocation_id}`."""

    invocation_id: str
    tool_id: str
    tool_version: str | None
    status: ToolInvocationStatus
    kind: Kind
    agent_did: str
    tenant_id: str
    correlation_id: str
    started_at: str
    completed_at: str | None
    duration_ms: float
    attempts: int
    error_code: str | None = None
    error_number: str | None = None


def summarise_outcome(outcome: Outcome) -> InvocationSummary:
    invocation, failure = outcome.invocation, failure_of(outcome)
    return InvocationSummary(
        invocation_id=invocation.invocation_id,
        tool_id=invocation.tool_id,
        tool_version=invocation.tool_version or None,
        status=outcome.status,
        kind=outcome.kind,
        agent_did=invocation.agent_did,
        tenant_id=invocation.tenant_id,
        correlation_id=invocation.correlation_id,
        started_at=rfc3339(invocation.started_at),
        completed_at=None if outcome.kind in UNFINISHED else rfc3339(outcome.completed_at),
        duration_ms=round(outcome.duration_ms, 3),
        attempts=invocation.attempts,
        error_code=failure.code if failure else None,
        error_number=failure.number if failure else None,
    )


def summarise_tool(definition: ToolDefinition) -> ToolSummary:
    latest = definition.latest
    return ToolSummary(
        tool_id=definition.tool_id,
        tool_name=latest.tool_name,
        description=latest.description,
        category=latest.category,
        versions=[manifest.version for manifest in definition.versions],
        latest_version=definition.latest_version,
        tags=list(latest.tags),
        requires_approval=latest.execution_config.requires_approval,
    )
