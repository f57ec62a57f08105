"""`/openapi.json`: the OpenAPI 3.1 description, assembled from the types that are really sent and received."""

from functools import lru_cache
from typing import Any, Final

import msgspec

from toolgate.envelopes.summaries import InvocationSummary
from toolgate.model.manifest import ToolDefinition
from toolgate.model.request import ToolInvokeRequest
from toolgate.model.response import ToolInvokeResponse, ToolSummary
from toolgate.surfaces.rest.openapi_paths import PATHS
from toolgate.surfaces.rest.tools import VersionSummary


class FieldFault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault in a request: where (JSON pointer), what, and its code in the error taxonomy."""

    pointer: str
    message: str
    code: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A failure (RFC 9457). `may_repeat` tells whether this very call may be sent again."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    number: str | None
    category: str
    retryable: bool
    retry_after_ms: int | None
    errors: list[FieldFault]
    details: dict[str, Any]
    may_repeat: bool | None = None
    instance: str | None = None
    invocation_id: str | None = None


class InvocationPage(msgspec.Struct, frozen=True, kw_only=True):
    data: list[InvocationSummary]
    next_cursor: str | None
    has_more: bool


class ToolPage(msgspec.Struct, frozen=True, kw_only=True):
    data: list[ToolSummary]
    next_cursor: str | None
    has_more: bool


class VersionPage(msgspec.Struct, frozen=True, kw_only=True):
    data: list[VersionSummary]
    next_cursor: str | None
    has_more: bool


_TYPES: Final = (
    ToolInvokeRequest,
    ToolInvokeResponse,
    ToolDefinition,
    InvocationPage,
    ToolPage,
    VersionPage,
    Problem,
)
_SECURITY_SCHEMES: Final = {
    "capabilityToken": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "An RS256 capability token: one agent, one tool. It invokes, and reads what is its own.",
    },
    "operatorKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "The operator key (`tgo_…`) of this installation. It reads everything and runs nothing.",
    },
}


@lru_cache(maxsize=1)
def document() -> bytes:
    """The description, encoded."""
    return msgspec.json.encode(describe())


def describe() -> dict[str, Any]:
    from toolgate import __version__

    _, schemas = msgspec.json.schema_components(_TYPES, ref_template="#/components/schemas/{name}")
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Toolgate",
            "version": __version__,
            "summary": "Run tools for agents: permitted, limited, checked and on record.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": "invocations"}, {"name": "tools"}, {"name": "operations"}],
        "paths": PATHS,
        "components": {"schemas": schemas, "securitySchemes": _SECURITY_SCHEMES},
    }
