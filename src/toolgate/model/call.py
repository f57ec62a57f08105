"""How `call()` spells a request: parameters as keywords, or as one mapping with options beside it."""

from collections.abc import Mapping
from typing import Any

import msgspec

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
        MisuseError: an option is unknown, or of a wrong type.
    """
    if parameters is None:
        return ToolInvokeRequest(tool_id=tool_id, parameters=named, capability_token=capability_token)
    if unknown := named.keys() - OPTIONS:
        known, strange = ", ".join(sorted(OPTIONS)), ", ".join(sorted(unknown))
        raise MisuseError(f"unknown option {strange} beside the parameters; options are {known}")
    return ToolInvokeRequest(
        tool_id=tool_id,
        parameters=dict(parameters),
        capability_token=capability_token,
        **_checked({name: value for name, value in named.items() if value is not None}),
    )


class _Options(msgspec.Struct, kw_only=True):
    tool_version: str | None = None
    correlation_id: str | None = None
    causation_id: str | None = None
    deadline: str | None = None
    metadata: dict[str, Any] | None = None
    execution_options: ExecutionOptions | None = None
    resource_limits: ResourceLimits | None = None


def _checked(named: dict[str, Any]) -> dict[str, Any]:
    """The options as fields of a request. Types are checked: what is stored must be readable again."""
    tree = {name: value for name, value in named.items() if name in REQUEST_OPTIONS}
    if execution := {name: value for name, value in named.items() if name in EXECUTION_OPTIONS}:
        tree["execution_options"] = execution
    if "timeout_seconds" in named:
        tree["resource_limits"] = {"timeout_seconds": named["timeout_seconds"]}
    try:
        return msgspec.structs.asdict(msgspec.convert(tree, _Options))
    except msgspec.ValidationError as error:
        raise MisuseError(f"an option is not what it should be: {error}") from None
