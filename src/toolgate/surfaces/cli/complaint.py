"""What went wrong, said to a person: the code, what, why, and the next command to try. Never a traceback."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from toolgate.errors import (
    DuplicateTool,
    FieldError,
    InvalidManifest,
    MisuseError,
    StoreUnavailable,
    TaskNotFound,
    ToolgateError,
    ToolNotFound,
)
from toolgate.surfaces.cli.exit_codes import EXIT_CODES, ExitCode

DOCTOR: Final = "toolgate doctor"
_ELSEWHERE: Final = "use another place: toolgate --data-dir DIR …"


@dataclass(frozen=True)
class Complaint:
    code: str
    what: str
    exit_code: ExitCode
    why: str = ""
    errors: Sequence[FieldError] = ()
    next_steps: Sequence[str] = field(default_factory=tuple[str, ...])


class CommandFailed(Exception):
    """Ends a command with a complaint."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.what)
        self.complaint = complaint


def usage_error(what: str, *next_steps: str, why: str = "") -> CommandFailed:
    """The user asked for something that cannot be."""
    steps = next_steps or ("toolgate --help",)
    return CommandFailed(Complaint("usage", what, ExitCode.USAGE, why=why, next_steps=steps))


def complaint_of(error: Exception) -> Complaint:
    """What to say about an error that ended a command."""
    from toolgate.config import ConfigurationError

    match error:
        case CommandFailed():
            return error.complaint
        case ConfigurationError():
            return _configuration(error)
        case StoreUnavailable():
            return _store(error)
        case ToolgateError():
            return _reported(error)
        case MisuseError():
            return Complaint("usage", str(error), ExitCode.USAGE, next_steps=(DOCTOR,))
        case OSError():
            return _system(error)
        case ImportError():
            what = f"the Python package {error.name or 'of this feature'} is missing"
            return Complaint("not_installed", what, ExitCode.UNREACHABLE, next_steps=(DOCTOR,))
        case _:
            return _unexpected(error)


_STEPS: Final[Mapping[type[ToolgateError], Sequence[str]]] = {
    ToolNotFound: ("toolgate tools ls", "a tool of your own needs --tools FILE.py"),
    TaskNotFound: ("toolgate inv ls",),
    DuplicateTool: ("give your function another name or version: @tool(tool_id='my.tool', version='1.1.0')",),
    InvalidManifest: ("mend the function's @tool options",),
}


def why_of(cls: type[ToolgateError]) -> str:
    """The rule behind a row of the error table: its class says it in one sentence."""
    return (cls.__doc__ or "").strip().partition("\n")[0].partition(". ")[0].rstrip(".")


def _configuration(error: ValueError) -> Complaint:
    return Complaint(
        "configuration",
        str(error),
        ExitCode.USAGE,
        why="settings come from toolgate.toml (or --config FILE), then from TOOLGATE_… variables; "
        "unknown keys are errors",
        next_steps=("mend the setting, then: toolgate doctor",),
    )


def _store(error: StoreUnavailable) -> Complaint:
    return Complaint(
        f"{error.number} {error.code}",
        "the store cannot be used, and nothing is called without a record",
        ExitCode.UNREACHABLE,
        why=_cause(error),
        next_steps=(DOCTOR, _ELSEWHERE),
    )


def _cause(error: BaseException) -> str:
    match error.__cause__:
        case OSError() as cause:
            return f"{cause.strerror or type(cause).__name__}: {cause.filename}" if cause.filename else str(cause)
        case None:
            return ""
        case cause:
            # Only the embedded database's words are known to hold no address and no password.
            known = type(cause).__module__ == "sqlite3"
            return f"the database says: {cause}" if known else f"the cause was {type(cause).__name__}"


def _reported(error: ToolgateError) -> Complaint:
    return Complaint(
        f"{error.number} {error.code}" if error.number else error.code,
        error.message,
        EXIT_CODES[error.kind],
        why=why_of(type(error)),
        errors=error.errors,
        next_steps=_STEPS.get(type(error), (DOCTOR,)),
    )


def _system(error: OSError) -> Complaint:
    what = f"{error.filename}: {error.strerror}" if error.filename else (error.strerror or str(error))
    elsewhere = (_ELSEWHERE,) if error.filename else ()
    return Complaint("system", what, ExitCode.UNREACHABLE, next_steps=(DOCTOR, *elsewhere))


def _unexpected(error: Exception) -> Complaint:
    return Complaint(
        "E3999 internal_error",
        f"something unexpected happened ({type(error).__name__})",
        ExitCode.UNREACHABLE,
        why="this is a fault of Toolgate, not of your input",
        next_steps=("run it again with --debug to see where, and report it",),
    )
