"""Load on an HTTP server: `wrk`, one thread, as many connections as asked for."""

import asyncio
import re
import shutil
from pathlib import Path

from bench.order import BODY
from bench.servers import PATH, Server

_SCRIPT = """wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.headers["authorization"] = "Bearer {token}"
wrk.body = [[{body}]]
"""
_FAULTS = re.compile(r"Non-2xx|connect [1-9]|read [1-9]|write [1-9]")
_RATE = re.compile(r"Requests/sec:\s+([\d.]+)")


def is_installed() -> bool:
    return shutil.which("wrk") is not None


async def requests_per_second(server: Server, *, connections: int, seconds: int, directory: Path) -> float:
    """Drive the server for this long.

    Raises:
        RuntimeError: some requests were not answered as they should be; their rate would mean nothing.
    """
    script = directory / "request.lua"
    script.write_text(_SCRIPT.format(token=server.token, body=BODY), encoding="utf-8")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script), f"{server.url}{PATH}"]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output = (await process.communicate())[0].decode()
    rate = _RATE.search(output)
    if rate is None or _FAULTS.search(output):
        raise RuntimeError(f"wrk says: {output}")
    return float(rate[1])
