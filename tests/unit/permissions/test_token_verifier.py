"""Step 2 of the pipeline: dear checks once, cheap checks always."""

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from toolgate.errors import ExpiredToken, InvalidToken, MissingClaims, RevokedToken, ToolNotCovered
from toolgate.model.agent import AgentContext
from toolgate.model.proof import Token
from toolgate.model.request import ToolInvokeRequest
from toolgate.permissions.issuer import TokenIssuer
from toolgate.permissions.keys import PublicKeys
from toolgate.permissions.settings import PermissionCheckerSettings
from toolgate.permissions.verifier import TokenVerifier
from toolgate.testing import FakeClock


class CountingKeys(PublicKeys):
    searches = 0

    def find(self, kid: str | None):  # type: ignore[no-untyped-def]
        self.searches += 1
        return super().find(kid)


class RevocationList:
    def __init__(self) -> None:
        self.revoked: set[str] = set()

    async def is_revoked(self, jti: str) -> bool:
        return jti in self.revoked


class BrokenRevocations:
    async def is_revoked(self, jti: str) -> bool:
        raise ConnectionError


def mint(issuer: TokenIssuer, tool_id: str = "analyze_code", *, lifetime_seconds: int = 900) -> str:
    return issuer.mint(tool_id, agent_did="did:agent:a", tenant_id="acme", lifetime_seconds=lifetime_seconds)


def request(token: str, *, tool_id: str = "analyze_code", caller: AgentContext | None = None) -> ToolInvokeRequest:
    return ToolInvokeRequest(tool_id=tool_id, capability_token=token, agent_context=caller)


def verify_without_waiting(verifier: TokenVerifier, asked: ToolInvokeRequest) -> Token:
    coroutine = verifier.verify(asked)
    with pytest.raises(StopIteration) as finished:
        coroutine.send(None)
    return finished.value.value


async def test_a_good_token_is_proved(verifier: TokenVerifier, issuer: TokenIssuer) -> None:
    token = await verifier.verify(request(mint(issuer)))
    assert (token.agent_did, token.tenant_id, token.tool_id) == ("did:agent:a", "acme", "analyze_code")


def test_without_a_revocation_list_verification_never_suspends(verifier: TokenVerifier, issuer: TokenIssuer) -> None:
    asked = request(mint(issuer))
    assert verify_without_waiting(verifier, asked) is verify_without_waiting(verifier, asked)


async def test_a_signature_is_checked_once_per_token(
    private_key: RSAPrivateKey, clock: FakeClock, settings: PermissionCheckerSettings, issuer: TokenIssuer
) -> None:
    keys = CountingKeys([private_key.public_key()])
    verifier = TokenVerifier(keys, settings=settings, clock=clock, revocations=RevocationList())
    text = mint(issuer)
    for _ in range(3):
        await verifier.verify(request(text))
    assert keys.searches == 1


async def test_what_is_remembered_is_bounded(
    private_key: RSAPrivateKey, clock: FakeClock, settings: PermissionCheckerSettings, issuer: TokenIssuer
) -> None:
    keys = CountingKeys([private_key.public_key()])
    verifier = TokenVerifier(keys, settings=settings, clock=clock, revocations=RevocationList(), capacity=2)
    texts = [mint(issuer) for _ in range(3)]
    for text in [*texts, texts[2], texts[1], texts[0]]:
        await verifier.verify(request(text))
    assert keys.searches == 4
    assert "2 of 2" in repr(verifier)


async def test_a_bad_token_is_not_remembered(
    private_key: RSAPrivateKey, clock: FakeClock, settings: PermissionCheckerSettings, issuer: TokenIssuer
) -> None:
    keys = CountingKeys([private_key.public_key()])
    verifier = TokenVerifier(keys, settings=settings, clock=clock, revocations=RevocationList())
    header, payload, signature = mint(issuer).split(".")
    forged = f"{header}.{payload}.{'B' + signature[1:] if signature[0] != 'B' else 'C' + signature[1:]}"
    for _ in range(2):
        with pytest.raises(InvalidToken, match="signature"):
            await verifier.verify(request(forged))
    assert keys.searches == 2
    assert "0 of" in repr(verifier)


async def test_a_call_without_a_token_is_told_so(verifier: TokenVerifier) -> None:
    with pytest.raises(MissingClaims) as caught:
        await verifier.verify(request(""))
    assert caught.value.http_status == 401
    assert caught.value.facts == {"claims": "a capability token"}


async def test_a_token_ends_on_the_second(verifier: TokenVerifier, issuer: TokenIssuer, clock: FakeClock) -> None:
    """No skew on `exp`: a remembered token ends exactly when a new one would."""
    text = mint(issuer, lifetime_seconds=10)
    clock.advance(9.999)
    await verifier.verify(request(text))
    clock.advance(0.001)
    with pytest.raises(ExpiredToken):
        await verifier.verify(request(text))
    assert "0 of" in repr(verifier)
    with pytest.raises(ExpiredToken):
        await verifier.verify(request(text))


async def test_a_revoked_token_is_refused_even_if_it_was_verified_before(
    private_key: RSAPrivateKey, clock: FakeClock, settings: PermissionCheckerSettings, issuer: TokenIssuer
) -> None:
    revocations = RevocationList()
    keys = PublicKeys([private_key.public_key()])
    verifier = TokenVerifier(keys, settings=settings, clock=clock, revocations=revocations)
    text = mint(issuer)
    token = await verifier.verify(request(text))
    revocations.revoked.add(token.jti)
    with pytest.raises(RevokedToken):
        await verifier.verify(request(text))


async def test_a_revocation_list_that_cannot_be_read_lets_nobody_in(
    private_key: RSAPrivateKey, clock: FakeClock, settings: PermissionCheckerSettings, issuer: TokenIssuer
) -> None:
    keys = PublicKeys([private_key.public_key()])
    verifier = TokenVerifier(keys, settings=settings, clock=clock, revocations=BrokenRevocations())
    with pytest.raises(ConnectionError):
        await verifier.verify(request(mint(issuer)))


async def test_a_caller_who_says_who_it_is_must_be_the_token_s_agent(
    verifier: TokenVerifier, issuer: TokenIssuer
) -> None:
    text = mint(issuer)
    await verifier.verify(request(text, caller=AgentContext(agent_did="did:agent:a", tenant_id="acme")))
    for agent_did, tenant_id in [("did:agent:b", "acme"), ("did:agent:a", "other"), ("", "")]:
        with pytest.raises(InvalidToken, match=r"issued to another agent$") as caught:
            await verifier.verify(request(text, caller=AgentContext(agent_did=agent_did, tenant_id=tenant_id)))
        assert caught.value.facts == {"reason": "issued to another agent"}


async def test_a_local_tool_may_be_asked_for_by_its_address(verifier: TokenVerifier, issuer: TokenIssuer) -> None:
    await verifier.verify(request(mint(issuer), tool_id="local::analyze_code"))
    await verifier.verify(request(mint(issuer, "local::analyze_code")))


@pytest.mark.parametrize("tool_id", ["other", "", "analyze_code ", "ANALYZE_CODE", "local::local::analyze_code", "*"])
async def test_a_token_is_for_one_tool(verifier: TokenVerifier, issuer: TokenIssuer, tool_id: str) -> None:
    with pytest.raises(ToolNotCovered) as caught:
        await verifier.verify(request(mint(issuer), tool_id=tool_id))
    assert caught.value.facts == {"tool_id": tool_id, "tool_version": "*"}


async def test_a_star_in_a_token_is_no_wildcard_for_tools(verifier: TokenVerifier, issuer: TokenIssuer) -> None:
    with pytest.raises(ToolNotCovered):
        await verifier.verify(request(mint(issuer, "*")))
