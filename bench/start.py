"""How long the command line takes to answer, and how much memory a server takes that waits for calls."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory

import httpx2

from bench.measure import Effort, medians
from bench.process import resident_mb
from bench.row import Bar, Row, Section, quotient
from bench.servers import PATH, end

TITLE = "Start and size"
METHOD = (
    "Wall time of whole processes, in turns. The memory is what `toolgate up` with its defaults holds resident after "
    "its start and 100 calls."
)
CALLS = 100
_HELP, _PASS, _DEMO = "toolgate --help", "python -c pass", "toolgate demo"
_TOOLGATE = [sys.executable, "-m", "toolgate"]
_UP = b"toolgate is up at "


async def measure(effort: Effort) -> Section:
    with TemporaryDirectory(prefix="toolgate-bench-") as directory:
        starts = {
            _HELP: partial(_seconds, [*_TOOLGATE, "--help"], directory),
            _PASS: partial(_seconds, [sys.executable, "-c", "pass"], directory),
        }
        await medians(starts, rounds=1)  # warm
        cost = await medians(starts, rounds=7)
        demo = partial(_seconds, [*_TOOLGATE, "demo"], directory)
        cost |= await medians({_DEMO: demo}, rounds=1 if effort.is_quick else 5)
        resident = _resident_mb_after_calls(directory)
    return Section(title=TITLE, method=METHOD, rows=[*_time_rows(cost), _memory_row(resident)])


def _time_rows(cost: dict[str, float]) -> list[Row]:
    slower = quotient(cost[_HELP], cost[_PASS])
    return [
        Row(name=_PASS, value=cost[_PASS], unit="s"),
        Row(name=_HELP, value=cost[_HELP], unit="s", bar=Bar("at most", 0.3, "s"), note=f"{slower:.1f}× {_PASS}"),
        Row(name=_DEMO, value=cost[_DEMO], unit="s", bar=Bar("at most", 5, "s")),
    ]


def _memory_row(resident: float | None) -> Row:
    note = "" if resident is not None else "this system does not say"
    return Row(name="idle server, resident", value=resident, unit="MB", bar=Bar("at most", 120, "MB"), note=note)


async def _seconds(command: list[str], directory: str) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if await process.wait() != 0:
        raise RuntimeError(f"{command[-1]} failed")
    return time.perf_counter() - began


# ---------------------------------------------------------------- memory


def _resident_mb_after_calls(directory: str) -> float | None:
    with _toolgate_up(directory) as (url, pid):
        mint = [*_TOOLGATE, "token", "mint", "--tool", "echo", "--agent", "did:example:bench", "--tenant", "bench"]
        token = subprocess.run(mint, cwd=directory, capture_output=True, text=True, check=True).stdout.strip()
        with httpx2.Client(base_url=url, headers={"authorization": f"Bearer {token}"}) as client:
            for _ in range(CALLS):
                answer = client.post(PATH, json={"tool_id": "echo", "parameters": {"text": "hello"}})
                answer.raise_for_status()
        return resident_mb(pid)


@contextmanager
def _toolgate_up(directory: str) -> Generator[tuple[str, int]]:
    """The server's address and process.

    Raises:
        RuntimeError: it did not start.
    """
    process = subprocess.Popen([*_TOOLGATE, "up", "--port", "0"], cwd=directory, stderr=subprocess.PIPE)
    try:
        for line in process.stderr or ():
            if line.startswith(_UP):
                yield line.removeprefix(_UP).decode().strip(), process.pid
                return
        raise RuntimeError("toolgate up did not start")
    finally:
        end(process)
