"""Selection of the alternative with the highest mean, at the least number of runs.

Fully sequential selection with an indifference zone [kim2001]. All alternatives have a first stage
of runs; then one that is so far behind another that chance hardly explains it is dropped, and the
others go on. With probability `confidence` or more the one that is left has the highest mean, if
that is `zone` or more above the second highest; else one within the zone is left. Runs of different
alternatives may depend on each other: on common random numbers their differences scatter less, and
fewer are needed.

Values are taken to be normal, which means over many packets nearly are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from airtcp.stats._checks import Floats

# Runs of every alternative: fewer make the boundary wide, more are wasted on bad ones.
FIRST_RUNS = 10


@dataclass(frozen=True)
class Boundary:
    """The lead from which on an alternative is dropped.

    - `zone`: differences of means below it do not matter, in the unit of the values;
    - `variance`: variances of the differences of two alternatives, a row and a column for each;
    - `factor`: h^2 of the paper.
    """

    zone: float
    variance: Floats
    factor: float

    def last_runs(self) -> int:
        """The number of runs after which the boundary is zero: the best mean is then the answer."""
        if not self.variance.any():
            return 0
        return math.floor(self.factor * float(self.variance.max()) / self.zone**2) + 1

    def width(self, runs: int) -> Floats:
        """Largest difference of means of `runs` values that keeps both alternatives of a pair."""
        wide = self.zone / (2.0 * runs) * (self.factor * self.variance / self.zone**2 - runs)
        return np.asarray(np.maximum(0.0, wide), dtype=float)


def boundary(first: Floats, zone: float, confidence: float) -> Boundary:
    """The boundary that the first runs give: `first` has a row per alternative.

    ValueError for fewer than two alternatives or runs, or a zone that is not positive.
    """
    number, runs = first.shape
    if number < 2 or runs < 2 or zone <= 0.0:
        raise ValueError("needs at least two alternatives, two runs and a positive zone")
    error = 2.0 * (1.0 - confidence) / (number - 1)
    eta = 0.5 * (math.pow(error, -2.0 / (runs - 1)) - 1.0)
    differences = first[:, None, :] - first[None, :, :]
    variance = np.var(differences, axis=2, ddof=1)
    return Boundary(zone, variance, 2.0 * eta * (runs - 1))


def survivors(means: Floats, alive: list[int], bound: Boundary, runs: int) -> list[int]:
    """The members of `alive` that no other has left behind; `means` are over `runs` values each.

    One is always left. Where the boundary has come down to zero it is the only one.

    >>> bound = boundary(np.array([[5.0, 5.2, 4.9, 5.1], [1.0, 1.3, 0.9, 1.2]]), 0.5, 0.95)
    >>> survivors(np.array([5.05, 1.1]), [0, 1], bound, 4)
    [0]
    """
    if runs >= bound.last_runs():
        return [max(alive, key=lambda place: float(means[place]))]
    width = bound.width(runs)
    return [i for i in alive if all(means[i] >= means[j] - width[i, j] for j in alive if j != i)]
