"""Proofs that a check was passed. The executor asks for them, so code that forgets a check does not type-check.

Only the owning component makes them: `permissions` makes `Token` and `Grant`, `resilience` makes `Permit`. An
architecture test looks for anybody else who does.
"""

from collections.abc import Callable

import msgspec

from toolgate.model.agent import Mount


class HostGrant(msgspec.Struct, frozen=True):
    """Hosts a call may reach: exact names or `*.` suffixes; no ports means every port.

    `endpoints` are hosts that may be reached on one port only, beside the hosts that share `allowed_ports`.
    """

    allowed_hosts: tuple[str, ...] = ()
    allowed_ports: tuple[int, ...] = ()
    endpoints: tuple[tuple[str, int], ...] = ()

    def admits(self, host: str, port: int) -> bool:
        port_is_shared = not self.allowed_ports or port in self.allowed_ports
        if port_is_shared and any(_host_matches(host, pattern) for pattern in self.allowed_hosts):
            return True
        return any(port == only and _host_matches(host, pattern) for pattern, only in self.endpoints)


def _host_matches(host: str, pattern: str) -> bool:
    host, pattern = host.lower().rstrip("."), pattern.lower().rstrip(".")
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and len(host) > len(pattern) - 1
    return host == pattern


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A capability token whose signature and claims were verified."""

    digest: bytes
    jti: str
    agent_did: str
    tenant_id: str
    tool_id: str
    tool_version: str
    allowed_operations: tuple[str, ...]
    filesystem: tuple[Mount, ...]
    network: HostGrant
    credentials: tuple[str, ...]
    issued_at: int
    expires_at: int
    issuer: str

    def __repr__(self) -> str:
        return f"Token(jti={self.jti!r}, agent_did={self.agent_did!r}, tool_id={self.tool_id!r})"


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What this one call may touch: agent, token and manifest, intersected."""

    agent_did: str
    tenant_id: str
    tool_id: str
    tool_version: str
    filesystem: tuple[Mount, ...] = ()
    network: HostGrant = HostGrant()
    credentials: tuple[str, ...] = ()


def _hold_nothing() -> None:
    return None


class Permit(msgspec.Struct, frozen=True):
    """A place in the running set. The engine gives it back on every path by calling `release`."""

    release: Callable[[], None] = _hold_nothing
