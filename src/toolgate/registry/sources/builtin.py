"""Tools that come with Toolgate and need nothing: something to call in the first minute."""

from typing import Any

from toolgate.registry.sources.native import tool

# Said out loud, so that opening a gate does not have to import pydantic to work it out.
_COUNT = {"type": "integer", "minimum": 0}
_TEXT_STATS: dict[str, Any] = {
    "type": "object",
    "properties": {"characters": _COUNT, "words": _COUNT, "lines": _COUNT},
    "required": ["characters", "words", "lines"],
    "additionalProperties": False,
}


@tool(effect="pure", category="computation", tags=("demo",), blocking=False)
def echo(text: str) -> str:
    """Return the text unchanged.

    Args:
        text: What to return.
    """
    return text


@tool(
    tool_id="text.stats",
    effect="pure",
    category="computation",
    tags=("demo", "text"),
    blocking=False,
    result_schema=_TEXT_STATS,
)
def text_stats(text: str) -> dict[str, int]:
    """Count the characters, words and lines of a text.

    Args:
        text: The text to measure.
    """
    return {"characters": len(text), "words": len(text.split()), "lines": len(text.splitlines())}


BUILTIN_TOOLS = (echo, text_stats)
