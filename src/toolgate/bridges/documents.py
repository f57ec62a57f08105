"""Documents with no server: the object behind step 9 until the document bridge is configured."""

from toolgate.errors import DocumentUnavailable
from toolgate.model.invocation import Invocation
from toolgate.model.request import ToolInvokeRequest
from toolgate.model.tool import Tool


class NoDocuments:
    """Implements `Documents`. Fails closed: a call that needs documents does not run without them."""

    async def attach(self, invocation: Invocation, request: ToolInvokeRequest, tool: Tool) -> None:
        wanted = request.document_context
        if tool.manifest.document_dependencies or (wanted is not None and (wanted.document_refs or wanted.query)):
            raise DocumentUnavailable(reason="no document server is configured")
