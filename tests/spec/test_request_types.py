"""The request and response types have the fields of the layer specification §4.1 and §4.2, by their exact names."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from toolgate.model import agent, request, response

ReadSpec = Callable[[str], str | None]
ReadList = Callable[[str], dict[str, list[str]]]

# What other specifications add to a type of the layer. Nothing else may be in it.
ADDED = {
    # The envelope specification's invocation fields.
    "ToolInvokeRequest": {"correlation_id", "causation_id", "deadline", "headers", "metadata"},
    # Every answer carries the E-number and the taxonomy category (spec README §1).
    "ToolError": {"number", "category"},
    # The envelope specification's `resolvedVersion`, `correlationId`, `attempts`; E3003 is a notice.
    "ExecutionMetadata": {"tool_version", "correlation_id", "attempts", "notices"},
    # Status returns the final result (spec README §3).
    "ToolStatusResponse": {"result"},
    # Conditions that an allowed call must keep.
    "ABACCheckResponse": {"obligations"},
}


def model_type(name: str) -> Any:
    return next(vars(module)[name] for module in (agent, request, response) if name in vars(module))


def test_every_type_has_the_specified_fields_and_only_known_additions(read_list: ReadList) -> None:
    for name, fields in read_list("request_types.txt").items():
        ours = set(model_type(name).__struct_fields__)
        assert ours == set(fields) | ADDED.get(name, set()), name


def test_every_addition_is_to_a_specified_type(read_list: ReadList) -> None:
    assert set(ADDED) <= set(read_list("request_types.txt"))


def test_the_list_is_that_of_the_specification(read_list: ReadList, read_spec: ReadSpec) -> None:
    text = read_spec("tool-execution-layer.md")
    if text is not None:
        interfaces = text.split("### 4.1 Provided Interfaces")[1].split("#### 4.2.3 ")[0]
        assert dict(_data_classes(interfaces)) == read_list("request_types.txt")


def _data_classes(text: str) -> Iterator[tuple[str, list[str]]]:
    for name, body in re.findall(r"^@dataclass\nclass (\w+):\n((?:(?: {4}.*)?\n)+)", text, re.MULTILINE):
        yield name, re.findall(r"^ {4}(\w+):", body, re.MULTILINE)


@pytest.mark.parametrize("name", ["AgentContext", "ResourceLimits", "DocumentContext", "ExecutionOptions"])
def test_a_part_of_a_request_refuses_unknown_fields(name: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"agent_did":"a","tenant_id":"t","no_such_field":1}', type=model_type(name))


def test_a_request_as_the_specification_writes_it_is_accepted() -> None:
    """Every field of §4.1.1, filled in."""
    text = b"""{
      "tool_id": "analyze_code", "tool_version": "^2.0.0", "invocation_id": "6f1c1e0e-0000-4000-8000-000000000000",
      "agent_context": {"agent_did": "did:agent:xyz789", "tenant_id": "tenant_acme", "user_did": null,
                        "session_id": "s"},
      "parameters": {"path": "/workspace"},
      "resource_limits": {"cpu_millicore_limit": 500, "memory_mb_limit": 1024, "timeout_seconds": 30,
                          "network_bandwidth_mbps": 10},
      "document_context": {"document_refs": ["doc://spec-v1.0"], "version_pinning": true, "query": "q"},
      "checkpoint_config": {"enable_checkpointing": true, "checkpoint_interval_seconds": 30,
                            "resume_from_checkpoint_id": null},
      "execution_options": {"async_mode": false, "priority": "normal", "idempotency_key": "k",
                            "require_approval": false},
      "capability_token": "a.b.c"
    }"""
    decoded = msgspec.json.decode(text, type=request.ToolInvokeRequest)
    assert decoded.agent_context is not None
    assert decoded.agent_context.agent_did == "did:agent:xyz789"
