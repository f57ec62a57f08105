"""Requests that take long, with a clock that the test moves: slow bodies, clients that stay, servers that stop."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from toolgate import Toolgate, tool
from toolgate.surfaces.rest.app import RestApp, create_app
from toolgate.testing import FakeClock

AGENT = {"agent_did": "did:example:agent", "tenant_id": "tenant-1"}


class Conversation:
    """One request, given to the application by hand. What is put in `incoming` is what the client sends."""

    def __init__(self, app: RestApp, headers: dict[str, str] | None = None) -> None:
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.asked = asyncio.Event()
        self.sent: list[Any] = []
        raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        scope = {"type": "http", "method": "POST", "path": "/v1/invocations", "query_string": b"", "headers": raw}
        self.task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        self.asked.set()
        return await self.incoming.get()

    async def _send(self, message: Any) -> None:
        self.sent.append(message)

    def say(self, body: bytes, *, more: bool = False) -> None:
        self.incoming.put_nowait({"type": "http.request", "body": body, "more_body": more})

    @property
    def answer(self) -> tuple[int, dict[bytes, bytes], Any]:
        start, body = self.sent
        return start["status"], dict(start["headers"]), msgspec.json.decode(body["body"])


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def gate(data_dir: Path, clock: FakeClock) -> AsyncIterator[Toolgate]:
    async with Toolgate(data_dir=data_dir, settings={"store": "memory://"}, clock=clock) as opened:
        yield opened


def call_of(gate: Toolgate, tool_id: str) -> bytes:
    token = gate.parts.issuer.mint(tool_id, **AGENT)
    return msgspec.json.encode({"tool_id": tool_id, "parameters": {}, "capability_token": token})


async def kinds(gate: Toolgate) -> list[str]:
    return [outcome.kind.value for outcome in await gate.history()]


async def test_a_body_that_does_not_come_is_given_up(gate: Toolgate, clock: FakeClock) -> None:
    conversation = Conversation(create_app(gate))
    conversation.say(b'{"tool_id":', more=True)
    await conversation.asked.wait()
    clock.advance(29)
    assert not conversation.task.done()
    clock.advance(2)
    await conversation.task
    status, headers, problem = conversation.answer
    assert (status, headers[b"connection"]) == (422, b"close")
    assert "did not arrive in time" in problem["detail"]
    assert await kinds(gate) == ["invalid_input"]


async def test_a_client_that_leaves_while_it_sends_is_not_answered(gate: Toolgate) -> None:
    conversation = Conversation(create_app(gate))
    conversation.say(b'{"tool_id":', more=True)
    conversation.incoming.put_nowait({"type": "http.disconnect"})
    await conversation.task
    assert conversation.sent == []


async def test_a_long_call_is_answered_if_the_client_stays(gate: Toolgate, clock: FakeClock) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    @tool(tool_id="long", effect="pure")
    async def long() -> str:
        """Take as long as the test wants."""
        begun.set()
        await may_end.wait()
        return "done"

    gate.add(long)
    conversation = Conversation(create_app(gate))
    conversation.say(call_of(gate, "long"))
    await begun.wait()
    conversation.asked.clear()
    clock.advance(1)
    await conversation.asked.wait()  # somebody listens for the client to leave
    may_end.set()
    await conversation.task
    status, _, response = conversation.answer
    assert (status, response["result"]) == (200, "done")


async def test_a_client_that_leaves_has_its_call_cancelled(gate: Toolgate, clock: FakeClock) -> None:
    begun = asyncio.Event()

    @tool(tool_id="long", effect="pure")
    async def long() -> None:
        """Never end."""
        begun.set()
        await asyncio.Event().wait()

    gate.add(long)
    conversation = Conversation(create_app(gate))
    conversation.say(call_of(gate, "long"))
    await begun.wait()
    conversation.incoming.put_nowait({"type": "http.disconnect"})
    clock.advance(1)
    await conversation.task
    assert conversation.sent == []
    assert await kinds(gate) == ["cancelled"]


async def test_a_server_that_stops_is_not_mistaken_for_a_client_that_leaves(gate: Toolgate, clock: FakeClock) -> None:
    begun = asyncio.Event()

    @tool(tool_id="long", effect="pure")
    async def long() -> None:
        """Never end."""
        begun.set()
        await asyncio.Event().wait()

    gate.add(long)
    conversation = Conversation(create_app(gate))
    conversation.say(call_of(gate, "long"))
    await begun.wait()
    conversation.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await conversation.task
    assert await kinds(gate) == ["cancelled"]


async def test_rounds_stop_when_nothing_is_under_way(gate: Toolgate, clock: FakeClock) -> None:
    conversation = Conversation(create_app(gate))
    conversation.say(b"[]")
    await conversation.task
    clock.advance(1)
    assert "timers=0" in repr(clock)
