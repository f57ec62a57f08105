"""`toolgate call`: one governed call."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from toolgate.errors import MisuseError
from toolgate.surfaces.cli.advice import Attempt, complaint_about
from toolgate.surfaces.cli.complaint import usage_error
from toolgate.surfaces.cli.duration import parse_seconds
from toolgate.surfaces.cli.exit_codes import EXIT_CODES
from toolgate.surfaces.cli.output import Output, complain, open_output, say
from toolgate.surfaces.cli.parameters import Parameters, parse_parameters
from toolgate.surfaces.cli.session import Session
from toolgate.surfaces.cli.tool_sources import ToolSources

if TYPE_CHECKING:
    from toolgate.app import Toolgate
    from toolgate.model.outcome import Outcome

EPILOG = """
\b
Examples:
  toolgate call echo text=hello
  toolgate call text.stats text=@README.md
  toolgate call add a:=1 b:=2 --tools mytools.py
  toolgate call echo --params '{"text": "hello"}' --json
  echo '{"text": "hello"}' | toolgate call echo --params - --view envelope
"""

ViewName = Literal["l03", "envelope", "tool_result", "document"]
ViewOption = Annotated[
    ViewName | None, typer.Option("--view", help="Print the outcome in this shape instead of the output alone.")
]


def call(
    context: typer.Context,
    tool_id: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's id; see: toolgate tools ls")],
    items: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Parameters: NAME=TEXT, NAME:=JSON, NAME=@FILE, NAME:=@FILE."),
    ] = None,
    params: Annotated[
        str | None, typer.Option(metavar="JSON|@FILE|-", help="Parameters as one JSON object; - reads stdin.")
    ] = None,
    version_range: Annotated[
        str | None, typer.Option(metavar="RANGE", help="Version to run, such as 1.2.0 or ^1 (default: the highest).")
    ] = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Give up after this long: 500ms, 30s, 2m.")
    ] = None,
    idempotency_key: Annotated[
        str | None, typer.Option(metavar="KEY", help="A name for this call, kept with its record.")
    ] = None,
    view: ViewOption = None,
    tools: ToolSources = None,
) -> None:
    """Call a tool: its output on stdout, how it went on stderr.

    NAME=TEXT always gives text; NAME:=JSON gives numbers, truth values, lists and objects.
    """
    session = Session.of(context)
    parameters = parse_parameters(items or (), document=params)
    options: dict[str, Any] = {"tool_version": version_range, "idempotency_key": idempotency_key}
    if timeout is not None:
        options["timeout_seconds"] = parse_seconds(timeout, option="--timeout")
    given = {name: value for name, value in options.items() if value is not None}
    with open_output(as_json=session.as_json) as output:
        work = _call(session, output, tool_id, parameters, options=given, view=view, tool_sources=tools or ())
        raise typer.Exit(session.run(work))


async def _call(
    session: Session,
    output: Output,
    tool_id: str,
    parameters: Parameters,
    *,
    options: dict[str, Any],
    view: ViewName | None,
    tool_sources: Sequence[str],
) -> int:
    async with session.gate(tool_sources) as gate:
        try:
            outcome = await gate.call(tool_id, parameters.values, **options)
        except MisuseError as error:
            raise usage_error(str(error), "toolgate tools ls") from error
        print_outcome(output, outcome, view)
        await _tell(gate, output, outcome, parameters, tool_sources)
    return EXIT_CODES[outcome.kind]


def print_outcome(output: Output, outcome: "Outcome", view: ViewName | None) -> None:
    """Print the outcome as data: in the view asked for, whole as JSON, or just what the tool returned."""
    from toolgate.envelopes.views import DEFAULT_VIEW, VIEWS

    if view is None and not output.as_json:
        if outcome.ok:
            print_value(output, outcome.output)
        return
    rendered = VIEWS[view or DEFAULT_VIEW](outcome)
    # A view has no shape for what has not ended; the layer's response always has one.
    print_value(output, VIEWS[DEFAULT_VIEW](outcome) if rendered is None else rendered)


def print_value(output: Output, value: Any) -> None:
    """Text as it is, unless machines read it; anything else as JSON."""
    if isinstance(value, str) and not output.as_json:
        output.text(value)
    else:
        output.json(value)


async def _tell(
    gate: "Toolgate", output: Output, outcome: "Outcome", parameters: Parameters, tool_sources: Sequence[str]
) -> None:
    from toolgate.envelopes.facts import failure_of

    failure = failure_of(outcome)
    for notice in outcome.invocation.notices:
        say(f"note: {notice}", "yellow")
    if failure is None:
        if not output.as_json:
            say(f"✓ {outcome.kind.value}  {facts_line(outcome)}", "green")
        return
    attempt = Attempt(
        outcome=outcome,
        failure=failure,
        settings=gate.parts.settings,
        tool_ids=[definition.tool_id for definition in gate.parts.catalog.definitions()],
        manifest=_manifest(gate, outcome),
        parameters=parameters,
        tool_sources=tool_sources,
    )
    complain(complaint_about(attempt))
    say(f"  call: {facts_line(outcome)}", "dim")


def facts_line(outcome: "Outcome") -> str:
    """`echo@1.0.0  0.4 ms  inv 0197…`"""
    invocation = outcome.invocation
    version = f"@{invocation.tool_version}" if invocation.tool_version else ""
    return f"{invocation.tool_id}{version}  {outcome.duration_ms:.1f} ms  inv {invocation.invocation_id}"


def _manifest(gate: "Toolgate", outcome: "Outcome") -> Any:
    from toolgate.errors import ToolNotFound

    try:
        versions = gate.parts.catalog.definition(outcome.invocation.tool_id).versions
    except ToolNotFound:
        return None
    return next((manifest for manifest in versions if manifest.version == outcome.tool_version), None)
