"""Structured logs: one JSON object a line, with the invocation's ids, redacted before anything is written.

They go through the standard library's `toolgate` logger, so that a program that embeds Toolgate stays master of its
own output; `configure_logging` is for our own programs.
"""

import logging
import sys
from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any, TextIO, cast

import orjson
import structlog

from toolgate.audit.redaction import redact, redact_text
from toolgate.model.invocation import Invocation
from toolgate.model.well_formed import well_formed

LOGGER_NAME = "toolgate"

current_invocation: ContextVar[Invocation | None] = ContextVar("toolgate_invocation", default=None)
"""Set by the engine for the time of a call, so that whatever is logged inside it can be found by its id."""


def get_logger() -> structlog.stdlib.BoundLogger:
    """The layer's logger. Redaction is part of it and cannot be configured away."""
    logger = structlog.wrap_logger(
        logging.getLogger(LOGGER_NAME),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _add_invocation,
            structlog.processors.format_exc_info,
            redact_event,
            _render,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    return cast(structlog.stdlib.BoundLogger, logger)


def configure_logging(*, level: str = "info", stream: TextIO | None = None) -> None:
    """Write the layer's logs to `stream` (standard error), and nowhere else."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger(LOGGER_NAME)
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(level.upper())


def _add_invocation(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    invocation = current_invocation.get()
    if invocation is not None:
        event.setdefault("invocation_id", invocation.invocation_id)
        event.setdefault("correlation_id", invocation.correlation_id)
        event.setdefault("tool_id", invocation.tool_id)
    return event


def redact_event(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Processor: nothing sensitive passes, neither by field name nor inside a text such as a traceback."""
    clean: dict[str, Any] = redact(dict(event)).value
    return clean


def _render(logger: Any, method: str, event: MutableMapping[str, Any]) -> str:
    """A line must come out whatever is in it: a log that raises would take the call down with it."""
    try:
        return orjson.dumps(event, default=_describe, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:
        plain = {str(key): value if isinstance(value, int) else str(value) for key, value in event.items()}
        return orjson.dumps(well_formed(plain)).decode()


def _describe(value: Any) -> str:
    return redact_text(str(value))
