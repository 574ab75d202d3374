"""Write docs/promises.md: what intervals, tests and verdicts promise, and what they keep.

`python scripts/promises.py` (`make statistics`) repeats each statistic on values whose truth is
known, in minutes, and writes the page; `--cases N` repeats it N times instead, for a quick look,
and prints only. Ctrl-C ends it. Seeds are fixed: the page is the same on every machine.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special

import airtcp as at
from airtcp import stats
from airtcp.papers.resampling import Resample, shares
from airtcp.reading.summaries import grouped_medians
from airtcp.simulation.contests import _p
from airtcp.stats.decisive_runs import POWER
from airtcp.stats.intervals import Interval, mean_intervals
from airtcp.stats.rare import grouped_carriers
from airtcp.stats.verdict import AGREE, DIFFER, LEVELS, UNDECIDED, Estimate, judge
from airtcp.support.progress import progress_bar

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/promises.md"
CASES = 4000
RUNS = (3, 5, 10, 30)
MORE = 1.3  # so many times the promised errors are still called kept
Floats = NDArray[np.float64]
Generator = np.random.Generator


@dataclass(frozen=True)
class Row:
    """How often something was so, beside what is promised.

    `promised`: in percent, as text; `hits` of `cases`, `marked` of them by the number itself.
    """

    what: str
    promised: str
    hits: int
    cases: int
    marked: int | None = None

    @property
    def share(self) -> float:
        """How often it was so."""
        return self.hits / self.cases

    @property
    def bounds(self) -> tuple[float, float]:
        """What is promised, as shares; a promised error is kept up to `MORE` times of it."""
        words = self.promised.split()
        if words[0] == "at":
            return 0.0, MORE * float(words[-1]) / 100.0
        return float(words[0]) / 100.0, 1.0 if words[-1] == "more" else float(words[-1]) / 100.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Clopper and Pearson."""
        low = special.betaincinv(self.hits, self.cases - self.hits + 1, 0.025) if self.hits else 0.0
        missed = self.cases - self.hits
        high = special.betaincinv(self.hits + 1, missed, 0.975) if missed else 1.0
        return float(low), float(high)

    @property
    def cells(self) -> list[str]:
        """The row as texts."""
        low, high = (100.0 * end for end in self.interval)
        found = [self.what, self.promised, f"{100.0 * self.share:.1f} ({low:.1f} to {high:.1f})"]
        if self.marked is not None:
            found.append(f"{100.0 * self.marked / self.cases:.0f}")
        return found


@dataclass(frozen=True)
class Table:
    """Rows of one kind under a title and a sentence."""

    title: str
    text: str
    heads: list[str]
    rows: list[Row]


# Values


@cache
def transfers() -> Floats:
    """Times of 20 packets on a link that rarely loses: one in a few dozens waits for its timer."""
    channel = {"kind": "iid", "loss_rate": 0.01}
    hop = {"rate": "10Mbps", "delay": "20ms", "queue": 100, "channel": channel}
    document = {
        "profile": "rfc",
        "tcp": {"variant": "newreno"},
        "path": {"hop": [hop]},
        "flow": [{"packets": 20, "milestone": 20}],
        "stop": {"time": "60s"},
    }
    runs = at.simulate(document, replications=6000, seed=99, jobs=2).to_pandas()
    return np.asarray(runs["transfer_time"], dtype=np.float64)


@cache
def throughputs() -> Floats:
    """Of short runs on slots, bursts of losses."""
    document = {
        "profile": "zorzi",
        "tcp": {"variant": "reno", "window": 8, "timeout": 20},
        "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 10.0},
        "stop": {"slots": 2000},
    }
    runs = at.simulate(document, replications=6000, seed=98, jobs=2).to_pandas()
    return np.asarray(runs["throughput"], dtype=np.float64)


@cache
def contested() -> Floats:
    """The share of the first of two equal flows, run by run: it starts 0.1 s before the other."""
    channel = {"kind": "iid", "loss_rate": 0.001}
    hop = {"rate": "2Mbps", "delay": "20ms", "queue": 20, "channel": channel}
    document = {
        "profile": "linux",
        "path": {"hop": [hop]},
        "flow": [{}, {"start": "0.1s"}],
        "stop": {"time": "10s"},
    }
    runs = at.simulate(document, replications=400, seed=97, jobs=2).to_pandas()
    rates = runs.pivot(index="replication", columns="flow", values="goodput_bps").to_numpy()
    return np.asarray(rates[:, 0] / rates.sum(axis=1), dtype=np.float64)


@dataclass(frozen=True)
class Law:
    """Values with a known mean."""

    name: str
    mean: Callable[[], float]
    draw: Callable[[Generator, tuple[int, int]], Floats]


def _resampled(name: str, values: Callable[[], Floats]) -> Law:
    return Law(name, lambda: float(values().mean()), lambda g, shape: g.choice(values(), shape))


LAWS = (
    Law("normal", lambda: 1.0, lambda g, shape: g.normal(1.0, 0.2, shape)),
    Law("uniform", lambda: 0.5, lambda g, shape: g.random(shape)),
    Law("exponential", lambda: 1.0, lambda g, shape: g.exponential(1.0, shape)),
    _resampled("throughput on slots", throughputs),
    _resampled("rare timeouts", transfers),
)


# Coverage


def covered(name: str, found: Iterable[Interval], truth: float) -> Row:
    """How many intervals contain the truth."""
    inside = [one.low <= truth <= one.high for one in found]
    return Row(name, "93 to 97", sum(inside), len(inside))


def coverage_of_means(cases: int) -> Iterator[Row]:
    """Student's intervals, law by law; misses without a mark are what the number hides."""
    for law in LAWS:
        for runs in RUNS:
            rows = law.draw(np.random.default_rng([1, runs]), (cases, runs))
            found = mean_intervals(rows)
            inside = (found["low"] <= law.mean()) & (law.mean() <= found["high"])
            marked = ~np.isnan(grouped_carriers(rows.ravel(), np.arange(cases) * runs))
            told = int((inside | marked).sum())
            yield Row(f"{law.name}, {runs}", "93 or more", told, cases, int(marked.sum()))


def coverage_of_others(cases: int) -> Iterator[Row]:
    """Every other kind of interval on values that scatter in a usual way."""
    for runs in RUNS:
        g = np.random.default_rng([2, runs])
        one, other = (g.normal(1.0, 0.1, (cases, runs)) for _ in range(2))
        both = list(zip(one + other, other, strict=True))
        yield covered(f"ratio of means, {runs}", (stats.ratio_of_means(a, b) for a, b in both), 2.0)
        jackknife = (stats.ratio_of_means(a, b, method="jackknife") for a, b in both)
        yield covered(f"ratio, jackknife, {runs}", jackknife, 2.0)
        paired = (stats.paired_difference(a, b) for a, b in both)
        yield covered(
            f"paired difference, {runs}", (Interval(d.mean, d.low, d.high) for d in paired), 1.0
        )
        few = both[: max(100, cases // 20)]
        yield covered(
            f"ratio, bootstrap, {runs}",
            (stats.bootstrap_ratio(a, b, resamples=999) for a, b in few),
            2.0,
        )
    for runs in (10, 30):
        g = np.random.default_rng([3, runs])
        rows = g.exponential(1.0, (cases, runs))
        found = grouped_medians(rows.ravel(), np.repeat(np.arange(cases), runs), 0.95)
        inside = (found["low"] <= math.log(2.0)) & (math.log(2.0) <= found["high"])
        yield Row(f"median (order), {runs}", "95 or more", int(inside.sum()), cases)
        few_rows = rows[: max(100, cases // 20)]
        medians = (stats.bootstrap_median(row, resamples=999) for row in few_rows)
        yield covered(f"median, bootstrap, {runs}", medians, math.log(2.0))
    for parts in (10, 30):
        yield covered(f"batch means, {parts} parts", _batches(cases, parts), 0.0)


def _batches(cases: int, parts: int) -> Iterator[Interval]:
    """Of a series whose neighbours correlate by 0.9, in parts of 200."""
    g = np.random.default_rng([4, parts])
    for _ in range(max(100, cases // 4)):
        noise = g.normal(0.0, 1.0, 200 * parts + 100)
        series = np.convolve(noise, 0.9 ** np.arange(100), mode="valid")
        found = stats.batch_means(series, parts)
        yield Interval(found.mean, found.low, found.high)


# False claims


def false_claims(cases: int) -> Iterator[Row]:
    """How often something is claimed that is not so."""
    for runs in RUNS:
        g = np.random.default_rng([5, runs])
        wrong = 0
        for _ in range(cases // 2):
            path = g.lognormal(0.0, 0.3, runs)
            rows = path * g.normal(1.0, 0.1, (4, runs))
            wrong += len(stats.rank(list(rows), names="abcd").winners) < 4
        yield Row(f"rank: loser of 4 equals, {runs}", "at most 5", wrong, cases // 2)
    for runs in RUNS:
        yield _rare_best(cases, runs)
    for runs in (4, 8, 12):
        yield _contest(cases, runs)
    for runs in (6, 10, 20):
        yield from _claims(max(100, cases // 4), runs)


def _rare_best(cases: int, runs: int) -> Row:
    """Transfers that rarely wait for a timer are 1 % worse on average than steady ones, and better
    in most runs."""
    g = np.random.default_rng([8, runs])
    steady = np.full(runs, 0.99 * transfers().mean())
    rows = g.choice(transfers(), (cases, runs))
    found = (stats.rank([row, steady], ["rare", "steady"], better="low").winners for row in rows)
    wrong = sum("steady" not in winners for winners in found)
    return Row(f"rank: best is excluded, rare timeouts, {runs}", "at most 5", wrong, cases)


def _contest(cases: int, runs: int) -> Row:
    """A TCP against itself: runs in which it starts first, and others in which it does not."""
    g = np.random.default_rng([6, runs])
    ahead, behind = (g.choice(contested(), (cases, runs)) for _ in range(2))
    wrong = sum(_p(row) < 0.05 for row in (ahead + 1.0 - behind) / 2.0)
    return Row(f"contest: share is not 1/2, {runs}", "at most 5", wrong, cases)


def _claims(cases: int, runs: int) -> Iterator[Row]:
    """A paper's claim whose truth is exactly on the edge: a mean of 0 is above 0."""
    said = [_claim(np.random.default_rng([7, runs, case]), case, runs) for case in range(cases)]
    for verdict in ("holds", "fails"):
        yield Row(f"claim on the edge {verdict}, {runs}", "at most 2.5", said.count(verdict), cases)


def _claim(g: Generator, case: int, runs: int) -> str:
    values = g.normal(0.0, 1.0, runs)

    def judged(resample: Resample) -> dict[str, str]:
        above = values[resample.drawn(case, runs)].mean() > 0.0
        return {"above": "holds" if above else "fails"}

    found = shares(judged)["above"]
    return next(iter(found)) if len(found) == 1 else "undecided"


# Verdicts


@dataclass(frozen=True)
class Followed:
    """One case: its last verdict, and how many looks it took."""

    verdict: str
    looks: int
    first: str


def follow(g: Generator, ratio: float, sd: float, runs: int) -> Followed:
    """Two engines of independent normal runs; runs are added as advised until it is decided."""
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
    return Followed(said[-1], len(said), said[0])


def verdicts(cases: int) -> Iterator[Row]:
    """Engines that are equal, and a margin apart, from few runs and many that scatter."""
    some = max(100, cases // 4)
    for runs in RUNS:
        for sd in (0.02, 0.1):
            equal, apart = (
                [follow(np.random.default_rng([8, runs, c]), ratio, sd, runs) for c in range(some)]
                for ratio in (1.0, 1.0 + LEVELS.margin)
            )
            where = f"{runs} runs, sd {100 * sd:g} %"
            first = sum(one.first == DIFFER for one in equal)
            yield Row(f"equal differ, one look: {where}", "at most 1", first, some)
            wrong = sum(one.verdict == DIFFER for one in equal)
            yield Row(f"equal differ, all looks: {where}", "at most 1", wrong, some)
            wrong = sum(one.verdict == AGREE for one in apart)
            yield Row(f"2 % apart agree, all looks: {where}", "at most 5", wrong, some)
            advised = [one for one in (*equal, *apart) if one.looks > 1]
            enough = sum(one.looks == 2 for one in advised)
            if len(advised) >= 50:
                power = f"{100.0 * POWER:g} or more"
                yield Row(f"advised runs decide: {where}", power, enough, len(advised))


# All of them

TABLES: tuple[tuple[str, str, list[str], Callable[[int], Iterator[Row]], int], ...] = (
    (
        "Means",
        "How often the 95 % interval of Student's t contains the mean, or the number is marked as"
        " one that hangs on few runs; the last column: how often it is marked. Fewer than ten runs"
        " do not tell that values are skewed: exponential ones are then covered in 88 to 90 %.",
        ["values, runs", "promised %", "measured %", "marked %"],
        coverage_of_means,
        len(LAWS) * len(RUNS),
    ),
    (
        "Other intervals",
        "How often 95 % intervals contain the truth: of normal values, of medians of exponential"
        " ones, of series in time that are correlated. Bootstrap intervals take few values as they"
        " are: they are too narrow there.",
        ["interval, runs", "promised %", "measured %"],
        coverage_of_others,
        4 * len(RUNS) + 6,
    ),
    (
        "False claims",
        "How often a ranking of four equal variants excludes one, a contest of a TCP with itself"
        " finds an unequal share, a statement of a paper whose truth lies on the edge of its rule"
        " gets a verdict.",
        ["claim, runs", "promised %", "measured %"],
        false_claims,
        len(RUNS) + 3 + 6,
    ),
    (
        "Verdicts",
        "Two engines of independent normal runs that scatter by sd; whoever follows the advice adds"
        " runs until there is a verdict.",
        ["verdict", "promised %", "measured %"],
        verdicts,
        8 * len(RUNS),
    ),
)


def measured(cases: int, advance: Callable[[int], object] = lambda _: None) -> Iterator[Table]:
    """All tables; `advance` is told of rows."""
    for title, text, heads, rows, number in TABLES:
        found = []
        for row in rows(cases):
            found.append(row)
            advance(1)
        advance(number - len(found))
        yield Table(title, text, heads, found)


def page(tables: Iterable[Table], cases: int) -> str:
    """The page."""
    lines = [
        "# What statistics promise, and what they keep",
        "",
        f"Each statistic of airtcp on values whose truth is known, {cases} times or a part of"
        " that; in brackets the 95 % interval of each share (Clopper and Pearson 1934). `make"
        " statistics` makes this page; the tests of every day repeat it in small"
        " (`tests/test_promises.py`). How things are computed is in [statistics](statistics.md) and"
        " [verdicts](metrics.md#verdicts).",
    ]
    for table in tables:
        lines += ["", f"## {table.title}", "", table.text, ""]
        lines.append(f"| {' | '.join(table.heads)} |")
        lines.append("|" + "---|" * len(table.heads))
        lines += [f"| {' | '.join(row.cells)} |" for row in table.rows]
    return "\n".join(lines) + "\n"


def text(tables: Iterable[Table]) -> str:
    """The tables for a terminal of 80 columns."""
    lines: list[str] = []
    for table in tables:
        cells = [table.heads, *(row.cells for row in table.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines += ["", table.title, ""]
        for row in cells:
            lines.append(
                "  ".join(one.ljust(n) for one, n in zip(row, widths, strict=True)).rstrip()
            )
    return "\n".join(lines)


def main() -> int:
    """Measure, and write or print."""
    parser = argparse.ArgumentParser(description="Measure what statistics promise.")
    parser.add_argument("--cases", type=int, help=f"repetitions; {CASES} write the page")
    asked = parser.parse_args().cases
    if asked is not None and asked < 100:
        print(f"--cases {asked}: at least 100", file=sys.stderr)
        return 2
    try:
        with progress_bar(True, "measuring", sum(one[-1] for one in TABLES)) as advance:
            tables = list(measured(asked or CASES, advance))
    except KeyboardInterrupt:
        print("interrupted: nothing is written", file=sys.stderr)
        return 130
    print(text(tables))
    if asked is None:
        PAGE.write_text(page(tables, CASES), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
