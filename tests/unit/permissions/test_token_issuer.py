"""Tokens of our own making pass our own checks."""

from typing import Any

import pytest

from toolgate.errors import MisuseError
from toolgate.model.agent import Mount
from toolgate.model.proof import HostGrant
from toolgate.model.request import ToolInvokeRequest
from toolgate.permissions.issuer import LOCAL_ISSUER, TokenIssuer
from toolgate.permissions.local_agent import LocalAgent
from toolgate.permissions.settings import LocalAgentSettings
from toolgate.permissions.verifier import TokenVerifier
from toolgate.testing import FakeClock


async def test_a_minted_token_says_what_was_asked(
    issuer: TokenIssuer, verifier: TokenVerifier, clock: FakeClock
) -> None:
    text = issuer.mint(
        "analyze_code",
        agent_did="did:agent:a",
        tenant_id="acme",
        tool_version="^2.0.0",
        lifetime_seconds=60,
        allowed_hosts=["api.example.com"],
        allowed_ports=[443],
        mounts=[Mount(path="/w", mode="rw"), Mount(path="/x", mode="rw")],
        secrets=["s3"],
    )
    token = await verifier.verify(ToolInvokeRequest(tool_id="analyze_code", capability_token=text))
    assert token.tool_version == "^2.0.0"
    assert token.allowed_operations == ("execute",)
    assert token.network == HostGrant(("api.example.com",), (443,))
    assert token.filesystem == (Mount(path="/w", mode="rw"), Mount(path="/x", mode="rw"))
    assert token.credentials == ("s3",)
    assert token.issuer == LOCAL_ISSUER
    assert (token.issued_at, token.expires_at) == (int(clock.now()), int(clock.now()) + 60)


def test_every_token_has_its_own_name(issuer: TokenIssuer) -> None:
    assert len({issuer.mint("t", agent_did="a", tenant_id="b") for _ in range(3)}) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"lifetime_seconds": 0},
        {"lifetime_seconds": -1},
        {"lifetime_seconds": 86_401},
        {"agent_did": ""},
        {"tenant_id": "a\nb"},
        {"tool_version": " "},
        {"mounts": [Mount(path="/a", mode="ro"), Mount(path="/b", mode="rw")]},
    ],
)
def test_a_token_that_no_verifier_accepts_is_not_made(issuer: TokenIssuer, wrong: dict[str, Any]) -> None:
    good: dict[str, Any] = {"agent_did": "did:agent:a", "tenant_id": "acme"}
    with pytest.raises(MisuseError):
        issuer.mint("t", **(good | wrong))


async def test_the_local_agent_passes_the_checks_of_production(
    issuer: TokenIssuer, verifier: TokenVerifier, clock: FakeClock
) -> None:
    settings = LocalAgentSettings(allowed_hosts=("h",), allowed_paths=("/w",), allowed_secrets=("s",))
    agent = LocalAgent(issuer, settings=settings, clock=clock)
    token = await verifier.verify(ToolInvokeRequest(tool_id="add", capability_token=agent.token_for("add")))
    assert (token.agent_did, token.tenant_id) == (agent.agent_did, agent.tenant_id) == ("did:toolgate:local", "local")
    assert token.network == HostGrant(("h",))
    assert token.filesystem == (Mount(path="/w", mode="rw"),)
    assert token.credentials == ("s",)


def test_the_local_agent_renews_at_half_of_the_life(issuer: TokenIssuer, clock: FakeClock) -> None:
    agent = LocalAgent(issuer, settings=LocalAgentSettings(), clock=clock, lifetime_seconds=100)
    first = agent.token_for("add")
    assert agent.token_for("sub") != first
    clock.advance(49)
    assert agent.token_for("add") == first
    clock.advance(1)
    assert agent.token_for("add") != first


def test_the_local_agent_forgets_tools_it_no_longer_calls(issuer: TokenIssuer, clock: FakeClock) -> None:
    agent = LocalAgent(issuer, settings=LocalAgentSettings(), clock=clock, capacity=1)
    first = agent.token_for("add")
    agent.token_for("sub")
    assert agent.token_for("add") != first


def test_no_repr_shows_a_token_or_a_key(issuer: TokenIssuer, clock: FakeClock) -> None:
    agent = LocalAgent(issuer, settings=LocalAgentSettings(), clock=clock)
    text = agent.token_for("add")
    for part in text.split("."):
        assert part not in repr(agent) + repr(issuer) + repr(vars(agent))
