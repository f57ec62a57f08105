"""The references inside one schema document: where they stand and what they lead to. Nothing is ever fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast
from urllib.parse import unquote, urljoin

from toolgate.model.pointer import read_step

KEYWORDS: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_DATA: Final = frozenset({"const", "enum", "default", "examples", "example"})

Path = tuple[str | int, ...]


class Reference(NamedTuple):
    path: Path
    text: str
    holder: dict[str, Any]


class References:
    """Looks references up within a schema, embedded resources (`$id`) and anchors included."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.found: list[Reference] = []
        self.objects = 0
        self._bases: dict[int, str] = {}
        self._targets: dict[str, Any] = {"": schema}
        for path, node, base in _walk(schema):
            self.objects += 1
            self._bases[id(node)] = base
            self._note(path, node, base)

    def resolve(self, holder: dict[str, Any], text: str) -> Any:
        """What a reference that stands in `holder` leads to; None if that is not in this document."""
        base = self._bases.get(id(holder), "")
        uri, _, fragment = text.partition("#")
        resource_uri = _join(base, uri) if uri else base
        if fragment and not fragment.startswith("/"):
            return self._targets.get(f"{resource_uri}#{fragment}")
        return _follow(self._targets.get(resource_uri), fragment)

    def _note(self, path: Path, node: dict[str, Any], base: str) -> None:
        if "$id" in node:
            self._targets[base] = node
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(keyword), str):
                self._targets[f"{base}#{node[keyword]}"] = node
        for keyword in KEYWORDS:
            if isinstance(node.get(keyword), str):
                self.found.append(Reference((*path, keyword), node[keyword], node))


def _walk(schema: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any], str]]:
    """Every object of the document with the base URI that holds there."""
    pending: list[tuple[Path, Any, str]] = [((), schema, "")]
    while pending:
        path, node, base = pending.pop()
        if isinstance(node, dict):
            members = cast("dict[str, Any]", node)
            identifier = members.get("$id")
            inner = _join(base, identifier.partition("#")[0]) if isinstance(identifier, str) else base
            yield path, members, inner
            pending.extend(((*path, name), item, inner) for name, item in members.items() if name not in _DATA)
        elif isinstance(node, list):
            pending.extend(((*path, index), item, base) for index, item in enumerate(cast("list[Any]", node)))


def _join(base: str, uri: str) -> str:
    try:
        return urljoin(base, uri)
    except ValueError:  # not a URI at all
        return uri


def _follow(resource: Any, pointer: str) -> Any:
    for step in unquote(pointer).split("/")[1:]:
        resource = _member(resource, read_step(step))
    return resource


def _member(node: Any, name: str) -> Any:
    if isinstance(node, dict):
        return cast("dict[str, Any]", node).get(name)
    if isinstance(node, list) and name.isdecimal():
        return dict(enumerate(cast("list[Any]", node))).get(int(name))
    return None
