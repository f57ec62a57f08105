"""The keys that sign capability tokens: a local pair, made at first start, and public keys of other issuers."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from toolgate.errors import MisuseError
from toolgate.permissions import private_file
from toolgate.permissions.jws import encode_part

KEY_BITS = 2048
PRIVATE_KEY_FILE = "signing-key.pem"
PUBLIC_KEY_FILE = "signing-key.pub.pem"


def open_private_key(directory: Path) -> RSAPrivateKey:
    """The local signing key, made if there is none yet. The public key lies beside it, for other verifiers.

    Raises:
        MisuseError: others can read the key, or the file is something else.
    """
    path = directory / PRIVATE_KEY_FILE
    key = _parse_private_key(private_file.read_or_create(path, _new_private_key), path)
    private_file.read_or_create(directory / PUBLIC_KEY_FILE, lambda: public_pem(key.public_key()))
    return key


def load_public_key(path: Path) -> RSAPublicKey:
    """The key in a PEM file (`permission_checker.jwt_public_key_path`).

    Raises:
        MisuseError: there is no such file, or no usable RSA public key in it.
    """
    try:
        key = load_pem_public_key(path.read_bytes())
    except OSError as error:
        raise MisuseError(f"jwt_public_key_path: {path} cannot be read ({error.strerror})") from error
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPublicKey) or key.key_size < KEY_BITS:
        raise MisuseError(
            f"jwt_public_key_path: {path} is not an RSA public key in PEM form of {KEY_BITS} bits or more"
        )
    return key


def public_pem(key: RSAPublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def thumbprint(key: RSAPublicKey) -> str:
    """The key's name (`kid`), the same wherever it is computed (RFC 7638)."""
    numbers = key.public_numbers()
    members = f'{{"e":"{_encode_integer(numbers.e)}","kty":"RSA","n":"{_encode_integer(numbers.n)}"}}'
    return encode_part(sha256(members.encode("ascii")).digest())


class PublicKeys:
    """Implements `VerificationKeys` with keys that are known at start.

    A token that names no key was signed by `unnamed`; if that is not said, by the only key there is.
    """

    def __init__(self, keys: Sequence[RSAPublicKey], *, unnamed: RSAPublicKey | None = None) -> None:
        self._keys = {thumbprint(key): key for key in keys}
        self._unnamed = unnamed or (keys[0] if len(self._keys) == 1 else None)

    def find(self, kid: str | None) -> RSAPublicKey | None:
        return self._unnamed if kid is None else self._keys.get(kid)

    def __repr__(self) -> str:
        return f"PublicKeys({', '.join(self._keys)})"


def _new_private_key() -> bytes:
    key = generate_private_key(public_exponent=65_537, key_size=KEY_BITS)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _parse_private_key(pem: bytes, path: Path) -> RSAPrivateKey:
    try:
        # The full check costs 35 ms at every start, and guards against keys of strangers: this file is ours alone.
        key = load_pem_private_key(pem, password=None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey) or key.key_size < KEY_BITS:
        raise MisuseError(f"{path} is not an RSA private key; move it away and a new one will be made")
    return key


def _encode_integer(number: int) -> str:
    return encode_part(number.to_bytes((number.bit_length() + 7) // 8))
