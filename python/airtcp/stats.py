"""Confidence intervals over independent replications, and a test for many of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from airtcp.errors import InputError, refusal, whole_number

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """Mean of `n` independent values with its confidence interval from `low` to `high`.

    `sd` is the standard deviation of one value (n - 1 in the denominator). With one value alone
    `sd`, `low` and `high` are NaN.
    """

    mean: float
    sd: float
    low: float
    high: float
    n: int

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2.0

    @property
    def standard_error(self) -> float:
        """Standard deviation of the mean."""
        return float(self.sd / np.sqrt(self.n))

    def __contains__(self, value: float) -> bool:
        """Whether the interval covers `value`."""
        return self.low <= value <= self.high


def mean_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """The mean of independent values with a Student t interval. Raises `InputError`."""
    row = np.asarray(values, dtype=np.float64).ravel()
    if row.size == 0:
        raise InputError("values = []: must hold at least one value")
    found = mean_intervals(row[None, :], confidence)
    return Interval(**{name: float(column[0]) for name, column in found.items()}, n=row.size)


def mean_intervals(rows: Floats, confidence: float = CONFIDENCE) -> dict[str, Floats]:
    """`mean_interval` for every row: columns mean, sd, low, high."""
    if not 0.0 < confidence < 1.0:
        raise refusal("confidence", confidence, "a probability in (0, 1)")
    n = rows.shape[1]
    constant = (rows == rows[:, :1]).all(axis=1)  # no rounding noise where nothing scatters
    mean = np.where(constant, rows[:, 0], rows.mean(axis=1))
    if n == 1:
        unknown = np.full_like(mean, np.nan)
        return {"mean": mean, "sd": unknown, "low": unknown, "high": unknown}
    sd = np.where(constant, 0.0, rows.std(axis=1, ddof=1))
    half = special.stdtrit(n - 1, 0.5 + confidence / 2.0) * sd / np.sqrt(n)
    return {"mean": mean, "sd": sd, "low": mean - half, "high": mean + half}


def miss_probability(misses: int, n: int, confidence: float = CONFIDENCE) -> float:
    """P(at least `misses` of `n` independent intervals miss), each with probability 1-confidence.

    Raises `InputError`.
    """
    n = whole_number("n", n, 0, 10**12)
    misses = whole_number("misses", misses, 0, n)
    if not 0.0 < confidence < 1.0:
        raise refusal("confidence", confidence, "a probability in (0, 1)")
    return 1.0 if misses == 0 else float(special.bdtrc(misses - 1, n, 1.0 - confidence))


def too_many_misses(
    misses: int, n: int, confidence: float = CONFIDENCE, level: float = 0.01
) -> bool:
    """Whether `misses` of `n` independent intervals is more than chance allows.

    One-sided binomial test: true if so many misses or more have a probability below `level` when
    every interval covers its true value with probability `confidence`. Raises `InputError`.
    """
    return miss_probability(misses, n, confidence) < level


def z_scores(reference: Any, mean: Any, sd: Any, n: int) -> Floats:
    """(mean - reference) / standard error of the mean; 0 where they agree to rounding.

    NaN where a value is missing, where n is 1, and where the values do not scatter at all (then
    there is no error to compare the difference with).
    """
    reference, mean, sd = (np.asarray(one, dtype=np.float64) for one in (reference, mean, sd))
    error = np.where(sd > 0.0, sd / np.sqrt(n), np.nan)
    same = np.isclose(mean, reference, rtol=1e-12, atol=1e-15) & np.isfinite(sd)
    scores: Floats = np.where(same, 0.0, (mean - reference) / error)
    return scores
