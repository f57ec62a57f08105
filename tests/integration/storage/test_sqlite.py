"""The SQLite writer under trouble: what waits is answered, what was answered is stored, and it goes on afterwards."""

import asyncio
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest

from toolgate.adapters.sql.rows import rows_of
from toolgate.adapters.sql.statements import filter_values, select_page
from toolgate.adapters.sqlite.connection import connect_writer, prepare
from toolgate.adapters.sqlite.insert import MAX_ROWS
from toolgate.adapters.sqlite.store import SqliteStore
from toolgate.adapters.sqlite.writer import MIN_SHARE, GroupCommitWriter
from toolgate.errors import Kind, StoreUnavailable
from toolgate.model.outcome import Record
from toolgate.model.page import InvocationFilter
from toolgate.model.run import Usage
from toolgate.testing.contracts.records import NOON, record_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "toolgate.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(path, busy_timeout_ms=20)
    yield store
    await store.close()


class Blocker:
    """A write that holds the writer until it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.let_go = threading.Event()

    def __call__(self, connection: sqlite3.Connection) -> None:
        self.begun.set()
        assert self.let_go.wait(30)


async def blocked(writer: GroupCommitWriter) -> tuple[Blocker, asyncio.Future[None]]:
    blocker = Blocker()
    running = asyncio.ensure_future(writer.run(blocker))
    await asyncio.to_thread(blocker.begun.wait, 30)
    return blocker, running


async def commits_of_callers_who_wait_together(path: Path, *, callers: int) -> int:
    prepare(path)
    writer = GroupCommitWriter(partial(connect_writer, path, synchronous="FULL"))
    blocker, running = await blocked(writer)
    waiting = [asyncio.ensure_future(writer.store(rows_of(record_of()))) for _ in range(callers)]
    blocker.let_go.set()
    await asyncio.gather(running, *waiting)
    await writer.close()
    return writer.commits - 1


async def test_callers_that_wait_together_share_one_commit(path: Path) -> None:
    assert await commits_of_callers_who_wait_together(path, callers=MIN_SHARE) == 1


async def test_a_crowd_is_committed_in_two_halves(path: Path) -> None:
    """So that the loop serves one half while the other is on its way to the disk."""
    assert await commits_of_callers_who_wait_together(path, callers=100) == 2


async def test_more_callers_than_one_statement_holds_are_all_stored(path: Path) -> None:
    assert await commits_of_callers_who_wait_together(path, callers=3 * MAX_ROWS) == 2
    assert await asyncio.to_thread(count_of_invocations, path) == 3 * MAX_ROWS


def count_of_invocations(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM tool_invocations").fetchone()[0]


async def test_a_record_with_more_events_than_usual_keeps_them_all_in_order(store: SqliteStore) -> None:
    names = ("one", "two", "three", "four")
    await store.log.record(record_of(events=names))
    assert [event.event_type for _, event in await store.outbox.pending()] == [*names]


async def test_nobody_is_answered_before_the_commit(store: SqliteStore, path: Path) -> None:
    """Seen from another connection, as another process would see it."""
    other = sqlite3.connect(path)
    for _ in range(20):
        record = record_of(events=("e",))
        await store.log.record(record)
        found = other.execute(
            "SELECT count(*) FROM tool_invocations i JOIN tool_execution_results r ON r.execution_id = i.invocation_id "
            "JOIN event_outbox e ON e.invocation_id = i.invocation_id WHERE i.invocation_id = ?",
            (record.outcome.invocation_id,),
        ).fetchone()
        assert found == (1,)
    other.close()


async def test_more_callers_than_the_queue_holds_are_refused_at_once(path: Path) -> None:
    prepare(path)
    writer = GroupCommitWriter(partial(connect_writer, path, synchronous="FULL"), max_waiting=2)
    blocker, running = await blocked(writer)
    waiting = [asyncio.ensure_future(writer.store(rows_of(record_of()))) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        await writer.store(rows_of(record_of()))
    blocker.let_go.set()
    await asyncio.gather(running, *waiting)
    await writer.store(rows_of(record_of()))
    await writer.close()


async def test_a_database_locked_by_another_process_is_unavailable_and_comes_back(
    store: SqliteStore, path: Path
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused = await asyncio.gather(*(store.log.record(record_of()) for _ in range(5)), return_exceptions=True)
    assert {type(answer) for answer in refused} == {StoreUnavailable}
    assert (await store.history.list(InvocationFilter())).items == ()
    other.execute("ROLLBACK")
    other.close()
    await store.log.record(record_of())


async def test_a_write_waits_for_another_process_to_finish_its_own(path: Path) -> None:
    store = await SqliteStore.open(path, busy_timeout_ms=30_000)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    recording = asyncio.ensure_future(store.log.record(record_of()))
    await store.history.list(InvocationFilter())  # reads go on meanwhile
    assert not recording.done()
    other.execute("COMMIT")
    other.close()
    await recording
    await store.close()


async def test_a_full_disk_is_unavailable_and_the_writer_lives_on(path: Path) -> None:
    prepare(path)
    connections: list[sqlite3.Connection] = []

    def connect() -> sqlite3.Connection:
        connection = connect_writer(path, synchronous="FULL")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        connections.append(connection)
        return connection

    writer = GroupCommitWriter(connect)
    huge = record_of(output=msgspec.json.encode("x" * 1_000_000))
    answers = await asyncio.gather(
        writer.store(rows_of(huge)), writer.store(rows_of(record_of())), return_exceptions=True
    )
    assert type(answers[0]) is StoreUnavailable
    await writer.run(lambda connection: connection.execute("PRAGMA max_page_count = 1000000") and None)
    await writer.store(rows_of(huge))
    await writer.close()
    assert len(connections) == 1


async def test_a_record_that_cannot_be_stored_fails_alone(store: SqliteStore) -> None:
    def poisoned(record: Record) -> Record:
        outcome = msgspec.structs.replace(record.outcome, usage=Usage(cpu_ms=2**70))
        return msgspec.structs.replace(record, outcome=outcome)

    records = [record_of() for _ in range(9)]
    records.insert(4, poisoned(record_of()))
    answers = await asyncio.gather(*(store.log.record(record) for record in records), return_exceptions=True)
    assert [type(answer) for answer in answers] == [type(None)] * 4 + [StoreUnavailable] + [type(None)] * 5
    assert len((await store.history.list(InvocationFilter())).items) == 9


async def test_a_job_that_fails_takes_no_record_along(path: Path) -> None:
    prepare(path)
    writer = GroupCommitWriter(partial(connect_writer, path, synchronous="FULL"))

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO alembic_version VALUES ('x'), ('x')")

    answers = await asyncio.gather(writer.store(rows_of(record_of())), writer.run(fail), return_exceptions=True)
    assert [type(answer) for answer in answers] == [type(None), StoreUnavailable]
    await writer.close()


async def test_a_bug_in_a_job_leaves_nobody_waiting(path: Path) -> None:
    prepare(path)
    writer = GroupCommitWriter(partial(connect_writer, path, synchronous="FULL"))

    def crash(connection: sqlite3.Connection) -> None:
        raise RuntimeError("bug")

    with pytest.raises(StoreUnavailable):
        await writer.run(crash)
    await writer.store(rows_of(record_of()))
    await writer.close()


async def test_callers_in_several_event_loops_share_a_store(store: SqliteStore) -> None:
    def other_loop() -> None:
        async def record_some() -> None:
            await asyncio.gather(*(store.log.record(record_of()) for _ in range(30)))

        asyncio.run(record_some())

    async def here() -> None:
        await asyncio.gather(*(store.log.record(record_of()) for _ in range(30)))

    await asyncio.gather(asyncio.to_thread(other_loop), asyncio.to_thread(other_loop), here())
    assert len((await store.history.list(InvocationFilter(), limit=200)).items) == 90


async def open_and_close(path: Path) -> None:
    store = await SqliteStore.open(path)
    await store.log.record(record_of())
    await store.close()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_only_the_owner_can_read_the_files(store: SqliteStore, path: Path) -> None:
    await store.log.record(record_of())
    assert mode_of(path.parent) == 0o700
    assert {file.name: mode_of(file) for file in path.parent.iterdir()} == dict.fromkeys(
        ["toolgate.db", "toolgate.db-wal", "toolgate.db-shm"], 0o600
    )


def test_an_existing_database_that_others_can_read_is_closed_to_them(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    path.chmod(0o666)
    asyncio.run(open_and_close(path))
    assert mode_of(path) == 0o600


def test_a_file_that_is_no_database_is_unavailable_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"precious notes " * 100)
    with pytest.raises(StoreUnavailable):
        asyncio.run(open_and_close(path))
    assert path.read_bytes() == b"precious notes " * 100


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable):
        asyncio.run(open_and_close(tmp_path / "file" / "toolgate.db"))


def test_an_odd_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a?b=c%20 #d" / "tool gate.db"
    asyncio.run(open_and_close(path))
    assert [file.name for file in path.parent.iterdir()] == ["tool gate.db"]


async def test_records_survive_closing_and_opening(path: Path) -> None:
    record = record_of(events=("e",))
    for synchronous in ("FULL", "NORMAL"):
        store = await SqliteStore.open(path, synchronous=synchronous)
        if synchronous == "FULL":
            await store.log.record(record)
        assert await store.history.exists(record.outcome.invocation_id)
        assert len(await store.outbox.pending()) == 1
        await store.close()


async def test_a_page_ends_before_it_holds_too_much_output(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgate.adapters.sqlite.history.MAX_PAGE_BYTES", 2_500)
    output = msgspec.json.encode("x" * 998)
    records = [record_of(output=output, started_at=NOON + index) for index in range(5)]
    await asyncio.gather(*(store.log.record(record) for record in records))
    page = await store.history.list(InvocationFilter())
    assert len(page.items) == 2
    rest = await store.history.list(InvocationFilter(), cursor=page.next_cursor)
    assert [outcome.invocation.started_at for outcome in rest.items] == [NOON + 2, NOON + 1]


async def test_no_list_is_answered_by_reading_everything(store: SqliteStore, path: Path) -> None:
    """Each condition alone has an index that also gives the order."""
    connection = sqlite3.connect(path)
    for wanted in (
        InvocationFilter(tenant_id="x"),
        InvocationFilter(tool_id="x"),
        InvocationFilter(agent_did="x"),
        InvocationFilter(kind=Kind.FAILED),
        InvocationFilter(),
    ):
        statement = select_page(wanted, after=True, dialect="sqlite")
        values = statement.values(**filter_values(wanted), started_at="", after_id="", limit=10)
        plan = " / ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement.sql}", values))
        assert plan.startswith("SEARCH tool_invocations USING INDEX idx_invocation_"), plan
        assert "TEMP B-TREE" not in plan
    connection.close()


async def test_a_store_says_how_it_is_and_not_where(store: SqliteStore, path: Path) -> None:
    assert "toolgate.db" in repr(store)
    assert str(path.parent) not in repr(store)
