"""`toolgate up`: the server."""

import ipaddress
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgate.surfaces.cli.complaint import CommandFailed, Complaint, usage_error
from toolgate.surfaces.cli.exit_codes import ExitCode
from toolgate.surfaces.cli.output import open_output, say
from toolgate.surfaces.cli.session import Session
from toolgate.surfaces.cli.tool_sources import ToolSources, add_tools, load_tools

if TYPE_CHECKING:
    from toolgate.app import Toolgate
    from toolgate.config import Settings

EPILOG = "\b\nExamples:\n  toolgate up\n  toolgate up --port 8080 --tools mytools.py"


def up(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="Address to listen on. Others than loopback only if given here.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Port to listen on (default: 4310; 0: any free one).")
    ] = None,
    tools: ToolSources = None,
) -> None:
    """Start the server (REST on 127.0.0.1:4310) and run it until Ctrl-C. Logs go to stderr, as JSON."""
    from toolgate.audit.log import configure_logging

    session = Session.of(context)
    settings = session.settings()
    check_exposure(host, settings.server.host)
    configure_logging(level="debug" if session.debug else settings.server.log_level)
    with open_output(as_json=session.as_json):
        _serve(settings, host=host, port=port, tool_sources=tools or ())


def check_exposure(asked: str | None, configured: str) -> None:
    """Listening for other machines is a decision that is made on the command line, and nowhere in passing.

    Raises:
        CommandFailed: only the settings ask for it.
    """
    if asked is None and not is_loopback(configured):
        why = "the server speaks plain HTTP; other machines would reach it"
        raise usage_error(
            f"server.host is {configured}, which is not loopback", f"toolgate up --host {configured}", why=why
        )
    if asked is not None and not is_loopback(asked):
        say(f"! {asked} lets other machines reach this server, without encryption; put a TLS proxy before it", "yellow")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _serve(settings: "Settings", *, host: str | None, port: int | None, tool_sources: Sequence[str]) -> None:
    from toolgate.surfaces.rest.server import BindError, serve

    functions = [function for source in tool_sources for function in load_tools(source)]

    def prepare(gate: "Toolgate") -> None:
        add_tools(gate, functions)

    def announce(url: str) -> None:
        say(announcement(url, Path(settings.data_dir).absolute()))

    try:
        serve(settings, host=host, port=port, announce=announce, prepare=prepare)
    except BindError as error:
        next_steps = ("another address: toolgate up --host 127.0.0.1 --port 0", "toolgate doctor")
        raise CommandFailed(Complaint("address", str(error), ExitCode.UNREACHABLE, next_steps=next_steps)) from error


def announcement(url: str, data_dir: Path) -> str:
    """Where everything is, and one line that works as it stands."""
    from toolgate.permissions.operator_key import OPERATOR_KEY_FILE

    place = shlex.quote(str(data_dir))
    mint = f"toolgate token mint --tool echo --agent did:example:me --tenant local --data-dir {place}"
    return "\n".join(
        (
            f"toolgate is up at {url}",
            f"  REST          {url}/v1  ({url}/openapi.json)",
            f"  health        {url}/healthz  {url}/readyz  {url}/metrics",
            f"  operator key  {data_dir / OPERATOR_KEY_FILE}",
            "  try it:",
            f"    curl -s {url}/v1/invocations -H 'content-type: application/json' \\",
            f'      -H "authorization: Bearer $({mint})" \\',
            """      -d '{"tool_id": "echo", "parameters": {"text": "hello"}}'""",
            "  Ctrl-C ends it; calls under way get 30 seconds",
        )
    )
