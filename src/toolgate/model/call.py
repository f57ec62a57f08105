"""How `call()` spells a request: parameters as keywords, or as one mapping with options beside it."""

from collections.abc import Mapping
from typing import Any

from toolgate.errors import MisuseError
from toolgate.model.agent import ResourceLimits
from toolgate.model.request import ExecutionOptions, ToolInvokeRequest

REQUEST_OPTIONS = frozenset({"tool_version", "correlation_id", "causation_id", "deadline", "metadata"})
EXECUTION_OPTIONS = frozenset({"idempotency_key", "require_approval", "priority"})
OPTIONS = REQUEST_OPTIONS | EXECUTION_OPTIONS | {"timeout_seconds"}


def request_of_call(
    tool_id: str, parameters: Mapping[str, Any] | None, named: dict[str, Any], *, capability_token: str
) -> ToolInvokeRequest:
    """The request that a call stands for.

    Raises:
        MisuseError: an option is unknown.
    """
    if parameters is None:
        return ToolInvokeRequest(tool_id=tool_id, parameters=named, capability_token=capability_token)
    if unknown := named.keys() - OPTIONS:
        known, strange = ", ".join(sorted(OPTIONS)), ", ".join(sorted(unknown))
        raise MisuseError(f"unknown option {strange} beside the parameters; options are {known}")
    execution = {name: value for name, value in named.items() if name in EXECUTION_OPTIONS}
    return ToolInvokeRequest(
        tool_id=tool_id,
        parameters=dict(parameters),
        execution_options=ExecutionOptions(**execution) if execution else None,
        resource_limits=_limits(named.get("timeout_seconds")),
        capability_token=capability_token,
        **{name: value for name, value in named.items() if name in REQUEST_OPTIONS},
    )


def _limits(timeout_seconds: float | None) -> ResourceLimits | None:
    return None if timeout_seconds is None else ResourceLimits(timeout_seconds=timeout_seconds)
