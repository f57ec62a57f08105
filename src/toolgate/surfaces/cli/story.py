"""The calls that the demo makes, each with what must come of it. The demo is a smoke test, too."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgate.errors import Kind

if TYPE_CHECKING:
    from toolgate.model.outcome import Outcome

TOOLS: Final = "toolgate.surfaces.cli.demo_tools"


def _always(outcome: "Outcome") -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Step:
    title: str
    command: str
    tool_id: str
    expected: Kind
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    timeout_seconds: float | None = None
    proves: "Callable[[Outcome], bool]" = _always

    @property
    def options(self) -> dict[str, Any]:
        return {} if self.timeout_seconds is None else {"timeout_seconds": self.timeout_seconds}

    def came_true(self, outcome: "Outcome") -> bool:
        return outcome.kind is self.expected and self.proves(outcome)


def _is_42(outcome: "Outcome") -> bool:
    return outcome.output == 42


def _points_at_b(outcome: "Outcome") -> bool:
    return outcome.error is not None and [error.pointer for error in outcome.error.errors] == ["/b"]


def _names_the_host(outcome: "Outcome") -> bool:
    return outcome.error is not None and outcome.error.number == "E3204" and "example.com" in outcome.error.message


def _is_the_deadline(outcome: "Outcome") -> bool:
    return outcome.error is not None and outcome.error.number == "E3103"


STEPS: Final = (
    Step(
        title="A function of yours, governed: token, permissions, schema, record",
        command=f"toolgate call add a:=2 b:=40 --tools {TOOLS}",
        tool_id="add",
        parameters={"a": 2, "b": 40},
        expected=Kind.SUCCESS,
        proves=_is_42,
    ),
    Step(
        title="Bad input is refused before the function runs",
        command=f"toolgate call add a:=2 b=forty --tools {TOOLS}",
        tool_id="add",
        parameters={"a": 2, "b": "forty"},
        expected=Kind.INVALID_INPUT,
        proves=_points_at_b,
    ),
    Step(
        title="No permission, no network",
        command="toolgate call http.get url=https://example.com/",
        tool_id="http.get",
        parameters={"url": "https://example.com/"},
        expected=Kind.DENIED,
        proves=_names_the_host,
    ),
    Step(
        title="A call that takes too long is ended",
        command=f"toolgate call dawdle --timeout 200ms --tools {TOOLS}",
        tool_id="dawdle",
        timeout_seconds=0.2,
        expected=Kind.TIMEOUT,
        proves=_is_the_deadline,
    ),
)

NEXT: Final = (
    ("your own tool", "toolgate call NAME a:=1 --tools mytools.py"),
    ("all tools, one tool", "toolgate tools ls  ·  toolgate tools show http.get"),
    (
        "allow a host",
        "TOOLGATE_LOCAL_AGENT__ALLOWED_HOSTS='[\"example.com\"]' \\\n  toolgate call http.get url=https://example.com/",
    ),
    ("a server with REST", "toolgate up"),
    ("is all well here?", "toolgate doctor"),
)
