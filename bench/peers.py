"""The same tool behind the libraries that people would use instead. One that is not installed is simply absent."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bench.measure import Call

MCP = "mcp in-memory Client"
FASTMCP = "FastMCP in-memory Client"
_PACKAGES = {MCP: "mcp", FASTMCP: "fastmcp"}
_PARAMETERS = {"a": 1, "b": 2}


async def _add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


def _add_sync(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


@asynccontextmanager
async def open_peers() -> AsyncGenerator[dict[str, Call]]:
    """`add` by peer, as an `async def` and, with `def` behind the name, as a plain function."""
    calls: dict[str, Call] = {}
    async with AsyncExitStack() as stack:
        for name, open_client in ((MCP, _mcp_client), (FASTMCP, _fastmcp_client)):
            try:
                client = await stack.enter_async_context(open_client())
            except ImportError:
                continue
            calls[name] = partial(_call, client, "add")
            calls[f"{name}, def"] = partial(_call, client, "add_sync")
        yield calls


def installed_version(name: str) -> str | None:
    try:
        return version(_PACKAGES[name])
    except PackageNotFoundError:
        return None


async def _call(client: Any, tool: str) -> None:
    answer = await client.call_tool(tool, _PARAMETERS)
    if answer.structured_content != {"result": 3}:
        raise RuntimeError(f"the peer answered {answer!r}")


def _mcp_client() -> Any:
    server = import_module("mcp.server").MCPServer("peer")
    server.add_tool(_add, name="add")
    server.add_tool(_add_sync, name="add_sync")
    return import_module("mcp").Client(server)


def _fastmcp_client() -> Any:
    fastmcp = import_module("fastmcp")
    server = fastmcp.FastMCP("peer")
    server.tool(_add, name="add")
    server.tool(_add_sync, name="add_sync")
    return fastmcp.Client(server)
