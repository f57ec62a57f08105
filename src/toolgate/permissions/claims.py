"""What a capability token says, checked against the rules and turned into a `Token` (§4.1.1).

Restrictions that we do not understand are refused, not ignored: the permission objects take no unknown members.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec

from toolgate.errors import InvalidToken, MissingClaims
from toolgate.model.agent import Mount
from toolgate.model.names import LOCAL_ADDRESS
from toolgate.model.proof import HostGrant, Token
from toolgate.permissions.settings import PermissionCheckerSettings

"""A tool of this layer may be addressed as `local::name` (envelope specification); `name` is its `tool_id`."""

_REQUIRED = ("tool_id", "agent_did", "tenant_id", "exp", "iat", "iss", "jti")
_IDENTITY = ("tool_id", "tool_version", "agent_did", "tenant_id", "iss", "jti")
_MAX_IDENTITY_LENGTH = 512
_CLAIM_IN_FAULT = re.compile(r"`\$\.([a-z_]+)")

Port = Annotated[int, msgspec.Meta(ge=1, le=65_535)]


class FilesystemPermissions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    allowed_paths: tuple[str, ...] = ()
    mode: Literal["ro", "rw"] = "ro"


class NetworkPermissions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    allowed_hosts: tuple[str, ...] = ()
    allowed_ports: tuple[Port, ...] = ()


class CredentialPermissions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    allowed_secrets: tuple[str, ...] = ()


class Claims(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The payload of a capability token. Other claims may stand beside these and mean nothing here."""

    tool_id: str
    agent_did: str
    tenant_id: str
    exp: int
    iat: int
    iss: str
    jti: str
    tool_version: str = "*"
    allowed_operations: tuple[str, ...] = ()
    filesystem_permissions: FilesystemPermissions = FilesystemPermissions()
    network_permissions: NetworkPermissions = NetworkPermissions()
    credential_permissions: CredentialPermissions = CredentialPermissions()
    nbf: int = 0
    aud: str | tuple[str, ...] | None = None


def read_token(payload: Mapping[str, Any], *, digest: bytes, settings: PermissionCheckerSettings, now: float) -> Token:
    """Make the proof from claims whose signature was verified. Whether it has expired is asked on every call, not here.

    Raises:
        MissingClaims: a claim that every token needs is not there.
        InvalidToken: a claim is malformed, or breaks a rule.
    """
    claims = _typed(payload)
    _check_identity(claims)
    _check_origin(claims, settings)
    _check_times(claims, settings, now)
    return _proof(claims, digest)


def is_plain(text: str) -> bool:
    """True for text that looks the same to everybody: not empty, no control or invisible characters, no outer space."""
    return 0 < len(text) <= _MAX_IDENTITY_LENGTH and text.isprintable() and text == text.strip()


def strip_address(tool_id: str) -> str:
    return tool_id.removeprefix(LOCAL_ADDRESS)


def _typed(payload: Mapping[str, Any]) -> Claims:
    missing = [claim for claim in _REQUIRED if claim not in payload]
    if missing:
        raise MissingClaims(claims=", ".join(missing))
    try:
        return msgspec.convert(payload, Claims)
    except msgspec.ValidationError as error:
        fault = _CLAIM_IN_FAULT.search(str(error))
    raise InvalidToken(reason=f"its claim {fault[1]} is malformed" if fault else "a claim is malformed")


def _check_identity(claims: Claims) -> None:
    for claim in _IDENTITY:
        if not is_plain(getattr(claims, claim)):
            raise InvalidToken(reason=f"its claim {claim} is malformed")


def _check_origin(claims: Claims, settings: PermissionCheckerSettings) -> None:
    if claims.iss not in settings.issuers:
        raise InvalidToken(reason="its issuer is not trusted")
    audiences = (claims.aud,) if isinstance(claims.aud, str) else claims.aud
    if audiences is not None and not _share_one(audiences, settings.audiences):
        raise InvalidToken(reason="it is meant for another service")


def _share_one(left: Iterable[str], right: Iterable[str]) -> bool:
    return not frozenset(left).isdisjoint(right)


def _check_times(claims: Claims, settings: PermissionCheckerSettings, now: float) -> None:
    latest = now + settings.clock_skew_seconds
    if claims.iat > latest:
        raise InvalidToken(reason="it was issued in the future")
    if claims.nbf > latest:
        raise InvalidToken(reason="it is not valid yet")
    if claims.exp - claims.iat > settings.max_token_lifetime_seconds:
        raise InvalidToken(reason="it lives too long")


def _proof(claims: Claims, digest: bytes) -> Token:
    files, network = claims.filesystem_permissions, claims.network_permissions
    return Token(
        digest=digest,
        jti=claims.jti,
        agent_did=claims.agent_did,
        tenant_id=claims.tenant_id,
        tool_id=strip_address(claims.tool_id),
        tool_version=claims.tool_version,
        allowed_operations=claims.allowed_operations,
        filesystem=tuple(Mount(path=path, mode=files.mode) for path in files.allowed_paths),
        network=HostGrant(network.allowed_hosts, network.allowed_ports),
        credentials=claims.credential_permissions.allowed_secrets,
        issued_at=claims.iat,
        expires_at=claims.exp,
        issuer=claims.iss,
    )
