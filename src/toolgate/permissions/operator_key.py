"""The key that administration asks for: one secret, made at first start, kept where only its owner can read it."""

from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe

from toolgate.permissions import private_file

OPERATOR_KEY_FILE = "operator.key"
PREFIX = "tgo_"
_MAX_LENGTH = 256


def open_operator_key(directory: Path) -> str:
    """The key itself, made if there is none yet: for the command line, which acts for the file's owner.

    Raises:
        MisuseError: others can read the file.
    """
    return private_file.read_or_create(directory / OPERATOR_KEY_FILE, _new_key).decode("ascii").strip()


class OperatorKey:
    """Knows the operator key when it sees it; holds only its digest."""

    def __init__(self, key: str) -> None:
        self._digest = _digest(key)

    def matches(self, presented: str) -> bool:
        """Compare in a time that does not depend on how much of the key is right."""
        return len(presented) <= _MAX_LENGTH and compare_digest(_digest(presented), self._digest)

    def __repr__(self) -> str:
        return "OperatorKey()"


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


def _new_key() -> bytes:
    return f"{PREFIX}{token_urlsafe(32)}\n".encode("ascii")
