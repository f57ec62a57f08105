"""Step 4: the parameters of a call are JSON, not too large, and follow the tool's schema."""

from __future__ import annotations

from typing import Any

from toolgate.errors import FieldError, InvalidManifest, InvalidParameters
from toolgate.model.tool import Tool
from toolgate.validation.compiled_schema import CompiledSchema, UnusableSchemaError
from toolgate.validation.json_value import encode, find_fault
from toolgate.validation.schema import SchemaCompiler
from toolgate.validation.settings import MAX_PARAMETERS_BYTES
from toolgate.validation.violation import summarise


class JsonParameterCheck:
    """Implements the port `ParameterCheck`."""

    def __init__(self, schemas: SchemaCompiler, *, max_parameters_bytes: int = MAX_PARAMETERS_BYTES) -> None:
        self._max_parameters_bytes = max_parameters_bytes
        self._schemas = schemas.parameters

    def check(self, tool: Tool, parameters: dict[str, Any], encoded: bytes) -> None:
        """Hold the parameters against the tool's schema.

        Raises:
            InvalidParameters: with a pointer to every fault.
            InvalidManifest: the tool's own schema cannot be used.
        """
        compiled = self._schemas.get(tool.key) or self._compile(tool)
        try:
            if compiled.is_valid(parameters):
                return
        except ValueError:
            raise refusal([FieldError("", "is nested too deeply for the schema")]) from None
        raise refusal(compiled.violations(parameters, encoded_bytes=len(encoded)))

    def encode(self, parameters: Any) -> bytes:
        """The parameters as JSON.

        Raises:
            InvalidParameters: they are no object, not JSON, or too large.
        """
        if type(parameters) is not dict:
            raise refusal([FieldError("", "must be object", "InvalidType")])
        try:
            encoded = encode(parameters)
        except (TypeError, ValueError):
            raise refusal([find_fault(parameters) or FieldError("", "is not JSON", "InvalidType")]) from None
        if len(encoded) > self._max_parameters_bytes:
            raise refusal([FieldError("", f"is larger than {self._max_parameters_bytes} bytes")])
        if b"null" in encoded and (fault := find_fault(parameters)):
            raise refusal([fault])
        return encoded

    def _compile(self, tool: Tool) -> CompiledSchema:
        try:
            return self._schemas.add(tool.key, tool.manifest.parameters_schema)
        except UnusableSchemaError as exc:
            raise InvalidManifest(tool_id=tool.tool_id) from exc


def refusal(errors: list[FieldError]) -> InvalidParameters:
    """The error for parameters with these faults."""
    return InvalidParameters(summary=summarise(errors), errors=errors)
