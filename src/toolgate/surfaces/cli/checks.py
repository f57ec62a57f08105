"""What `toolgate doctor` looks at. A check never raises: whatever it finds is a finding, with how to mend it."""

import os
import shutil
import socket
import stat
import sys
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from toolgate.surfaces.cli.complaint import DOCTOR, Complaint, complaint_of
from toolgate.surfaces.cli.session import Session

if TYPE_CHECKING:
    from toolgate.app import Toolgate
    from toolgate.config import Settings

Level = Literal["ok", "warn", "fail"]

OLDEST_PYTHON: Final = (3, 11)
DISK_WARN_BYTES: Final = 1_000_000_000
DISK_FAIL_BYTES: Final = 100_000_000
_SQLITE: Final = "sqlite:///"
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class Finding:
    check: str
    level: Level
    detail: str
    mend: str = ""


async def examine(session: Session) -> AsyncGenerator[Finding]:
    """Look at everything that a call needs, in the order in which it needs it."""
    yield check_python()
    try:
        settings = session.settings()
    except Exception as error:
        yield _failed("settings", complaint_of(error))
        return
    yield Finding("settings", "ok", f"{session.config or 'toolgate.toml and environment'} can be read")
    keys = check_keys(Path(settings.data_dir))
    yield keys
    if keys.level != "fail":  # without them the gate does not open
        async for finding in _check_gate(session, settings):
            yield finding
    for finding in (*check_files(Path(settings.data_dir)), check_disk(Path(settings.data_dir))):
        yield finding
    yield check_http()
    yield check_port(settings.server.host, settings.server.port)


def check_python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Finding("python", "fail", found, "install Python 3.11 or newer")
    return Finding("python", "ok", f"{found} ({sys.executable})")


def check_keys(data_dir: Path) -> Finding:
    """The key pair that signs tokens. Made if there is none, as by any other command."""
    from toolgate.permissions.keys import PUBLIC_KEY_FILE, load_public_key, open_private_key, thumbprint
    from toolgate.permissions.operator_key import open_operator_key

    try:
        private = thumbprint(open_private_key(data_dir).public_key())
        public = thumbprint(load_public_key(data_dir / PUBLIC_KEY_FILE))
        open_operator_key(data_dir)
    except Exception as error:
        return _failed("keys", complaint_of(error))
    if private != public:
        mend = f"rm {data_dir / PUBLIC_KEY_FILE}  (it is made again)"
        return Finding("keys", "fail", "the public key does not belong to the private key", mend)
    return Finding("keys", "ok", f"RS256 key {private[:12]}…, operator key, readable by you only")


async def _check_gate(session: Session, settings: "Settings") -> AsyncGenerator[Finding]:
    try:
        async with session.gate() as gate:
            await gate.parts.catalog.flush()  # a write that changes nothing: the built-in tools, once more
            yield Finding("store", "ok", _describe_store(settings))
            async for finding in _check_runners(gate):
                yield finding
    except Exception as error:
        yield _failed("store", complaint_of(error))


def _describe_store(settings: "Settings") -> str:
    if not settings.store_url.startswith(_SQLITE):
        return f"{settings.store_url.partition(':')[0]}: opens, is migrated, can be written"
    import sqlite3

    path = Path(settings.store_url.removeprefix(_SQLITE))
    journal = "WAL" if _is_wal(path) else "no WAL"
    return f"{path}: opens, is migrated, can be written; SQLite {sqlite3.sqlite_version}, {journal}"


def _is_wal(path: Path) -> bool:
    """The file format's read and write version, bytes 18 and 19 of the header, say so."""
    with path.open("rb") as file:
        return file.read(20)[18:20] == b"\x02\x02"


async def _check_runners(gate: "Toolgate") -> AsyncGenerator[Finding]:
    for name, runner in gate.parts.executor.runners.items():
        abilities = await runner.probe()
        said = ", ".join(f"{key}: {value}" for key, value in abilities.items())
        if abilities:
            yield Finding(f"runner {name}", "ok", said)
        else:
            yield Finding(f"runner {name}", "fail", "cannot run anything here", "reinstall Toolgate")
    if "local" not in gate.parts.executor.runners:
        detail = "not part of this version: tools with sandbox=True are refused (E3101), never run without one"
        yield Finding("runner local", "warn", detail, "take sandbox=True off functions that you trust")


def check_files(data_dir: Path) -> Generator[Finding]:
    """Records and keys are nobody else's business."""
    try:
        exposed = [path for path in (data_dir, *sorted(data_dir.iterdir())) if _is_exposed(path)]
    except OSError as error:
        yield _failed("data dir", complaint_of(error))
        return
    if not exposed:
        yield Finding("data dir", "ok", f"{data_dir} and its files are readable by you only")
    for path in exposed:
        mode = stat.filemode(path.stat().st_mode)
        yield Finding("data dir", "warn", f"others may use {path} ({mode})", f"chmod go-rwx {path}")


def _is_exposed(path: Path) -> bool:
    # The public key is there to be given away, but it lies in a private directory and needs no more than that.
    return bool(path.stat().st_mode & _OTHERS) and not path.name.endswith(".pub.pem")


def check_disk(data_dir: Path) -> Finding:
    try:
        free = shutil.disk_usage(data_dir if data_dir.exists() else Path.cwd()).free
    except OSError as error:
        return _failed("disk", complaint_of(error))
    level: Level = "fail" if free < DISK_FAIL_BYTES else "warn" if free < DISK_WARN_BYTES else "ok"
    mend = "" if level == "ok" else "make room, or move the records: --data-dir DIR"
    return Finding("disk", level, f"{free / 1e9:.1f} GB free", mend)


def check_http() -> Finding:
    missing = [name for name in ("uvicorn", "httptools", "uvloop") if find_spec(name) is None]
    if "uvicorn" in missing:
        return Finding("http", "fail", "uvicorn is missing, so `toolgate up` cannot start", "pip install uvicorn")
    if missing and os.name != "nt":
        return Finding("http", "warn", f"{', '.join(missing)} missing: slower", f"pip install {' '.join(missing)}")
    return Finding("http", "ok", "uvicorn with httptools and uvloop")


def check_port(host: str, port: int) -> Finding:
    """Is the server's address still free? (A running `toolgate up` is the likely reason if not.)"""
    try:
        with socket.create_connection((host, port), timeout=0.3):
            detail = f"{host}:{port} answers already: `toolgate up` runs there, or another program"
            return Finding("port", "warn", detail, f"toolgate up --port {port + 1}")
    except OSError:
        return Finding("port", "ok", f"{host}:{port} is free for `toolgate up`")


def _failed(check: str, complaint: Complaint) -> Finding:
    what, _, command = complaint.what.partition("; run: ")
    detail = f"{what} ({complaint.why})" if complaint.why else what
    steps = [step for step in complaint.next_steps if step != DOCTOR]
    return Finding(check, "fail", detail, command or next(iter(steps), ""))
