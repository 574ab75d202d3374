"""Rows on verdicts of two engines: what they say wrongly, and what the advised runs decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from known_values import Generator
from promise_rows import Promise, Row, pooled

from airtcp.stats.decisive_runs import POWER
from airtcp.stats.verdict import AGREE, DIFFER, LEVELS, UNDECIDED, Estimate, judge

RUNS = (3, 5, 10, 30)
SCATTERS = (0.02, 0.1)
DECIDES = Promise(POWER)
DECIDES_BETWEEN = Promise(0.8)  # at half a margin, where decisions are hardest
DIFFERS, AGREES = Promise(high=LEVELS.difference), Promise(high=LEVELS.equivalence)


@dataclass(frozen=True)
class Followed:
    """One case: its first verdict and its last, and how many looks it took."""

    first: str
    verdict: str
    looks: int


def follow(g: Generator, ratio: float, sd: float, runs: int) -> Followed:
    """Two engines of independent normal runs; runs are added as advised until it is decided.

    Sums of runs are drawn, not each run.
    """
    n, sums, squares = 0, np.zeros(2), np.zeros(2)
    said: list[str] = []
    while runs > n:
        more = runs - n
        added = g.normal([1.0, ratio], sd / math.sqrt(more))
        sums, n = sums + more * added, runs
        squares += more * added**2 + sd**2 * (g.chisquare(more - 1, 2) if more > 1 else 0.0)
        scatter = np.sqrt((squares - sums**2 / n) / (n - 1))
        found = judge(*(Estimate.of_runs(m, s, n) for m, s in zip(sums / n, scatter, strict=True)))
        said.append(found.verdict)
        runs = 0 if found.verdict != UNDECIDED else int(found.runs_needed)
    return Followed(said[0], said[-1], len(said))


def verdicts(
    cases: int, runs: Sequence[int] = RUNS, scatters: Sequence[float] = SCATTERS
) -> Iterator[Row]:
    """Engines that are equal, and a margin apart, from few runs and many that scatter."""
    rows = [row for n in runs for sd in scatters for row in _of_place(cases // 6, n, sd)]
    for kind in dict.fromkeys(row.what.partition(":")[0] for row in rows):
        mine = [row for row in rows if row.what.startswith(f"{kind}:")]
        yield from (*mine, pooled(f"{kind}: all of these", mine))


def _of_place(cases: int, runs: int, sd: float) -> Iterator[Row]:
    where = f"{runs}, sd {100 * sd:g} %"
    equal, between, apart = (
        [follow(_generator(runs, sd, ratio, case), ratio, sd, runs) for case in range(cases)]
        for ratio in (1.0, 1.0 + LEVELS.margin / 2.0, 1.0 + LEVELS.margin)
    )
    yield _said(
        f"equal differ at once: {where}", DIFFERS, [verdict.first == DIFFER for verdict in equal]
    )
    yield _said(f"equal differ: {where}", DIFFERS, [verdict.verdict == DIFFER for verdict in equal])
    yield _said(
        f"2 % apart agree: {where}", AGREES, [verdict.verdict == AGREE for verdict in apart]
    )
    for name, promise, found in (
        ("equal", DECIDES, equal),
        ("1 % apart", DECIDES_BETWEEN, between),
        ("2 % apart", DECIDES, apart),
    ):
        enough = [verdict.looks == 2 for verdict in found if verdict.looks > 1]
        if len(enough) >= cases // 20:
            yield _said(f"advice decides {name}: {where}", promise, enough)


def _said(what: str, promise: Promise, cases: list[bool]) -> Row:
    return Row(what, promise, sum(cases), len(cases))


def _generator(runs: int, sd: float, ratio: float, case: int) -> Generator:
    """Random numbers of a case, others than those of every other one."""
    return np.random.default_rng([10, runs, round(1000 * sd), round(1000 * ratio), case])
