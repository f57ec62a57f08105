"""The local key pair, and the files that hold secrets."""

import os
import stat
from base64 import urlsafe_b64decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicNumbers, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from toolgate.errors import MisuseError
from toolgate.permissions.keys import (
    PRIVATE_KEY_FILE,
    PUBLIC_KEY_FILE,
    PublicKeys,
    load_public_key,
    open_private_key,
    public_pem,
    thumbprint,
)
from toolgate.permissions.operator_key import OPERATOR_KEY_FILE, OperatorKey, open_operator_key
from toolgate.permissions.private_file import read, read_or_create


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_first_start_makes_a_key_and_the_second_finds_it(tmp_path: Path) -> None:
    directory = tmp_path / "data" / "keys"
    first, second = open_private_key(directory), open_private_key(directory)
    assert first.key_size == 2048
    assert first.private_numbers() == second.private_numbers()
    assert mode_of(directory) == 0o700
    assert mode_of(directory / PRIVATE_KEY_FILE) == 0o600
    assert sorted(path.name for path in directory.iterdir()) == sorted([PRIVATE_KEY_FILE, PUBLIC_KEY_FILE])


def test_the_public_key_beside_it_can_be_given_to_another_verifier(tmp_path: Path) -> None:
    key = open_private_key(tmp_path)
    assert load_public_key(tmp_path / PUBLIC_KEY_FILE).public_numbers() == key.public_key().public_numbers()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_key_that_others_can_read_is_refused_with_the_command_that_helps(tmp_path: Path, mode: int) -> None:
    open_private_key(tmp_path)
    path = tmp_path / PRIVATE_KEY_FILE
    path.chmod(mode)
    with pytest.raises(MisuseError, match=f"chmod 600 {path}"):
        open_private_key(tmp_path)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_directory_in_which_others_can_swap_the_key_is_refused(tmp_path: Path, mode: int) -> None:
    open_private_key(tmp_path)
    tmp_path.chmod(mode)
    with pytest.raises(MisuseError, match="chmod 700"):
        open_private_key(tmp_path)


def test_a_symbolic_link_in_the_place_of_the_key_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    open_private_key(elsewhere)
    (tmp_path / PRIVATE_KEY_FILE).symlink_to(elsewhere / PRIVATE_KEY_FILE)
    with pytest.raises(MisuseError, match="symbolic link"):
        open_private_key(tmp_path)


def test_a_dangling_symbolic_link_does_not_make_a_file_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "k").symlink_to(tmp_path / "target")
    with pytest.raises(MisuseError, match="symbolic link"):
        read_or_create(tmp_path / "k", lambda: b"secret")
    assert not (tmp_path / "target").exists()


def test_a_file_that_is_no_key_is_not_overwritten_and_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / PRIVATE_KEY_FILE
    read_or_create(path, lambda: b"somebody's precious notes")
    with pytest.raises(MisuseError, match="move it away") as caught:
        open_private_key(tmp_path)
    assert "precious" not in str(caught.value)
    assert read(path) == b"somebody's precious notes"


def test_a_fifo_is_not_a_key(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "k", 0o600)
    with pytest.raises(MisuseError, match="regular"):
        read(tmp_path / "k")


def test_of_many_that_start_at_once_one_makes_the_file_and_all_read_it(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "k"

    def start(number: int) -> bytes:
        return read_or_create(path, lambda: b"%d" % number * 10_000)

    with ThreadPoolExecutor(16) as pool:
        contents = set(pool.map(start, range(64)))
    assert len(contents) == 1
    assert len(contents.pop()) >= 10_000
    assert [entry.name for entry in path.parent.iterdir()] == ["k"]


def test_a_file_is_never_wider_than_its_mode_even_with_an_open_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        read_or_create(tmp_path / "keys" / "k", lambda: b"secret")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "keys") == 0o700
    assert mode_of(tmp_path / "keys" / "k") == 0o600


def test_public_keys_are_found_by_their_thumbprint(private_key: RSAPrivateKey) -> None:
    key = private_key.public_key()
    keys = PublicKeys([key])
    assert keys.find(thumbprint(key)) is key
    assert keys.find("unknown") is None
    assert keys.find(None) is key


def test_with_two_keys_a_token_must_say_which_unless_one_is_set_for_that(private_key: RSAPrivateKey) -> None:
    ours = private_key.public_key()
    theirs = generate_private_key(public_exponent=65_537, key_size=2048).public_key()
    assert PublicKeys([ours, theirs]).find(None) is None
    assert PublicKeys([ours, theirs], unnamed=theirs).find(None) is theirs
    assert PublicKeys([]).find(None) is None


def test_the_thumbprint_is_that_of_rfc_7638() -> None:
    """The example of RFC 7638 §3.1."""
    numbers = RSAPublicNumbers(
        e=65_537,
        n=int.from_bytes(
            _from_base64url(
                "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiF"
                "V4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9"
                "c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1"
                "jF44-csFCur-kEgU8awapJzKnqDKgw"
            )
        ),
    )
    assert thumbprint(numbers.public_key()) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"


def _from_base64url(text: str) -> bytes:
    return urlsafe_b64decode(text + "==")


@pytest.mark.parametrize("content", [b"", b"not pem", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
def test_a_file_without_a_public_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(content)
    with pytest.raises(MisuseError, match="jwt_public_key_path"):
        load_public_key(path)


def test_a_missing_public_key_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="cannot be read"):
        load_public_key(tmp_path / "nowhere.pem")


def test_weak_foreign_and_private_keys_are_not_public_keys(tmp_path: Path, private_key: RSAPrivateKey) -> None:
    weak = generate_private_key(public_exponent=65_537, key_size=1024).public_key()
    curve = ec.generate_private_key(ec.SECP256R1()).public_key()
    contents = [
        public_pem(weak),
        curve.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    ]
    path = tmp_path / "key.pem"
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(MisuseError, match="2048 bits"):
            load_public_key(path)


def test_the_operator_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    key = open_operator_key(tmp_path)
    assert key == open_operator_key(tmp_path)
    assert key.startswith("tgo_")
    assert len(key) == len("tgo_") + 43
    assert mode_of(tmp_path / OPERATOR_KEY_FILE) == 0o600
    (tmp_path / OPERATOR_KEY_FILE).chmod(0o644)
    with pytest.raises(MisuseError, match="chmod 600"):
        open_operator_key(tmp_path)


def test_the_operator_key_matches_itself_only() -> None:
    key = OperatorKey("tgo_secret")
    assert key.matches("tgo_secret")
    for wrong in ["", "tgo_", "tgo_secre", "tgo_secret ", "TGO_SECRET", "tgo_secret\x00", "\ud800", "x" * 1_000_000]:
        assert not key.matches(wrong)
    assert "secret" not in repr(key)
