"""What is behind an error: for the operator's log, never for the caller."""

from collections.abc import Sequence
from traceback import format_exception
from typing import Any, cast

from toolgate.audit.log import get_logger
from toolgate.audit.redaction import MASK
from toolgate.errors import ToolgateError
from toolgate.model.pointer import read_step

_log = get_logger()


def log_cause(error: ToolgateError, *, secrets: Sequence[str]) -> None:
    """What is behind an error is not told to the caller; the operator finds it here, under the invocation id.

    A tool may have put into its exception what came in as a secret, so those texts are taken out again.
    """
    if error.__cause__ is None:
        return
    text = "".join(format_exception(error.__cause__))
    for secret in secrets:
        text = text.replace(secret, MASK)
    _log.warning("call failed", number=error.number, exception=text)


def masked_texts(parameters: dict[str, Any], pointers: Sequence[str]) -> list[str]:
    """The texts that redaction took out of the parameters, as far as their pointers lead to one."""
    return [text for pointer in pointers if isinstance(text := _follow(parameters, pointer), str) and len(text) > 3]


def _follow(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        name = read_step(step)
        if isinstance(document, dict):
            document = cast(dict[str, Any], document).get(name)
        elif isinstance(document, list) and name.isdecimal() and int(name) < len(cast(list[Any], document)):
            document = cast(list[Any], document)[int(name)]
        else:
            return None
    return document
