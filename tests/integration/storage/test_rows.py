"""An outcome survives the way into rows and back; what cannot be stored is replaced, and nothing else changes."""

import asyncio
import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolgate.adapters.postgres.store import PostgresStore
from toolgate.adapters.sql.row import InvocationRow, RecordRows, StoredOutcome
from toolgate.adapters.sql.rows import outcome_of, rows_of
from toolgate.adapters.sql.tables import event_outbox, tool_execution_results, tool_invocations
from toolgate.adapters.sql.text import REPLACEMENT, storable, storable_json
from toolgate.adapters.sqlite.insert import RESULT_REPEATS
from toolgate.errors import Kind, StoreUnavailable
from toolgate.model.event import Event
from toolgate.model.identity import guid_of
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Outcome, Record
from toolgate.model.run import NO_USAGE, Usage
from toolgate.model.status import STATUS_TABLE
from toolgate.testing.strategies import FINISHED, json_values, outcomes


def record_of(outcome: Outcome) -> Record:
    return Record(outcome=outcome, output=msgspec.json.encode(outcome.output))


def read_back(rows: RecordRows) -> Outcome:
    """What a select over the two tables would find."""
    columns = {**rows.invocation._asdict()}
    result = rows.result._asdict() if rows.result else {}
    names = [name for name in StoredOutcome._fields if name not in InvocationRow._fields]
    columns.update({name: result.get(name) for name in names})
    return outcome_of(StoredOutcome(**{name: columns[name] for name in StoredOutcome._fields}))


def replaced(value: Any) -> Any:
    """The value with U+FFFD for every NUL, in keys too."""
    if isinstance(value, str):
        return value.replace("\0", REPLACEMENT)
    if isinstance(value, bytes):
        return storable_json(value).encode()
    if isinstance(value, dict):
        return {replaced(key): replaced(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(item) for item in value]
    return value


def as_kept(outcome: Outcome) -> Outcome:
    """What must come back: everything, and of a call that has not ended everything but its result."""
    if STATUS_TABLE[outcome.kind].result is None:
        nothing = {"output": None, "output_size_bytes": None, "output_truncated": False}
        outcome = msgspec.structs.replace(outcome, **nothing, side_effects=(), sandbox_id=None)
    plain = replaced(msgspec.to_builtins(outcome, builtin_types=(bytes,)))
    return msgspec.convert(plain, Outcome, builtin_types=(bytes,))


@given(outcomes())
def test_every_outcome_survives_its_rows(outcome: Outcome) -> None:
    assert read_back(rows_of(record_of(outcome))) == as_kept(outcome)


@given(outcomes())
def test_what_sqlite_is_sent_once_is_the_same_in_both_rows(outcome: Outcome) -> None:
    invocation, result, _ = rows_of(record_of(outcome))
    for theirs, ours in RESULT_REPEATS.items():
        assert result is None or getattr(result, theirs) == getattr(invocation, ours)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(kept=st.lists(outcomes(st.sampled_from(FINISHED)), max_size=20, unique_by=lambda one: one.invocation_id))
def test_every_outcome_survives_postgres(postgres_url: str, kept: list[Outcome]) -> None:
    """JSONB writes 1e23 as an integer, so numbers in free-form parts are compared as floats."""
    found = asyncio.run(through_postgres(postgres_url, kept))
    for outcome in kept:
        assert with_float_details(found[outcome.invocation_id]) == with_float_details(as_kept(outcome))


async def through_postgres(url: str, kept: list[Outcome]) -> dict[str, Outcome]:
    store = await PostgresStore.open(url)
    try:
        await asyncio.gather(*(record_if_new(store, outcome) for outcome in kept))
        read = [await store.history.get(outcome.invocation_id) for outcome in kept]
        return {outcome.invocation_id: outcome for outcome in read if outcome is not None}
    finally:
        await store.close()


async def record_if_new(store: PostgresStore, outcome: Outcome) -> None:
    if not await store.history.exists(outcome.invocation_id):
        await store.log.record(record_of(outcome))


def with_float_details(outcome: Outcome) -> Outcome:
    invocation = msgspec.structs.replace(outcome.invocation, metadata=as_floats(outcome.invocation.metadata))
    outcome = msgspec.structs.replace(outcome, invocation=invocation)
    if outcome.error is None:
        return outcome
    details = as_floats(outcome.error.details)
    return msgspec.structs.replace(outcome, error=msgspec.structs.replace(outcome.error, details=details))


def as_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: as_floats(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@given(json_values)
def test_json_without_nul_is_stored_as_it_is(value: Any) -> None:
    encoded = msgspec.json.encode(value)
    assert storable_json(encoded) == encoded.decode() or b"\\u0000" in encoded


@given(st.text(alphabet=st.characters(codec=None, categories=None)))
def test_text_with_anything_in_it_becomes_text_that_any_database_takes(text: str) -> None:
    kept = storable(text, length=20)
    kept.encode()
    assert "\0" not in kept
    assert len(kept) == min(len(text), 20)
    assert all(ours in (theirs, REPLACEMENT) for ours, theirs in zip(kept, text, strict=False))


@given(st.lists(st.sampled_from(["\\", "u0000", "ud800", "udc00", "x", "n"]), max_size=12).map("".join))
def test_no_arrangement_of_escapes_hides_one_that_jsonb_refuses(inner: str) -> None:
    text = f'"{inner}"'
    try:
        json.loads(text)  # takes what JSONB refuses
    except ValueError:
        return  # not JSON to begin with
    decoded = msgspec.json.decode(storable_json(text.encode()))
    assert "\0" not in decoded
    decoded.encode()


def test_every_field_of_an_outcome_is_known_here() -> None:
    """A new field of the model must be given a place in a row; then this list grows."""
    assert Outcome.__struct_fields__ == (
        "invocation",
        "kind",
        "completed_at",
        "duration_ms",
        "output",
        "output_size_bytes",
        "output_truncated",
        "error",
        "usage",
        "side_effects",
        "sandbox_id",
        "policy_snapshot",
    )
    assert len(Invocation.__struct_fields__) == 25


def test_every_column_that_is_not_ours_to_leave_out_is_written() -> None:
    unwritten = {
        column.name
        for table in (tool_invocations, tool_execution_results, event_outbox)
        for column in table.columns
        if not column.nullable and not column.primary_key
    }
    rows = rows_of(record_of(plain_outcome()))
    written = {*rows.invocation._fields, *(rows.result._fields if rows.result else ())}
    assert unwritten - written == {"event_id", "event_type", "time", "body"}


def plain_outcome() -> Outcome:
    invocation = Invocation(
        invocation_id="0197b0c0-0000-7000-8000-000000000000", correlation_id="c", tool_id="t", started_at=0.0
    )
    return Outcome(invocation=invocation, kind=Kind.SUCCESS, completed_at=1.0, duration_ms=1000.0)


def test_cpu_time_is_reported_in_the_layers_unit() -> None:
    """A core has 1000 millicores: a millisecond of it is one millicore-second."""
    outcome = msgspec.structs.replace(plain_outcome(), usage=Usage(cpu_ms=1500))
    rows = rows_of(record_of(outcome))
    assert rows.invocation.cpu_used_millicore_seconds == 1500
    assert rows.result is not None
    assert rows.result.resource_metrics_json is not None
    assert plain_outcome().usage is NO_USAGE


def test_agents_and_users_have_guids_in_the_result_record() -> None:
    outcome = plain_outcome()
    outcome.invocation.agent_did = "did:agent:alice"
    result = rows_of(record_of(outcome)).result
    assert result is not None
    assert result.agent_id == guid_of("did:agent:alice")
    assert result.user_id is None


def test_an_event_that_cannot_be_written_is_a_record_that_cannot_be_stored() -> None:
    """The engine withholds the result of a call that leaves no record; it must hear of it in the port's words."""
    event = Event(event_id="e", event_type="t", tenant_id="", invocation_id="", occurred_at=0.0, data={"bug": object()})
    with pytest.raises(StoreUnavailable):
        rows_of(msgspec.structs.replace(record_of(plain_outcome()), events=(event,)))
