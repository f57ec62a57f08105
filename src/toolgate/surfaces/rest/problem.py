"""Failures as `application/problem+json` (RFC 9457), with the headers that go with some of them."""

from typing import Any, Final

import msgspec

from toolgate.audit.log import get_logger
from toolgate.envelopes.facts import failure_of, retry_after_ms
from toolgate.envelopes.links import invocation_path
from toolgate.envelopes.problem import MEDIA_TYPE, problem_of, to_problem
from toolgate.errors import InternalError, ToolgateError
from toolgate.model.outcome import Failure, Outcome
from toolgate.surfaces.rest.answer import Answer, RawHeaders

PROBLEM: Final = MEDIA_TYPE.encode("ascii")
_CHALLENGE: Final = (b"www-authenticate", b"Bearer")

_log = get_logger()


def failed(outcome: Outcome) -> Answer:
    """The answer to a call that failed."""
    return _answer(to_problem(outcome), outcome.http_status, outcome_headers(outcome))


def refused(error: ToolgateError, *, headers: RawHeaders = ()) -> Answer:
    """The answer to a request that no outcome stands for."""
    return _answer(problem_of(error), error.http_status, (*failure_headers(Failure.of(error)), *headers))


def broken(bug: Exception, *, request_id: str) -> Answer:
    """The answer to our own bug: its text is withheld, its traceback is logged under the request id."""
    _log.error("internal error", request_id=request_id, exc_info=bug)
    return refused(InternalError(message="an internal error occurred; the log has it under this request id"))


def outcome_headers(outcome: Outcome) -> RawHeaders:
    """Where the outcome is found again and, if it failed, what the failure asks of the caller."""
    location = location_of(outcome)
    failure = failure_of(outcome)
    return (location,) if failure is None else (location, *failure_headers(failure))


def location_of(outcome: Outcome) -> tuple[bytes, bytes]:
    return b"location", invocation_path(outcome.invocation.invocation_id).encode("ascii")


def failure_headers(failure: Failure) -> RawHeaders:
    headers: list[tuple[bytes, bytes]] = []
    if failure.http_status == 401:
        headers.append(_CHALLENGE)
    wait_ms = retry_after_ms(failure)
    if wait_ms is not None:
        headers.append((b"retry-after", b"%d" % -(-wait_ms // 1000)))
    return tuple(headers)


def _answer(problem: dict[str, Any] | None, status: int, headers: RawHeaders) -> Answer:
    return Answer(status, msgspec.json.encode(problem), PROBLEM, headers)
