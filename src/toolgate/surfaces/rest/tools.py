"""`GET /v1/tools`, `/v1/tools/{tool_id}` and `/v1/tools/{tool_id}/versions`: which tools are there?

An agent sees the tool that its token covers; for it no other tool exists.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Final
from urllib.parse import quote, unquote_to_bytes

import msgspec
from starlette.requests import Request
from starlette.types import Scope

from toolgate.app import Toolgate
from toolgate.envelopes.summaries import summarise_tool
from toolgate.errors import ToolNotFound
from toolgate.model.effect import Effect
from toolgate.model.manifest import ToolDefinition
from toolgate.permissions.claims import strip_address
from toolgate.registry.catalog import Catalog
from toolgate.surfaces.rest.answer import JSON, Answer, json_answer, not_modified
from toolgate.surfaces.rest.credentials import Caller, identify
from toolgate.surfaces.rest.page import Listing, listing
from toolgate.surfaces.rest.query import check_limit, invalid_value, read_query

LIST_PARAMETERS: Final = ("limit", "cursor")
REVALIDATE: Final = b"private, no-cache"
_PREFIX: Final = b"/v1/tools/"
_VERSIONS: Final = b"/versions"


class VersionSummary(msgspec.Struct, frozen=True, kw_only=True):
    version: str
    tool_name: str
    description: str
    effect: Effect
    latest: bool


class ToolEndpoints:
    def __init__(self, gate: Toolgate) -> None:
        self._gate = gate

    async def list(self, request: Request) -> Answer:
        parts = self._gate.parts
        caller = await identify(request, parts)
        query = read_query(request.scope["query_string"], LIST_PARAMETERS)
        found = _visible(parts.catalog, caller)
        return json_answer(_page(found, limit=check_limit(query), cursor=query.get("cursor")))

    async def show(self, request: Request) -> Answer:
        """One tool, or its versions: which of the two, only the raw path tells (`a%2Fversions` is a tool)."""
        parts = self._gate.parts
        caller = await identify(request, parts)
        read_query(request.scope["query_string"], ())
        address = _address(request.scope)
        if address.endswith(_VERSIONS):
            definition = _find(parts.catalog, caller, address.removesuffix(_VERSIONS))
            return json_answer(listing(_versions(definition)))
        return _cacheable(_find(parts.catalog, caller, address), request.headers.get("if-none-match"))


def _visible(catalog: Catalog, caller: Caller) -> Sequence[ToolDefinition]:
    if caller.tool_id is None:
        return catalog.definitions()
    try:
        return (catalog.definition(caller.tool_id),)
    except ToolNotFound:
        return ()


def _address(scope: Scope) -> bytes:
    """What stands behind `/v1/tools/`, still encoded."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
    return raw.partition(_PREFIX)[2]


def _find(catalog: Catalog, caller: Caller, address: bytes) -> ToolDefinition:
    """
    Raises:
        ToolNotFound: there is none, or the caller's token is for another; the answer does not tell which.
    """
    tool_id = unquote_to_bytes(address).decode("utf-8", "replace")
    if not caller.is_operator and strip_address(tool_id) != caller.tool_id:
        raise ToolNotFound(tool_id=tool_id[:255])
    return catalog.definition(tool_id)


def _cacheable(definition: ToolDefinition, known: str | None) -> Answer:
    body = msgspec.json.encode(definition)
    etag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = ((b"etag", etag.encode("ascii")), (b"vary", b"authorization"))
    if known is not None and _names(known, etag):
        return not_modified(headers, cache_control=REVALIDATE)
    return Answer(200, body, JSON, headers, REVALIDATE)


def _names(if_none_match: str, etag: str) -> bool:
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return etag in tags or "*" in tags


def _page(definitions: Sequence[ToolDefinition], *, limit: int, cursor: str | None) -> Listing:
    after = "" if cursor is None else _decode_cursor(cursor)
    rest = [definition for definition in definitions if definition.tool_id > after]
    shown = rest[:limit]
    more = _encode_cursor(shown[-1].tool_id) if len(rest) > limit else None
    return listing([summarise_tool(definition) for definition in shown], next_cursor=more)


def _versions(definition: ToolDefinition) -> list[VersionSummary]:
    return [
        VersionSummary(
            version=manifest.version,
            tool_name=manifest.tool_name,
            description=manifest.description,
            effect=manifest.effect,
            latest=manifest.version == definition.latest_version,
        )
        for manifest in definition.versions
    ]


def _encode_cursor(tool_id: str) -> str:
    return urlsafe_b64encode(f"1:{tool_id}".encode()).decode("ascii").rstrip("=")


def _decode_cursor(cursor: str) -> str:
    try:
        version, _, tool_id = urlsafe_b64decode(cursor.encode("ascii") + b"==").decode("utf-8").partition(":")
    except ValueError:
        version, tool_id = "", ""
    if version != "1" or not tool_id:
        raise invalid_value("cursor", "must be a cursor from an earlier page", "InvalidFormat")
    return tool_id
