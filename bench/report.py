"""The rows as a table for the terminal and as the page `docs/performance.md`."""

import os
import platform
from collections.abc import Sequence

from bench.row import Row, Section

_HEAD = ("what", "value", "ratio", "to", "bar", "result")


def table_of(section: Section) -> str:
    lines = [_HEAD, *(_cells(row) for row in section.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    body = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return f"\n{section.title}\n{body}"


def summary_of(sections: Sequence[Section]) -> str:
    verdicts = [row.is_met for section in sections for row in section.rows if row.bar is not None]
    unmeasured = f" ({verdicts.count(None)} not measured)" if None in verdicts else ""
    return f"{verdicts.count(True)} of {len(verdicts)} bars met{unmeasured}"


def page_of(sections: Sequence[Section], *, is_quick: bool) -> str:
    parts = [_OPENING, _machine(is_quick=is_quick), f"**{summary_of(sections)}.**", *map(_markdown, sections), _READING]
    return "\n\n".join(parts) + "\n"


def _markdown(section: Section) -> str:
    rows = [_HEAD, ("---", "---:", "---:", "---", "---", "---"), *(_cells(row) for row in section.rows)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    return f"## {section.title}\n\n{section.method}\n\n{table}"


def _cells(row: Row) -> tuple[str, ...]:
    value = "" if row.value is None else f"{_short(row.value)} {row.unit}"
    ratio = "" if row.ratio is None else f"{_short(row.ratio)}×"
    bar = "" if row.bar is None else str(row.bar)
    remark = ", ".join(part for part in (row.verdict, row.note) if part)
    return row.name, value, ratio, row.against, bar, remark


def _short(value: float) -> str:
    """Three figures: the fourth is noise."""
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"


def _machine(*, is_quick: bool) -> str:
    measured = "A quick run, not one for the record" if is_quick else "Measured"
    return (
        f"{measured} on {os.cpu_count()} shared cores of {platform.system()} ({platform.machine()}), "
        f"Python {platform.python_version()}; servers, their load generator and this program share them."
    )


_OPENING = """# Performance

<!-- Written by `make bench`; do not edit. -->

`make bench` measures all of this on your machine and writes this page again; it takes about five minutes.
`python -m bench --quick` takes less than two, `--only NAME` measures one subject, `--no-write` leaves the page alone.
REST is driven by `wrk`. What is not installed (a peer, PostgreSQL, `wrk`) leaves a row that says so."""

_READING = """## How to read this

* **Ratios count, absolute figures do not.** What is compared was measured in the same run, in turns; a full run shows
  medians of at least five samples, a quick one of fewer for REST and the demo, and the resident memory is read once.
* **Even ratios move.** On a busy machine of two cores, ratios of processor time moved by a fifth between runs, ratios
  of REST rates by a half, and the gain of 64 durable callers by a factor of three, with the speed of the disk. A bar
  met or missed by less than that may fall the other way next time; this page is one run, not the best of several.
* **Processor time** is that of the whole process, all threads. PostgreSQL spends its own besides, which is not
  counted: it is compared by rate only.
* **Peers do other work.** An in-memory client of another library carries a protocol, which a call in process does
  not, but keeps no record and checks no token; an echo route does nothing at all. The comparison says what governing
  a call costs next to what people pay already.
* **Where rate and processor time disagree**, something other than the server set the pace: the load generator, or
  other work on the machine. The processor time a request is then the better guide.
* **A disk is what the machine says it is.** `FULL` waits for the disk's word that a commit is safe; on a virtual disk
  that word can be quick, and rates follow it. The share of one commit that a call bears is what group commit buys."""
