"""Options that belong to every command. They may stand before the command or anywhere behind it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="DIR", help="Where records and keys are kept (default: .toolgate)."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings file (default: toolgate.toml, if it is there)."),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print data as JSON, for machines.")]
DebugFlag = Annotated[bool, typer.Option("--debug", help="Show the layer's log, and tracebacks, on stderr.")]

_FLAGS: Final = frozenset({"--json", "--debug"})
_WITH_VALUE: Final = ("--data-dir", "--config")


def hoist(arguments: Sequence[str]) -> list[str]:
    """Move the global options to the front, where the parser of the program looks for them."""
    front: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            return [*front, *rest, argument, *waiting]
        if argument in _FLAGS or argument.startswith(tuple(f"{name}=" for name in _WITH_VALUE)):
            front.append(argument)
        elif argument in _WITH_VALUE:
            front += [argument, *waiting[:1]]
            waiting = waiting[1:]
        else:
            rest.append(argument)
    return front + rest
