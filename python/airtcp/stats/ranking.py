"""Ranking of alternatives by mean, with tests over all pairs, on common random numbers.

Every pair is compared by a paired t test, and the p values of a family of tests are corrected after
Holm [Holm 1979]: with probability `confidence` or more not one difference of the family is claimed
that does not exist, however the tests depend on each other.

Paired differences that are the same in all runs or in most say nothing about chance: the decisive
event may not have occurred in these runs (`airtcp.stats.rare`). They have no p value and exclude no
alternative, unless the point is exact, which means that nothing in it is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp.errors import InputError, known_name, refusal
from airtcp.stats._checks import CONFIDENCE, Floats, open_probability
from airtcp.stats.intervals import mean_intervals, paired_tests

if TYPE_CHECKING:
    import pandas

BETTER = ("high", "low")
FAMILIES = ("point", "all")


@dataclass(frozen=True, eq=False)
class Ranking:
    """The alternatives of one point, from best to worst mean, and all their differences.

    - `names`, `mean`, `low`, `high`: the alternatives, best first, with the Student t interval of
      each mean;
    - `best`: true for the first and for each alternative that is not significantly worse; at an
      exact point, for those whose value equals the first one's;
    - `pairs`: two names per pair, the better mean first; `difference`: difference of their means;
      `difference_low`, `difference_high`: the interval of this one difference;
    - `p`: probability by the paired t test; `adjusted`: the same, corrected after Holm; NaN where
      most differences are equal;
    - `replications`: number of runs of each alternative that were compared.
    """

    names: tuple[str, ...]
    mean: Floats
    low: Floats
    high: Floats
    best: NDArray[np.bool_]
    pairs: tuple[tuple[str, str], ...]
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    p: Floats
    adjusted: Floats
    replications: int
    confidence: float

    @property
    def winners(self) -> tuple[str, ...]:
        """The names of the best alternatives."""
        return tuple(name for name, best in zip(self.names, self.best, strict=True) if best)

    def to_pandas(self) -> pandas.DataFrame:
        """One row per alternative, best first."""
        import pandas  # noqa: PLC0415

        columns = {"name": self.names, "mean": self.mean, "low": self.low, "high": self.high}
        return pandas.DataFrame(columns | {"best": self.best})

    def pairs_to_pandas(self) -> pandas.DataFrame:
        """One row per pair, in the order of the ranking."""
        import pandas  # noqa: PLC0415

        return pandas.DataFrame(
            {
                "better": [first for first, _ in self.pairs],
                "worse": [other for _, other in self.pairs],
                "difference": self.difference,
                "low": self.difference_low,
                "high": self.difference_high,
                "p": self.p,
                "adjusted": self.adjusted,
            }
        )


def rank(
    values: Sequence[ArrayLike] | ArrayLike,
    names: Sequence[str],
    confidence: float = CONFIDENCE,
    better: str = "high",
) -> Ranking:
    """Rank alternatives by their means over common replications.

    Alternatives of different length are compared over the replications that all of them have. If
    most differences of a pair are equal, it has no p value, and both stay among the best.

    Parameters
    ----------
    values : sequence of array_like
        A row per alternative. Value r of each row is from replication r, with the same random
        numbers in all rows.
    names : sequence of str
        Names of the alternatives.
    confidence : float, default 0.95
        Confidence level.
    better : str, default "high"
        Direction of better values: "high" or "low".

    Returns
    -------
    Ranking
        The alternatives in order, with the differences between them.

    Raises
    ------
    InputError
        If there are fewer than two alternatives or replications, or a value is NaN.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.rank([[5, 6, 7, 6], [1, 2, 3, 3]], ["reno", "cubic"]).names
    ('reno', 'cubic')
    """
    return rank_points([values], names, confidence, better)[0]


def rank_points(
    points: Sequence[Sequence[ArrayLike] | ArrayLike],
    names: Sequence[str],
    confidence: float = CONFIDENCE,
    better: str = "high",
    families: str = "point",
    *,
    exact: Sequence[bool] | None = None,
) -> list[Ranking]:
    """Rank alternatives by their means at each of several points.

    Parameters
    ----------
    points : sequence of sequence of array_like
        The values at each point, as for `rank`.
    names : sequence of str
        Names of the alternatives.
    confidence : float, default 0.95
        Confidence level.
    better : str, default "high"
        Direction of better values: "high" or "low".
    families : str, default "point"
        Scope of the correction for many tests: "point" for statements about one point, "all" for
        statements about the whole sweep.
    exact : sequence of bool, optional
        For each point, True if nothing in it is random, so that every difference is real.

    Returns
    -------
    list of Ranking
        One ranking per point.

    Raises
    ------
    InputError
        As `rank`.

    Examples
    --------
    >>> from airtcp import stats
    >>> points = [[[5, 6, 7, 6], [1, 2, 3, 3]], [[1, 2, 1, 3], [8, 9, 7, 7]]]
    >>> [ranking.names[0] for ranking in stats.rank_points(points, ["reno", "cubic"])]
    ['reno', 'cubic']
    """
    known_name("better", better, BETTER)
    known_name("families", families, FAMILIES)
    confidence = open_probability("confidence", confidence)
    names = _names(names)
    sure = [False] * len(points) if exact is None else list(exact)
    tests = [
        _PairTests(_rows(values, names), confidence, better == "low", is_exact)
        for values, is_exact in zip(points, sure, strict=True)
    ]
    if families == "all" and tests:
        p = np.concatenate([point_tests.p for point_tests in tests])
        adjusted = np.split(holm(p), len(tests))
    else:
        adjusted = [holm(point_tests.p) for point_tests in tests]
    return [test.ranking(names, each) for test, each in zip(tests, adjusted, strict=True)]


def holm(p: ArrayLike) -> Floats:
    """Correct the p values of one family of tests by Holm's method.

    Parameters
    ----------
    p : array_like
        The p values. A NaN is not a test and is not counted.

    Returns
    -------
    numpy.ndarray
        The corrected p values in the given order; NaN stays NaN.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")  # NaN last
    factors = np.count_nonzero(~np.isnan(p)) - np.arange(p.size)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return adjusted


class _PairTests:
    """The tests of one point, in the order of its ranking."""

    def __init__(
        self, rows: Floats, confidence: float, low_is_better: bool, is_exact: bool
    ) -> None:
        self.confidence, self.replications = confidence, rows.shape[1]
        self.is_exact = is_exact
        means = mean_intervals(rows, confidence)
        sign = 1.0 if low_is_better else -1.0
        self.order = np.argsort(sign * means["mean"], kind="stable")
        self.means = {name: means[name][self.order] for name in ("mean", "low", "high")}
        first, other = (self.order[index] for index in np.triu_indices(len(rows), 1))
        self.found = mean_intervals(rows[first] - rows[other], confidence)
        self.p = paired_tests(rows[first], rows[other])

    def ranking(self, names: tuple[str, ...], adjusted: Floats) -> Ranking:
        ordered = tuple(names[index] for index in self.order)
        return Ranking(
            names=ordered,
            mean=self.means["mean"],
            low=self.means["low"],
            high=self.means["high"],
            best=np.concatenate([[True], self._is_as_good(adjusted)[: len(names) - 1]]),
            pairs=tuple(combinations(ordered, 2)),
            difference=self.found["mean"],
            difference_low=self.found["low"],
            difference_high=self.found["high"],
            p=self.p,
            adjusted=adjusted,
            replications=self.replications,
            confidence=self.confidence,
        )

    def _is_as_good(self, adjusted: Floats) -> NDArray[np.bool_]:
        """For each pair, the first alternative's first: true if the second one is no worse."""
        if self.is_exact:
            same: NDArray[np.bool_] = self.found["mean"] == 0.0
            return same
        worse: NDArray[np.bool_] = adjusted <= 1.0 - self.confidence  # false for NaN
        return ~worse


def _names(names: Sequence[str]) -> tuple[str, ...]:
    found = tuple(names)
    if len(found) < 2 or len(set(found)) < len(found):
        raise refusal("names", list(found), "at least two different names")
    return found


def _rows(values: Sequence[ArrayLike] | ArrayLike, names: tuple[str, ...]) -> Floats:
    """The values as an array of the replications that all alternatives have."""
    rows = [np.asarray(row, dtype=np.float64) for row in values]  # type: ignore[union-attr]
    if len(rows) != len(names) or any(row.ndim != 1 for row in rows):
        raise refusal("values", values, f"a list of replications for each of {len(names)} names")
    common = min(row.size for row in rows)
    if common < 2:
        shortest = names[int(np.argmin([row.size for row in rows]))]
        raise refusal(f"replications of {shortest}", common, "at least 2, to tell chance from more")
    found = np.stack([row[:common] for row in rows])
    unknown = np.argwhere(~np.isfinite(found))
    if unknown.size:
        alternative, replication = unknown[0]
        raise InputError(
            f"values of {names[alternative]}: replication {replication} is"
            f" {found[alternative, replication]}; only known values can be ranked"
        )
    return found
