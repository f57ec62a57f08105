"""The names that tools may have."""

import re

import pytest

from toolgate.model.manifest import TOOL_ID_PATTERN, VERSION_PATTERN


@pytest.mark.parametrize("tool_id", ["add", "fs.write", "mcp::github::issues.create", "a/b-c_d", "x" * 255])
def test_ordinary_tool_ids_are_allowed(tool_id: str) -> None:
    assert re.fullmatch(TOOL_ID_PATTERN, tool_id)


@pytest.mark.parametrize("tool_id", ["", ".", "../etc/passwd", "a b", "a\n", "a\x00", "-a", "a.", "é", "x" * 256])
def test_hostile_tool_ids_are_not(tool_id: str) -> None:
    assert not re.fullmatch(TOOL_ID_PATTERN, tool_id)


@pytest.mark.parametrize(
    ("version", "allowed"),
    [("1.0.0", True), ("1.0.0-rc.1+b5", True), ("1.0", False), ("01.0.0", False), ("^1.0.0", False), ("", False)],
)
def test_a_version_is_semantic(version: str, allowed: bool) -> None:
    assert bool(re.fullmatch(VERSION_PATTERN, version)) is allowed
