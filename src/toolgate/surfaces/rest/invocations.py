"""`GET /v1/invocations` and `/v1/invocations/{invocation_id}`: what became of calls."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request

from toolgate.app import Toolgate
from toolgate.envelopes.summaries import summarise_outcome
from toolgate.errors import Kind
from toolgate.model.page import InvocationFilter
from toolgate.model.status import STATUS_TABLE
from toolgate.surfaces.rest.answer import Answer, json_answer
from toolgate.surfaces.rest.credentials import identify
from toolgate.surfaces.rest.page import listing
from toolgate.surfaces.rest.query import check_limit, check_view, invalid_value, read_query
from toolgate.surfaces.rest.render import answer_question

LIST_PARAMETERS: Final = ("tool_id", "kind", "status", "correlation_id", "limit", "cursor")


class InvocationEndpoints:
    def __init__(self, gate: Toolgate) -> None:
        self._gate = gate

    async def list(self, request: Request) -> Answer:
        parts = self._gate.parts
        caller = await identify(request, parts)
        query = read_query(request.scope["query_string"], LIST_PARAMETERS)
        wanted = InvocationFilter(
            tool_id=query.get("tool_id"), kind=_kind(query), correlation_id=query.get("correlation_id")
        )
        limit = check_limit(query)
        page = await parts.lookup.list(wanted, owner=caller.owner, limit=limit, cursor=query.get("cursor"))
        return json_answer(
            listing([summarise_outcome(outcome) for outcome in page.items], next_cursor=page.next_cursor)
        )

    async def show(self, request: Request) -> Answer:
        parts = self._gate.parts
        caller = await identify(request, parts)
        view = check_view(read_query(request.scope["query_string"], ("view",)))
        outcome = await parts.lookup.get(request.path_params["invocation_id"], caller.owner)
        return answer_question(outcome, view)


def _kind(query: Mapping[str, str]) -> Kind | None:
    """The kind that `kind` or `status` asks for. A status that stands for several kinds cannot be asked for."""
    if "kind" in query and "status" in query:
        raise invalid_value("status", "cannot stand beside kind", "SchemaInvalid")
    if "kind" in query:
        return _one_of(query["kind"], {kind.value: kind for kind in Kind}, "kind")
    if "status" in query:
        return _one_of(query["status"], KIND_OF_STATUS, "status")
    return None


def _one_of(value: str, choices: Mapping[str, Kind], name: str) -> Kind:
    if value not in choices:
        raise invalid_value(name, f"must be one of {', '.join(choices)}", "InvalidEnumValue")
    return choices[value]


def _kind_of_status() -> dict[str, Kind]:
    statuses = [row.l03 for row in STATUS_TABLE.values()]
    return {row.l03.value: kind for kind, row in STATUS_TABLE.items() if statuses.count(row.l03) == 1}


KIND_OF_STATUS: Final[Mapping[str, Kind]] = _kind_of_status()
