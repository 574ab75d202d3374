"""The promise of intervals of fitted rates, which the studies of records and of captures share."""

from __future__ import annotations

from scipy import stats

from airtcp.stats.exact import exact_share_interval

LEAST = 0.93  # of intervals that cover the truth, beyond chance
CHANCE = 1e-3  # that a promise which is kept is called broken


def least_kept(intervals: int) -> int:
    """The fewest covering ones of so many intervals that do not break the promise."""
    return int(stats.binom.ppf(CHANCE, intervals, LEAST)) if intervals else 0


def share_words(hits: int, cases: int) -> str:
    """A share in per cent with its 95 % interval."""
    low, high = exact_share_interval(hits, cases)
    return f"{100.0 * hits / cases:.0f} % ({100.0 * low:.0f} to {100.0 * high:.0f})"
