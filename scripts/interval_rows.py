"""Rows on intervals: how often each kind contains the truth, or says that it may not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from known_values import (
    EXPONENTIAL,
    LAWS,
    LOGNORMAL,
    NORMAL,
    TIMEOUTS,
    UNIFORM,
    Floats,
    Generator,
    Law,
)
from promise_rows import COVERS, NONE, Promise, Row

from airtcp import stats
from airtcp.metrics.ratios import jain_index
from airtcp.reading.summaries import grouped_medians
from airtcp.stats import Precision
from airtcp.stats.bounded import bounded_means
from airtcp.stats.intervals import Interval, mean_intervals
from airtcp.stats.rare import grouped_carriers
from airtcp.stats.verdict import Estimate, Levels, judge

RUNS = (3, 5, 10, 30)
RUNS_OF_MEANS = (3, 5, 10, 20, 30)
MANY = 20_000  # cases where arrays take them at once
UNMARKED_MISSES = Promise(high=0.07)  # 100 less 93 %
FALSE_MARKS = Promise(high=0.02)


# Means


def means(cases: int) -> Iterator[Row]:
    """Student's intervals, law by law."""
    for law in LAWS:
        for runs in RUNS_OF_MEANS:
            inside, marked = _covered_and_marked(law, runs, max(cases, MANY))
            unmarked = inside[~marked]
            beside = (_percent(unmarked) if unmarked.size >= 100 else "-", _percent(marked))
            name, promise = f"{law.name}, {runs}", COVERS if runs >= law.covered_from else NONE
            yield Row(name, promise, int(inside.sum()), inside.size, beside)


def marks(cases: int) -> Iterator[Row]:
    """Misses that nothing announces, and marks at normal values."""
    for law in LAWS:
        for runs in RUNS_OF_MEANS:
            if runs < law.covered_from:
                inside, marked = _covered_and_marked(law, runs, max(cases, MANY))
                promise = UNMARKED_MISSES if runs >= law.marked_from else NONE
                missed = int((~inside & ~marked).sum())
                yield Row(f"missed, {law.name}, {runs}", promise, missed, inside.size)
    for runs in RUNS_OF_MEANS:
        _, marked = _covered_and_marked(NORMAL, runs, max(cases, MANY))
        yield Row(f"marked, normal, {runs}", FALSE_MARKS, int(marked.sum()), marked.size)
    for runs in RUNS:
        yield _busy_links(max(cases, MANY), runs)


@cache
def _covered_and_marked(law: Law, runs: int, cases: int) -> tuple[Any, Any]:
    rows = law.draw(np.random.default_rng([1, runs, LAWS.index(law)]), (cases, runs))
    marked = ~np.isnan(grouped_carriers(rows.ravel(), np.arange(cases) * runs))
    return _inside(mean_intervals(rows), law.mean()), marked


def _busy_links(cases: int, runs: int) -> Row:
    """Utilisations of a link that is busy all the time in four of five runs."""
    g = np.random.default_rng([2, runs])
    rows = np.where(g.random((cases, runs)) < 0.8, 1.0, g.uniform(0.5, 1.0, (cases, runs)))
    found = _bounded(rows)
    missed = ~_inside(found, 0.95) & np.isnan(found["carriers"])
    return Row(f"missed, utilisation, {runs}", UNMARKED_MISSES, int(missed.sum()), cases)


def _bounded(rows: Floats) -> dict[str, Any]:
    return bounded_means(rows.ravel(), np.repeat(np.arange(len(rows)), rows.shape[1]))


def _inside(found: dict[str, Any], truth: float) -> Any:
    return (found["low"] <= truth) & (truth <= found["high"])


def _percent(were: Any) -> str:
    return f"{100.0 * were.mean():.1f}"


# Other intervals


def covered(name: str, found: Iterable[Interval], truth: float, promise: Promise = COVERS) -> Row:
    """A row with the number of intervals that contain the truth."""
    inside = [interval.low <= truth <= interval.high for interval in found]
    return Row(name, promise, sum(inside), len(inside))


def ratios(cases: int) -> Iterator[Row]:
    """Ratios and differences of pairs of normal values that scatter together."""
    for runs in RUNS:
        g = np.random.default_rng([3, runs])
        first, second = (g.normal(1.0, 0.1, (cases, runs)) for _ in range(2))
        pairs = list(zip(first + second, second, strict=True))
        found = [stats.ratio_of_means(*pair) for pair in pairs]
        yield covered(f"ratio of means, {runs}", found, 2.0)
        found = [stats.ratio_of_means(*pair, method="jackknife") for pair in pairs]
        yield covered(f"ratio, jackknife, {runs}", found, 2.0)
        differences = (stats.paired_difference(*pair) for pair in pairs)
        found = [
            Interval(difference.mean, difference.low, difference.high) for difference in differences
        ]
        yield covered(f"paired difference, {runs}", found, 1.0)
        yield from _fieller(cases, runs)


def _fieller(cases: int, runs: int) -> Iterator[Row]:
    """Intervals of verdicts, at 95 %: of two engines a third apart, each of whose runs scatter."""
    levels = Levels(margin=0.99, equivalence=0.0625)  # two fifths of it are 2.5 % on each side
    for name, scatter in (("independent", 0.0), ("pairs", 0.3)):
        g = np.random.default_rng([4, runs, int(scatter > 0.0)])
        path = g.normal(1.0, scatter, (cases, runs)) if scatter else np.ones((cases, runs))
        first, second = (path + g.normal(0.0, 0.05, (cases, runs)) for _ in range(2))
        second *= 4.0 / 3.0
        estimates = zip(
            _estimates(first), _estimates(second), _covariances(first, second), strict=True
        )
        found = [
            judge(a, b, levels, covariance=both if scatter else None) for a, b, both in estimates
        ]
        intervals = [
            Interval(estimate.difference, estimate.low, estimate.high) for estimate in found
        ]
        yield covered(f"ratio of a verdict, {name}, {runs}", intervals, 1.0 / 3.0)


def _estimates(rows: Floats) -> list[Estimate]:
    n = rows.shape[1]
    described = zip(rows.mean(axis=1), rows.std(axis=1, ddof=1), strict=True)
    return [Estimate.of_runs(mean, sd, n) for mean, sd in described]


def _covariances(first: Floats, second: Floats) -> list[float]:
    """The covariance of the means of each pair of rows."""
    n = first.shape[1]
    apart = [rows - rows.mean(axis=1, keepdims=True) for rows in (first, second)]
    found: list[float] = ((apart[0] * apart[1]).sum(axis=1) / (n - 1) / n).tolist()
    return found


def bootstraps(cases: int) -> Iterator[Row]:
    """Ratios of normal pairs, and medians of exponential values; of few values they are narrow."""
    for runs in RUNS:
        g = np.random.default_rng([5, runs])
        first, second = (g.normal(1.0, 0.1, (cases // 8, runs)) for _ in range(2))
        pairs = zip(first + second, second, strict=True)
        found = [stats.bootstrap_ratio(*pair, resamples=999) for pair in pairs]
        yield covered(f"ratio, bootstrap, {runs}", found, 2.0, COVERS if runs >= 30 else NONE)
        rows = g.exponential(1.0, (cases // 4, runs))
        medians = [stats.bootstrap_median(row, resamples=999) for row in rows]
        promise = COVERS if runs >= 10 else NONE
        yield covered(f"median, bootstrap, {runs}", medians, math.log(2.0), promise)


def medians(cases: int) -> Iterator[Row]:
    """Medians of exponential values between two order statistics; of five runs there is none."""
    for runs in (6, 10, 30):
        many = max(cases, MANY)
        rows = np.random.default_rng([6, runs]).exponential(1.0, (many, runs))
        found = grouped_medians(rows.ravel(), np.repeat(np.arange(many), runs), 0.95)
        hits = int(_inside(found, math.log(2.0)).sum())
        yield Row(f"median (order), {runs}", Promise(0.95), hits, many)


def fairnesses(cases: int) -> Iterator[Row]:
    """Jain's index of flows that are equal but for noise."""
    many = max(cases, MANY)
    for flows in (2, 5):
        truth = _jain(np.random.default_rng([7, flows]), (1_000_000, flows)).mean()
        for runs in RUNS:
            values = _jain(np.random.default_rng([7, flows, runs]), (many * runs, flows))
            hits = int(_inside(_bounded(values.reshape(many, runs)), truth).sum())
            yield Row(f"Jain's index of {flows}, {runs}", COVERS, hits, many)


def _jain(g: Generator, shape: tuple[int, int]) -> Floats:
    return jain_index(g.normal(1.0, 0.05, shape))


def batches(cases: int) -> Iterator[Row]:
    """A series whose neighbours correlate by 0.9, in parts of 200."""
    for parts in (3, 5, 10, 30):
        found = _batches(np.random.default_rng([8, parts]), cases, parts)
        yield covered(f"batch means, {parts} parts", found, 0.0)


def _batches(g: Generator, cases: int, parts: int) -> Iterator[Interval]:
    for _ in range(cases):
        noise = g.normal(0.0, 1.0, 200 * parts + 100)
        series = np.convolve(noise, 0.9 ** np.arange(100), mode="valid")
        found = stats.batch_means(series, parts)
        yield Interval(found.mean, found.low, found.high)


# After a search


ZERO_OR_ONE = Law("0 or 1", lambda: 0.9, lambda g, shape: 1.0 * (g.random(shape) < 0.9))
LESS = Law("2 less exponential", lambda: 1.0, lambda g, shape: 2.0 - g.exponential(1.0, shape))
SEARCHES: tuple[tuple[Law, tuple[int, ...]], ...] = (
    (NORMAL, (20, 5)),
    (UNIFORM, (20, 5)),
    (EXPONENTIAL, (20, 10)),
    (LESS, (20, 10)),
    (LOGNORMAL, (20, 10)),
    (ZERO_OR_ONE, (20, 10)),
    (TIMEOUTS, (20, 10)),
)


def searches(cases: int) -> Iterator[Row]:
    """Intervals of the runs at which a search for a precision ended."""
    for law, asked in SEARCHES:
        for percent in asked:
            g = np.random.default_rng([9, percent, *law.name.encode()])
            found = [_search(law, Precision(percent / 100), g) for _ in range(cases // 20)]
            inside = [_is_inside(values, law.mean()) for values in found]
            took = f"{np.mean([values.size for values in found]):.0f}"
            name = f"{law.name}, to {percent} %"
            yield Row(name, COVERS, sum(inside), len(inside), (took,))


def _search(law: Law, rule: Precision, g: Generator) -> Floats:
    """The values of one search, drawn as the rule asks for them."""
    values = law.draw(g, rule.least)
    while (needed := rule.next_runs(values)) > values.size:
        values = np.concatenate([values, law.draw(g, needed - values.size)])
    return values


def _is_inside(values: Floats, truth: float) -> bool:
    return bool(_inside(mean_intervals(values[np.newaxis, :]), truth)[0])


Rows = Callable[[int], Iterator[Row]]
OTHERS: tuple[Rows, ...] = (ratios, bootstraps, medians, fairnesses, batches)
