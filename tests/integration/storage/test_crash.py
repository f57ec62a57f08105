"""Whatever was answered is stored, though the process dies the very next moment."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from toolgate.adapters.postgres.store import PostgresStore
from toolgate.adapters.sqlite.store import SqliteStore
from toolgate.testing.contracts.records import Store

CALLERS = 200
KILLS = 4
ANSWERS_BEFORE_A_KILL = 400

CHILD = """
import asyncio, os, sys
from pathlib import Path
from toolgate.testing.contracts.records import record_of

async def open_store(address):
    if address.startswith("postgresql://"):
        from toolgate.adapters.postgres.store import PostgresStore
        return await PostgresStore.open(address)
    from toolgate.adapters.sqlite.store import SqliteStore
    return await SqliteStore.open(Path(address))

async def main():
    store = await open_store(sys.argv[1])
    async def caller():
        while True:
            record = record_of(events=("invoked", "succeeded"))
            await store.log.record(record)
            os.write(1, (record.outcome.invocation_id + "\\n").encode())
    await asyncio.gather(*(caller() for _ in range(int(sys.argv[2]))))

asyncio.run(main())
"""


def answered_before_death(address: str) -> list[str]:
    """The ids that a process reported as recorded until it was killed."""
    command = [sys.executable, "-c", CHILD, address, str(CALLERS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        answered = [child.stdout.readline().strip() for _ in range(ANSWERS_BEFORE_A_KILL)]
        child.kill()
        answered += child.stdout.read().splitlines()
    return [invocation_id for invocation_id in answered if len(invocation_id) == 36]


async def assert_all_stored(store: Store, answered: list[str]) -> None:
    assert len(answered) >= KILLS * ANSWERS_BEFORE_A_KILL
    missing = [invocation_id for invocation_id in answered if not await store.history.exists(invocation_id)]
    assert missing == []
    assert len(await store.outbox.pending(limit=10**6)) >= 2 * len(answered)


async def test_a_killed_process_loses_nothing_it_answered_on_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "toolgate.db"
    answered = [one for _ in range(KILLS) for one in await asyncio.to_thread(answered_before_death, str(path))]
    store = await SqliteStore.open(path)
    await assert_all_stored(store, answered)
    await store.close()


async def test_a_killed_process_loses_nothing_it_answered_on_postgres(postgres_url: str) -> None:
    answered = [one for _ in range(KILLS) for one in await asyncio.to_thread(answered_before_death, postgres_url)]
    store = await PostgresStore.open(postgres_url)
    await assert_all_stored(store, answered)
    await store.close()


@pytest.mark.slow
async def test_many_kills_lose_nothing_on_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "toolgate.db"
    answered = [one for _ in range(25) for one in await asyncio.to_thread(answered_before_death, str(path))]
    store = await SqliteStore.open(path)
    await assert_all_stored(store, answered)
    await store.close()
