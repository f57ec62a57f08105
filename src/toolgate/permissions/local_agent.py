"""The agent that embedded callers act as. Its calls carry real tokens, so they pass the checks of production."""

import msgspec

from toolgate.model.agent import Mount
from toolgate.permissions.bounded_cache import BoundedCache
from toolgate.permissions.issuer import DEFAULT_LIFETIME_SECONDS, TokenIssuer
from toolgate.permissions.settings import LocalAgentSettings
from toolgate.ports import Clock

TOKENS_KEPT = 16_384


class _Minted(msgspec.Struct, frozen=True):
    text: str
    renew_at: float

    def __repr__(self) -> str:
        return f"_Minted(renew_at={self.renew_at})"


class LocalAgent:
    """Mints one token a tool and renews it at half of its life, so that none expires on its way to the verifier."""

    def __init__(
        self,
        issuer: TokenIssuer,
        *,
        settings: LocalAgentSettings,
        clock: Clock,
        lifetime_seconds: int = DEFAULT_LIFETIME_SECONDS,
        capacity: int = TOKENS_KEPT,
    ) -> None:
        self._issuer = issuer
        self._settings = settings
        self._clock = clock
        self._lifetime_seconds = lifetime_seconds
        self._minted: BoundedCache[str, _Minted] = BoundedCache(capacity)

    @property
    def agent_did(self) -> str:
        return self._settings.agent_did

    @property
    def tenant_id(self) -> str:
        return self._settings.tenant_id

    def token_for(self, tool_id: str) -> str:
        """A capability token for this tool that is good for half of its life at least.

        Raises:
            MisuseError: no tool can have this `tool_id`.
        """
        now = self._clock.now()
        minted = self._minted.get(tool_id)
        if minted is None or now >= minted.renew_at:
            minted = _Minted(self._mint(tool_id), renew_at=now + self._lifetime_seconds / 2)
            self._minted.put(tool_id, minted)
        return minted.text

    def _mint(self, tool_id: str) -> str:
        settings = self._settings
        return self._issuer.mint(
            tool_id,
            agent_did=settings.agent_did,
            tenant_id=settings.tenant_id,
            lifetime_seconds=self._lifetime_seconds,
            allowed_hosts=settings.allowed_hosts,
            allowed_ports=settings.allowed_ports,
            mounts=[Mount(path=path, mode="rw") for path in settings.allowed_paths],
            secrets=settings.allowed_secrets,
        )

    def __repr__(self) -> str:
        return f"LocalAgent(agent_did={self.agent_did!r}, tenant_id={self.tenant_id!r})"
