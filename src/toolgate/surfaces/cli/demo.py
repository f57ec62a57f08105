"""`toolgate demo`: what the gate does, in a few calls, without network and without leaving anything behind."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

from toolgate.surfaces.cli.exit_codes import ExitCode
from toolgate.surfaces.cli.output import Output, aligned, open_output, say
from toolgate.surfaces.cli.session import Session
from toolgate.surfaces.cli.story import NEXT, STEPS, Step
from toolgate.surfaces.cli.terminal import paint

if TYPE_CHECKING:
    from toolgate.app import Toolgate
    from toolgate.model.outcome import Outcome

EPILOG = "\b\nExample:\n  toolgate demo && echo it works here"
VIEW_WIDTH = 88


@dataclass(frozen=True)
class Told:
    """A step of the story and what came of it."""

    step: Step
    outcome: "Outcome"

    @property
    def ok(self) -> bool:
        return self.step.came_true(self.outcome)


def demo(context: typer.Context) -> None:
    """Show a governed call, three refusals, and their record. Exit code 0 if all went as it should."""
    session = Session.of(context)
    with open_output(as_json=session.as_json) as output, TemporaryDirectory(prefix="toolgate-demo-") as directory:
        told, recorded = session.run(_play(Path(directory)))
        # The record is the point of the gate: every call, in order, with its own outcome.
        kept = [outcome.kind for outcome in recorded] == [line.outcome.kind for line in reversed(told)]
        if session.as_json:
            output.json([_step_entry(line) for line in told])
        else:
            _tell(output, told, recorded)
    if not kept or not all(line.ok for line in told):
        say("the demo did not go as it should; try: toolgate doctor", "red")
        raise typer.Exit(ExitCode.TOOL_ERROR)
    say(f"✓ all {len(told)} calls came out as they should", "green")


async def _play(directory: Path) -> tuple[list[Told], "tuple[Outcome, ...]"]:
    from toolgate.app import Toolgate
    from toolgate.config import build_settings
    from toolgate.surfaces.cli import demo_tools

    async with Toolgate(settings=build_settings({"data_dir": str(directory)})) as gate:
        gate.add(demo_tools.add)
        gate.add(demo_tools.dawdle)
        told = [Told(step, await _call(gate, step)) for step in STEPS]
        return told, await gate.history()


async def _call(gate: "Toolgate", step: Step) -> "Outcome":
    return await gate.call(step.tool_id, dict(step.parameters), **step.options)


def _step_entry(line: Told) -> dict[str, Any]:
    return {
        "step": line.step.title,
        "command": line.step.command,
        "expected": line.step.expected.value,
        "kind": line.outcome.kind.value,
        "ok": line.ok,
        "invocation_id": line.outcome.invocation_id,
    }


# ---------------------------------------------------------------- the telling


def _tell(output: Output, told: list[Told], recorded: "tuple[Outcome, ...]") -> None:
    output.text("Toolgate stands between agents and their tools. Every call goes through the same gate.\n")
    for number, line in enumerate(told, 1):
        _tell_step(output, number, line)
    _tell_record(output, len(told) + 1, recorded)
    _tell_views(output, len(told) + 2, told[0].outcome)
    output.text("Try next\n")
    for what, command in NEXT:
        output.text(f"  {what + ':':<22}{command.replace(chr(10), chr(10) + ' ' * 24)}")


def _tell_step(output: Output, number: int, line: Told) -> None:
    error = line.outcome.error
    _title(output, number, line.step.title)
    output.text(f"   $ {line.step.command}")
    came = f"{line.outcome.output}" if error is None else f"{error.number or error.code}  {error.message}"
    mark = "→" if line.ok else f"✗ {line.step.expected.value} was expected:"
    output.text(f"   {mark} {line.outcome.kind.value}  {came}  ({line.outcome.duration_ms:.1f} ms)")
    for fault in error.errors if error else ():
        output.text(f"       {fault.pointer}  {fault.message}")
    output.text("")


def _tell_record(output: Output, number: int, recorded: "tuple[Outcome, ...]") -> None:
    _title(output, number, "Each of them is on record, refused or not")
    rows = [
        (outcome.invocation_id, outcome.invocation.tool_id, outcome.kind.value, _number(outcome))
        for outcome in recorded
    ]
    lines = aligned([("INVOCATION", "TOOL", "KIND", "ERROR"), *rows])
    output.text("\n".join(["   $ toolgate inv ls", *(f"   {line}" for line in lines), ""]))


def _tell_views(output: Output, number: int, outcome: "Outcome") -> None:
    from toolgate.envelopes.views import VIEWS

    _title(output, number, "One outcome, four shapes, for whoever asks")
    output.text("   $ toolgate inv show ID --view l03|envelope|tool_result|document")
    for name, view in VIEWS.items():
        output.text(f"   {name:<12} {_shortened(view(outcome))}")
    output.text("")


def _title(output: Output, number: int, title: str) -> None:
    print(paint(f"{number}. {title}", "bold", output.data), file=output.data, flush=True)


def _number(outcome: "Outcome") -> str:
    return (outcome.error.number or outcome.error.code) if outcome.error else ""


def _shortened(rendered: Any) -> str:
    import msgspec

    text = rendered if isinstance(rendered, str) else msgspec.json.encode(rendered).decode()
    line = " ".join(text.split())
    return line if len(line) <= VIEW_WIDTH else f"{line[:VIEW_WIDTH]}…"
