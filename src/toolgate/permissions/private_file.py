"""Files that only their owner may read: made once, whole or not at all, and refused when others could read them."""

import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from toolgate.errors import MisuseError

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe in its place must not block the start


def read_or_create(path: Path, make: Callable[[], bytes]) -> bytes:
    """The file's content. Of several processes that start at once one makes the file, and all read that one.

    Raises:
        MisuseError: others can read or replace the file.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        _create(path, make())
    return read(path)


def read(path: Path) -> bytes:
    """The content of a file that is ours alone.

    Raises:
        FileNotFoundError: there is none.
        MisuseError: others can read or replace it.
    """
    _check_directory(path.parent)
    if path.is_symlink():
        raise MisuseError(f"{path} is a symbolic link; put the file itself there")
    descriptor = os.open(path, _READ)
    with os.fdopen(descriptor, "rb") as file:
        _check_file(path, os.fstat(descriptor))
        return file.read()


def _create(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, _CREATE, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    try:
        # Unlike a rename, a link never replaces what another process put there first.
        path.hardlink_to(draft)
    except FileExistsError:
        return
    finally:
        draft.unlink()
    _sync_directory(path.parent)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_directory(directory: Path) -> None:
    status = directory.stat()
    if status.st_uid not in (os.geteuid(), 0):
        raise MisuseError(f"{directory} belongs to another user, who can replace files in it")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise MisuseError(f"others can replace files in {directory}; run: chmod 700 {directory}")


def _check_file(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise MisuseError(f"{path} is not a regular file")
    if status.st_uid not in (os.geteuid(), 0):
        raise MisuseError(f"{path} belongs to another user; run: chown {os.geteuid()} {path}")
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise MisuseError(f"{path} can be read by others; run: chmod 600 {path}")
