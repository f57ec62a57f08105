"""Admission with nothing to enforce: the object behind step 8 until limits are configured."""

from toolgate.model.invocation import Invocation
from toolgate.model.proof import Grant, Permit
from toolgate.model.tool import Tool

_PERMIT = Permit()


class NoLimits:
    """Implements `Limits`: everybody may enter."""

    async def admit(self, invocation: Invocation, grant: Grant, tool: Tool) -> Permit:
        return _PERMIT
