"""The tables have the columns of the specifications (layer §5.1, result record §6.1), by their exact names."""

import re
from collections.abc import Callable

from toolgate.adapters.sql.tables import metadata

ReadSpec = Callable[[str], str | None]
ReadList = Callable[[str], dict[str, list[str]]]


def test_every_specified_table_has_the_specified_columns(read_list: ReadList) -> None:
    for name, columns in read_list("tables.txt").items():
        missing = set(columns) - {column.name for column in metadata.tables[name].columns}
        assert not missing, f"{name} lacks {sorted(missing)}"


def test_the_list_is_that_of_the_layer_specification(read_list: ReadList, read_spec: ReadSpec) -> None:
    text = read_spec("tool-execution-layer.md")
    if text is not None:
        listed = read_list("tables.txt")
        listed.pop("tool_execution_results")
        tables = re.findall(r"^CREATE TABLE (\w+) \(\n(.*?)^\);", text, re.MULTILINE | re.DOTALL)
        assert {name: re.findall(r"^  ([a-z_]+) [A-Z]", body, re.MULTILINE) for name, body in tables} == listed


def test_the_list_is_that_of_the_result_record_specification(read_list: ReadList, read_spec: ReadSpec) -> None:
    text = read_spec("tool-results.md")
    if text is not None:
        columns = re.findall(r'\.WithColumn\("(\w+)"\)', text)
        assert columns == read_list("tables.txt")["tool_execution_results"]
