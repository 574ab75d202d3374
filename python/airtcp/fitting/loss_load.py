"""Dependence of losses on the rate sent, in counts per interval.

A full queue loses more the faster a sender is, a link does not. Faster and slower intervals are
compared. Chance differences are found by shifting losses in time, in a circle, which keeps the
bursts of losses and of rates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from airtcp.fitting.losses_tests import deviation_p_value
from airtcp.measured.measurement import Intervals

FEWEST_INTERVALS = 40  # intervals with losses known
RANDOM_SHIFTS = 199
_TEST_LEVEL = 0.01
_NOTABLE_RATIO = 1.5  # ratio of two loss rates that is worth a word


@dataclass(frozen=True)
class LoadDependence:
    """Loss rates of the slower and of the faster half of intervals, and the p value of equality."""

    slow: float
    fast: float
    p_value: float

    @property
    def is_seen(self) -> bool:
        """True where losses grow with the rate, beyond chance."""
        return self.p_value < _TEST_LEVEL and self.fast > _NOTABLE_RATIO * self.slow


def load_dependence(counts: Intervals, *, seed: int = 1) -> LoadDependence | None:
    """Loss rates by the packets sent per second; None for few intervals, one pace or no loss."""
    known = counts.has_loss_counts & (counts.length > 0)
    sent, lost = counts.sent[known], counts.lost[known]
    if known.sum() < FEWEST_INTERVALS or lost.sum() == 0.0:
        return None
    pace = sent / counts.length[known]
    # The pace before counts: losses of an interval change its own.
    pace, sent, lost = pace[:-1], sent[1:], lost[1:]
    fast = pace > np.median(pace)
    if not fast.any() or fast.all() or np.ptp(pace) < 0.1 * pace.mean():
        return None

    def difference(moved: int) -> float:
        away_lost, away_sent = np.roll(lost, moved), np.roll(sent, moved)
        rates = [away_lost[chosen].sum() / away_sent[chosen].sum() for chosen in (fast, ~fast)]
        return float(rates[0] - rates[1])

    rng = np.random.default_rng(seed)
    moves = rng.integers(1, len(lost), size=RANDOM_SHIFTS)
    values = np.array([difference(0), *(difference(int(move)) for move in moves)])
    slow_rate, fast_rate = (
        float(lost[chosen].sum() / sent[chosen].sum()) for chosen in (~fast, fast)
    )
    return LoadDependence(slow_rate, fast_rate, deviation_p_value(values[:, None]))
