"""Resampled runs on which a statement is judged again, to see that its verdict is no chance.

A resampled study draws the replications of every simulation anew, with replacement. Simulations
under one seed met the same random numbers and are drawn alike, so that pairs stay pairs. Of n
runs (n - 1) (z / t)^2 are drawn, with the quantiles at 97.5 % of the normal law and of Student's
with n - 1 degrees of freedom: means then scatter about as widely as a 95 % interval reaches, for
few runs too [Rao and Wu 1988, J. Am. Stat. Assoc. 83; Efron and Tibshirani 1993, 17].

A verdict stands if all of 40 resampled studies come to it: where the truth lies exactly on the
edge of a rule, each side is then claimed with a probability of 1 in 41, as by an interval of 95 %;
of four runs with 7 %, of three with 13 %, which are too few to tell. Otherwise it is undecided, and
further ones say how many runs would do: pairs of larger studies, both drawn from one resampled
study that stands for the truth. With so many runs that 9 of 10 pairs agree a repetition would
decide alike.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from airtcp.support.frame import Coded, Column, Frame

if TYPE_CHECKING:
    from airtcp.simulation.replications import SimulationResult

RESAMPLES = 40
PAIRS = 20
AGREE = 0.9  # of the pairs of larger studies
FACTORS = (4, 16)  # times as many runs
Draws = NDArray[np.intp]


@dataclass(frozen=True)
class Resample:
    """Which runs of a simulation are drawn: resampling `number`.

    `factor` 0: as many as keep the width of an interval; else so many times the runs there are, the
    `member`-th study of a pair, from those that resampling `number` takes for the truth.
    """

    number: int
    factor: int = 0
    member: int = 0

    def of(self, result: SimulationResult) -> SimulationResult:
        """The runs drawn, under new numbers of replications; a point without chance as it is."""
        each = len(result._rows) // max(1, sum(result.per_point))
        rows, numbers, taken = self.rows(result.seed, result.per_point, each)
        frame = _taken(result._rows, rows, numbers)
        return replace(result, _rows=frame, per_point=taken, _records=None)

    def rows(
        self, seed: int, per_point: Iterable[int], each: int = 1
    ) -> tuple[Draws, Draws, tuple[int, ...]]:
        """The rows drawn of a table of runs, `each` to a run; their replications; runs by point."""
        rows: list[Draws] = []
        numbers: list[Draws] = []
        start = 0
        for runs in per_point:
            drawn = self.drawn(seed, runs)
            rows.append(start + (each * drawn[:, None] + np.arange(each)).ravel())
            numbers.append(np.repeat(np.arange(drawn.size), each))
            start += each * runs
        taken = tuple(one.size // each for one in rows)
        return np.concatenate(rows), np.concatenate(numbers), taken

    @lru_cache(maxsize=64)  # noqa: B019  (it holds numbers)
    def drawn(self, seed: int, runs: int) -> Draws:
        """The same runs wherever seed and number of runs are the same, drawn once."""
        if runs == 1:
            return np.zeros(1, dtype=np.intp)
        name = f"{self.number}/{seed}/{runs}".encode()
        generator = np.random.default_rng(zlib.crc32(name))
        found: Draws = generator.integers(runs, size=as_wide(runs))
        if not self.factor:
            return found
        larger = np.random.default_rng([zlib.crc32(name), self.factor, self.member])
        return found[larger.integers(found.size, size=self.factor * runs)]


def as_wide(runs: int) -> int:
    """How many of so many runs are drawn."""
    t = float(special.stdtrit(runs - 1, 0.975))
    return max(2, round((runs - 1) * (float(special.ndtri(0.975)) / t) ** 2))


def _taken(frame: Frame, rows: Draws, numbers: Draws) -> Frame:
    def made(name: str, column: Column) -> Column:
        if isinstance(column, Coded):
            return Coded(column.codes[rows], column.values)
        return numbers.astype(column.dtype) if name == "replication" else column[rows]

    columns = {name: made(name, one) for name, one in frame.columns.items()}
    return Frame(columns, frame.metadata)


Verdicts = Mapping[str, str]
Judge = Callable[[Resample], Verdicts]


def shares(judge: Judge) -> dict[str, dict[str, float]]:
    """Of each claim, by name: which verdict resampled studies come to, as shares."""
    found: dict[str, Counter[str]] = {}
    for number in range(RESAMPLES):
        for name, verdict in judge(Resample(number)).items():
            found.setdefault(name, Counter())[verdict] += 1
    return {
        name: {verdict: times / RESAMPLES for verdict, times in counted.most_common()}
        for name, counted in found.items()
    }


def factors(judge: Judge, names: set[str]) -> dict[str, int]:
    """How many times the runs decide about these claims; 0: more than the largest of `FACTORS`."""
    found = dict.fromkeys(names, 0)
    for factor in FACTORS:
        open_ones = {name for name, known in found.items() if not known}
        if not open_ones:
            break
        alike = Counter(name for pair in _pairs(judge, factor) for name in pair)
        for name in open_ones:
            if alike[name] >= AGREE * PAIRS:
                found[name] = factor
    return found


def _pairs(judge: Judge, factor: int) -> Iterator[list[str]]:
    """Of each pair of larger studies the claims on which they agree."""
    for number in range(PAIRS):
        one, other = (judge(Resample(number, factor, member)) for member in (0, 1))
        yield [name for name in one if one[name] == other[name]]
