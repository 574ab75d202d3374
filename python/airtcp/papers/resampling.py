"""Resampled runs on which a statement is judged again, to see that its verdict is no chance.

A resampled study draws the replications of every simulation anew, with replacement. Simulations
under one seed met the same random numbers and are drawn alike, so that pairs stay pairs. Of n runs
(n - 1) (z / t)^2 are drawn, with the quantiles at 97.5 % of the normal distribution and of
Student's with n - 1 degrees of freedom: means then scatter about as widely as a 95 % interval
reaches, for few runs too [Rao and Wu 1988, J. Am. Stat. Assoc. 83; Efron and Tibshirani 1993, 17].

A verdict stands if all of 40 resampled studies come to it: where the truth lies exactly on the edge
of a rule, each side is then claimed with a probability of 1 in 41, as by an interval of 95 %. Of
fewer than six runs it would be 4 to 26 %: they decide nothing. Otherwise the verdict is undecided,
and how many runs decide in 9 of 10 cases follows from the share of resampled studies that come to
the commonest verdict: it says how many standard errors these runs lie from the edge of the rule, if
the judged quantity is nearly normal. The probability that further runs decide by the same rule is
averaged over their possible results.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from airtcp.support.frame import CodedColumn, Column, Frame

if TYPE_CHECKING:
    from airtcp.simulation.replications import SimulationResult

RESAMPLES = 40
FEWEST_RUNS = 6  # runs that may decide
POWER = 0.9  # with which the runs decide that are said to
# Numbers of runs that are tried, times those made.
RUN_FACTORS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300)
Draws = NDArray[np.intp]


@dataclass(frozen=True)
class Resample:
    """A choice of runs of a simulation: resampling `number`, as wide as an interval reaches."""

    number: int

    def draw_result(self, result: SimulationResult) -> SimulationResult:
        """The runs drawn, under new numbers of replications; a point without chance as it is."""
        each = len(result._rows) // max(1, sum(result.per_point))
        rows, numbers, taken = self.draw_rows(result.seed, result.per_point, each)
        frame = _take_rows(result._rows, rows, numbers)
        return replace(result, _rows=frame, per_point=taken, _records=None)

    def draw_rows(
        self, seed: int, per_point: Iterable[int], each: int = 1
    ) -> tuple[Draws, Draws, tuple[int, ...]]:
        """The rows drawn of a table of runs, `each` to a run; their replications; runs by point."""
        rows: list[Draws] = []
        numbers: list[Draws] = []
        start = 0
        for runs in per_point:
            drawn = self.drawn_indices(seed, runs)
            rows.append(start + (each * drawn[:, None] + np.arange(each)).ravel())
            numbers.append(np.repeat(np.arange(drawn.size), each))
            start += each * runs
        taken = tuple(row.size // each for row in rows)
        return np.concatenate(rows), np.concatenate(numbers), taken

    @lru_cache(maxsize=64)  # noqa: B019  (it holds numbers)
    def drawn_indices(self, seed: int, runs: int) -> Draws:
        """Indices of the drawn runs, drawn once: equal wherever seed and number of runs are."""
        if runs == 1:
            return np.zeros(1, dtype=np.intp)
        name = f"{self.number}/{seed}/{runs}".encode()
        generator = np.random.default_rng(zlib.crc32(name))
        found: Draws = generator.integers(runs, size=runs_to_draw(runs))
        return found


def runs_to_draw(runs: int) -> int:
    """Number of runs that are drawn from `runs`."""
    t = float(special.stdtrit(runs - 1, 0.975))
    return max(2, round((runs - 1) * (float(special.ndtri(0.975)) / t) ** 2))


def _take_rows(frame: Frame, rows: Draws, numbers: Draws) -> Frame:
    def made(name: str, column: Column) -> Column:
        if isinstance(column, CodedColumn):
            return CodedColumn(column.codes[rows], column.values)
        return numbers.astype(column.dtype) if name == "replication" else column[rows]

    columns = {name: made(name, column) for name, column in frame.columns.items()}
    return Frame(columns, frame.metadata)


Verdicts = Mapping[str, str]
Judge = Callable[[Resample], Verdicts]


def verdict_shares(judge: Judge) -> dict[str, dict[str, float]]:
    """For each claim, by name, the shares of resampled studies that come to each verdict."""
    found: dict[str, Counter[str]] = {}
    for number in range(RESAMPLES):
        for name, verdict in judge(Resample(number)).items():
            found.setdefault(name, Counter())[verdict] += 1
    return {
        name: {verdict: times / RESAMPLES for verdict, times in counted.most_common()}
        for name, counted in found.items()
    }


def runs_factor(share: float) -> int:
    """Multiple of the runs that decides in 9 of 10 cases, if `share` of the studies agree.

    Additional runs keep those that are there.
    """
    errors = float(special.ndtri((RESAMPLES * share + 0.5) / (RESAMPLES + 1.0)))
    enough = (times for times in RUN_FACTORS if _power(errors, times) >= POWER)
    return next(enough, RUN_FACTORS[-1])


def _power(errors: float, times: int) -> float:
    """Probability that `times` the runs decide, if these lie `errors` errors from the edge.

    The mean of all runs then lies sqrt(times) errors + sqrt(times - 1) x of its own standard errors
    from it, x being standard normal, and all resampled studies must lie on the same side.
    """
    x, weights = _NORMAL_QUADRATURE
    away = np.abs(math.sqrt(times) * errors + math.sqrt(times - 1) * x)
    return float(weights @ special.ndtr(away) ** RESAMPLES)


def _normal_quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places of a standard normal variable and their weights."""
    x = np.linspace(-6.0, 6.0, 4001)
    weights = np.exp(-(x**2) / 2.0)
    return x, weights / weights.sum()


_NORMAL_QUADRATURE = _normal_quadrature()
