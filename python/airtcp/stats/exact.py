"""Exact intervals of the probability of something that was so in some of many independent cases.

By Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26 (1934): each end is the probability at which as many hits, or more extreme
numbers, have half the error probability.
"""

from __future__ import annotations

from scipy import special

from airtcp.stats._checks import CONFIDENCE


def exact_share_interval(
    hits: float, cases: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """The interval of Clopper and Pearson for `hits` of `cases`.

    Numbers need not be whole: dependent cases are worth fewer independent ones.
    """
    tail, missed = (1.0 - confidence) / 2.0, cases - hits
    low = float(special.betaincinv(hits, missed + 1.0, tail)) if hits > 0.0 else 0.0
    high = float(special.betaincinv(hits + 1.0, missed, 1.0 - tail)) if missed > 0.0 else 1.0
    return low, high
