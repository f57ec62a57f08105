"""Python functions as tools: `@tool` says how, type hints and the docstring say what.

The decorator only takes notes; the schema is made when the function is registered, so that a module full of tools
imports quickly and may name types that are defined further down.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, TypeVar, cast, get_args, overload

import msgspec
import orjson
from msgspec.structs import replace

from toolgate.errors import MisuseError
from toolgate.model.agent import Mount
from toolgate.model.effect import Effect
from toolgate.model.manifest import (
    TOOL_ID_PATTERN,
    VERSION_PATTERN,
    Category,
    ExecutionConfig,
    Manifest,
    NetworkPermission,
    ToolPermissions,
)
from toolgate.model.tool import NativeTarget, Tool
from toolgate.registry.sources.signature import Signature, read_signature, underlying

EffectName = Literal["pure", "idempotent_write", "non_idempotent_write", "external_side_effects"]
Function = TypeVar("Function", bound=Callable[..., Any])

_ATTRIBUTE = "__toolgate__"
_CHOICES: dict[str, tuple[str, ...]] = {"effect": tuple(Effect), "category": get_args(Category)}


class NativeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `@tool` was told. None means: take it from the function."""

    tool_id: str | None = None
    tool_name: str | None = None
    description: str | None = None
    version: str = "1.0.0"
    category: Category = "computation"
    effect: Effect = Effect.NON_IDEMPOTENT_WRITE
    tags: tuple[str, ...] = ()
    timeout_seconds: float | None = None
    blocking: bool = True
    sandbox: bool = False
    permissions: ToolPermissions = ToolPermissions()
    requires_approval: bool = False
    result_schema: dict[str, Any] | None = None
    owner: str | None = None
    data_classification: str | None = None


@overload
def tool(function: Function, /) -> Function: ...


@overload
def tool(
    function: Function,
    /,
    *,
    tool_id: str | None = ...,
    tool_name: str | None = ...,
    description: str | None = ...,
    version: str = ...,
    category: Category = ...,
    effect: EffectName | Effect = ...,
    tags: Sequence[str] = ...,
    timeout_seconds: float | None = ...,
    blocking: bool = ...,
    sandbox: bool = ...,
    permissions: ToolPermissions | Mapping[str, Any] = ...,
    requires_approval: bool = ...,
    result_schema: Mapping[str, Any] | None = ...,
    owner: str | None = ...,
    data_classification: str | None = ...,
) -> Function: ...


@overload
def tool(
    *,
    tool_id: str | None = ...,
    tool_name: str | None = ...,
    description: str | None = ...,
    version: str = ...,
    category: Category = ...,
    effect: EffectName | Effect = ...,
    tags: Sequence[str] = ...,
    timeout_seconds: float | None = ...,
    blocking: bool = ...,
    sandbox: bool = ...,
    permissions: ToolPermissions | Mapping[str, Any] = ...,
    requires_approval: bool = ...,
    result_schema: Mapping[str, Any] | None = ...,
    owner: str | None = ...,
    data_classification: str | None = ...,
) -> Callable[[Function], Function]: ...


def tool(function: Any = None, /, **options: Any) -> Any:
    """Make a function a tool: `@tool`, `@tool(effect="pure")` or `tool(function, tool_id="http.get")`.

    The function stays what it was and can be called directly.

    Raises:
        MisuseError: an option makes no sense, or this is not a function.
    """
    checked = _read_options(options)
    if function is None:
        return lambda decorated: _mark(decorated, checked)  # pyright: ignore[reportUnknownLambdaType, reportUnknownVariableType]
    return _mark(function, checked)


def is_tool(value: Any) -> bool:
    """True for what `@tool` has marked."""
    return callable(value) and isinstance(getattr(value, _ATTRIBUTE, None), NativeOptions)


def native_tool(function: Callable[..., Any]) -> Tool:
    """The tool that a function describes, marked with `@tool` or not.

    Raises:
        MisuseError: the function cannot be a tool.
    """
    _require_function(function)
    options: NativeOptions = getattr(function, _ATTRIBUTE, None) or NativeOptions()
    signature = read_signature(function)
    manifest = _manifest(function, options, signature)
    target = NativeTarget(
        function=function,
        is_async=inspect.iscoroutinefunction(underlying(function)),
        blocking=options.blocking,
        context_parameter=signature.context_parameter,
        bind=signature.bind,
    )
    runner = "local" if options.sandbox else "in_process"
    return Tool(key=content_key(manifest), manifest=manifest, runner=runner, target=target)


def content_key(manifest: Manifest) -> str:
    """A name for this content of this version: other content, other key."""
    canonical = orjson.dumps(msgspec.to_builtins(manifest), option=orjson.OPT_SORT_KEYS)
    return f"{manifest.tool_id}@{manifest.version}#{sha256(canonical).hexdigest()[:12]}"


def _manifest(function: Callable[..., Any], options: NativeOptions, signature: Signature) -> Manifest:
    tool_id = options.tool_id or _name_of(function)
    execution_config = ExecutionConfig(requires_approval=options.requires_approval)
    if options.timeout_seconds is not None:
        execution_config = replace(execution_config, default_timeout_seconds=options.timeout_seconds)
    return Manifest(
        tool_id=tool_id,
        tool_name=options.tool_name or tool_id,
        version=options.version,
        description=signature.description if options.description is None else options.description,
        category=options.category,
        parameters_schema=signature.parameters_schema,
        result_schema=signature.result_schema() if options.result_schema is None else options.result_schema,
        permissions=options.permissions,
        execution_config=execution_config,
        effect=options.effect,
        tags=options.tags,
        owner=options.owner,
        data_classification=options.data_classification,
    )


def _name_of(function: Callable[..., Any]) -> str:
    plain = underlying(function)
    name = type(function).__name__ if plain.__name__ == "__call__" else plain.__name__
    if not re.fullmatch(TOOL_ID_PATTERN, name):
        raise MisuseError(f"{name} cannot be the name of a tool; say which: tool(…, tool_id='my.tool')")
    return name


def _mark(function: Any, options: NativeOptions) -> Any:
    _require_function(function)
    if is_tool(function) and getattr(function, _ATTRIBUTE) != options:
        function = functools.partial(function)  # a second name for the same function must not rename the first
    try:
        setattr(function, _ATTRIBUTE, options)
    except (AttributeError, TypeError):  # bound methods and built-ins take no notes
        function = functools.partial(function)
        setattr(function, _ATTRIBUTE, options)
    return function


def _require_function(function: Any) -> None:
    if isinstance(function, type) or not callable(function):
        raise MisuseError(f"a tool is a function or another callable, not {_describe(function)}")
    if isinstance(function, staticmethod | classmethod):
        raise MisuseError("put @tool below @staticmethod or @classmethod, or mark the method of the class itself")


def _describe(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"a value of type {type(value).__name__}"


def _read_options(options: dict[str, Any]) -> NativeOptions:
    unknown = sorted(options.keys() - set(NativeOptions.__struct_fields__))
    if unknown:
        raise MisuseError(
            f"@tool has no option {', '.join(unknown)}; it has {', '.join(NativeOptions.__struct_fields__)}"
        )
    for option, allowed in _CHOICES.items():
        if options.get(option, allowed[0]) not in allowed:
            raise MisuseError(f"@tool: {option} must be one of {', '.join(allowed)}")
    given = {**options, "permissions": _permissions(options.get("permissions", {}))}
    try:
        checked = msgspec.convert(given, NativeOptions)
    except msgspec.ValidationError as exc:
        raise MisuseError(f"@tool: {exc}") from exc
    _require_form("tool_id", checked.tool_id, TOOL_ID_PATTERN)
    _require_form("version", checked.version, VERSION_PATTERN)
    if checked.timeout_seconds is not None and not 0 < checked.timeout_seconds < float("inf"):
        raise MisuseError("@tool: timeout_seconds must be greater than 0")
    return checked


def _require_form(option: str, value: str | None, pattern: str) -> None:
    if value is not None and not re.fullmatch(pattern, value):
        raise MisuseError(f"@tool: {option} {value!r} does not have the form {pattern}")


def _permissions(value: Any) -> ToolPermissions:
    if isinstance(value, ToolPermissions):
        return value
    if not isinstance(value, Mapping):
        raise MisuseError("@tool: permissions must be ToolPermissions or a mapping of network, filesystem, credentials")
    wanted = dict(cast("Mapping[str, Any]", value))
    try:
        wanted["network"] = [_network(entry) for entry in wanted.get("network", ())]
        wanted["filesystem"] = [_mount(entry) for entry in _mount_entries(wanted.get("filesystem", ()))]
        return msgspec.convert(wanted, ToolPermissions)
    except (TypeError, ValueError) as exc:  # msgspec's errors are ValueErrors
        raise MisuseError(f"@tool: permissions: {exc}") from exc


def _network(entry: Any) -> Any:
    """`"api.example.com"` and `"api.example.com:443"` are short for an entry with host and port."""
    if not isinstance(entry, str):
        return entry
    host, colon, port = entry.rpartition(":")
    return NetworkPermission(host=host, port=int(port)) if colon and port.isdecimal() else NetworkPermission(host=entry)


def _mount_entries(value: Any) -> Any:
    return cast("Mapping[str, Any]", value).items() if isinstance(value, Mapping) else value


def _mount(entry: Any) -> Any:
    """`"/data"` is short for reading it; a mapping gives the mode of each path."""
    if isinstance(entry, str):
        return Mount(path=entry)
    if isinstance(entry, tuple):
        path, mode = cast("tuple[str, Any]", entry)
        return {"path": path, "mode": mode}
    return entry
