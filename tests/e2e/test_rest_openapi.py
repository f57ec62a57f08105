"""The OpenAPI description says what the application does, no more and no less."""

import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from starlette.routing import Route

from toolgate import Toolgate
from toolgate.surfaces.rest.app import create_app
from toolgate.surfaces.rest.openapi import document
from toolgate.testing.rest_gate import RestGate, serving

DOCUMENT: dict[str, Any] = msgspec.json.decode(document())
OPERATIONS = [
    (path, method, operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()
]
every_operation = pytest.mark.parametrize(
    ("path", "method", "operation"), OPERATIONS, ids=[operation["operationId"] for _, _, operation in OPERATIONS]
)


def walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        yield from walk(child)


def resolve(pointer: str) -> Any:
    node: Any = DOCUMENT
    for step in pointer.removeprefix("#/").split("/"):
        node = node[step.replace("~1", "/").replace("~0", "~")]
    return node


def check(schema: dict[str, Any], instance: Any) -> None:
    jsonschema_rs.validate({**schema, "components": DOCUMENT["components"]}, instance)


def test_every_reference_leads_somewhere() -> None:
    references = {node["$ref"] for node in walk(DOCUMENT) if isinstance(node.get("$ref"), str)}
    assert references
    for reference in references:
        assert isinstance(resolve(reference), dict)


def test_every_schema_is_used() -> None:
    references = {node["$ref"] for node in walk(DOCUMENT) if isinstance(node.get("$ref"), str)}
    assert {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]} <= references


def test_every_schema_is_a_schema() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def test_every_route_is_described_and_nothing_else() -> None:
    routes = [route for route in create_app(Toolgate(settings={})).routes if isinstance(route, Route)]
    methods = [(route.path.replace(":path}", "}"), method) for route in routes for method in route.methods or ()]
    served = {(path, method) for path, method in methods if method != "HEAD"}
    assert served == {(path, method.upper()) for path, method, _ in OPERATIONS}


def test_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(ids)) == len(ids)


@every_operation
def test_an_operation_is_complete(path: str, method: str, operation: dict[str, Any]) -> None:
    """The rules of OpenAPI 3.1 for an operation, its parameters and its responses."""
    declared = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
    assert declared == set(re.findall(r"{(\w+)}", path))
    assert all(p["required"] for p in operation.get("parameters", []) if p["in"] == "path")
    assert len({(p["name"], p["in"]) for p in operation.get("parameters", [])}) == len(operation.get("parameters", []))
    for name, response in operation["responses"].items():
        assert re.fullmatch(r"[1-5]\d\d|default", name)
        assert response["description"]
    assert "application/problem+json" in operation["responses"]["default"]["content"]


@every_operation
def test_an_operation_names_its_credentials(path: str, method: str, operation: dict[str, Any]) -> None:
    names = {name for choice in operation["security"] for name in choice}
    assert names <= set(DOCUMENT["components"]["securitySchemes"])
    assert bool(names) is (path not in {"/healthz", "/readyz"})


def test_every_example_is_valid() -> None:
    examples = [node for node in walk(DOCUMENT["paths"]) if "example" in node and "schema" in node]
    assert len(examples) > 3
    for media in examples:
        check(media["schema"], media["example"])


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory, signing_key_dir: Path) -> Generator[RestGate]:
    with serving(tmp_path_factory.mktemp("openapi"), keys=signing_key_dir) as gate:
        yield gate


def test_the_served_document_is_this_one(rest: RestGate) -> None:
    assert rest.client.get("/openapi.json", headers=rest.operator).json() == DOCUMENT


def test_real_answers_follow_their_schemas(rest: RestGate) -> None:
    done = rest.invoke("echo", {"text": "x"})
    check({"$ref": "#/components/schemas/ToolInvokeResponse"}, done.json())
    check({"$ref": "#/components/schemas/Problem"}, rest.invoke("echo", {}).json())
    check({"$ref": "#/components/schemas/Problem"}, rest.client.get("/nowhere").json())
    for path, name in (
        ("/v1/invocations", "InvocationPage"),
        ("/v1/tools", "ToolPage"),
        ("/v1/tools/echo", "ToolDefinition"),
        ("/v1/tools/echo/versions", "VersionPage"),
        (done.headers["location"], "ToolInvokeResponse"),
    ):
        check({"$ref": f"#/components/schemas/{name}"}, rest.client.get(path, headers=rest.operator).json())
