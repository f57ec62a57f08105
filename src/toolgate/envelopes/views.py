"""The views by the names that callers ask for them with (`?view=`)."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolgate.envelopes.document import to_document
from toolgate.envelopes.envelope import to_envelope
from toolgate.envelopes.l03 import to_response
from toolgate.envelopes.tool_result import to_tool_result
from toolgate.model.outcome import Outcome

View = Callable[[Outcome], Any]

DEFAULT_VIEW: Final = "l03"

VIEWS: Final[Mapping[str, View]] = {
    "l03": to_response,
    "envelope": to_envelope,
    "tool_result": to_tool_result,
    "document": to_document,
}
"""A view answers None for an outcome that its specification has no shape for (yet)."""
