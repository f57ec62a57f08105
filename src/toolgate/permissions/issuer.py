"""Make capability tokens with the local key (§4.1.1): for the command line, and for embedded callers."""

from collections.abc import Sequence
from secrets import token_urlsafe

import msgspec
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

from toolgate.errors import MisuseError
from toolgate.model.agent import Mount
from toolgate.model.names import OPERATION_EXECUTE
from toolgate.permissions.claims import (
    Claims,
    CredentialPermissions,
    FilesystemPermissions,
    NetworkPermissions,
    is_plain,
)
from toolgate.permissions.jws import ALGORITHM, encode_part
from toolgate.permissions.keys import thumbprint
from toolgate.permissions.settings import MAX_LIFETIME_SECONDS
from toolgate.ports import Clock

LOCAL_ISSUER = "toolgate-local"
DEFAULT_LIFETIME_SECONDS = 900


class TokenIssuer:
    """Signs tokens in the name of `issuer`, which the verifier must trust."""

    def __init__(self, private_key: RSAPrivateKey, *, clock: Clock, issuer: str = LOCAL_ISSUER) -> None:
        self._private_key = private_key
        self._clock = clock
        self._issuer = issuer
        header = {"alg": ALGORITHM, "kid": thumbprint(private_key.public_key()), "typ": "JWT"}
        self._header = encode_part(msgspec.json.encode(header))

    def mint(
        self,
        tool_id: str,
        *,
        agent_did: str,
        tenant_id: str,
        tool_version: str = "*",
        allowed_operations: Sequence[str] = (OPERATION_EXECUTE,),
        lifetime_seconds: int = DEFAULT_LIFETIME_SECONDS,
        allowed_hosts: Sequence[str] = (),
        allowed_ports: Sequence[int] = (),
        mounts: Sequence[Mount] = (),
        secrets: Sequence[str] = (),
    ) -> str:
        """Make a token that lets one agent run one tool.

        Raises:
            MisuseError: no verifier would accept such a token.
        """
        _check_lifetime(lifetime_seconds)
        _check_identity(tool_id=tool_id, agent_did=agent_did, tenant_id=tenant_id, tool_version=tool_version)
        issued_at = int(self._clock.now())
        claims = Claims(
            tool_id=tool_id,
            agent_did=agent_did,
            tenant_id=tenant_id,
            tool_version=tool_version,
            allowed_operations=tuple(allowed_operations),
            filesystem_permissions=_filesystem(mounts),
            network_permissions=NetworkPermissions(
                allowed_hosts=tuple(allowed_hosts), allowed_ports=tuple(allowed_ports)
            ),
            credential_permissions=CredentialPermissions(allowed_secrets=tuple(secrets)),
            iat=issued_at,
            exp=issued_at + lifetime_seconds,
            iss=self._issuer,
            jti=token_urlsafe(16),
        )
        return self._sign(msgspec.json.encode(claims))

    def _sign(self, payload: bytes) -> str:
        signed = f"{self._header}.{encode_part(payload)}"
        signature = self._private_key.sign(signed.encode("ascii"), PKCS1v15(), SHA256())
        return f"{signed}.{encode_part(signature)}"

    def __repr__(self) -> str:
        return f"TokenIssuer(issuer={self._issuer!r})"


def _filesystem(mounts: Sequence[Mount]) -> FilesystemPermissions:
    if len({mount.mode for mount in mounts}) > 1:
        raise MisuseError("a capability token gives all of its paths one mode, 'ro' or 'rw'")
    mode = mounts[0].mode if mounts else "ro"
    return FilesystemPermissions(allowed_paths=tuple(mount.path for mount in mounts), mode=mode)


def _check_lifetime(lifetime_seconds: int) -> None:
    if not 0 < lifetime_seconds <= MAX_LIFETIME_SECONDS:
        raise MisuseError(f"a capability token lives between 1 and {MAX_LIFETIME_SECONDS} seconds")


def _check_identity(**identity: str) -> None:
    for claim, text in identity.items():
        if not is_plain(text):
            raise MisuseError(f"{claim} must be printable text without outer spaces")
