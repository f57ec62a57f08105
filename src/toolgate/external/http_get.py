"""The built-in tool `http.get`: refused until a host is allowed."""

from collections.abc import Awaitable, Callable
from typing import Any

from toolgate.external.http import HttpAnswer, HttpReader
from toolgate.model.run import ToolContext

HTTP_ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "integer"},
        "content_type": {"type": "string"},
        "text": {"type": "string"},
    },
    "required": ["status", "content_type", "text"],
    "additionalProperties": False,
}


def http_get_with(reader: HttpReader) -> Callable[[str, ToolContext], Awaitable[HttpAnswer]]:
    """The function behind the tool, bound to the gate's one client."""

    async def http_get(url: str, context: ToolContext) -> HttpAnswer:
        """Read a web address and return its status, content type and text.

        Args:
            url: An http or https address. Its host must be allowed for the calling agent.
        """
        return await reader.get(url, context.grant.network)

    return http_get
