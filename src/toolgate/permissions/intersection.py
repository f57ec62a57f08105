"""What a manifest asks for and what a token allows, intersected. Pure: no clock, no files, no network.

A path, host or name that cannot be read safely is in no intersection. Paths are compared by their text; whoever
opens one also resolves its symbolic links.
"""

from collections.abc import Iterable, Mapping, Sequence
from posixpath import normpath
from typing import Literal

from toolgate.model.agent import Mount
from toolgate.model.manifest import NetworkPermission
from toolgate.model.proof import HostGrant

Mode = Literal["ro", "rw"]

# ---------------------------------------------------------------- paths


def intersect_mounts(wanted: Iterable[Mount], allowed: Iterable[Mount]) -> tuple[Mount, ...]:
    """Paths in both, each with the stricter mode. Of nested mounts the deepest decides, as when they are mounted."""
    left, right = _modes_by_path(wanted), _modes_by_path(allowed)
    paths = sorted({*left, *right})
    modes: list[Mode | None] = [_stricter(mode_at(left, path), mode_at(right, path)) for path in paths]
    return tuple(Mount(path=path, mode=mode) for path, mode in zip(paths, modes, strict=True) if mode is not None)


def mode_at(modes: Mapping[str, Mode], path: str) -> Mode | None:
    """The mode of the deepest mount that holds a normalised path."""
    while path not in modes:
        if path == "/":
            return None
        path = path.rpartition("/")[0] or "/"
    return modes[path]


def normalise_path(path: str) -> str | None:
    """One spelling for a path, or None for one that is relative, climbs (`..`) or has invisible characters."""
    if not path.startswith("/") or not path.isprintable() or ".." in path.split("/"):
        return None
    return "/" + normpath(path).lstrip("/")  # POSIX gives two leading slashes a meaning; we do not


def _modes_by_path(mounts: Iterable[Mount]) -> dict[str, Mode]:
    modes: dict[str, Mode] = {}
    for mount in mounts:
        path = normalise_path(mount.path)
        if path is not None:
            modes[path] = "ro" if "ro" in (mount.mode, modes.get(path)) else "rw"
    return modes


def _stricter(left: Mode | None, right: Mode | None) -> Mode | None:
    if left is None or right is None:
        return None
    return "rw" if left == right == "rw" else "ro"


# ---------------------------------------------------------------- hosts


def intersect_network(wanted: Iterable[NetworkPermission], allowed: HostGrant) -> HostGrant:
    """Hosts and ports in both."""
    hosts: dict[str, None] = {}
    endpoints: dict[tuple[str, int], None] = {}
    for need in wanted:
        shared = _overlaps(need.host, allowed.allowed_hosts)
        if need.port is None:
            hosts |= dict.fromkeys(shared)
        elif not allowed.allowed_ports or need.port in allowed.allowed_ports:
            endpoints |= dict.fromkeys((host, need.port) for host in shared)
        for pattern, port in allowed.endpoints:
            if need.port in (None, port):
                endpoints |= dict.fromkeys((host, port) for host in _overlaps(need.host, [pattern]))
    if hosts:
        return HostGrant(tuple(hosts), allowed.allowed_ports, tuple(endpoints))
    return _with_shared_ports(tuple(endpoints))


def _with_shared_ports(endpoints: tuple[tuple[str, int], ...]) -> HostGrant:
    """Endpoints in the short form (hosts and ports), if every host has the same ports."""
    hosts, ports = dict.fromkeys(host for host, _ in endpoints), dict.fromkeys(port for _, port in endpoints)
    if len(hosts) * len(ports) == len(endpoints):
        return HostGrant(tuple(hosts), tuple(ports))
    return HostGrant(endpoints=endpoints)


def _overlaps(wanted: str, allowed: Sequence[str]) -> list[str]:
    left = _normalise_host(wanted)
    rights = [host for host in map(_normalise_host, allowed) if host not in (None, "*")]
    return [both for right in rights if left and right and (both := _narrower(left, right))]


def _normalise_host(pattern: str) -> str | None:
    if pattern == "*":
        return pattern
    host = pattern.lower().rstrip(".")
    name = host.removeprefix("*.")
    return None if not name or name.startswith(".") or "*" in name or not name.isprintable() else host


def _narrower(left: str, right: str) -> str | None:
    """The pattern that admits what both admit: two patterns are nested or have no host in common."""
    if _covers(left, right):
        return right
    return left if _covers(right, left) else None


def _covers(pattern: str, other: str) -> bool:
    if pattern in ("*", other):
        return True
    return pattern.startswith("*.") and other.removeprefix("*").endswith(pattern[1:])


# ---------------------------------------------------------------- credentials


def intersect_names(wanted: Iterable[str], allowed: Iterable[str]) -> tuple[str, ...]:
    """Names in both, in the manifest's order."""
    names = frozenset(allowed)
    return tuple(name for name in dict.fromkeys(wanted) if name in names)
