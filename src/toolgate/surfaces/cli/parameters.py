"""Parameters as people write them in a shell: `name=text`, `name:=json`, `name=@file`, `name:=@file.json`."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from toolgate.surfaces.cli.complaint import CommandFailed, usage_error

MAX_FILE_BYTES: Final = 64 * 1024 * 1024

_ITEM: Final = re.compile(r"(?P<name>[^=]+?)(?P<separator>:?=)(?P<value>.*)", re.DOTALL)
_HOW_TO = "write name=text, name:=json, name=@file or name:=@file.json"


@dataclass(frozen=True)
class Parameters:
    """What a call is given, and which of it was written as bare text (and might have been meant as a number)."""

    values: dict[str, Any]
    written_as_text: frozenset[str] = frozenset()


def parse_parameters(items: Sequence[str], *, document: str | None = None) -> Parameters:
    """Read the parameters of a call. Items stand above what the document (`--params`) says.

    Raises:
        CommandFailed: something cannot be read, or a name occurs twice.
    """
    values = _parse_document(document) if document is not None else {}
    seen: set[str] = set()
    as_text: set[str] = set()
    for item in items:
        name, separator, value = _split(item)
        if name in seen:
            raise usage_error(f"the parameter {name!r} is given twice")
        seen.add(name)
        values[name] = _parse_json(_content(value), where=f"{name}:=") if separator == ":=" else _content(value)
        if separator == "=":
            as_text.add(name)
    return Parameters(values, frozenset(as_text))


def _split(item: str) -> tuple[str, str, str]:
    match = _ITEM.fullmatch(_unicode(item))
    if match is None:
        raise usage_error(f"{item!r} is not a parameter", _HOW_TO)
    return match["name"], match["separator"], match["value"]


def _parse_document(document: str) -> dict[str, Any]:
    text = _read("-") if document == "-" else _content(_unicode(document))
    values = _parse_json(text, where="--params")
    if not isinstance(values, dict):
        raise usage_error("--params must be a JSON object", """for example: --params '{"text": "hello"}'""")
    return cast(dict[str, Any], values)


def _content(value: str) -> str:
    return _read(value[1:]) if value.startswith("@") else value


def _read(name: str) -> str:
    try:
        raw = sys.stdin.buffer.read(MAX_FILE_BYTES + 1) if name == "-" else _read_file(Path(name))
        if len(raw) > MAX_FILE_BYTES:
            raise usage_error(f"{name} is larger than {MAX_FILE_BYTES} bytes")
        return raw.decode()
    except UnicodeDecodeError:
        raise usage_error(f"{name} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise usage_error(f"{name!r} cannot be read: {reason}", _AT_SIGN) from None


_AT_SIGN = """a text that begins with @ is written as JSON: name:='"@text"'"""


def _read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


def _parse_json(text: str, *, where: str) -> Any:
    from toolgate.errors import InvalidParameters
    from toolgate.validation.json_body import decode_object

    # As a member of an object, so that it is read as strictly as a request over HTTP.
    try:
        return decode_object(b'{"v":' + text.encode("utf-8", "surrogatepass") + b"}")["v"]
    except InvalidParameters as error:
        raise _not_json(where, error.errors[0].message.removeprefix("is not JSON: ")) from None


def _not_json(where: str, reason: str) -> CommandFailed:
    return usage_error(f"what follows {where} is not JSON: {reason}", "a plain text is written name=text")


def _unicode(argument: str) -> str:
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise usage_error("an argument is not UTF-8 text") from None
    return argument
