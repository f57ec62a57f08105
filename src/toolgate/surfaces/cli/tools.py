"""`toolgate tools`: which tools there are, and how one of them is called."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from toolgate.surfaces.cli.output import Output, open_output, to_json
from toolgate.surfaces.cli.session import Session
from toolgate.surfaces.cli.signature import Parameter, example_call, parameters_of
from toolgate.surfaces.cli.tool_sources import ToolSources

if TYPE_CHECKING:
    from toolgate.model.manifest import Manifest, ToolDefinition, ToolPermissions

app = typer.Typer(help="Look at the tools that can be called.", rich_markup_mode=None, no_args_is_help=True)


@app.command("ls", epilog="\b\nExamples:\n  toolgate tools ls\n  toolgate tools ls --tools mytools.py --json")
def list_tools(context: typer.Context, tools: ToolSources = None) -> None:
    """List the tools that a call can reach here."""
    session = Session.of(context)
    with open_output(as_json=session.as_json) as output:
        _print_list(output, session.run(_definitions(session, tools or ())))


@app.command(
    "show", epilog="\b\nExamples:\n  toolgate tools show http.get\n  toolgate tools show add --tools mytools.py"
)
def show_tool(
    context: typer.Context,
    tool_id: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's id; see: toolgate tools ls")],
    tools: ToolSources = None,
) -> None:
    """Show one tool: what it does, what it takes, what it may touch, and how to call it."""
    session = Session.of(context)
    with open_output(as_json=session.as_json) as output:
        definition = session.run(_definition(session, tool_id, tools or ()))
        if session.as_json:
            output.json(definition)
        else:
            _print_page(output, definition, tools or ())


async def _definitions(session: Session, tool_sources: Sequence[str]) -> "tuple[ToolDefinition, ...]":
    async with session.gate(tool_sources) as gate:
        return gate.parts.catalog.definitions()


async def _definition(session: Session, tool_id: str, tool_sources: Sequence[str]) -> "ToolDefinition":
    async with session.gate(tool_sources) as gate:
        return gate.parts.catalog.definition(tool_id)


# ---------------------------------------------------------------- the list


def _print_list(output: Output, definitions: "Sequence[ToolDefinition]") -> None:
    if output.as_json:
        from toolgate.envelopes.summaries import summarise_tool

        output.json([summarise_tool(definition) for definition in definitions])
        return
    rows = [
        (tool.tool_id, tool.latest_version, tool.latest.effect.value, tool.source_type, _headline(tool.latest))
        for tool in definitions
    ]
    output.table(("TOOL", "VERSION", "EFFECT", "SOURCE", "DESCRIPTION"), rows)


def _headline(manifest: "Manifest") -> str:
    return manifest.description.strip().partition("\n")[0]


# ---------------------------------------------------------------- the page of one tool


def _print_page(output: Output, definition: "ToolDefinition", tool_sources: Sequence[str]) -> None:
    latest = definition.latest
    output.text(f"{definition.tool_id}@{definition.latest_version}\n\n{latest.description.strip()}\n")
    output.table(("PROPERTY", "VALUE"), _properties(definition))
    output.text("\nParameters\n")
    parameters = parameters_of(latest.parameters_schema)
    if parameters:
        output.table(("NAME", "TYPE", "REQUIRED", "DEFAULT", "DESCRIPTION"), [_parameter_row(p) for p in parameters])
    else:
        output.text("none")
    output.text(f"\nSchema\n\n{to_json(latest.parameters_schema)}")
    sources = "".join(f" --tools {shlex.quote(source)}" for source in tool_sources)
    output.text(f"\nCall it\n\n{example_call(definition.tool_id, latest.parameters_schema)}{sources}")


def _properties(definition: "ToolDefinition") -> list[tuple[str, str]]:
    latest = definition.latest
    return [
        ("effect", latest.effect.value),
        ("category", latest.category),
        ("source", definition.source_type),
        ("versions", ", ".join(manifest.version for manifest in definition.versions)),
        ("timeout", f"{latest.execution_config.default_timeout_seconds:g} s"),
        ("approval", "required" if latest.execution_config.requires_approval else "not required"),
        ("tags", ", ".join(latest.tags) or "none"),
        *_permissions(latest.permissions),
    ]


def _permissions(permissions: "ToolPermissions") -> list[tuple[str, str]]:
    """The most the tool can be granted; a call gets what its token also allows."""
    hosts = [f"{need.host}:{need.port}" if need.port else need.host for need in permissions.network]
    paths = [f"{mount.path} ({mount.mode})" for mount in permissions.filesystem]
    return [
        ("may reach hosts", _hosts(hosts)),
        ("may use paths", ", ".join(paths) or "none"),
        ("may use credentials", ", ".join(permissions.credentials) or "none"),
    ]


def _hosts(hosts: Sequence[str]) -> str:
    return "those that the caller's token allows" if "*" in hosts else ", ".join(hosts) or "none"


def _parameter_row(parameter: Parameter) -> tuple[str, str, str, str, str]:
    default = "" if parameter.default is None else to_json(parameter.default)
    required = "yes" if parameter.required else "no"
    return parameter.name, parameter.type_text, required, default, parameter.description
