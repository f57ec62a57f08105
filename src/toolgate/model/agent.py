"""Who calls, and what its own sandbox allows: the contract with the agent runtime (layer specification BC-1, §4.2)."""

from typing import Any, Literal

import msgspec


class AgentContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Agent identity and session of a request."""

    agent_did: str
    tenant_id: str
    user_did: str | None = None
    session_id: str = ""


class ResourceLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits, inherited from the agent and sub-allocated to a tool. None means: not said here."""

    cpu_millicore_limit: int | None = None
    memory_mb_limit: int | None = None
    timeout_seconds: float | None = None
    network_bandwidth_mbps: int | None = None


class Mount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A path an agent may use."""

    path: str
    mode: Literal["ro", "rw"] = "ro"


class FilesystemPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mounts: tuple[Mount, ...] = ()


class NetworkPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    allowed_hosts: tuple[str, ...] = ()
    allowed_ports: tuple[int, ...] = ()
    dns_servers: tuple[str, ...] = ()


class AgentSandboxContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parent sandbox that every tool sandbox must stay inside."""

    agent_did: str
    tenant_id: str
    parent_sandbox_id: str
    resource_limits: ResourceLimits
    network_policy: NetworkPolicy
    filesystem_policy: FilesystemPolicy


class ABACCheckRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A question to the policy engine (layer specification §4.2.2)."""

    agent_id: str
    resource_type: str
    resource_id: str
    action: str
    context: dict[str, Any]


class ABACCheckResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Its answer. `obligations` are conditions that an allowed call must keep."""

    allowed: bool
    reason: str | None = None
    cache_ttl_seconds: int = 300
    obligations: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
