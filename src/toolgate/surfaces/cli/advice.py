"""What to try next after a call that did not succeed. Every step is a command, or names the setting to change."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from toolgate.errors import find_class
from toolgate.surfaces.cli.complaint import DOCTOR, Complaint, why_of
from toolgate.surfaces.cli.exit_codes import EXIT_CODES
from toolgate.surfaces.cli.parameters import Parameters
from toolgate.surfaces.cli.signature import Parameter, parameters_of

if TYPE_CHECKING:
    from toolgate.config import Settings
    from toolgate.model.manifest import Manifest
    from toolgate.model.outcome import Failure, Outcome


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A call that was made, and what its maker could have known."""

    outcome: "Outcome"
    failure: "Failure"
    settings: "Settings"
    tool_ids: Sequence[str]
    manifest: "Manifest | None"
    parameters: Parameters
    tool_sources: Sequence[str] = ()

    @property
    def tool_id(self) -> str:
        return self.outcome.invocation.tool_id

    @property
    def show_tool(self) -> str:
        sources = [word for source in self.tool_sources for word in ("--tools", source)]
        return shlex.join(["toolgate", "tools", "show", self.tool_id, *sources])

    @property
    def call_again(self) -> str:
        """The parameters are left out: they may be secrets, and what is said here ends up in logs."""
        return f"toolgate call {shlex.quote(self.tool_id)} …"


def complaint_about(attempt: Attempt) -> Complaint:
    """The outcome in words."""
    failure = attempt.failure
    return Complaint(
        code=f"{failure.number} {failure.code}" if failure.number else failure.code,
        what=failure.message,
        exit_code=EXIT_CODES[attempt.outcome.kind],
        why=why_of(find_class(failure.number, failure.code)),
        errors=failure.errors,
        next_steps=next_steps(attempt),
    )


def next_steps(attempt: Attempt) -> list[str]:
    key = attempt.failure.number or attempt.failure.code
    advise = _ADVICE.get(key)
    steps = advise(attempt) if advise else []
    return steps or [f"toolgate inv show {attempt.outcome.invocation_id}"]


# ---------------------------------------------------------------- one function a failure


def _find_tool(attempt: Attempt) -> list[str]:
    close = get_close_matches(attempt.tool_id, attempt.tool_ids, n=1)
    meant = [f"did you mean {close[0]}?  toolgate tools show {shlex.quote(close[0])}"] if close else []
    return [*meant, "toolgate tools ls", "a tool of your own needs --tools FILE.py"]


def _find_version(attempt: Attempt) -> list[str]:
    return [attempt.show_tool]


# Where faults lie that are not in the parameters, but in the options beside them.
_OPTIONS: Final = ("/resource_limits/", "/execution_options/")


def _mend_parameters(attempt: Attempt) -> list[str]:
    if any(error.pointer.startswith(_OPTIONS) for error in attempt.failure.errors):
        return ["toolgate call --help"]
    return [*_json_hints(attempt), attempt.show_tool]


def _json_hints(attempt: Attempt) -> list[str]:
    if attempt.manifest is None:
        return []
    faulty = {error.pointer.removeprefix("/").partition("/")[0] for error in attempt.failure.errors}
    wanted = parameters_of(attempt.manifest.parameters_schema)
    return [
        _json_hint(parameter, attempt.parameters.values[parameter.name])
        for parameter in wanted
        if parameter.name in faulty & attempt.parameters.written_as_text and not parameter.takes_text
    ]


def _json_hint(parameter: Parameter, text: str) -> str:
    shown = text if _is_small_json(text) else parameter.types[0].upper()
    return f"{parameter.name}={shown} is text; write {parameter.name}:={shown} for {parameter.type_text}"


def _is_small_json(text: str) -> bool:
    """True for a number or a truth value: the only values that are repeated, since no secret looks like that."""
    import msgspec

    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(value, bool | int | float) and len(text) <= 20


def _allow_host(attempt: Attempt) -> list[str]:
    details, agent = attempt.failure.details, attempt.settings.local_agent
    host, port = str(details.get("host", "HOST")), details.get("port")
    if host in agent.allowed_hosts and agent.allowed_ports and port not in agent.allowed_ports:
        return _allow(attempt, "allowed_ports", [*agent.allowed_ports, port])
    if host in agent.allowed_hosts:
        return [f"{host} stands for an inside address; to reach it, allow that address itself in allowed_hosts"]
    return _allow(attempt, "allowed_hosts", [*agent.allowed_hosts, host])


def _allow_paths(attempt: Attempt) -> list[str]:
    return _allow(attempt, "allowed_paths", [*attempt.settings.local_agent.allowed_paths, "/PATH"])


def _allow_secret(attempt: Attempt) -> list[str]:
    name = str(attempt.failure.details.get("credential", "NAME"))
    return _allow(attempt, "allowed_secrets", [*attempt.settings.local_agent.allowed_secrets, name])


def _allow(attempt: Attempt, setting: str, values: Sequence[Any]) -> list[str]:
    import msgspec

    listed = msgspec.json.format(msgspec.json.encode(values), indent=0).decode()
    return [
        f"in toolgate.toml:  [local_agent] {setting} = {listed}",
        f"or once:  TOOLGATE_LOCAL_AGENT__{setting.upper()}={shlex.quote(listed)} {attempt.call_again}",
    ]


def _give_time(attempt: Attempt) -> list[str]:
    limit = attempt.manifest.execution_config.default_timeout_seconds if attempt.manifest else None
    if limit is not None and attempt.outcome.invocation.timeout_seconds >= limit:
        return [f"the tool's own limit is {limit:g} s: raise it there: @tool(timeout_seconds=…)"]
    return ["give it more time: --timeout 60s"]


def _look_inside(attempt: Attempt) -> list[str]:
    return [f"see what it raised:  {attempt.call_again} --debug", f"toolgate inv show {attempt.outcome.invocation_id}"]


def _no_sandbox(attempt: Attempt) -> list[str]:
    return ["this version has no sandbox; take sandbox=True off a function that you trust", DOCTOR]


def _no_approver(attempt: Attempt) -> list[str]:
    return ["this version has no approvals; take requires_approval=True off a tool that may run without"]


def _other_key(attempt: Attempt) -> list[str]:
    return ["use another --idempotency-key for another call"]


def _see_result_schema(attempt: Attempt) -> list[str]:
    return [attempt.show_tool]


def _ask_doctor(attempt: Attempt) -> list[str]:
    return [DOCTOR]


_ADVICE: Final[Mapping[str, Callable[[Attempt], list[str]]]] = {
    "E3001": _find_tool,
    "E3002": _find_version,
    "E3006": _find_version,
    "E3101": _no_sandbox,
    "E3103": _give_time,
    "E3108": _look_inside,
    "E3112": _no_approver,
    "E3113": _other_key,
    "E3203": _allow_paths,
    "E3204": _allow_host,
    "E3205": _allow_secret,
    "E3501": _see_result_schema,
    "E3506": _see_result_schema,
    "E3507": _see_result_schema,
    "E3999": _ask_doctor,
    "invalid_parameters": _mend_parameters,
}
