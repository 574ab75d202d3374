"""Number of runs that decide whether two means agree or differ, with a stated probability.

The mean difference and the scatter of the runs so far are uncertain themselves. The probability
that N runs decide is therefore averaged over both. The standard deviation follows its chi-square
distribution. The difference follows its likelihood times a Cauchy prior, centred on 0 with the
margin as scale. The prior is needed because correct engines are equal or nearly so: after few runs
that scatter widely, the likelihood alone would take them to be far apart, which few runs would
show.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from airtcp.stats._checks import Floats

POWER = 0.9  # so often the advised runs decide
_AVERAGE_SCATTER = 0.93  # asked on average, so that equal means and those a margin apart have 90 %
_SHIFT_NODES, _SCATTER_NODES = 16, 8  # values over which the probability is averaged


@dataclass(frozen=True)
class MeanContrasts:
    """Distances of a mean from the ends that the tests compare it with, in its unit.

    - `within`: from the lower and the upper end of the margin, positive inside;
    - `outside`: below and above what is called equal, positive outside;
    - `scale`: the margin.
    """

    within: tuple[float, float]
    outside: tuple[float, float]
    scale: float


@dataclass(frozen=True)
class VerdictTests:
    """The tests with a given number of runs.

    - `within`, `outside`: standard errors of the contrasts;
    - `agree`, `differ`: quantiles that a contrast over its error must exceed.
    """

    within: tuple[float, float]
    outside: float
    agree: float
    differ: float


def decisive_runs(
    contrasts: MeanContrasts,
    tests: Callable[[int], VerdictTests],
    now: int,
    freedom: float,
    most: int,
) -> float:
    """The least number of runs above `now` that decides with the probability `POWER`, to 1 %.

    `tests` gives the tests with a number of runs, if the scatter stays as it is. `freedom` has the
    degrees of freedom of the error of the difference. NaN if `most` runs do not decide.
    """
    nodes = _truth_nodes(contrasts, tests(now).outside, freedom)

    def decides(runs: int) -> bool:
        return _probability(contrasts, tests(runs), nodes) >= _AVERAGE_SCATTER

    few, many = now, 2 * now
    while not decides(many):
        few, many = many, 2 * many
        if few > most:
            return math.nan
    while many - few > max(1, few // 100):
        middle = (few + many) // 2
        few, many = (few, middle) if decides(middle) else (middle, many)
    return float(many)


@dataclass(frozen=True)
class _TruthNodes:
    """Truths that the runs leave possible: shifts of the mean (rows) by scatters (columns)."""

    shift: Floats
    scatter: Floats
    weight: Floats


def _truth_nodes(contrasts: MeanContrasts, error: float, freedom: float) -> _TruthNodes:
    """Quantiles of the likelihood and of the prior together, weighted by importance."""
    scatter, share = np.ones((1, 1)), _quantiles(_SHIFT_NODES)[:, None]
    if math.isfinite(freedom):
        squares = special.chdtri(freedom, _quantiles(_SCATTER_NODES))
        scatter = np.sqrt(freedom / squares)[None, :]
    spread = error * scatter
    likely = special.ndtri(share) * spread
    if not (contrasts.scale > 0.0 and error > 0.0):
        return _TruthNodes(likely, scatter, np.full_like(likely, 1.0 / likely.size))
    low, high = contrasts.outside
    equal = low if low > 0.0 else -max(high, 0.0)  # the shift to the nearest equal value
    prior = equal + contrasts.scale * np.tan(np.pi * (share - 0.5)) + 0.0 * spread
    shift = np.concatenate([likely, prior])
    density = np.exp(-0.5 * (shift / spread) ** 2) / spread / math.sqrt(2.0 * math.pi)
    before = contrasts.scale / np.pi / ((shift - equal) ** 2 + contrasts.scale**2)
    weight = density * before / (density + before)
    return _TruthNodes(shift, scatter, weight / weight.sum(axis=0) / scatter.size)


def _quantiles(number: int) -> Floats:
    return np.asarray((np.arange(number) + 0.5) / number)


def _probability(contrasts: MeanContrasts, tests: VerdictTests, nodes: _TruthNodes) -> float:
    """The probability, over all nodes, that the tests decide."""
    below, above = contrasts.within
    under, over = contrasts.outside
    low, high, equal = (
        _normal_quantile(error * nodes.scatter) for error in (*tests.within, tests.outside)
    )
    upper, lower, left_tail, right_tail = special.ndtr(
        np.stack(
            [
                (above - nodes.shift) * high - tests.agree,
                tests.agree - (below + nodes.shift) * low,
                (over + nodes.shift) * equal - tests.differ,
                (under - nodes.shift) * equal - tests.differ,
            ]
        )
    )
    decided = np.minimum(np.maximum(upper - lower, 0.0) + left_tail + right_tail, 1.0)
    return float((nodes.weight * decided).sum())


def _normal_quantile(error: Floats) -> Floats:
    return 1.0 / np.maximum(error, np.finfo(float).tiny ** 0.5)
