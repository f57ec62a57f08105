"""The sections of the configuration that this component reads (§3.3.3)."""

from typing import Annotated, Literal

import msgspec

from toolgate.model.names import DEFAULT_ISSUER

MAX_LIFETIME_SECONDS = 86_400

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=255, pattern=r"^[!-~]+$")]


class PermissionCheckerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which capability tokens are believed.

    A token that names audiences (`aud`) is meant for one of `audiences` only; one that names none is for anybody.
    """

    jwt_public_key_path: str | None = None
    jwt_algorithm: Literal["RS256"] = "RS256"
    issuers: tuple[str, ...] = (DEFAULT_ISSUER,)
    audiences: tuple[str, ...] = ("toolgate",)
    max_token_lifetime_seconds: Annotated[int, msgspec.Meta(ge=1, le=MAX_LIFETIME_SECONDS)] = MAX_LIFETIME_SECONDS
    clock_skew_seconds: Annotated[int, msgspec.Meta(ge=0, le=300)] = 60

    def trusting(self, issuer: str) -> "PermissionCheckerSettings":
        """The same, with one more issuer."""
        return msgspec.structs.replace(self, issuers=(*self.issuers, issuer))


class LocalAgentSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The agent that an embedded caller acts as, and the most that its calls may touch.

    A path is allowed for reading and writing; the tool's manifest says which of the two it gets.
    """

    agent_did: Name = "did:toolgate:local"
    tenant_id: Name = "local"
    allowed_hosts: tuple[str, ...] = ()
    allowed_ports: tuple[Annotated[int, msgspec.Meta(ge=1, le=65_535)], ...] = ()
    allowed_paths: tuple[str, ...] = ()
    allowed_secrets: tuple[str, ...] = ()
