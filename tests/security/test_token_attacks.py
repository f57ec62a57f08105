"""Capability tokens that somebody tampered with. Each test is named after the attack."""

import hashlib
import hmac
import json
import pickle
import traceback
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolgate.errors import (
    ExpiredToken,
    InvalidToken,
    MissingClaims,
    PermissionDenied,
    ToolgateError,
    ToolNotCovered,
)
from toolgate.model.agent import AgentContext
from toolgate.model.outcome import Failure
from toolgate.model.proof import Token
from toolgate.model.request import ToolInvokeRequest
from toolgate.permissions import jws
from toolgate.permissions.keys import PublicKeys, public_pem, thumbprint
from toolgate.permissions.revocations import NoRevocations
from toolgate.permissions.settings import PermissionCheckerSettings
from toolgate.permissions.verifier import TokenVerifier
from toolgate.testing import FakeClock

NOW = 1_800_000_000
BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
OURS = generate_private_key(public_exponent=65_537, key_size=2048)
THEIRS = generate_private_key(public_exponent=65_537, key_size=2048)
HEADER: dict[str, Any] = {"alg": "RS256", "typ": "JWT", "kid": thumbprint(OURS.public_key())}
CLAIMS: dict[str, Any] = {
    "tool_id": "analyze_code",
    "agent_did": "did:agent:alice",
    "tenant_id": "acme",
    "allowed_operations": ["execute"],
    "exp": NOW + 900,
    "iat": NOW,
    "iss": "l02-agent-runtime",
    "jti": "jti-1",
}
ALICE = AgentContext(agent_did="did:agent:alice", tenant_id="acme")


def part(value: dict[str, Any] | bytes) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def rs256(signed: bytes, key: RSAPrivateKey = OURS) -> bytes:
    return key.sign(signed, PKCS1v15(), SHA256())


def unsigned(_signed: bytes) -> bytes:
    return b"x"


def forge(
    header: dict[str, Any] | bytes = HEADER,
    payload: dict[str, Any] | bytes = CLAIMS,
    sign: Callable[[bytes], bytes] = rs256,
) -> str:
    signed = f"{part(header)}.{part(payload)}"
    return f"{signed}.{part(sign(signed.encode()))}"


HONEST = forge()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(now=NOW)


@pytest.fixture
def verifier(clock: FakeClock) -> TokenVerifier:
    keys = PublicKeys([OURS.public_key()])
    return TokenVerifier(keys, settings=PermissionCheckerSettings(), clock=clock, revocations=NoRevocations())


def ask(token: str, *, tool_id: str = "analyze_code", caller: AgentContext | None = ALICE) -> ToolInvokeRequest:
    return ToolInvokeRequest(tool_id=tool_id, capability_token=token, agent_context=caller)


def verify(verifier: TokenVerifier, request: ToolInvokeRequest) -> Token:
    """Without an event loop: nothing here may wait."""
    try:
        verifier.verify(request).send(None)
    except StopIteration as finished:
        return finished.value
    raise AssertionError("the verifier waited")


def refuse(
    verifier: TokenVerifier, token: str, *, as_row: type[ToolgateError] = InvalidToken, **request: Any
) -> ToolgateError:
    """The refusal, after a look at whether it gives anything of the token away."""
    with pytest.raises(as_row) as caught:
        verify(verifier, ask(token, **request))
    assert type(caught.value) is as_row
    assert_keeps_silent(caught.value, token)
    return caught.value


def assert_keeps_silent(error: ToolgateError, token: str) -> None:
    chain: list[BaseException | None] = [error, error.__cause__, error.__context__]
    shown = [str(error), repr(error), repr(error.facts), repr(Failure.of(error)), repr(pickle.dumps(error))]
    shown += ["".join(traceback.format_exception_only(link)) + repr(vars(link)) for link in chain if link]
    for secret in [token, *(piece for piece in token.split(".") if len(piece) > 16)]:
        assert not secret or all(secret not in text for text in shown)


def test_the_honest_token_is_accepted(verifier: TokenVerifier) -> None:
    """Otherwise nothing below proves anything."""
    assert verify(verifier, ask(forge())).jti == "jti-1"
    assert verify(verifier, ask(forge({"alg": "RS256"}))).jti == "jti-1"
    assert verify(verifier, ask(forge(HEADER | {"typ": "jwt"}))).jti == "jti-1"


# ---------------------------------------------------------------- algorithm


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE", "", None, 0, ["RS256"], {"RS256": 1}])
@pytest.mark.parametrize("sign", [unsigned, rs256], ids=["unsigned", "signed"])
def test_algorithm_none(verifier: TokenVerifier, alg: Any, sign: Callable[[bytes], bytes]) -> None:
    refuse(verifier, forge(HEADER | {"alg": alg}, sign=sign))


def test_algorithm_none_with_an_empty_signature(verifier: TokenVerifier) -> None:
    refuse(verifier, f"{part(HEADER | {'alg': 'none'})}.{part(CLAIMS)}.")


def test_no_algorithm_at_all(verifier: TokenVerifier) -> None:
    refuse(verifier, forge({"typ": "JWT"}))


@pytest.mark.parametrize("alg", ["HS256", "RS256"])
def test_the_public_key_as_an_hmac_secret(verifier: TokenVerifier, alg: str) -> None:
    secret = public_pem(OURS.public_key())
    refuse(verifier, forge(HEADER | {"alg": alg}, sign=lambda text: hmac.digest(secret, text, hashlib.sha256)))


@pytest.mark.parametrize("alg", ["rs256", "Rs256", "RS256 ", "RS256\x00", "ＲＳ256"])
def test_algorithm_in_another_spelling(verifier: TokenVerifier, alg: str) -> None:
    refuse(verifier, forge(HEADER | {"alg": alg}))


def test_algorithm_rs512(verifier: TokenVerifier) -> None:
    def rs512(text: bytes) -> bytes:
        return OURS.sign(text, PKCS1v15(), SHA512())

    refuse(verifier, forge(HEADER | {"alg": "RS512"}, sign=rs512))
    refuse(verifier, forge(HEADER, sign=rs512))


def test_algorithm_ps256(verifier: TokenVerifier) -> None:
    def ps256(text: bytes) -> bytes:
        return OURS.sign(text, PSS(MGF1(SHA256()), PSS.DIGEST_LENGTH), SHA256())

    refuse(verifier, forge(HEADER | {"alg": "PS256"}, sign=ps256))
    refuse(verifier, forge(HEADER, sign=ps256))


# ---------------------------------------------------------------- keys chosen by the sender


@pytest.mark.parametrize(
    "field",
    [
        {"jwk": {"kty": "RSA", "n": "AQAB", "e": "AQAB"}},
        {"jku": "https://evil.example/jwks.json"},
        {"x5u": "https://evil.example/cert.pem"},
        {"x5c": ["MIIB"]},
        {"jku": None},
    ],
)
@pytest.mark.parametrize("key", [OURS, THEIRS], ids=["our key", "their key"])
def test_a_key_or_its_address_in_the_header(verifier: TokenVerifier, field: dict[str, Any], key: RSAPrivateKey) -> None:
    refuse(verifier, forge(HEADER | field, sign=lambda text: rs256(text, key)))


@pytest.mark.parametrize(
    "field",
    [
        {"crit": ["exp"]},
        {"crit": []},
        {"b64": False},
        {"b64": True},
        {"zip": "DEF"},
        {"cty": "JWT"},
        {"enc": "A128GCM"},
    ],
)
def test_a_header_that_changes_what_the_token_means(verifier: TokenVerifier, field: dict[str, Any]) -> None:
    refuse(verifier, forge(HEADER | field))


@pytest.mark.parametrize("typ", ["at+jwt", "JOSE", "", None, 1, ["JWT"], "JWT\n"])
def test_a_token_of_another_type(verifier: TokenVerifier, typ: Any) -> None:
    refuse(verifier, forge(HEADER | {"typ": typ}))


@pytest.mark.parametrize(
    "kid",
    [
        "../../../../dev/null",
        "/etc/passwd",
        "file:///dev/null",
        "' OR '1'='1",
        "x'; DROP TABLE keys; --",
        "k" * 129,
        "k" * 10_000,
        "",
        "a\x00b",
        "a\nb",
        "аbc",
        1,
        None,
        True,
        ["a"],
        {"a": 1},
    ],
)
def test_a_key_id_that_is_a_path_or_a_query_or_no_text(verifier: TokenVerifier, kid: Any) -> None:
    assert "key id is malformed" in refuse(verifier, forge(HEADER | {"kid": kid})).message


def test_an_unknown_key_id_does_not_fall_back_to_the_only_key(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(HEADER | {"kid": "unknown"}))


# ---------------------------------------------------------------- ambiguous documents


@pytest.mark.parametrize(
    "extra",
    [
        '"agent_did":"did:agent:root"',
        '"tool_id":"analyze_code"',
        '"exp":1800000900',
        '"\\u0061gent_did":"did:agent:root"',
        '"network_permissions":{"allowed_hosts":[],"allowed_hosts":["evil.example"]}',
        '"unknown":{"a":1,"a":2}',
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_duplicate_claims(verifier: TokenVerifier, extra: str, *, first: bool) -> None:
    honest = json.dumps(CLAIMS)[1:-1]
    refuse(verifier, forge(payload=("{%s,%s}" % ((extra, honest) if first else (honest, extra))).encode()))


@pytest.mark.parametrize("header", ['{"alg":"none","alg":"RS256"}', '{"alg":"RS256","alg":"none"}'])
def test_duplicate_header_fields(verifier: TokenVerifier, header: str) -> None:
    refuse(verifier, forge(header.encode()))


@pytest.mark.parametrize("payload", [b"", b"null", b"[]", b'"text"', b"1", b"{", b"\xff\xfe", b"{}x", b'{"a":NaN}'])
def test_a_payload_that_is_no_object(verifier: TokenVerifier, payload: bytes) -> None:
    refuse(verifier, forge(payload=payload))


def test_a_payload_in_another_encoding(verifier: TokenVerifier) -> None:
    for encoding in ("utf-16", "utf-32", "utf-8-sig"):
        refuse(verifier, forge(payload=json.dumps(CLAIMS).encode(encoding)))


def test_a_token_inside_a_token(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(payload=forge().encode()))
    refuse(verifier, forge(payload=json.dumps(forge()).encode()))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_payload_nested_to_exhaust_the_stack(verifier: TokenVerifier, opening: str) -> None:
    refuse(verifier, forge(payload=f'{{"x":{opening * 1500}'.encode()))
    refuse(verifier, forge((f'{{"alg":"RS256","x":{opening * 1500}').encode()))


# ---------------------------------------------------------------- the compact form


def test_a_huge_token(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(payload=CLAIMS | {"padding": "x" * 16_384}))
    refuse(verifier, "A" * 50_000_000)
    refuse(verifier, "A." * 8_000)
    with pytest.raises(InvalidToken, match="too large"):
        jws.verify(forge(payload=CLAIMS | {"padding": "x" * 16_384}), PublicKeys([OURS.public_key()]))


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_a_token_with_too_few_or_too_many_parts(verifier: TokenVerifier, count: int) -> None:
    parts = [*forge().split("."), "AAAA", "AAAA"][:count]
    refuse(verifier, ".".join(parts))


@pytest.mark.parametrize("index", [0, 1, 2])
def test_an_empty_part(verifier: TokenVerifier, index: int) -> None:
    parts = forge().split(".")
    parts[index] = ""
    refuse(verifier, ".".join(parts))


@pytest.mark.parametrize("index", [0, 1, 2])
@pytest.mark.parametrize("padding", ["=", "==", "===", "A", "AAA"])
def test_padding(verifier: TokenVerifier, index: int, padding: str) -> None:
    parts = forge().split(".")
    parts[index] += padding
    refuse(verifier, ".".join(parts))


def test_unused_bits_of_the_last_character(verifier: TokenVerifier) -> None:
    """The same signature in another spelling would be another token to every log, cache and revocation list."""
    token = forge()
    last = BASE64URL.index(token[-1])
    for bits in range(1, 16):  # 256 bytes leave four bits unused
        refuse(verifier, token[:-1] + BASE64URL[last ^ bits])


@pytest.mark.parametrize("character", [" ", "\n", "\r\n", "\t", "\x00", "+", "/", "%2E", "é", "\u200b", "\ud800"])
@pytest.mark.parametrize("place", ["before", "inside", "after"])
def test_whitespace_and_foreign_characters(verifier: TokenVerifier, character: str, place: str) -> None:
    token = forge()
    where = {"before": 0, "inside": len(token) // 2, "after": len(token)}[place]
    refuse(verifier, token[:where] + character + token[where:])


def test_bearer_in_front_of_the_token(verifier: TokenVerifier) -> None:
    refuse(verifier, f"Bearer {forge()}")


# ---------------------------------------------------------------- signature


def test_the_signature_stripped(verifier: TokenVerifier) -> None:
    header, payload, _ = forge().split(".")
    for token in (f"{header}.{payload}.", f"{header}.{payload}"):
        refuse(verifier, token)


@pytest.mark.parametrize("length", [1, 32, 128, 255])
def test_the_signature_truncated(verifier: TokenVerifier, length: int) -> None:
    refuse(verifier, forge(sign=lambda text: rs256(text)[:length]))


def test_the_signature_lengthened(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(sign=lambda text: rs256(text) + b"\x00"))
    refuse(verifier, forge(sign=lambda text: b"\x00" + rs256(text)))


def test_trivial_signatures(verifier: TokenVerifier) -> None:
    for signature in (bytes(256), b"\x00" * 255 + b"\x01", b"\xff" * 256):
        refuse(verifier, forge(sign=lambda _, signature=signature: signature))


def test_the_signature_of_another_key(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(sign=lambda text: rs256(text, THEIRS)))


def test_the_signature_of_another_token(verifier: TokenVerifier) -> None:
    other = forge(payload=CLAIMS | {"tool_id": "other"})
    header, payload, _ = forge().split(".")
    refuse(verifier, f"{header}.{payload}.{other.rpartition('.')[2]}")


def test_a_payload_swapped_after_the_token_was_verified(verifier: TokenVerifier) -> None:
    token = forge()
    verify(verifier, ask(token))
    header, _, signature = token.split(".")
    refuse(verifier, f"{header}.{part(CLAIMS | {'agent_did': 'did:agent:root'})}.{signature}")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(position=st.integers(0, len(HONEST) - 1), character=st.sampled_from(BASE64URL + "."))
def test_any_one_character_changed(verifier: TokenVerifier, position: int, character: str) -> None:
    token = HONEST[:position] + character + HONEST[position + 1 :]
    if token != HONEST:
        refuse(verifier, token)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text() | st.lists(st.text(BASE64URL), max_size=5).map(".".join))
def test_any_text_at_all(verifier: TokenVerifier, text: str) -> None:
    with pytest.raises(PermissionDenied):
        verify(verifier, ask(text))


# ---------------------------------------------------------------- time


@pytest.mark.parametrize("claim", ["exp", "iat", "nbf"])
@pytest.mark.parametrize("value", ["1800000900", 1800000900.0, 1.8e9, True, False, None, [], {}, "never", -0.5])
def test_times_that_are_no_integers(verifier: TokenVerifier, claim: str, value: Any) -> None:
    assert claim in refuse(verifier, forge(payload=CLAIMS | {claim: value})).message


def test_expired(verifier: TokenVerifier) -> None:
    for exp in (NOW, NOW - 1, 9999, 0, -1, -(2**63), -(10**40)):
        refuse(verifier, forge(payload=CLAIMS | {"exp": exp, "iat": NOW - 60}), as_row=ExpiredToken)


@pytest.mark.parametrize("exp", [NOW + 86_401, 2**31, 2**63, 10**40, 9999 * 10**9])
def test_a_token_for_ever(verifier: TokenVerifier, exp: int) -> None:
    refuse(verifier, forge(payload=CLAIMS | {"exp": exp}))


def test_a_long_life_hidden_behind_a_future_date_of_issue(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(payload=CLAIMS | {"iat": NOW + 10**8, "exp": NOW + 10**8 + 60}))


def test_a_long_life_of_which_most_is_over(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(payload=CLAIMS | {"iat": NOW - 86_400, "exp": NOW + 1}))


def test_issued_in_the_future(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(payload=CLAIMS | {"iat": NOW + 61}))


def test_not_valid_yet(verifier: TokenVerifier) -> None:
    refuse(verifier, forge(payload=CLAIMS | {"nbf": NOW + 61}))


def test_expired_after_it_was_verified_and_remembered(verifier: TokenVerifier, clock: FakeClock) -> None:
    token = forge()
    verify(verifier, ask(token))
    clock.advance(900)
    refuse(verifier, token, as_row=ExpiredToken)


# ---------------------------------------------------------------- identity


@pytest.mark.parametrize("claim", ["tool_id", "agent_did", "tenant_id", "exp", "iat", "iss", "jti"])
def test_a_claim_left_out(verifier: TokenVerifier, claim: str) -> None:
    claims = {name: value for name, value in CLAIMS.items() if name != claim}
    assert claim in refuse(verifier, forge(payload=claims), as_row=MissingClaims).message


def test_no_token(verifier: TokenVerifier) -> None:
    refuse(verifier, "", as_row=MissingClaims)


@pytest.mark.parametrize(
    "caller",
    [
        AgentContext(agent_did="did:agent:mallory", tenant_id="acme"),
        AgentContext(agent_did="did:agent:alice", tenant_id="globex"),
        AgentContext(agent_did="did:agent:Alice", tenant_id="acme"),
        AgentContext(agent_did="did:agent:alice ", tenant_id="acme"),
        AgentContext(agent_did="did:agent:аlice", tenant_id="acme"),  # a Cyrillic letter
        AgentContext(agent_did="did:agent:ａlice", tenant_id="acme"),  # a full-width letter
        AgentContext(agent_did="did:agent:alice\x00", tenant_id="acme"),
    ],
)
def test_the_token_of_another_agent_or_tenant(verifier: TokenVerifier, caller: AgentContext) -> None:
    token = forge()
    verify(verifier, ask(token))
    error = refuse(verifier, token, caller=caller)
    assert error.facts == {"reason": "issued to another agent"}


@pytest.mark.parametrize("tool_id", ["delete_everything", "analyze_code2", "Analyze_code", "analyze_code\x00", ""])
def test_the_token_of_another_tool(verifier: TokenVerifier, tool_id: str) -> None:
    refuse(verifier, forge(), as_row=ToolNotCovered, tool_id=tool_id)


def test_a_refusal_is_the_same_whether_the_tool_exists_or_not(verifier: TokenVerifier) -> None:
    refusals = [refuse(verifier, forge(), as_row=ToolNotCovered, tool_id=name) for name in ("real", "nope")]
    assert refusals[0].message.replace("real", "nope") == refusals[1].message


def test_a_huge_tool_id_is_not_echoed(verifier: TokenVerifier) -> None:
    assert len(refuse(verifier, forge(), as_row=ToolNotCovered, tool_id="x" * 1_000_000).message) < 300


@pytest.mark.parametrize("issuer", ["evil", "L02-agent-runtime", "l02-agent-runtime ", "l02-agent-runtime\n", "", None])
def test_another_issuer(verifier: TokenVerifier, issuer: Any) -> None:
    refuse(verifier, forge(payload=CLAIMS | {"iss": issuer}))


@pytest.mark.parametrize("claim", ["tool_id", "agent_did", "tenant_id", "jti", "tool_version"])
@pytest.mark.parametrize(
    "value", ["", " ", "a\x00b", "a\nb", "a\x1b[2J", " a", "a\u202eb", "a\u200bb", "\ud800", "x" * 513]
)
def test_invisible_characters_in_identities(verifier: TokenVerifier, claim: str, value: str) -> None:
    refuse(verifier, forge(payload=CLAIMS | {claim: value}), caller=None)


def test_a_token_does_not_show_itself_in_the_proof_or_the_request(verifier: TokenVerifier) -> None:
    token = forge()
    request = ask(token)
    proof = verify(verifier, request)
    shown = repr(proof) + str(proof) + repr(request) + repr(verifier) + repr(pickle.dumps(proof))
    assert token not in shown
    assert token.rpartition(".")[2] not in shown
