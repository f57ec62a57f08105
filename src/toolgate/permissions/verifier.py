"""Step 2: is this a capability token that we believe, and is it for this caller and this tool? (§3.3.3)

The registry has not been asked yet, so no answer here tells which tools exist.
"""

from hashlib import sha256

from toolgate.errors import ExpiredToken, InvalidToken, MissingClaims, RevokedToken, ToolNotCovered
from toolgate.model.agent import AgentContext
from toolgate.model.proof import Token
from toolgate.model.request import ToolInvokeRequest
from toolgate.permissions.bounded_cache import BoundedCache
from toolgate.permissions.claims import read_token, strip_address
from toolgate.permissions.jws import MAX_TOKEN_LENGTH, verify
from toolgate.permissions.settings import PermissionCheckerSettings
from toolgate.ports import Clock, Revocations, VerificationKeys

TOKENS_KEPT = 4096
_ECHO_LENGTH = 128


class TokenVerifier:
    """Implements `Tokens`. A signature is checked once per token; time, revocation and caller on every call."""

    def __init__(
        self,
        keys: VerificationKeys,
        *,
        settings: PermissionCheckerSettings,
        clock: Clock,
        revocations: Revocations,
        capacity: int = TOKENS_KEPT,
    ) -> None:
        self._keys = keys
        self._settings = settings
        self._clock = clock
        self._revocations = revocations
        # By digest, so that this does not become a store of tokens with which somebody could act as the agents.
        self._verified: BoundedCache[bytes, Token] = BoundedCache(capacity)
        # An embedded gate presents the very same object call after call. Compared by identity: comparing its text with
        # what another caller sent would tell that caller, in time, how far it is right.
        self._latest: tuple[str | None, bytes] = (None, b"")

    async def verify(self, request: ToolInvokeRequest) -> Token:
        """Answer the token of this request.

        Raises:
            MissingClaims, InvalidToken, ExpiredToken, RevokedToken: the token is not good.
            ToolNotCovered: it is good, but for another tool.
        """
        token = await self.authenticate(request.capability_token)
        if request.agent_context is not None:
            _check_caller(token, request.agent_context)
        if token.tool_id != strip_address(request.tool_id):
            raise ToolNotCovered(
                tool_id=request.tool_id[:_ECHO_LENGTH], tool_version=(request.tool_version or "*")[:_ECHO_LENGTH]
            )
        return token

    async def authenticate(self, text: str) -> Token:
        """Answer the token in this text, whatever it is for: says who asks, where nothing is run.

        Raises:
            MissingClaims, InvalidToken, ExpiredToken, RevokedToken: the token is not good.
        """
        token = self._read(text)
        if await self._revocations.is_revoked(token.jti):
            raise RevokedToken
        return token

    def _read(self, text: str) -> Token:
        """The token in this text, valid now."""
        latest, digest = self._latest
        if text is not latest:
            digest = _digest(text)
        token = self._verified.get(digest) or self._verify_anew(text, digest)
        if self._clock.now() >= token.expires_at:
            self._verified.pop(digest, None)
            raise ExpiredToken
        self._latest = (text, digest)
        return token

    def _verify_anew(self, text: str, digest: bytes) -> Token:
        payload = verify(text, self._keys)
        token = read_token(payload, digest=digest, settings=self._settings, now=self._clock.now())
        self._verified.put(digest, token)
        return token

    def __repr__(self) -> str:
        return f"TokenVerifier(verified={self._verified!r})"


def _digest(text: str) -> bytes:
    if not text:
        raise MissingClaims(message="the call has no capability token", claims="a capability token")
    if len(text) > MAX_TOKEN_LENGTH or not text.isascii():
        raise InvalidToken(reason="it is too large or not plain text")
    return sha256(text.encode("ascii")).digest()


def _check_caller(token: Token, caller: AgentContext) -> None:
    if caller.agent_did != token.agent_did or caller.tenant_id != token.tenant_id:
        raise InvalidToken(reason="issued to another agent")
