"""What holds for every view of every outcome."""

from datetime import datetime
from typing import Any

import msgspec
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgate.envelopes.envelope import to_envelope
from toolgate.envelopes.l03 import to_response, to_status
from toolgate.envelopes.problem import to_problem
from toolgate.envelopes.tool_result import to_tool_result
from toolgate.envelopes.views import DEFAULT_VIEW, VIEWS
from toolgate.errors import Kind
from toolgate.model.outcome import Failure, Outcome
from toolgate.testing.strategies import outcomes

odd_facts = st.dictionaries(
    st.text(st.characters(codec=None), max_size=8),
    st.binary() | st.floats() | st.integers() | st.builds(object) | st.text(st.characters(codec=None), max_size=8),
    max_size=4,
)


def test_the_views_have_the_names_that_callers_use() -> None:
    assert sorted(VIEWS) == ["document", "envelope", "l03", "tool_result"]
    assert DEFAULT_VIEW in VIEWS


@given(outcomes())
def test_rendering_never_raises(outcome: Outcome) -> None:
    for view in (*VIEWS.values(), to_status, to_problem):
        view(outcome)


@given(outcomes(), odd_facts)
def test_every_json_view_can_be_encoded_whatever_the_facts_were(outcome: Outcome, facts: dict[str, Any]) -> None:
    failure = Failure(
        code="c", message="\ud800", category="SystemError", taxonomy_code="T", http_status=500, details=facts
    )
    for told in (outcome, msgspec.structs.replace(outcome, error=failure)):
        for view in (to_envelope, to_tool_result, to_problem):
            orjson.dumps(view(told))
        orjson.dumps(msgspec.to_builtins(to_response(told)))
        msgspec.json.encode(to_response(told))
        msgspec.json.encode(to_status(told))


@given(outcomes())
def test_ok_means_output_present_and_error_absent(outcome: Outcome) -> None:
    """The envelope specification's status rules."""
    envelope = to_envelope(outcome)
    if envelope is None:
        assert outcome.kind in {Kind.PENDING, Kind.RUNNING, Kind.APPROVAL}
        return
    is_ok = envelope["status"] == "Ok"
    assert is_ok == (outcome.kind is Kind.SUCCESS) == ("output" in envelope) == ("error" not in envelope)
    assert is_ok or (envelope["status"] == "Retryable") == envelope["error"]["isRetryable"]
    assert envelope["attempts"] >= 1


@given(outcomes())
def test_the_views_agree(outcome: Outcome) -> None:
    """One record, four views: none of them tells another story."""
    response, envelope, result = to_response(outcome), to_envelope(outcome), to_tool_result(outcome)
    succeeded = response.status == "success"
    assert succeeded == (envelope is not None and envelope["status"] == "Ok")
    assert succeeded == (result is not None and result["status"] == 0)
    if envelope and response.error:
        assert envelope["error"]["number"] == response.error.number
        assert result
        assert result["errorMessage"] == response.error.message == envelope["error"]["message"]


@settings(max_examples=30)
@given(outcomes())
def test_timestamps_are_rfc_3339_in_utc(outcome: Outcome) -> None:
    metadata = to_response(outcome).execution_metadata
    assert metadata is not None
    for text in (metadata.started_at, metadata.completed_at):
        assert text is None or datetime.fromisoformat(text).utcoffset() is not None
