"""Rates of a link on a grid of equal steps, from records of rates and of opportunities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.links.mahimahi import BYTES

Floats = NDArray[np.float64]
OPPORTUNITY = 8 * BYTES  # bits
STEPS = (20, 50, 100, 200, 500, 1000, 2000, 5000)  # ms
_FULL = 2.0  # opportunities that a step holds on average, at least
_EXACT = 100  # levels that a distribution has at most


@dataclass(frozen=True, eq=False)
class Rates:
    """Mean rates over equal steps: `every`, ns, and `bps`, of each step; NaN: not known.

    `bunch`: packets that wait for bunches of opportunities within a step, beside those that wait
    where its opportunities are even; a mean over opportunities. 0 where no bunches are known.
    """

    every: int
    bps: Floats
    bunch: float = 0.0

    @property
    def seconds(self) -> float:
        """Length of the record."""
        return self.every / 1e9 * len(self.bps)

    @property
    def known(self) -> Floats:
        """The rates that are known."""
        return self.bps[np.isfinite(self.bps)]

    def levels(self) -> tuple[Floats, Floats]:
        """The distribution as increasing rates and their shares.

        Many different rates are grouped: equally many of them form each level, at their mean, which
        keeps the mean of the record.
        """
        known = self.known
        rates, counts = np.unique(known, return_counts=True)
        if len(rates) <= _EXACT:
            return rates, counts / len(known)
        parts = np.array_split(np.sort(known), _EXACT)
        means, groups = np.unique([part.mean() for part in parts], return_inverse=True)
        shares: Floats = np.bincount(groups, [len(part) for part in parts]) / len(known)
        return means, shares


def of_opportunities(millis: NDArray[np.int64]) -> Rates | None:
    """The rates of a trace of opportunities; None if the trace is shorter than two steps.

    Steps are as short as can be while they hold two opportunities on average: shorter ones show
    single packets, and no rate. Time after the last whole step is left out.
    """
    length = int(millis[-1]) if len(millis) else 0
    mean = length / max(len(millis), 1)
    every = next((step for step in STEPS if step >= _FULL * mean), STEPS[-1])
    number = length // every
    if number < 2:
        return None
    # The last opportunity is the beginning of the trace anew, as repeated by Mahimahi.
    found = np.bincount(millis % length, minlength=length)[: number * every]
    slots: Floats = found.astype(np.float64).reshape(number, every)
    bps: Floats = slots.sum(axis=1) * OPPORTUNITY * 1e3 / every
    return Rates(every * 1_000_000, bps, _bunch(slots))


def _bunch(slots: Floats) -> float:
    """Most packets that a step with as many opportunities, evenly spread, has served sooner.

    A mean over opportunities, of which `slots` has a row of ms for every step.
    """
    number = slots.sum(axis=1)
    served = np.cumsum(slots, axis=1) - slots  # before each ms
    even = number[:, None] * np.arange(slots.shape[1]) / slots.shape[1]
    return float(number @ (even - served).max(axis=1) / max(number.sum(), 1.0))
