"""What was answered survives SIGKILL."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CHILD = Path(__file__).with_name("crashing_child.py")


def answered_until_killed(data_dir: Path, after: int) -> Iterator[str]:
    """Ids that a gate with a thousand concurrent callers answered before it was killed in the middle of its work."""
    with subprocess.Popen([sys.executable, str(CHILD), str(data_dir)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for number, line in enumerate(child.stdout, start=1):
            if line.endswith("\n"):
                yield line.strip()
            if number == after:
                child.kill()


def count(database: sqlite3.Connection, sql: str, ids: list[str]) -> int:
    database.execute("CREATE TEMP TABLE answered (id TEXT)")
    database.executemany("INSERT INTO answered VALUES (?)", [(one,) for one in ids])
    found = database.execute(sql).fetchone()[0]
    database.execute("DROP TABLE answered")
    return found


@pytest.mark.parametrize("after", [1, 700, 1500, 2600, 4000])
def test_killing_the_process_amid_a_thousand_callers_loses_no_answered_invocation(tmp_path: Path, after: int) -> None:
    ids = list(answered_until_killed(tmp_path, after))
    assert len(ids) >= after
    database = sqlite3.connect(tmp_path / "toolgate.db")
    try:
        records = "SELECT count(*) FROM tool_invocations JOIN answered ON invocation_id = id WHERE status = 'success'"
        results = "SELECT count(*) FROM tool_execution_results JOIN answered ON execution_id = answered.id"
        events = "SELECT count(*) FROM event_outbox JOIN answered ON invocation_id = id"
        assert count(database, records, ids) == len(ids)
        assert count(database, results, ids) == len(ids)
        assert count(database, events, ids) == 2 * len(ids)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        database.close()
