"""`InvocationLog`: what was recorded is there, once and whole, whatever it carries and whoever waits for it.

The fixture `store` answers a fresh, empty `Store`.
"""

import asyncio
from typing import Any

import msgspec
import pytest

from toolgate.errors import IdempotencyConflict, Kind, StoreUnavailable
from toolgate.model.invocation import Invocation
from toolgate.model.page import InvocationFilter
from toolgate.model.response import CheckpointMetadata, DocumentAccess
from toolgate.model.run import Usage
from toolgate.model.side_effect import SideEffect, SideEffectType
from toolgate.testing.contracts.records import NOON, Store, failure_of, invocation_of, record_of, stored

EVERYTHING = InvocationFilter()


# ---------------------------------------------------------------- what is recorded comes back


async def test_a_success_comes_back_as_it_was(store: Store) -> None:
    record = record_of(
        user_did="did:user:bob",
        causation_id="cause-1",
        requested_version="^1",
        idempotency_key="k1",
        priority="high",
        notices=["E3003"],
        redactions=("/password",),
        documents_accessed=[DocumentAccess(document_id="d", document_version="1", access_count=2)],
        checkpoints_created=[CheckpointMetadata(checkpoint_id="c", checkpoint_type="macro", timestamp="t")],
    )
    effect = SideEffect(type=SideEffectType.CREATED, resource="r", timestamp="t", new_value={"b": [1.5], "a": None})
    outcome = msgspec.structs.replace(
        record.outcome,
        usage=Usage(cpu_ms=7, memory_peak_mb=8, network_bytes_sent=9, network_bytes_received=2**40),
        side_effects=(effect,),
        sandbox_id="sandbox-1",
        output_truncated=True,
        output_size_bytes=10**9,
    )
    record = msgspec.structs.replace(record, outcome=outcome)
    await store.log.record(record)
    assert await store.history.get(record.outcome.invocation_id) == stored(record)


async def test_a_failure_comes_back_and_raises_what_it_was(store: Store) -> None:
    record = failure_of()
    await store.log.record(record)
    found = await store.history.get(record.outcome.invocation_id)
    assert found == stored(record)
    assert found is not None
    assert found.error is not None
    assert found.error.as_exception().number == "E3103"


async def test_times_come_back_to_the_last_digit(store: Store) -> None:
    record = record_of(started_at=1_700_000_000.123_456_7)
    await store.log.record(record)
    found = await store.history.get(record.outcome.invocation_id)
    assert found is not None
    assert found.invocation.started_at == record.outcome.invocation.started_at
    assert found.duration_ms == record.outcome.duration_ms


async def test_parameters_come_back_byte_for_byte(store: Store) -> None:
    record = record_of(parameters=b'{"z":1.0,"a":[1e22,"\\u00e9"]}')
    await store.log.record(record)
    found = await store.history.get(record.outcome.invocation_id)
    assert found is not None
    assert found.invocation.parameters == record.outcome.invocation.parameters


async def test_history_answers_the_redacted_output_never_the_callers(store: Store) -> None:
    record = record_of(output=b'{"token":"[redacted]"}')
    secret = msgspec.structs.replace(record.outcome, output={"token": "hunter2"})
    await store.log.record(msgspec.structs.replace(record, outcome=secret))
    found = await store.history.get(record.outcome.invocation_id)
    page = await store.history.list(EVERYTHING)
    assert found is not None
    assert found.output == page.items[0].output == {"token": "[redacted]"}


@pytest.mark.parametrize("output", [None, b"null", b"0", b'""', b"[]", b"[1,2.5,null]"])
async def test_outputs_that_are_almost_nothing_are_kept_apart(store: Store, output: bytes | None) -> None:
    record = record_of(output=output)
    await store.log.record(record)
    assert await store.history.get(record.outcome.invocation_id) == stored(record)


@pytest.mark.parametrize("kind", list(Kind))
async def test_every_kind_of_outcome_can_be_kept(store: Store, kind: Kind) -> None:
    record = failure_of(kind)
    await store.log.record(record)
    assert await store.history.get(record.outcome.invocation_id) == stored(record)


async def test_a_refusal_of_which_nothing_is_known_is_kept(store: Store) -> None:
    record = failure_of(Kind.INVALID_INPUT, tool_id="", tool_version="", agent_did="", tenant_id="", session_id="")
    await store.log.record(record)
    assert await store.history.get(record.outcome.invocation_id) == stored(record)


async def test_ten_megabytes_of_output_are_kept(store: Store) -> None:
    record = record_of(output=msgspec.json.encode({"text": "0123456789" * 1_000_000}))
    await store.log.record(record)
    assert await store.history.get(record.outcome.invocation_id) == stored(record)


# ---------------------------------------------------------------- ids


async def test_an_id_exists_from_its_record_on(store: Store) -> None:
    record = record_of()
    invocation_id = record.outcome.invocation_id
    assert not await store.history.exists(invocation_id)
    assert await store.history.get(invocation_id) is None
    await store.log.record(record)
    assert await store.history.exists(invocation_id)


@pytest.mark.parametrize("text", ["", "no-uuid", "' OR 1=1 --", "\0", "\ud800", "0" * 36, "x" * 100_000])
async def test_a_text_that_is_no_id_is_not_found(store: Store, text: str) -> None:
    assert await store.history.get(text) is None
    assert not await store.history.exists(text)


async def test_a_second_record_of_an_id_is_refused_and_changes_nothing(store: Store) -> None:
    first = record_of(events=("first",))
    second = record_of(invocation_id=first.outcome.invocation_id, output=b'"other"', events=("second",))
    await store.log.record(first)
    with pytest.raises(IdempotencyConflict):
        await store.log.record(second)
    assert await store.history.get(first.outcome.invocation_id) == stored(first)
    assert [event.event_type for _, event in await store.outbox.pending()] == ["first"]


async def test_a_duplicate_among_many_fails_alone(store: Store) -> None:
    old = record_of()
    await store.log.record(old)
    twice = record_of()
    records = [record_of() for _ in range(20)]
    records[5:5] = [old, twice, twice]
    answers = await asyncio.gather(*(store.log.record(record) for record in records), return_exceptions=True)
    refused = [record for record, answer in zip(records, answers, strict=True) if answer is not None]
    assert [type(answer) for answer in answers if answer is not None] == [IdempotencyConflict] * 2
    assert refused == [old, twice]
    assert len((await store.history.list(EVERYTHING, limit=100)).items) == 22


async def test_a_record_without_a_uuid_is_refused(store: Store) -> None:
    with pytest.raises(StoreUnavailable):
        await store.log.record(record_of(invocation_id="'; DROP TABLE tool_invocations; --"))
    assert (await store.history.list(EVERYTHING)).items == ()


# ---------------------------------------------------------------- hostile text

HOSTILE_NAMES = [
    "nul\0in the middle",
    "\0",
    "lone \ud800 surrogate",
    "\udfff\udfff",
    "'; DROP TABLE tool_invocations; --",
    "%_\\",
    "ｆｕｌｌ ｗｉｄｔｈ ‮ right to left",
    "😀" * 300,
    "long " * 50_000,
]


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=lambda name: ascii(name)[:40])
async def test_a_hostile_name_cannot_keep_its_refusal_out_of_the_record(store: Store, name: str) -> None:
    facts = ("tool_id", "tool_version", "agent_did", "tenant_id", "session_id", "correlation_id", "causation_id")
    also = ("user_did", "requested_version", "idempotency_key", "origin")
    record = failure_of(Kind.NOT_FOUND, **dict.fromkeys((*facts, *also), name))
    await store.log.record(record)
    found = await store.history.get(record.outcome.invocation_id)
    assert found is not None
    assert found.kind is Kind.NOT_FOUND
    assert (await store.history.list(InvocationFilter(tool_id=name, tenant_id=name))).items == (found,)


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=lambda name: ascii(name)[:40])
async def test_a_hostile_error_text_cannot_keep_its_outcome_out_of_the_record(store: Store, name: str) -> None:
    record = failure_of(notices=[name], redactions=(name,))
    assert record.outcome.error is not None
    deep: Any = name
    for _ in range(3_000):
        deep = [deep]
    error = msgspec.structs.replace(
        record.outcome.error, code=name, message=name, details={name: [name, {1, 2}, object()], "deep": deep}
    )
    effect = SideEffect(type=SideEffectType.DELETED, resource=name, timestamp=name, previous_value={name: name})
    outcome = msgspec.structs.replace(record.outcome, error=error, side_effects=(effect,), sandbox_id=name)
    await store.log.record(msgspec.structs.replace(record, outcome=outcome))
    assert await store.history.exists(record.outcome.invocation_id)
    assert await store.history.get(record.outcome.invocation_id) is not None


@pytest.mark.parametrize(
    "output",
    [
        b'"\\u0000"',
        b'{"\\u0000":"\\u0000\\u0000"}',
        b'"\\\\u0000"',
        b'"\\\\\\u0000"',
        b'"\\ud800"',
        b'"\\udc00\\ud800"',
        b'"\\ud83d\\ude00"',
        b'"\\u00e9\\n\\""',
        '"😀é"'.encode(),
        b'"\xff\xfe"',
    ],
)
async def test_a_hostile_output_cannot_keep_its_outcome_out_of_the_record(store: Store, output: bytes) -> None:
    record = record_of(output=output, parameters=b'{"p":' + output + b"}")
    await store.log.record(record)
    assert await store.history.exists(record.outcome.invocation_id)


# ---------------------------------------------------------------- callers


async def test_many_callers_are_all_served(store: Store) -> None:
    records = [record_of(started_at=NOON + index) for index in range(300)]
    await asyncio.gather(*(store.log.record(record) for record in records))
    assert all([await store.history.exists(record.outcome.invocation_id) for record in records])


async def test_a_caller_that_goes_away_leaves_its_record(store: Store) -> None:
    record = record_of()
    caller = asyncio.ensure_future(store.log.record(record))
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait([caller])
    async with asyncio.timeout(10):  # nobody can be asked whether it is over
        while not await store.history.exists(record.outcome.invocation_id):  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_a_record_is_what_it_was_when_it_was_given(store: Store) -> None:
    """The invocation of the engine lives on; what is stored must not follow it."""
    invocation: Invocation = invocation_of()
    record = msgspec.structs.replace(
        record_of(), outcome=msgspec.structs.replace(record_of().outcome, invocation=invocation)
    )
    recording = asyncio.ensure_future(store.log.record(record))
    await asyncio.sleep(0)
    stored_id, invocation.invocation_id = invocation.invocation_id, "00000000-0000-7000-8000-000000000000"
    await recording
    assert await store.history.exists(stored_id)
    assert not await store.history.exists(invocation.invocation_id)


async def test_a_closed_store_refuses_and_closes_again_in_peace(store: Store) -> None:
    record = record_of()
    await store.log.record(record)
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.log.record(record_of())
    with pytest.raises(StoreUnavailable):
        await store.history.get(record.outcome.invocation_id)
    with pytest.raises(StoreUnavailable):
        await store.history.exists(record.outcome.invocation_id)
    with pytest.raises(StoreUnavailable):
        await store.history.list(EVERYTHING)


async def test_closing_waits_for_what_was_given_before(store: Store) -> None:
    recordings = [asyncio.ensure_future(store.log.record(record_of())) for _ in range(50)]
    await asyncio.sleep(0)
    await store.close()
    assert [recording.exception() for recording in recordings] == [None] * 50
