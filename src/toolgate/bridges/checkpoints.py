"""Checkpoints with no store: asked at step 9 until the state bridge is configured."""

from toolgate.errors import CheckpointNotFound
from toolgate.model.invocation import Invocation
from toolgate.model.request import ToolInvokeRequest
from toolgate.model.tool import Tool


class NoCheckpoints:
    """Implements `Checkpoints`. Fails closed: a call that should resume does not start over instead."""

    async def attach(self, invocation: Invocation, request: ToolInvokeRequest, tool: Tool) -> None:
        wanted = request.checkpoint_config
        if wanted is not None and wanted.resume_from_checkpoint_id is not None:
            raise CheckpointNotFound(checkpoint_id=wanted.resume_from_checkpoint_id)
