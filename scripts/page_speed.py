"""Measure the page of `airtcp explore` in Debian's chromium: `make web-speed`; a minute.

Milliseconds on this machine, of whatever else it does, and for each example whose run takes 5 to
500 ms its speed in the page as a share of the native one, both by the shortest of several times.
No test compares them.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from environment import end_with

import explorer_cases
from airtcp import _native
from explorer_page import address_of_page, node

TIMES = 7
SEED = 1
LEAST, MOST = 5.0, 500.0  # ms of a run


def main() -> int:
    """One line for each figure."""
    with address_of_page() as address:
        found = node("speed.mjs", {"address": address})
        for name, value in found.items():
            print(
                f"{name}: {' and '.join(map(str, value)) if isinstance(value, list) else value} ms"
            )
        shares = dict(speeds(address))
    for name, share in shares.items():
        print(f"{name}: {share:.2f} of native speed")
    print(f"median of {len(shares)} examples: {statistics.median(shares.values()):.2f}")
    return 0


def speeds(address: str) -> Iterator[tuple[str, float]]:
    """Examples, and the speed of the page as a share of the native one."""
    native = [shortest(case) for case in explorer_cases.EXAMPLES]
    timed = [
        (case, millis)
        for case, millis in zip(explorer_cases.EXAMPLES, native, strict=True)
        if LEAST <= millis <= MOST
    ]
    asked = {"address": address, "seed": SEED, "times": TIMES}
    in_page = node("runs.mjs", asked | {"cases": [case._asdict() for case, _ in timed]})
    for (case, millis), page in zip(timed, in_page, strict=True):
        yield case.name, millis / page


def shortest(case: explorer_cases.Case) -> float:
    """Shortest native time of a run of the first point, in ms, or the first time of a long one."""
    point = _native.Points(case.document)[case.points[0]]
    every: list[float] = []
    while len(every) < TIMES and not (every and every[0] > MOST):
        began = time.perf_counter()
        explorer_cases.counts(point, SEED)
        every.append(1e3 * (time.perf_counter() - began))
    return min(every)


if __name__ == "__main__":
    end_with(main)
