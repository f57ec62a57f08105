"""How long the command line takes to answer, and how much memory a server that waits for calls takes."""

import asyncio
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from bench.measure import Effort, medians
from bench.order import BODY
from bench.row import Bar, Row, Section, quotient
from bench.servers import PATH, running

TITLE = "Start and size"
METHOD = (
    "Wall time of whole processes, in turns. The memory is what a server with SQLite holds resident after its start "
    "and 100 calls."
)
CALLS = 100
_HELP, _PASS, _DEMO = "toolgate --help", "python -c pass", "toolgate demo"
_COMMANDS = {_HELP: ["-m", "toolgate", "--help"], _PASS: ["-c", "pass"]}


async def measure(effort: Effort) -> Section:
    with TemporaryDirectory(prefix="toolgate-bench-") as directory:
        samples = {name: partial(_seconds, arguments, directory) for name, arguments in _COMMANDS.items()}
        demo = {_DEMO: partial(_seconds, ["-m", "toolgate", "demo"], directory)}
        await medians(samples, rounds=1)  # warm
        cost = await medians(samples, rounds=7)
        cost |= await medians(demo, rounds=1 if effort.is_quick else 3)
    return Section(title=TITLE, method=METHOD, rows=[*_time_rows(cost), _memory_row(await _resident_mb())])


def _time_rows(cost: dict[str, float]) -> list[Row]:
    slower = quotient(cost[_HELP], cost[_PASS])
    return [
        Row(name=_PASS, value=cost[_PASS], unit="s"),
        Row(name=_HELP, value=cost[_HELP], unit="s", bar=Bar("at most", 0.3, "s"), note=f"{slower:.1f}× {_PASS}"),
        Row(name=_DEMO, value=cost[_DEMO], unit="s", bar=Bar("at most", 5, "s")),
    ]


def _memory_row(resident_mb: float | None) -> Row:
    note = "" if resident_mb is not None else "this system does not say"
    return Row(name="idle server, resident", value=resident_mb, unit="MB", bar=Bar("at most", 120, "MB"), note=note)


async def _seconds(arguments: list[str], directory: str) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if await process.wait() != 0:
        raise RuntimeError(f"python {' '.join(arguments)} failed")
    return time.perf_counter() - began


async def _resident_mb() -> float | None:
    with running("toolgate", store="sqlite:///DIRECTORY/start.db") as server:
        headers = {"authorization": f"Bearer {server.token}", "content-type": "application/json"}
        async with httpx2.AsyncClient(base_url=server.url, headers=headers) as client:
            for _ in range(CALLS):
                (await client.post(PATH, content=BODY)).raise_for_status()
        return _resident_mb_of(server.pid)


def _resident_mb_of(pid: int) -> float | None:
    memory = Path(f"/proc/{pid}/statm")
    if not memory.exists():
        return None
    return int(memory.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
