"""Tools of one's own: every `@tool` function of a Python module or file named with `--tools`."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolgate.errors import MisuseError
from toolgate.surfaces.cli.complaint import CommandFailed, Complaint, usage_error
from toolgate.surfaces.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from toolgate.app import Toolgate

ToolSources = Annotated[
    list[str] | None,
    typer.Option("--tools", metavar="FILE.py|MODULE", help="Add the @tool functions found there. May repeat."),
]


def load_tools(source: str) -> list[Callable[..., Any]]:
    """Import a module or file and answer the tools in it.

    Raises:
        CommandFailed: it cannot be imported, or holds no tool.
    """
    module = _import(source)
    functions = {id(value): value for value in vars(module).values() if _is_tool(value)}
    if not functions:
        raise usage_error(f"{source} has no tool", "put @tool (from toolgate import tool) above a function in it")
    return list(functions.values())


def add_tools(gate: "Toolgate", functions: Iterable[Callable[..., Any]]) -> None:
    """Register the functions.

    Raises:
        CommandFailed: one of them cannot be a tool.
    """
    for function in functions:
        try:
            gate.add(function)
        except MisuseError as error:
            raise usage_error(str(error), "mend the function's signature or its @tool options") from error


def _is_tool(value: Any) -> bool:
    from toolgate.registry.sources.native import is_tool

    return is_tool(value)


def _import(source: str) -> ModuleType:
    is_file = source.endswith(".py") or Path(source).is_file()
    if not source or (is_file and not Path(source).is_file()):
        raise usage_error(f"--tools {source}: there is no such file")
    try:
        return _import_file(Path(source)) if is_file else _import_module(source)
    except ModuleNotFoundError as error:
        if error.name is not None and source.startswith(error.name):
            raise usage_error(f"--tools {source}: there is no such module or file") from error
        raise _broken(source, error) from error
    except (Exception, SystemExit) as error:  # somebody else's code, run for the first time
        raise _broken(source, error) from error


def _import_module(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(name)


def _import_file(path: Path) -> ModuleType:
    sys.path.insert(0, str(path.resolve().parent))
    name = f"toolgate_tools_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise usage_error(f"--tools {path}: this is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # type hints are looked up there
    spec.loader.exec_module(module)
    return module


def _broken(source: str, error: BaseException) -> CommandFailed:
    line = _last_line_in(source, error)
    where = f" (line {line})" if line is not None else ""
    what = f"--tools {source} cannot be imported: {type(error).__name__}: {error}{where}"
    next_steps = ("run it again with --debug to see where",)
    return CommandFailed(Complaint("import", what, ExitCode.USAGE, next_steps=next_steps))


def _last_line_in(source: str, error: BaseException) -> int | None:
    line, step = None, error.__traceback__
    while step is not None:
        if Path(step.tb_frame.f_code.co_filename).name == Path(source).name:
            line = step.tb_lineno
        step = step.tb_next
    return line
