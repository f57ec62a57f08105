"""All settings: the components' own sections, assembled. One TOML file, then the environment; unknown keys are errors.

`TOOLGATE_STORE=…` sets a top-level key, `TOOLGATE_EXECUTOR__THREADS=8` a key of a section; lists are written as JSON.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import msgspec

from toolgate.permissions.settings import LocalAgentSettings, PermissionCheckerSettings
from toolgate.sandbox.settings import ExecutorSettings
from toolgate.validation.settings import ByteLimit, ParameterSettings, ResultValidatorSettings

ENVIRONMENT_PREFIX = "TOOLGATE_"
DEFAULT_FILE = Path("toolgate.toml")
DEFAULT_DATA_DIR = Path(".toolgate")


class ConfigurationError(ValueError):
    """A setting is wrong. The text says which, and where it came from."""


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `[server]` section."""

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 4310
    max_body_bytes: ByteLimit = 5 * 1024 * 1024
    log_level: Literal["debug", "info", "warning", "error"] = "info"


class StorageSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `[storage]` section. `FULL` survives a power cut, `NORMAL` only the end of the process."""

    synchronous: Literal["FULL", "NORMAL"] = "FULL"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set. The bare default runs without any service."""

    data_dir: str = str(DEFAULT_DATA_DIR)
    store: str | None = None
    storage: StorageSettings = StorageSettings()
    server: ServerSettings = ServerSettings()
    executor: ExecutorSettings = ExecutorSettings()
    parameters: ParameterSettings = ParameterSettings()
    permission_checker: PermissionCheckerSettings = PermissionCheckerSettings()
    result_validator: ResultValidatorSettings = ResultValidatorSettings()
    local_agent: LocalAgentSettings = LocalAgentSettings()

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{self.data_dir}/toolgate.db"


def load_settings(path: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings file (`toolgate.toml` if it is there) and the environment.

    Raises:
        ConfigurationError: the file cannot be read, or a key or value is wrong.
    """
    document = _read(path)
    build_settings(document, source=str(path or DEFAULT_FILE))  # first alone, so that a fault names where it lies
    overlay = _from_environment(os.environ if environment is None else environment)
    return build_settings(_merge(document, overlay), source=f"environment ({ENVIRONMENT_PREFIX}…)")


def build_settings(document: Mapping[str, Any], *, source: str = "settings") -> Settings:
    """Check a settings tree.

    Raises:
        ConfigurationError
    """
    try:
        # Lax, because the environment knows only text.
        return msgspec.convert(document, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{source}: {error}") from None


def _read(path: Path | None) -> dict[str, Any]:
    if path is None and not DEFAULT_FILE.exists():
        return {}
    file = path or DEFAULT_FILE
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: {error}") from None
    except RecursionError:
        raise ConfigurationError(f"{file}: nested too deeply") from None


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in environment.items():
        if not name.startswith(ENVIRONMENT_PREFIX) or name.startswith(f"{ENVIRONMENT_PREFIX}TEST_"):
            continue
        *sections, key = name.removeprefix(ENVIRONMENT_PREFIX).lower().split("__")
        branch: dict[str, Any] | None = tree
        for section in sections:
            branch = _section(branch, section)
        if branch is None or isinstance(branch.get(key), dict):
            raise ConfigurationError(f"{name}: this is set both as one value and as a section")
        branch[key] = _value(name, value)
    return tree


def _section(branch: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
    below = None if branch is None else branch.setdefault(name, {})
    return cast(dict[str, Any], below) if isinstance(below, dict) else None


def _value(name: str, text: str) -> Any:
    if not text.startswith(("[", "{")):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        raise ConfigurationError(f"{name}: not valid JSON") from None


def _merge(base: dict[str, Any], overlay: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in overlay.items():
        below = merged.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            merged[key] = _merge(cast(dict[str, Any], below), cast(dict[str, Any], value))
        else:
            merged[key] = value
    return merged
