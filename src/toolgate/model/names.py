"""Every name that leaves the process: event types, topics, channels, state keys. Written once, here."""

from typing import Final

EVENT_SOURCE: Final = "tool-execution-layer"
EVENT_TOPIC: Final = "tool-execution-events"

EVENT_TOOL_INVOKED: Final = "ai.agent.tool.invoked"
EVENT_TOOL_SUCCEEDED: Final = "ai.agent.tool.succeeded"
EVENT_TOOL_FAILED: Final = "ai.agent.tool.failed"
EVENT_TOOL_TIMEOUT: Final = "ai.agent.tool.timeout"
EVENT_CHECKPOINT_CREATED: Final = "ai.agent.tool.checkpoint.created"
EVENT_CIRCUIT_OPENED: Final = "ai.agent.circuit.opened"
EVENT_CIRCUIT_CLOSED: Final = "ai.agent.circuit.closed"

CHANNEL_POLICY_UPDATES: Final = "policy:updates"
CHANNEL_CIRCUIT_CHANGES: Final = "circuit:state:changes"
CHANNEL_DOCUMENT_UPDATES: Final = "document:updates"

LOCAL_ADDRESS: Final = "local::"
"""What stands before a native tool's id in its fully qualified name."""

DEFAULT_ISSUER: Final = "l02-agent-runtime"
OPERATION_EXECUTE: Final = "execute"


def revocation_key(jti: str) -> str:
    return f"token:revocation:{jti}"


def permission_cache_key(agent_did: str, tool_id: str, context_hash: str) -> str:
    return f"permission:cache:{agent_did}:{tool_id}:{context_hash}"


def circuit_key(circuit_name: str) -> str:
    return f"circuit:state:{circuit_name}"


def checkpoint_key(invocation_id: str) -> str:
    return f"checkpoint:tool:{invocation_id}:latest"
