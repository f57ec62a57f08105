"""One outcome as the answer to a call, or to a question about it, in the view that was asked for."""

from typing import Any, Final

import msgspec

from toolgate.envelopes.l03 import to_response
from toolgate.envelopes.views import VIEWS
from toolgate.errors import Kind
from toolgate.model.outcome import Outcome
from toolgate.model.status import UNFINISHED
from toolgate.surfaces.rest.answer import JSON, MARKDOWN, Answer
from toolgate.surfaces.rest.problem import failed, location_of, outcome_headers

POLL_AFTER: Final = (b"retry-after", b"1")
_encode: Final = msgspec.json.Encoder().encode


def answer_call(outcome: Outcome, view: str | None) -> Answer:
    """Answer a call. Without a view a success is the layer's response, and a failure is a problem document."""
    if view is None and outcome.error is not None:
        return failed(outcome)
    if view is None and outcome.kind is Kind.SUCCESS:  # what nearly every call gets
        return Answer(200, _encode(to_response(outcome)), JSON, (location_of(outcome),))
    headers = outcome_headers(outcome)
    if outcome.kind in UNFINISHED:
        headers = (*headers, POLL_AFTER)
    body, media_type = _body(outcome, view)
    return Answer(outcome.http_status, body, media_type, headers)


def answer_question(outcome: Outcome, view: str | None) -> Answer:
    """Answer what became of a call. That it failed is the answer, not a failure to answer."""
    body, media_type = _body(outcome, view)
    return Answer(200, body, media_type, outcome_headers(outcome)[:1])


def _body(outcome: Outcome, view: str | None) -> tuple[bytes, bytes]:
    rendered: Any = to_response(outcome) if view is None else VIEWS[view](outcome)
    if rendered is None:  # the view has no shape for what has not ended; the layer's response always has one
        rendered = to_response(outcome)
    if isinstance(rendered, str):
        return rendered.encode("utf-8"), MARKDOWN
    return _encode(rendered), JSON
