"""The paths of the OpenAPI description: data, and a few functions that keep it short."""

from typing import Any, Final

from toolgate.envelopes.views import VIEWS
from toolgate.errors import Kind
from toolgate.surfaces.rest.invocations import KIND_OF_STATUS
from toolgate.surfaces.rest.query import DEFAULT_LIMIT, MAX_LIMIT

_Json = dict[str, Any]

_ID: Final = "019a8f00-0000-7000-8000-000000000001"
_OPERATOR: Final[list[_Json]] = [{"operatorKey": []}]
_AGENT: Final[list[_Json]] = [{"capabilityToken": []}]
_ANYBODY: Final[list[_Json]] = [*_AGENT, *_OPERATOR]

_REQUEST_EXAMPLE: Final = {"tool_id": "echo", "parameters": {"text": "hello"}}
_RESPONSE_EXAMPLE: Final = {"invocation_id": _ID, "status": "success", "result": "hello"}
_PROBLEM_EXAMPLE: Final[_Json] = {
    "type": "urn:toolgate:error:invalid_parameters",
    "title": "Invalid parameters",
    "status": 422,
    "detail": "the parameters are not valid: /text is missing",
    "code": "invalid_parameters",
    "number": None,
    "category": "ContractError",
    "retryable": False,
    "retry_after_ms": None,
    "errors": [{"pointer": "/text", "message": "is missing", "code": "RequiredMissing"}],
    "details": {},
    "instance": f"/v1/invocations/{_ID}",
    "invocation_id": _ID,
}


def _schema(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(name: str, example: Any = None) -> _Json:
    media: dict[str, Any] = {"schema": _schema(name)}
    return {"application/json": media if example is None else {**media, "example": example}}


def _query(name: str, description: str, **schema: Any) -> _Json:
    return {"name": name, "in": "query", "description": description, "schema": {"type": "string", **schema}}


def _header(name: str, description: str) -> _Json:
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string"}}


def _path(name: str, description: str) -> _Json:
    return {"name": name, "in": "path", "required": True, "description": description, "schema": {"type": "string"}}


def _operation(
    operation_id: str, tag: str, summary: str, *, security: list[_Json], responses: _Json, **rest: Any
) -> _Json:
    return {
        "operationId": operation_id,
        "tags": [tag],
        "summary": summary,
        "security": security,
        **rest,
        "responses": {**responses, "default": _PROBLEM},
    }


_PROBLEM: Final[_Json] = {
    "description": "A failure.",
    "content": {"application/problem+json": {"schema": _schema("Problem"), "example": _PROBLEM_EXAMPLE}},
}
_VIEW: Final = _query(
    "view", "The shape of the answer. Without it: the layer's response, and a problem for a failure.", enum=list(VIEWS)
)
_LIMIT: Final = _query("limit", "At most so many.", type="integer", minimum=1, maximum=MAX_LIMIT, default=DEFAULT_LIMIT)
_CURSOR: Final = _query("cursor", "`next_cursor` of the page before.")
_TOOL_ID: Final = _path("tool_id", "The tool's id. A slash in it is sent as %2F.")
_MARKDOWN: Final = {"text/markdown": {"schema": {"type": "string"}}}
_ANY_VIEW: Final = {
    "application/json": {
        "schema": {"anyOf": [_schema("ToolInvokeResponse"), {"type": "object"}]},
        "example": _RESPONSE_EXAMPLE,
    },
    **_MARKDOWN,
}
_LOCATION: Final = {"Location": {"description": "Where the outcome is kept.", "schema": {"type": "string"}}}
_ETAG: Final = {"ETag": {"description": "Names this content.", "schema": {"type": "string"}}}

_INVOKE: Final = _operation(
    "invoke",
    "invocations",
    "Run a tool.",
    security=_AGENT,
    parameters=[
        _VIEW,
        _header("Idempotency-Key", "The same as `execution_options.idempotency_key`."),
        _header("X-Correlation-Id", "The `correlation_id`, where the body has none."),
        _header("X-Request-Id", "Comes back in the answer; the `correlation_id`, where nothing else says one."),
    ],
    requestBody={"required": True, "content": _json("ToolInvokeRequest", _REQUEST_EXAMPLE)},
    responses={
        "200": {"description": "The call succeeded.", "headers": _LOCATION, "content": _ANY_VIEW},
        "202": {"description": "The call has not ended yet.", "headers": _LOCATION, "content": _ANY_VIEW},
    },
)
_LIST_INVOCATIONS: Final = _operation(
    "listInvocations",
    "invocations",
    "Past calls, newest first.",
    security=_ANYBODY,
    parameters=[
        _query("tool_id", "Calls of this tool."),
        _query("kind", "Calls that ended so.", enum=[kind.value for kind in Kind]),
        _query("status", "Calls with this status, where it stands for one kind.", enum=list(KIND_OF_STATUS)),
        _query("correlation_id", "Calls that belong together."),
        _LIMIT,
        _CURSOR,
    ],
    responses={"200": {"description": "A page.", "content": _json("InvocationPage")}},
)
_SHOW_INVOCATION: Final = _operation(
    "getInvocation",
    "invocations",
    "What became of a call.",
    security=_ANYBODY,
    parameters=[_path("invocation_id", "The id that the call was answered with."), _VIEW],
    responses={"200": {"description": "The outcome.", "content": _ANY_VIEW}},
)
_LIST_TOOLS: Final = _operation(
    "listTools",
    "tools",
    "The tools that the caller may know of.",
    security=_ANYBODY,
    parameters=[_LIMIT, _CURSOR],
    responses={"200": {"description": "A page.", "content": _json("ToolPage")}},
)
_SHOW_TOOL: Final = _operation(
    "getTool",
    "tools",
    "One tool with the manifests of all its versions.",
    security=_ANYBODY,
    parameters=[_TOOL_ID, _header("If-None-Match", "An ETag that the caller has.")],
    responses={
        "200": {"description": "The tool.", "headers": _ETAG, "content": _json("ToolDefinition")},
        "304": {"description": "It has not changed.", "headers": _ETAG},
    },
)
_LIST_VERSIONS: Final = _operation(
    "listToolVersions",
    "tools",
    "The versions of one tool.",
    security=_ANYBODY,
    parameters=[_TOOL_ID],
    responses={"200": {"description": "All of them.", "content": _json("VersionPage")}},
)


def _status(operation_id: str, summary: str, status: str) -> _Json:
    schema = {"type": "object", "required": ["status"], "properties": {"status": {"const": status}}}
    content = {"application/json": {"schema": schema, "example": {"status": status}}}
    responses = {"200": {"description": "Yes.", "content": content}}
    return _operation(operation_id, "operations", summary, security=[], responses=responses)


_METRICS: Final = _operation(
    "getMetrics",
    "operations",
    "Counters and histograms in the Prometheus text format.",
    security=_OPERATOR,
    responses={"200": {"description": "The metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
_OPENAPI: Final = _operation(
    "getDescription",
    "operations",
    "This description.",
    security=_ANYBODY,
    responses={"200": {"description": "OpenAPI 3.1.", "content": {"application/json": {"schema": {"type": "object"}}}}},
)

PATHS: Final[dict[str, Any]] = {
    "/v1/invocations": {"get": _LIST_INVOCATIONS, "post": _INVOKE},
    "/v1/invocations/{invocation_id}": {"get": _SHOW_INVOCATION},
    "/v1/tools": {"get": _LIST_TOOLS},
    "/v1/tools/{tool_id}": {"get": _SHOW_TOOL},
    "/v1/tools/{tool_id}/versions": {"get": _LIST_VERSIONS},
    "/healthz": {"get": _status("getHealth", "Is the process alive?", "ok")},
    "/readyz": {"get": _status("getReadiness", "Does the store answer?", "ready")},
    "/metrics": {"get": _METRICS},
    "/openapi.json": {"get": _OPENAPI},
}
