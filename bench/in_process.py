"""One governed call in this process, beside the same call through in-memory clients of others."""

from bench.gate import call_of, open_gate
from bench.measure import Effort, cpu_us, medians
from bench.peers import FASTMCP, MCP, installed_version, open_peers
from bench.row import Bar, Row, Section, quotient

TITLE = "One call, in process"
METHOD = (
    "`add(a, b)` with the token verified before, parameters and result checked against their schemas, the record and "
    "its events built and kept in memory. The gate has its defaults: no policy engine beside the token's own scope, no "
    "rate limits, no approvals; with them a call will cost more than this. Processor time a call. Peers run the same "
    "function as an `async def`, which is their cheaper way; the `def` rows show the other."
)
_GOVERNED = {"add": "async tool", "add_inline": "inline tool", "add_in_thread": "tool in a thread"}
_BARS = {FASTMCP: Bar("at most", 0.03), MCP: Bar("at most", 0.10)}


async def measure(effort: Effort) -> Section:
    async with open_gate() as gate, open_peers() as peers:
        samples = {
            label: cpu_us(call_of(gate, tool_id), calls=effort.calls(1000)) for tool_id, label in _GOVERNED.items()
        }
        samples |= {name: cpu_us(call, calls=effort.calls(100)) for name, call in peers.items()}
        await medians(samples, rounds=1)  # warm
        cost = await medians(samples, rounds=effort.rounds)
    return Section(title=TITLE, method=METHOD, rows=[*_peer_rows(cost), *_governed_rows(cost)])


def _peer_rows(cost: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    for name in _BARS:
        release = installed_version(name)
        note = f"version {release}" if release and name in cost else "not installed"
        rows.append(Row(name=name, value=cost.get(name), unit="µs", note=note))
        if f"{name}, def" in cost:
            rows.append(Row(name=f"{name}, def", value=cost[f"{name}, def"], unit="µs"))
    return rows


def _governed_rows(cost: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    for label in _GOVERNED.values():
        for peer, bar in _BARS.items():
            judged = bar if label != "tool in a thread" else None
            rows.append(
                Row(
                    name=f"toolgate, {label}",
                    value=cost[label],
                    unit="µs",
                    ratio=quotient(cost[label], cost.get(peer)),
                    against=peer,
                    bar=judged,
                    note="" if peer in cost else "not installed",
                )
            )
    return rows
