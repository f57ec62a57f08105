"""What became of an invocation, for those who may know: its own agent and tenant, or an operator."""

from typing import NamedTuple

import msgspec

from toolgate.errors import TaskNotFound
from toolgate.model.outcome import Outcome
from toolgate.model.page import InvocationFilter, Page
from toolgate.ports import InvocationHistory


class Owner(NamedTuple):
    """Who asks. An invocation of somebody else does not exist for them."""

    agent_did: str
    tenant_id: str


class Lookup:
    def __init__(self, history: InvocationHistory) -> None:
        self._history = history

    async def get(self, invocation_id: str, owner: Owner | None = None) -> Outcome:
        """One invocation; without an owner (an operator asks) any.

        Raises:
            TaskNotFound: there is none, or it belongs to somebody else; the answer does not tell which.
        """
        outcome = await self._history.get(invocation_id)
        if outcome is None or (owner is not None and owner != _owner_of(outcome)):
            raise TaskNotFound(invocation_id=invocation_id[:64])
        return outcome

    async def list(
        self, wanted: InvocationFilter, *, owner: Owner | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page[Outcome]:
        """Invocations, newest first; an owner sees only its own."""
        if owner is not None:
            wanted = msgspec.structs.replace(wanted, agent_did=owner.agent_did, tenant_id=owner.tenant_id)
        return await self._history.list(wanted, limit=limit, cursor=cursor)


def _owner_of(outcome: Outcome) -> Owner:
    return Owner(outcome.invocation.agent_did, outcome.invocation.tenant_id)
