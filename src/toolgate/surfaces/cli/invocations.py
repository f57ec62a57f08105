"""`toolgate inv`: what happened before."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolgate.errors import Kind, TaskNotFound
from toolgate.surfaces.cli.call import ViewOption, print_outcome, print_value
from toolgate.surfaces.cli.complaint import usage_error
from toolgate.surfaces.cli.output import Output, open_output, say, to_json
from toolgate.surfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from toolgate.app import Toolgate
    from toolgate.model.outcome import Outcome

PAGE_SIZE = 200
PREFIX_SEARCH_LIMIT = 20_000
SHORTEST_PREFIX = 4

app = typer.Typer(help="Look at past invocations.", rich_markup_mode=None, no_args_is_help=True)


@app.command("ls", epilog="\b\nExamples:\n  toolgate inv ls --limit 5\n  toolgate inv ls --tool http.get --kind denied")
def list_invocations(
    context: typer.Context,
    tool_id: Annotated[str | None, typer.Option("--tool", metavar="TOOL", help="Only calls of this tool.")] = None,
    kind: Annotated[Kind | None, typer.Option("--kind", help="Only calls that ended like this.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many, newest first.")] = 20,
) -> None:
    """List past invocations, newest first."""
    session = Session.of(context)
    with open_output(as_json=session.as_json) as output:
        outcomes = session.run(_recent(session, tool_id, kind, limit))
        if session.as_json:
            output.json([summary(outcome) for outcome in outcomes])
        elif outcomes:
            headings = ("STARTED", "TOOL", "KIND", "ERROR", "DURATION", "INVOCATION")
            output.table(headings, [_row(outcome) for outcome in outcomes])
        else:
            say("no invocation is recorded yet that fits; make one: toolgate call echo text=hello")


@app.command("show", epilog="\b\nExamples:\n  toolgate inv show 0197a3\n  toolgate inv show 0197a3 --view document")
def show_invocation(
    context: typer.Context,
    invocation_id: Annotated[str, typer.Argument(metavar="ID", help="Its id, or the first characters of it.")],
    view: ViewOption = None,
) -> None:
    """Show the record of one invocation."""
    session = Session.of(context)
    with open_output(as_json=session.as_json) as output:
        outcome = session.run(_find(session, invocation_id.strip().lower()))
        if view is not None or session.as_json:
            print_outcome(output, outcome, view)
        else:
            _print_record(output, outcome)


# ---------------------------------------------------------------- finding


async def _recent(session: Session, tool_id: str | None, kind: Kind | None, limit: int) -> "list[Outcome]":
    async with session.gate() as gate:
        return [outcome async for outcome in _newest(gate, tool_id=tool_id, kind=kind, limit=limit)]


async def _newest(
    gate: "Toolgate", *, tool_id: str | None = None, kind: Kind | None = None, limit: int
) -> "AsyncGenerator[Outcome]":
    from toolgate.model.page import InvocationFilter

    wanted, cursor, left = InvocationFilter(tool_id=tool_id, kind=kind), None, limit
    while left > 0:
        page = await gate.parts.lookup.list(wanted, limit=min(left, PAGE_SIZE), cursor=cursor)
        for outcome in page.items:
            yield outcome
        left, cursor = left - len(page.items), page.next_cursor
        if cursor is None:
            return


async def _find(session: Session, start: str) -> "Outcome":
    async with session.gate() as gate:
        try:
            return await gate.parts.lookup.get(start)
        except TaskNotFound:
            return await _find_by_prefix(gate, start)


async def _find_by_prefix(gate: "Toolgate", start: str) -> "Outcome":
    if len(start) < SHORTEST_PREFIX:
        raise usage_error(f"{start!r} is too short to find an invocation by", "toolgate inv ls")
    newest = _newest(gate, limit=PREFIX_SEARCH_LIMIT)
    found: list[Outcome] = [outcome async for outcome in newest if outcome.invocation_id.startswith(start)]
    if len(found) > 1:
        raise usage_error(f"{len(found)} invocations begin with {start!r}; give more of the id", "toolgate inv ls")
    if not found:
        raise TaskNotFound(invocation_id=start[:64])
    return await gate.parts.lookup.get(found[0].invocation_id)


# ---------------------------------------------------------------- showing


def summary(outcome: "Outcome") -> dict[str, Any]:
    """One line of the history; the names are those of `GET /v1/invocations`."""
    import msgspec

    from toolgate.envelopes.summaries import summarise_outcome

    return msgspec.to_builtins(summarise_outcome(outcome))


def _row(outcome: "Outcome") -> tuple[str, ...]:
    line = summary(outcome)
    return (
        _second(line["started_at"]),
        _tool(outcome),
        outcome.kind.value,
        line["error_number"] or line["error_code"] or "",
        f"{outcome.duration_ms:.1f} ms",
        outcome.invocation_id,
    )


def _second(timestamp: str) -> str:
    return timestamp[:19].replace("T", " ") + "Z"


def _tool(outcome: "Outcome") -> str:
    invocation = outcome.invocation
    return f"{invocation.tool_id or '(none)'}{'@' * bool(invocation.tool_version)}{invocation.tool_version}"


def _print_record(output: Output, outcome: "Outcome") -> None:
    from toolgate.envelopes.facts import failure_of
    from toolgate.envelopes.tool_result import parameters_of

    line, failure = summary(outcome), failure_of(outcome)
    rows = [
        ("invocation", outcome.invocation_id),
        ("tool", _tool(outcome)),
        ("kind", outcome.kind.value),
        ("agent", f"{line['agent_did'] or 'unknown'} (tenant {line['tenant_id'] or 'unknown'})"),
        ("started", line["started_at"]),
        ("duration", f"{outcome.duration_ms:.1f} ms"),
        ("attempts", str(line["attempts"])),
        ("correlation", line["correlation_id"]),
    ]
    if failure is not None:
        rows.append(("error", f"{failure.number or failure.code}: {failure.message}"))
        rows += [(f"  {error.pointer or '/'}", error.message) for error in failure.errors]
    output.table(("PROPERTY", "VALUE"), rows)
    output.text(f"\nParameters (redacted)\n\n{to_json(parameters_of(outcome))}")
    if outcome.ok:
        output.text("\nOutput\n")
        print_value(output, outcome.output)
