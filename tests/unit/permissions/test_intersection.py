"""A grant holds what the manifest and the token both hold: no more, and no less."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.model.agent import Mount
from toolgate.model.manifest import NetworkPermission
from toolgate.model.proof import HostGrant
from toolgate.permissions.intersection import (
    intersect_mounts,
    intersect_names,
    intersect_network,
    mode_at,
    normalise_path,
)

labels = st.sampled_from(["a", "b", "api"])
names = st.lists(labels, min_size=1, max_size=3).map(".".join)
patterns = names | names.map("*.{}".format) | names.map(str.upper) | names.map("{}.".format)
broken_patterns = st.sampled_from(["", ".", "*", "*.", "**.a", "*.*.a", "a.*", "*a", ".a", "*..a", " a"])
ports = st.integers(1, 4)
endpoints = st.tuples(patterns, ports)
needs = st.builds(NetworkPermission, host=patterns | broken_patterns | st.just("*"), port=st.none() | ports)
host_grants = st.builds(
    HostGrant,
    st.lists(patterns | broken_patterns, max_size=3).map(tuple),
    st.lists(ports, max_size=2).map(tuple),
    st.lists(endpoints, max_size=2).map(tuple),
)


def wants(needs: list[NetworkPermission], host: str, port: int) -> bool:
    """The manifest's meaning, spelled out: any host for `*`, else one pattern on one port or on all."""
    return any(
        (need.host == "*" or HostGrant((need.host,)).admits(host, port)) and need.port in (None, port) for need in needs
    )


@given(st.lists(needs, max_size=4), host_grants, names, ports)
def test_a_call_reaches_a_host_exactly_if_manifest_and_token_both_say_so(
    needs: list[NetworkPermission], allowed: HostGrant, host: str, port: int
) -> None:
    granted = intersect_network(needs, allowed)
    assert granted.admits(host, port) == (wants(needs, host, port) and allowed.admits(host, port))


@given(st.lists(needs, max_size=4), host_grants, st.text(max_size=6), st.integers())
def test_no_strange_host_is_reached_that_the_token_does_not_name(
    needs: list[NetworkPermission], allowed: HostGrant, host: str, port: int
) -> None:
    if intersect_network(needs, allowed).admits(host, port):
        assert allowed.admits(host, port)
        assert wants(needs, host, port)


@given(st.lists(needs, max_size=4), host_grants)
def test_intersecting_again_changes_nothing(needs: list[NetworkPermission], allowed: HostGrant) -> None:
    once = intersect_network(needs, allowed)
    twice = intersect_network(needs, once)
    for host in ["a", "b.a", "api.b.a", "x.api"]:
        for port in range(1, 5):
            assert once.admits(host, port) == twice.admits(host, port)


def test_a_grant_for_one_port_is_written_in_the_short_form() -> None:
    granted = intersect_network([NetworkPermission(host="*", port=443)], HostGrant(("a.com", "*.b.com")))
    assert granted == HostGrant(("a.com", "*.b.com"), (443,))


def test_a_port_of_one_host_is_not_lent_to_another() -> None:
    wanted = [NetworkPermission(host="a.com", port=443), NetworkPermission(host="b.com", port=8080)]
    granted = intersect_network(wanted, HostGrant(("a.com", "b.com")))
    assert granted.admits("a.com", 443)
    assert granted.admits("b.com", 8080)
    assert not granted.admits("a.com", 8080)
    assert not granted.admits("b.com", 443)


def test_no_common_port_means_no_host_at_all() -> None:
    """An empty list of ports means every port, so the host itself must go."""
    granted = intersect_network([NetworkPermission(host="a.com", port=443)], HostGrant(("a.com",), (80,)))
    assert granted == HostGrant()


def test_a_star_in_a_token_is_not_every_host() -> None:
    assert intersect_network([NetworkPermission(host="*")], HostGrant(("*",))) == HostGrant()


def test_a_suffix_is_a_suffix_of_labels() -> None:
    granted = intersect_network([NetworkPermission(host="*.example.com")], HostGrant(("*.example.com",)))
    assert granted.admits("api.example.com", 443)
    assert not granted.admits("example.com", 443)
    assert not granted.admits("evilexample.com", 443)
    assert not granted.admits("api.example.com.evil.org", 443)


# ---------------------------------------------------------------- paths

segments = st.sampled_from(["a", "b", "a-evil"])
paths = st.lists(segments, max_size=3).map(lambda parts: "/" + "/".join(parts))
spellings = paths | paths.map("{}/".format) | paths.map("/{}".format) | paths.map(lambda path: path.replace("/", "/./"))
broken_paths = st.sampled_from(["", "a", "./a", "/a/../b", "..", "/..", "/a\x00", "/a\n", "~", "\\a"])
modes = st.sampled_from(["ro", "rw"])
mounts = st.lists(st.builds(Mount, path=spellings | broken_paths, mode=modes), max_size=4)


def mode_in(mounts: list[Mount] | tuple[Mount, ...], path: str) -> str:
    """What a list of mounts says of a path: the deepest that holds it decides, the stricter of two equals."""
    holders = [(normalise_path(mount.path), mount.mode) for mount in mounts]
    held = [(held, mode) for held, mode in holders if held and (path + "/").startswith(held.rstrip("/") + "/")]
    deepest = max((len(held) for held, _ in held), default=None)
    return min((mode for held, mode in held if len(held) == deepest), default="")


@given(mounts, mounts, paths)
def test_a_path_is_granted_exactly_as_far_as_manifest_and_token_both_say(
    wanted: list[Mount], allowed: list[Mount], path: str
) -> None:
    expected = min(mode_in(wanted, path), mode_in(allowed, path))  # "" < "ro" < "rw"
    assert mode_in(intersect_mounts(wanted, allowed), path) == expected


@given(mounts, mounts)
def test_the_order_of_the_two_sides_does_not_matter(wanted: list[Mount], allowed: list[Mount]) -> None:
    assert intersect_mounts(wanted, allowed) == intersect_mounts(allowed, wanted)


@given(st.text(max_size=30))
def test_a_normal_path_is_absolute_and_stays_as_it_is(path: str) -> None:
    normal = normalise_path(path)
    if normal is not None:
        assert normal.startswith("/")
        assert not {"", ".", ".."} & set(normal.split("/")[1:]) or normal == "/"
        assert normalise_path(normal) == normal


def test_a_neighbour_with_a_longer_name_is_not_inside() -> None:
    assert intersect_mounts([Mount(path="/workspace")], [Mount(path="/workspace-evil")]) == ()


def test_the_deeper_path_and_the_stricter_mode_win() -> None:
    granted = intersect_mounts([Mount(path="/workspace", mode="ro")], [Mount(path="/workspace/tool1", mode="rw")])
    assert granted == (Mount(path="/workspace/tool1", mode="ro"),)


def test_of_two_modes_for_one_path_the_stricter_holds_in_any_order() -> None:
    twice = [Mount(path="/a", mode="ro"), Mount(path="/a/", mode="rw")]
    for wanted in (twice, twice[::-1]):
        assert intersect_mounts(wanted, [Mount(path="/a", mode="rw")]) == (Mount(path="/a", mode="ro"),)


@pytest.mark.parametrize("path", ["/workspace/../etc", "workspace", "/workspace\x00/etc", ""])
def test_a_path_that_cannot_be_read_safely_is_granted_to_nobody(path: str) -> None:
    assert intersect_mounts([Mount(path="/")], [Mount(path=path)]) == ()


def test_the_root_holds_everything() -> None:
    assert mode_at({"/": "ro"}, "/a/b") == "ro"
    assert mode_at({}, "/a/b") is None


@given(st.lists(st.text(max_size=3)), st.lists(st.text(max_size=3)))
def test_credentials_in_both_and_no_others(wanted: list[str], allowed: list[str]) -> None:
    granted = intersect_names(wanted, allowed)
    assert set(granted) == set(wanted) & set(allowed)
    assert len(granted) == len(set(granted))


@pytest.mark.parametrize("host", ["*.", "*..", ".*", "**", "*.*", " *"])
def test_a_pattern_that_only_looks_like_any_host_grants_nothing(host: str) -> None:
    assert intersect_network([NetworkPermission(host=host)], HostGrant(("a.example",))) == HostGrant()
