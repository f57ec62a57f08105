"""Step 12: what a tool returned becomes JSON that nobody else holds, and is checked against the result schema."""

from __future__ import annotations

from typing import Any, Final

import orjson

from toolgate.errors import (
    FieldError,
    OutputError,
    OutputFieldMissing,
    OutputSchemaMismatch,
    OutputTooLarge,
    OutputTypeMismatch,
    ResultSchemaMissing,
)
from toolgate.model.tool import Tool
from toolgate.validation.compiled_schema import CompiledSchema, UnusableSchemaError
from toolgate.validation.json_value import encode
from toolgate.validation.plain import to_plain
from toolgate.validation.schema import SchemaCompiler
from toolgate.validation.settings import MAX_OUTPUT_BYTES
from toolgate.validation.violation import summarise

_SCALARS: Final = frozenset({str, int, bool, type(None)})


class JsonOutputCheck:
    """Implements the port `OutputCheck`. Strict: a tool without a result schema may not answer."""

    def __init__(
        self, schemas: SchemaCompiler, *, max_output_bytes: int = MAX_OUTPUT_BYTES, strict: bool = False
    ) -> None:
        self._max_output_bytes = max_output_bytes
        self._schemas = schemas.results
        self._strict = strict

    def check(self, tool: Tool, output: Any) -> tuple[Any, bytes]:
        """The output as a remote caller would get it, and its encoding.

        Raises:
            OutputError: it is not JSON, too large, or does not follow the result schema.
        """
        value, encoded = self._detach(output)
        if len(encoded) > self._max_output_bytes:
            raise OutputTooLarge(reason=f"more than {self._max_output_bytes} bytes")
        if tool.manifest.result_schema is not None:
            self._check_schema(tool, value, encoded_bytes=len(encoded))
        elif self._strict:
            raise ResultSchemaMissing
        return value, encoded

    def _detach(self, output: Any) -> tuple[Any, bytes]:
        try:
            if type(output) in _SCALARS:
                return output, orjson.dumps(output)
            encoded = encode(output)
            value = orjson.loads(encoded)
            # orjson writes NaN and the infinities as null
            if b"null" not in encoded or value == output:
                return value, encoded
        except (TypeError, ValueError):
            pass
        return self._convert(output)

    def _convert(self, output: Any) -> tuple[Any, bytes]:
        value = to_plain(output, max_nodes=self._max_output_bytes)
        try:
            return value, orjson.dumps(value)
        except TypeError as exc:
            raise _unwritable(exc) from None

    def _check_schema(self, tool: Tool, value: Any, *, encoded_bytes: int) -> None:
        compiled = self._schemas.get(tool.key) or self._compile(tool)
        try:
            if compiled.is_valid(value):
                return
        except ValueError:
            raise OutputTooLarge(reason="nesting") from None
        raise _mismatch(compiled.violations(value, encoded_bytes=encoded_bytes))

    def _compile(self, tool: Tool) -> CompiledSchema:
        try:
            return self._schemas.add(tool.key, tool.manifest.result_schema or {})
        except UnusableSchemaError as exc:
            raise OutputSchemaMismatch(message="the result schema of the tool cannot be used") from exc


def _unwritable(error: TypeError) -> OutputError:
    if "Recursion" in str(error):
        return OutputTooLarge(reason="nesting")
    return OutputTypeMismatch(found="text that is not valid Unicode")


def _mismatch(errors: list[FieldError]) -> OutputError:
    codes = {error.code for error in errors}
    if codes == {"RequiredMissing"}:
        return OutputFieldMissing(errors=errors)
    if codes == {"InvalidType"}:
        return OutputTypeMismatch(found=summarise(errors), errors=errors)
    return OutputSchemaMismatch(errors=errors)
