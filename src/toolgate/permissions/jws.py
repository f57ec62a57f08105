"""Verify a compact JWS: RS256, nothing else, in exactly one spelling (RFC 7515, RFC 8725).

The payload is not looked at before its signature is known to be good. No exception here holds a piece of the token:
what fails inside a decoder is raised anew, outside the `except` block, so that not even the context keeps it.
"""

import re
from base64 import urlsafe_b64encode
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from functools import lru_cache
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from toolgate.errors import InvalidToken
from toolgate.permissions.strict_json import decode_object
from toolgate.ports import VerificationKeys

ALGORITHM = "RS256"
MAX_TOKEN_LENGTH = 16 * 1024

_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_KID = re.compile(r"[A-Za-z0-9_.:=+-]{1,128}")
_TO_STANDARD_ALPHABET = bytes.maketrans(b"-_", b"+/")
_PADDING = PKCS1v15()
_HASH = SHA256()

# Key material or a key's address chosen by the sender, extensions we would have to understand, other payload forms.
_REFUSED_HEADERS = frozenset({"crit", "jwk", "jku", "x5u", "x5c", "b64", "cty", "enc", "zip"})


def verify(text: str, keys: VerificationKeys) -> dict[str, Any]:
    """Answer the claims of a token that a known key has signed.

    Raises:
        InvalidToken: it is malformed, not RS256, or not signed by a known key.
    """
    if len(text) > MAX_TOKEN_LENGTH:
        raise InvalidToken(reason="it is too large")
    if _COMPACT.fullmatch(text) is None:
        raise InvalidToken(reason="it is not three base64url parts")
    signed, _, signature = text.encode("ascii").rpartition(b".")
    header, _, payload = signed.partition(b".")
    key = _find_key(_read_kid(header), keys)
    if not _is_signed_by(key, _decode_part(signature), signed):
        raise InvalidToken(reason="its signature does not match")
    claims = decode_object(_decode_part(payload))
    if claims is None:
        raise InvalidToken(reason="its payload is not a plain JSON object")
    return claims


def encode_part(raw: bytes) -> str:
    """Base64url without padding: the only spelling that `verify` accepts."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _decode_part(part: bytes) -> bytes:
    standard = part.translate(_TO_STANDARD_ALPHABET)
    raw = _decode_base64(standard)
    # Several texts decode to the same bytes if the last character's unused bits are not looked at.
    if raw is None or b2a_base64(raw, newline=False).rstrip(b"=") != standard:
        raise InvalidToken(reason="it is not canonical base64url")
    return raw


def _decode_base64(standard: bytes) -> bytes | None:
    try:
        return a2b_base64(standard + b"=" * (-len(standard) % 4))
    except Base64Error:
        return None


@lru_cache(maxsize=64)  # an issuer's tokens all have the same header; a refused one is not remembered
def _read_kid(part: bytes) -> str | None:
    """The key that an acceptable header names."""
    header = decode_object(_decode_part(part))
    if header is None:
        raise InvalidToken(reason="its header is not a plain JSON object")
    if header.get("alg") != ALGORITHM:
        raise InvalidToken(reason="its algorithm is not RS256")
    if not _REFUSED_HEADERS.isdisjoint(header):
        raise InvalidToken(reason="its header has a field that is not accepted")
    if not _is_jwt(header.get("typ", "JWT")):
        raise InvalidToken(reason="its type is not JWT")
    if "kid" in header and not _is_kid(header["kid"]):
        raise InvalidToken(reason="its key id is malformed")
    return header.get("kid")


def _is_jwt(typ: Any) -> bool:
    return isinstance(typ, str) and typ.upper() == "JWT"


def _is_kid(kid: Any) -> bool:
    return isinstance(kid, str) and _KID.fullmatch(kid) is not None


def _find_key(kid: str | None, keys: VerificationKeys) -> RSAPublicKey:
    key = keys.find(kid)
    if not isinstance(key, RSAPublicKey):
        raise InvalidToken(reason="it is not signed by a known key")
    return key


def _is_signed_by(key: RSAPublicKey, signature: bytes, signed: bytes) -> bool:
    try:
        key.verify(signature, signed, _PADDING, _HASH)
    except InvalidSignature:
        return False
    return True
