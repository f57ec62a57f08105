"""Logs: one JSON object a line, findable by the invocation's ids, without secrets."""

import io
import logging
from collections.abc import Iterator

import orjson
import pytest

from toolgate.audit.log import LOGGER_NAME, configure_logging, current_invocation, get_logger
from toolgate.model.invocation import Invocation


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    logger = logging.getLogger(LOGGER_NAME)
    before = (logger.handlers, logger.propagate, logger.level)
    stream = io.StringIO()
    configure_logging(level="info", stream=stream)
    yield stream
    logger.handlers, logger.propagate, level = before
    logger.setLevel(level)


def logged(lines: io.StringIO) -> list[dict[str, object]]:
    return [orjson.loads(line) for line in lines.getvalue().splitlines()]


def test_a_line_is_one_json_object_with_level_and_time(lines: io.StringIO) -> None:
    get_logger().info("started", port=1)
    (line,) = logged(lines)
    assert (line["event"], line["level"], line["port"]) == ("started", "info", 1)
    assert str(line["timestamp"]).endswith("Z")


def test_what_is_logged_inside_a_call_carries_its_ids(lines: io.StringIO) -> None:
    facts = Invocation(invocation_id="i-1", correlation_id="c-1", tool_id="add", started_at=0.0)
    token = current_invocation.set(facts)
    get_logger().warning("odd")
    current_invocation.reset(token)
    (line,) = logged(lines)
    assert (line["invocation_id"], line["correlation_id"], line["tool_id"]) == ("i-1", "c-1", "add")


def test_secrets_are_masked_by_name_and_by_shape(lines: io.StringIO) -> None:
    get_logger().info("call", password="hunter2", text="Bearer abcdefghijklmnop.qrstuvwx")
    assert "hunter2" not in lines.getvalue()
    assert "abcdefghijklmnop" not in lines.getvalue()


def test_a_traceback_is_masked_too(lines: io.StringIO) -> None:
    try:
        raise ValueError("password=hunter2")
    except ValueError as error:
        get_logger().error("failed", exc_info=error)
    assert "Traceback" in lines.getvalue()
    assert "hunter2" not in lines.getvalue()


def test_what_json_cannot_say_is_described_and_masked(lines: io.StringIO) -> None:
    class Odd:
        def __str__(self) -> str:
            return "token=abcdef123456"

    get_logger().info("odd", value=Odd())
    assert "abcdef123456" not in lines.getvalue()


def test_a_level_below_the_one_set_is_silent(lines: io.StringIO) -> None:
    get_logger().debug("detail")
    assert lines.getvalue() == ""
