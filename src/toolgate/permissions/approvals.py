"""Step 6 without an approver: a call that needs a person's approval cannot get it, so it is refused."""

from toolgate.errors import ApprovalRefused
from toolgate.model.invocation import Invocation
from toolgate.model.request import ToolInvokeRequest
from toolgate.model.tool import Tool


class NoApprovals:
    """Implements `Approvals` and fails closed."""

    async def require(self, invocation: Invocation, request: ToolInvokeRequest, tool: Tool) -> None:
        """Let a call pass that needs no approval.

        Raises:
            ApprovalRefused: the caller or the manifest asks for an approval.
        """
        options = request.execution_options
        asked_for = options is not None and options.require_approval
        if asked_for or tool.manifest.execution_config.requires_approval:
            raise ApprovalRefused(reason="no approver is configured")
