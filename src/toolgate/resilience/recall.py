"""Idempotency and cache with nothing remembered: the object behind step 7 until they are configured."""

from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Outcome
from toolgate.model.tool import Tool


class NoRecall:
    """Implements `Recall`. A caller that sent an idempotency key is told that nobody looks at it."""

    async def find(self, invocation: Invocation, tool: Tool) -> Outcome | None:
        if invocation.idempotency_key is not None:
            invocation.notices.append("the idempotency key was recorded but is not enforced by this installation")
        return None
