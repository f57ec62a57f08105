"""Which hosts a grant admits (spec README §3: exact name or `*.` suffix, and by port)."""

import pytest

from toolgate.model.proof import HostGrant, Token


@pytest.mark.parametrize(
    ("pattern", "host", "admitted"),
    [
        ("api.example.com", "api.example.com", True),
        ("api.example.com", "API.example.com.", True),
        ("api.example.com", "evil-api.example.com", False),
        ("api.example.com", "api.example.com.evil.org", False),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "evilexample.com", False),
        ("*.example.com", ".example.com", False),
    ],
)
def test_a_lookalike_host_is_not_admitted(pattern: str, host: str, admitted: bool) -> None:
    assert HostGrant(allowed_hosts=(pattern,)).admits(host, 443) is admitted


def test_a_port_that_was_not_granted_is_not_admitted() -> None:
    grant = HostGrant(allowed_hosts=("h",), allowed_ports=(443,))
    assert grant.admits("h", 443)
    assert not grant.admits("h", 22)


def test_no_host_is_admitted_by_default() -> None:
    assert not HostGrant().admits("h", 443)


def test_a_token_shows_no_more_than_whose_it_is() -> None:
    token = Token(
        digest=b"secret-digest",
        jti="j",
        agent_did="did:agent:a",
        tenant_id="t",
        tool_id="add",
        tool_version="*",
        allowed_operations=("execute",),
        filesystem=(),
        network=HostGrant(),
        credentials=("db_password",),
        issued_at=0,
        expires_at=1,
        issuer="l02-agent-runtime",
    )
    assert repr(token) == "Token(jti='j', agent_did='did:agent:a', tool_id='add')"
