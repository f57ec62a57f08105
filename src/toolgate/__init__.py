"""Toolgate: the layer between AI agents and every tool they use.

Names are imported when they are first asked for, so that `import toolgate` and `toolgate --help` stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgate.app import Toolgate
    from toolgate.errors import MisuseError, ToolFailure, ToolgateError
    from toolgate.model.outcome import Outcome
    from toolgate.model.request import ToolInvokeRequest
    from toolgate.model.response import ToolInvokeResponse
    from toolgate.model.run import ToolContext
    from toolgate.registry.sources.native import tool

__version__ = "0.1.0"

_HOMES = {
    "Toolgate": "toolgate.app",
    "MisuseError": "toolgate.errors",
    "ToolFailure": "toolgate.errors",
    "ToolgateError": "toolgate.errors",
    "Outcome": "toolgate.model.outcome",
    "ToolInvokeRequest": "toolgate.model.request",
    "ToolInvokeResponse": "toolgate.model.response",
    "ToolContext": "toolgate.model.run",
    "tool": "toolgate.registry.sources.native",
}

__all__ = [
    "MisuseError",
    "Outcome",
    "ToolContext",
    "ToolFailure",
    "ToolInvokeRequest",
    "ToolInvokeResponse",
    "Toolgate",
    "ToolgateError",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
