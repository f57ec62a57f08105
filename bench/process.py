"""What the system knows of another process. None where it does not say."""

import os
from pathlib import Path


def cpu_seconds(pid: int) -> float | None:
    """Processor time so far, all threads, in the program and in the system."""
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else None


def resident_mb(pid: int) -> float | None:
    fields = _read(pid, "statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if fields else None


def _read(pid: int, name: str) -> str:
    file = Path(f"/proc/{pid}/{name}")
    return file.read_text() if file.exists() else ""
