"""`POST /v1/invocations`, the route that everything else is for. Plain ASGI: no router, no middleware, no models.

Whatever arrives ends in a stored outcome, even what cannot be read: the answer names its `invocation_id`.
"""

import asyncio
from collections.abc import Iterable
from typing import Final

import msgspec
from starlette.types import Receive, Scope, Send

from toolgate.app import Parts, Toolgate
from toolgate.errors import ToolgateError
from toolgate.model.outcome import Outcome
from toolgate.model.request import ToolInvokeRequest
from toolgate.surfaces.rest.answer import CLOSE, Answer
from toolgate.surfaces.rest.body import ClientGone, UnusableBody, check_size
from toolgate.surfaces.rest.credentials import refuse_operator_key
from toolgate.surfaces.rest.patience import Patience, Rounds
from toolgate.surfaces.rest.problem import broken, failed
from toolgate.surfaces.rest.query import read_view
from toolgate.surfaces.rest.render import answer_call
from toolgate.surfaces.rest.request_head import RequestHead
from toolgate.surfaces.rest.request_id import new_request_id
from toolgate.validation.json_body import convert_request, decode_object

PATH: Final = "/v1/invocations"


class InvokeEndpoint:
    def __init__(self, gate: Toolgate) -> None:
        self._gate = gate
        self._rounds = Rounds()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts = self._gate.parts
        head = RequestHead(scope["headers"])
        patience = self._rounds.begin(receive, parts.clock)
        try:
            outcome, answer = await self._answer(parts, head, scope["query_string"], patience)
            request_id = head.request_id or outcome.invocation_id
        except ClientGone:
            return
        except asyncio.CancelledError:
            if patience.take_back_interruption():
                return  # the client left, and the engine has kept the outcome of its call
            raise
        except Exception as bug:
            request_id = head.request_id or new_request_id()
            answer = broken(bug, request_id=request_id)
        finally:
            self._rounds.end(patience)
            if patience.is_watching:
                await patience.end()
        await answer.send_at_once(scope, send, request_id)

    async def answer_whole(self, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> tuple[Answer, str]:
        """The answer to a request that is here already and asks for no view, with its request id."""
        head = RequestHead(headers)
        try:
            parts = self._gate.parts
            try:
                check_size(body, limit=parts.settings.server.max_body_bytes)
                head.check()
                request = _parse(parts, head, body)
            except ToolgateError as error:
                outcome = await parts.engine.refuse(error)
                return failed(outcome), head.request_id or outcome.invocation_id
            outcome = await parts.engine.invoke(request)
            return answer_call(outcome, None), head.request_id or outcome.invocation_id
        except Exception as bug:
            request_id = head.request_id or new_request_id()
            return broken(bug, request_id=request_id), request_id

    async def _answer(
        self, parts: Parts, head: RequestHead, query_string: bytes, patience: Patience
    ) -> tuple[Outcome, Answer]:
        try:
            request, view = await _read(parts, head, query_string, patience)
        except ToolgateError as error:
            outcome = await parts.engine.refuse(error)
            return outcome, _refusal(outcome, error)
        outcome = await parts.engine.invoke(request)
        return outcome, answer_call(outcome, view)


async def _read(
    parts: Parts, head: RequestHead, query_string: bytes, patience: Patience
) -> tuple[ToolInvokeRequest, str | None]:
    """The request and the view that its answer is wanted in. The body is read before anything is refused, so that
    what follows it on the connection can be understood.
    """
    body = await patience.read_body(
        limit=parts.settings.server.max_body_bytes, declared=head.declared_length, on_request=head.expects_continue
    )
    head.check()
    view = read_view(query_string)
    return _parse(parts, head, body), view


def _parse(parts: Parts, head: RequestHead, body: bytes) -> ToolInvokeRequest:
    request = head.complete(convert_request(decode_object(body)))
    refuse_operator_key(request.capability_token, parts)
    return request


def _refusal(outcome: Outcome, error: ToolgateError) -> Answer:
    answer = failed(outcome)
    if isinstance(error, UnusableBody) and not error.is_read:
        return msgspec.structs.replace(answer, headers=(*answer.headers, CLOSE))
    return answer
