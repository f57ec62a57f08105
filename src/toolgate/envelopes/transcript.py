"""What a process-backed run leaves besides its outcome, for the result document. A plain function leaves none of it."""

from collections.abc import Mapping

import msgspec


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the run produced. `path` is relative to the folder of the results."""

    path: str
    sha256: str
    description: str = ""


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """`stdout` and `stderr` are the raw bytes: the hashes are taken over these."""

    command: str | None = None
    backend: str | None = None
    exit_code: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    artifacts: tuple[Artifact, ...] = ()
    network_destinations: tuple[str, ...] = ()
    limits: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    anomalies: tuple[str, ...] = ()


NO_TRANSCRIPT = Transcript()
