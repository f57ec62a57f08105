"""The error table against the specifications: every number, none invented, none missing (spec README §2)."""

import re
from collections.abc import Callable

from toolgate.errors import InvalidParameters, by_number

ReadSpec = Callable[[str], str | None]
ReadList = Callable[[str], dict[str, list[str]]]


def test_the_table_has_exactly_the_listed_numbers(read_list: ReadList) -> None:
    listed = read_list("error_codes.txt")
    numbers = [*listed["layer"], *listed["added"], *listed["ours"]]
    assert len(numbers) == len(set(numbers))
    assert sorted(by_number()) == sorted(numbers)


def test_the_table_has_every_symbolic_code_of_the_layer_specification(read_list: ReadList) -> None:
    codes = {cls.code for cls in by_number().values()} | {InvalidParameters.code}
    assert set(read_list("error_codes.txt")["symbolic"]) <= codes


def test_the_list_is_that_of_the_layer_specification(read_list: ReadList, read_spec: ReadSpec) -> None:
    listed, text = read_list("error_codes.txt"), read_spec("tool-execution-layer.md")
    if text is not None:
        assert re.findall(r"^- `(E3\d{3})`:", text, re.MULTILINE) == listed["layer"]
        enumeration = text.split("class ToolErrorCode(str, Enum):")[1].split("# =====")[0]
        assert re.findall(r'= "(\w+)"', enumeration) == listed["symbolic"]


def test_the_additions_are_those_of_the_readings(read_list: ReadList, read_spec: ReadSpec) -> None:
    text = read_spec("README.md")
    if text is not None:
        section = text.split("## 2. Error codes")[1].split("\n## ")[0]
        assert _numbers(section) == read_list("error_codes.txt")["added"]


def _numbers(text: str) -> list[str]:
    """`E3109`, and every number of a range such as `E3150–E3152`."""
    found: list[str] = []
    for first, last in re.findall(r"E(3\d{3})(?:–E(3\d{3}))?", text):
        found.extend(f"E{number}" for number in range(int(first), int(last or first) + 1))
    return found
