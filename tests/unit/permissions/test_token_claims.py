"""Claims become a `Token`, or a refusal that names the claim and never its value."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.errors import InvalidToken, MissingClaims
from toolgate.model.agent import Mount
from toolgate.model.proof import HostGrant, Token
from toolgate.permissions.claims import is_plain, read_token
from toolgate.permissions.settings import PermissionCheckerSettings

NOW = 1_800_000_000
SETTINGS = PermissionCheckerSettings()

SPECIFIED: dict[str, Any] = {
    "tool_id": "analyze_code",
    "tool_version": "^2.0.0",
    "agent_did": "did:agent:xyz789",
    "tenant_id": "tenant_acme",
    "allowed_operations": ["execute"],
    "filesystem_permissions": {"allowed_paths": ["/workspace/tool1"], "mode": "rw"},
    "network_permissions": {"allowed_hosts": ["api.example.com"], "allowed_ports": [443]},
    "credential_permissions": {"allowed_secrets": ["aws_s3_read", "external_api_token"]},
    "exp": NOW + 3600,
    "iat": NOW,
    "iss": "l02-agent-runtime",
    "jti": "7f3a",
}


def read(claims: dict[str, Any], *, now: float = NOW, settings: PermissionCheckerSettings = SETTINGS) -> Token:
    return read_token(claims, digest=b"digest", settings=settings, now=now)


def test_the_token_of_the_specification_is_read() -> None:
    """§4.1.1, with the `jti` that the decisions page asks for."""
    assert read(SPECIFIED) == Token(
        digest=b"digest",
        jti="7f3a",
        agent_did="did:agent:xyz789",
        tenant_id="tenant_acme",
        tool_id="analyze_code",
        tool_version="^2.0.0",
        allowed_operations=("execute",),
        filesystem=(Mount(path="/workspace/tool1", mode="rw"),),
        network=HostGrant(("api.example.com",), (443,)),
        credentials=("aws_s3_read", "external_api_token"),
        issued_at=NOW,
        expires_at=NOW + 3600,
        issuer="l02-agent-runtime",
    )


def test_a_token_that_says_nothing_allows_nothing() -> None:
    required = ("tool_id", "agent_did", "tenant_id", "exp", "iat", "iss", "jti")
    token = read({claim: SPECIFIED[claim] for claim in required})
    assert token.tool_version == "*"
    assert token.allowed_operations == ()
    assert token.filesystem == ()
    assert token.network == HostGrant()
    assert token.credentials == ()


def test_paths_are_read_only_unless_the_token_says_otherwise() -> None:
    token = read(SPECIFIED | {"filesystem_permissions": {"allowed_paths": ["/a", "/b"]}})
    assert token.filesystem == (Mount(path="/a", mode="ro"), Mount(path="/b", mode="ro"))


@pytest.mark.parametrize("claim", ["tool_id", "agent_did", "tenant_id", "exp", "iat", "iss", "jti"])
def test_a_missing_claim_is_named(claim: str) -> None:
    with pytest.raises(MissingClaims, match=f"lacks {claim}$"):
        read({name: value for name, value in SPECIFIED.items() if name != claim})


def test_all_missing_claims_are_named_at_once() -> None:
    with pytest.raises(MissingClaims, match="lacks tool_id, agent_did, tenant_id, exp, iat, iss, jti"):
        read({})


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("tool_id", 1),
        ("tool_id", None),
        ("agent_did", ["did:agent:xyz789"]),
        ("tool_version", ""),
        ("allowed_operations", "execute"),
        ("allowed_operations", [1]),
        ("filesystem_permissions", []),
        ("filesystem_permissions", {"allowed_paths": "/"}),
        ("filesystem_permissions", {"mode": "rwx"}),
        ("filesystem_permissions", {"denied_paths": ["/etc"]}),
        ("network_permissions", {"allowed_ports": [0]}),
        ("network_permissions", {"allowed_ports": [65_536]}),
        ("network_permissions", {"allowed_ports": [443.0]}),
        ("network_permissions", {"allowed_ports": [True]}),
        ("network_permissions", {"denied_hosts": ["x"]}),
        ("credential_permissions", {"allowed_secrets": {"a": 1}}),
        ("nbf", "0"),
        ("nbf", 0.5),
        ("aud", 5),
    ],
)
def test_a_malformed_claim_is_named(claim: str, value: Any) -> None:
    with pytest.raises(InvalidToken, match=claim):
        read(SPECIFIED | {claim: value})


def test_claims_of_others_mean_nothing_here() -> None:
    assert read(SPECIFIED | {"sub": "someone", "roles": [{"admin": True}]}) == read(SPECIFIED)


def test_clocks_may_differ_by_the_skew_but_not_by_more() -> None:
    read(SPECIFIED | {"iat": NOW + 60, "nbf": NOW + 60})
    with pytest.raises(InvalidToken, match="future"):
        read(SPECIFIED | {"iat": NOW + 61})
    with pytest.raises(InvalidToken, match="not valid yet"):
        read(SPECIFIED | {"nbf": NOW + 61})


def test_a_token_lives_a_day_at_most() -> None:
    read(SPECIFIED | {"exp": NOW + 86_400})
    with pytest.raises(InvalidToken, match="too long"):
        read(SPECIFIED | {"exp": NOW + 86_401})


def test_an_installation_may_shorten_the_life_of_tokens() -> None:
    with pytest.raises(InvalidToken, match="too long"):
        read(SPECIFIED, settings=PermissionCheckerSettings(max_token_lifetime_seconds=3599))


@pytest.mark.parametrize("audience", ["toolgate", ["billing", "toolgate"]])
def test_a_token_for_us_and_others_is_for_us(audience: Any) -> None:
    read(SPECIFIED | {"aud": audience})


@pytest.mark.parametrize("audience", ["billing", [], ["billing", "TOOLGATE"]])
def test_a_token_for_another_service_is_refused(audience: Any) -> None:
    """RFC 7519 §4.1.3: whoever is not in `aud` must reject the token."""
    with pytest.raises(InvalidToken, match="another service"):
        read(SPECIFIED | {"aud": audience})


def test_the_envelope_address_of_a_local_tool_is_its_tool_id() -> None:
    assert read(SPECIFIED | {"tool_id": "local::analyze_code"}).tool_id == "analyze_code"


@given(st.text())
def test_plain_text_survives_a_log_line(text: str) -> None:
    if is_plain(text):
        assert text.encode()
        assert text.splitlines() == [text]
        assert text == text.strip() != ""


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(SPECIFIED)), json_values))
def test_whatever_the_claims_are_the_answer_is_a_token_or_a_refusal(changes: dict[str, Any]) -> None:
    try:
        token = read(SPECIFIED | changes)
    except (InvalidToken, MissingClaims) as error:
        assert error.__context__ is None  # noqa: PT017
    else:
        assert token.issuer == "l02-agent-runtime"
        assert token.expires_at - token.issued_at <= 86_400
