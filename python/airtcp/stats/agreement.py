"""Agreement of intervals with exact values: misses counted, deviations as z scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from airtcp.errors import whole_number
from airtcp.stats._checks import CONFIDENCE, Floats, open_probability


def miss_probability(misses: int, n: int, confidence: float = CONFIDENCE) -> float:
    """P(at least `misses` of `n` independent intervals miss), each with probability 1-confidence.

    Raises `InputError`.
    """
    n = whole_number("n", n, 0, 10**12)
    misses = whole_number("misses", misses, 0, n)
    confidence = open_probability("confidence", confidence)
    return 1.0 if misses == 0 else float(special.bdtrc(misses - 1, n, 1.0 - confidence))


def too_many_misses(
    misses: int, n: int, confidence: float = CONFIDENCE, level: float = 0.01
) -> bool:
    """True if `misses` of `n` independent intervals are more than chance allows.

    One-sided binomial test: true if `misses` or more have a probability below `level` when every
    interval covers its true value with probability `confidence`. Raises `InputError`.
    """
    return miss_probability(misses, n, confidence) < level


def z_scores(
    mean: ArrayLike, exact: ArrayLike, standard_error: ArrayLike, replications: ArrayLike
) -> Floats:
    """Distances of means from exact values, as standard normal deviates of Student's t.

    The normal quantile with the same tail as t = (mean - exact) / `standard_error` at
    `replications` - 1 degrees of freedom: |z| > 1.96 exactly where the 95 % Student interval misses
    `exact`, whatever the replications. At most 37.5 in size, where tails leave double precision.
    0 where the two agree to rounding and the error is known: of one replication only if it is 0.
    NaN where a value is missing, for one replication, and where the runs do not scatter (there is
    no error to compare the difference with). Broadcasts.
    """
    mean, exact, error, runs = (
        np.asarray(given, dtype=np.float64) for given in (mean, exact, standard_error, replications)
    )
    known = (error > 0.0) & (runs > 1)
    t = (mean - exact) / np.where(known, error, np.nan)
    tail = special.stdtr(np.where(known, runs - 1.0, np.nan), -np.abs(t))
    z = -special.ndtri(np.maximum(tail, np.finfo(np.float64).tiny))
    same = np.isclose(mean, exact, rtol=1e-12, atol=1e-15) & np.isfinite(error)
    same &= (runs > 1) | (error == 0.0)
    scores: Floats = np.where(same, 0.0, np.copysign(z, t))
    return scores
