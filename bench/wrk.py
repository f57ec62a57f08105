"""Load on an HTTP server: `wrk`, one thread, as many connections as asked for."""

import asyncio
import re
import shutil
from pathlib import Path

from bench.invocation import body_with
from bench.measure import Load
from bench.process import cpu_seconds
from bench.servers import PATH, Server

_SCRIPT = """wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = [[{body}]]
"""
_RATE = re.compile(r"Requests/sec:\s+([\d.]+)")
_COUNT = re.compile(r"(\d+) requests in")
_FAULTS = re.compile(r"Non-2xx|connect [1-9]|read [1-9]|write [1-9]")


def is_installed() -> bool:
    return shutil.which("wrk") is not None


async def drive(server: Server, *, connections: int, seconds: int, directory: Path) -> Load:
    """What the server did for so many connections, and what each request cost it.

    Raises:
        RuntimeError: some requests were not answered as they should be; their rate would mean nothing.
    """
    script = directory / "request.lua"
    script.write_text(_SCRIPT.format(body=body_with(server.token)), encoding="utf-8")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script), f"{server.url}{PATH}"]
    before = cpu_seconds(server.pid)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output = (await process.communicate())[0].decode()
    after = cpu_seconds(server.pid)
    rate, count = _RATE.search(output), _COUNT.search(output)
    if rate is None or count is None or _FAULTS.search(output):
        raise RuntimeError(f"wrk says: {output}")
    spent = float("nan") if before is None or after is None else after - before
    return Load(float(rate[1]), spent / int(count[1]) * 1e6)
