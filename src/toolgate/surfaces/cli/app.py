"""Assembles the program: the commands, the options they share, and the border where errors become words."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from toolgate import __version__
from toolgate.surfaces.cli import call, demo, doctor, invocations, token, tools, up
from toolgate.surfaces.cli.complaint import complaint_of
from toolgate.surfaces.cli.exit_codes import ExitCode
from toolgate.surfaces.cli.global_options import ConfigFile, DataDir, DebugFlag, JsonFlag, hoist
from toolgate.surfaces.cli.output import complain, say
from toolgate.surfaces.cli.session import Session
from toolgate.surfaces.cli.streams import open_standard_streams

EPILOG = """
\b
First steps:
  toolgate demo
  toolgate call echo text=hello
  toolgate tools show text.stats
  toolgate up

\b
--json, --data-dir, --config and --debug may stand behind the command, too.
Exit codes: 0 ok, 1 tool error, 2 usage, 3 not found, 4 denied, 5 waits for
approval, 6 rate or circuit, 7 timeout, 8 unreachable.
"""


class Program(TyperGroup):
    """The root of all commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, hoist(args))

    def invoke(self, ctx: Any) -> Any:
        with _errors_as_complaints(ctx):
            return super().invoke(ctx)


# Plain help pages: rich would draw boxes, and take longer to import than the rest of the page takes.
app = typer.Typer(
    name="toolgate",
    cls=Program,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"toolgate {__version__}")
        raise typer.Exit


VersionFlag = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
]


@app.callback(epilog=EPILOG)
def program(
    context: typer.Context,
    data_dir: DataDir = None,
    config: ConfigFile = None,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
    version: VersionFlag = False,
) -> None:
    """Call tools through one gate: checked, limited, recorded."""
    context.obj = Session(data_dir=data_dir, config=config, as_json=as_json, debug=debug)


app.command(epilog=up.EPILOG)(up.up)
app.command(epilog=demo.EPILOG)(demo.demo)
app.command(epilog=call.EPILOG)(call.call)
app.add_typer(tools.app, name="tools")
app.add_typer(invocations.app, name="inv")
app.add_typer(token.app, name="token")
app.command(epilog=doctor.EPILOG)(doctor.doctor)


def run(arguments: list[str] | None = None) -> int:
    """Run the program; the answer is its exit code."""
    open_standard_streams()
    try:
        get_command(app).main(arguments, prog_name="toolgate")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else ExitCode.OK
    return ExitCode.OK


@contextmanager
def _errors_as_complaints(context: typer.Context) -> Generator[None]:
    """No user ever sees a traceback, unless they ask for it."""
    try:
        yield
    except (typer.Exit, typer.Abort, typer.TyperException):
        raise
    except KeyboardInterrupt:
        say("interrupted")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    except BrokenPipeError:
        raise typer.Exit(ExitCode.BROKEN_PIPE) from None
    except Exception as error:
        complaint = complaint_of(error)
        if Session.of(context).debug:
            sys.excepthook(type(error), error, error.__traceback__)
        complain(complaint)
        raise typer.Exit(complaint.exit_code) from None
