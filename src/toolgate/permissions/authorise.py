"""Step 5: may this agent run this version of this tool, and what may the call touch? (§3.3.3)"""

from typing import Any

import msgspec

from toolgate.errors import OperationNotAllowed, ToolNotCovered
from toolgate.model.agent import ABACCheckRequest
from toolgate.model.invocation import Invocation
from toolgate.model.names import OPERATION_EXECUTE
from toolgate.model.proof import Grant, Token
from toolgate.model.tool import Tool
from toolgate.permissions.bounded_cache import BoundedCache
from toolgate.permissions.intersection import intersect_mounts, intersect_names, intersect_network
from toolgate.permissions.policy import NoPolicy, TimedPolicy, raise_denial
from toolgate.permissions.version_range import admits
from toolgate.ports import Clock, PolicyEngine

GRANTS_KEPT = 4096


class _Scope(msgspec.Struct, frozen=True):
    """What follows from a token and a tool alone, and is therefore worked out once."""

    grant: Grant
    question: ABACCheckRequest


class TokenAuthoriser:
    """Implements `Authoriser`. The policy is asked on every call, whatever is remembered about the token."""

    def __init__(self, policy: PolicyEngine, *, clock: Clock, capacity: int = GRANTS_KEPT) -> None:
        # Whoever gives us an engine gets the time limit with it; only the one that never waits needs none.
        self._policy: PolicyEngine = policy if isinstance(policy, NoPolicy) else TimedPolicy(policy, clock=clock)
        self._scopes: BoundedCache[tuple[bytes, str], _Scope] = BoundedCache(capacity)

    async def grant(self, invocation: Invocation, token: Token, tool: Tool) -> Grant:
        """Answer what this call may touch.

        Raises:
            OperationNotAllowed, ToolNotCovered: the token does not reach this far.
            FilesystemDenied, NetworkDenied, CredentialsDenied, OperationNotAllowed: the policy said no.
            PolicyUnavailable: the policy did not answer.
        """
        key = (token.digest, tool.key)
        scope = self._scopes.get(key)
        if scope is None:
            scope = _scope(token, tool)
            self._scopes.put(key, scope)
        answer = await self._policy.decide(scope.question)
        if answer.allowed is not True:
            raise_denial(answer, operation=OPERATION_EXECUTE)
        if answer.obligations:
            conditions = "the policy allows this under conditions that nobody here can keep"
            raise OperationNotAllowed(message=conditions, operation=OPERATION_EXECUTE)
        return scope.grant

    def __repr__(self) -> str:
        return f"TokenAuthoriser(policy={self._policy!r}, scopes={self._scopes!r})"


def _scope(token: Token, tool: Tool) -> _Scope:
    _check_coverage(token, tool)
    grant = make_grant(token, tool)
    return _Scope(grant, _question(grant))


def _check_coverage(token: Token, tool: Tool) -> None:
    if OPERATION_EXECUTE not in token.allowed_operations:
        raise OperationNotAllowed(operation=OPERATION_EXECUTE)
    # The verifier compared names; only now is it known which tool the name stands for.
    if token.tool_id != tool.tool_id or not admits(token.tool_version, tool.version):
        raise ToolNotCovered(tool_id=tool.tool_id, tool_version=tool.version)


def make_grant(token: Token, tool: Tool) -> Grant:
    """The manifest's permissions, as far as the token allows them."""
    wanted = tool.manifest.permissions
    return Grant(
        agent_did=token.agent_did,
        tenant_id=token.tenant_id,
        tool_id=tool.tool_id,
        tool_version=tool.version,
        filesystem=intersect_mounts(wanted.filesystem, token.filesystem),
        network=intersect_network(wanted.network, token.network),
        credentials=intersect_names(wanted.credentials, token.credentials),
    )


def _question(grant: Grant) -> ABACCheckRequest:
    context: dict[str, Any] = {
        "tenant_id": grant.tenant_id,
        "tool_version": grant.tool_version,
        "filesystem": msgspec.to_builtins(grant.filesystem),
        "network": msgspec.to_builtins(grant.network),
        "credentials": grant.credentials,
    }
    return ABACCheckRequest(
        agent_id=grant.agent_did,
        resource_type="tool",
        resource_id=grant.tool_id,
        action=OPERATION_EXECUTE,
        context=context,
    )
