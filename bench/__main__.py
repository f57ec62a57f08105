"""`python -m bench`: measure, print, and write `docs/performance.md`."""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench import durable, flat, in_process, rest, start
from bench.measure import Effort
from bench.report import page_of, summary_of, table_of
from bench.row import Section

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
SUBJECTS: dict[str, Callable[[Effort], Awaitable[Section]]] = {
    "in_process": in_process.measure,
    "durable": durable.measure,
    "rest": rest.measure,
    "flat": flat.measure,
    "start": start.measure,
}


def main() -> None:
    options = _parse()
    logging.disable()  # peers and PostgreSQL talk; whatever goes wrong in a call of ours is raised
    sections = [_measure(name, Effort(is_quick=options.quick)) for name in options.only or SUBJECTS]
    print(f"\n{summary_of(sections)}")
    if options.write if options.write is not None else not options.only:
        PAGE.write_text(page_of(sections, is_quick=options.quick), encoding="utf-8")
        print("docs/performance.md is written")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer samples, and no million of stored invocations")
    parser.add_argument("--only", action="append", choices=SUBJECTS, metavar="NAME", help=", ".join(SUBJECTS))
    parser.add_argument(
        "--write",
        action=argparse.BooleanOptionalAction,
        help="write docs/performance.md (default: unless --only)",
    )
    return parser.parse_args()


def _measure(name: str, effort: Effort) -> Section:
    began = time.perf_counter()
    section = asyncio.run(_awaited(SUBJECTS[name](effort)))
    print(table_of(section), flush=True)
    print(f"({time.perf_counter() - began:.0f} s)", file=sys.stderr, flush=True)
    return section


async def _awaited(section: Awaitable[Section]) -> Section:
    return await section


main()
