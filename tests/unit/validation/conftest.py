"""Tools that consist of their schemas."""

from collections.abc import Callable
from typing import Any

import pytest

from toolgate.model.manifest import Manifest
from toolgate.model.tool import Tool
from toolgate.validation.output import JsonOutputCheck
from toolgate.validation.parameters import JsonParameterCheck
from toolgate.validation.schema import SchemaCompiler

ToolMaker = Callable[..., Tool]


@pytest.fixture
def make_tool() -> ToolMaker:
    def make(parameters: dict[str, Any] | None = None, result: dict[str, Any] | None = None, key: str = "t#1") -> Tool:
        manifest = Manifest(
            tool_id="t", tool_name="t", version="1.0.0", parameters_schema=parameters or {}, result_schema=result
        )
        return Tool(key=key, manifest=manifest, runner="in_process", target=None)

    return make


@pytest.fixture
def schemas() -> SchemaCompiler:
    return SchemaCompiler()


@pytest.fixture
def parameter_check(schemas: SchemaCompiler) -> JsonParameterCheck:
    return JsonParameterCheck(schemas)


@pytest.fixture
def output_check(schemas: SchemaCompiler) -> JsonOutputCheck:
    return JsonOutputCheck(schemas)
