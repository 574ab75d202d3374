"""Three readings of a random spike length, which the paper leaves to future work.

Each gives the mean cycle: the packets sent in it, and how long it lasts. They agree where a spike
has ended before the next begins; with spikes of one length `restart` and `union` always do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from airtcp.errors import InputError
from airtcp.models.kuusela.distributions import (
    ContinuousDistribution,
    DiscreteDistribution,
    Distribution,
    ExponentialDistribution,
)
from airtcp.models.kuusela.ramp import Ramp

Floats = NDArray[np.float64]
_GRID_CELLS = 192  # of the coarser grid of busy times, up to eight times the mean spike
_LOG_STEP = 0.06  # logarithm of the steps beyond
_GRID_END = 1e12  # mean spikes, where the grid ends at the latest
_LEAST_TAIL = 1e-30  # probability of a spike beyond the grid
_CUT_SHARE = 1e-6  # most of the time that may be cut off there
_LEAST_DISTANCE = 1e-12  # relative distance below which points of the grid are one
_MOST_ATOMS = 2000


@dataclass(frozen=True)
class SpikeCycle:
    """Mean packets and mean seconds from one spike to the next."""

    packets: float
    seconds: float


def cycle_of_restarts(intervals: Distribution, spikes: Distribution, ramp: Ramp) -> SpikeCycle:
    """A spike replaces one that still lasts: E[A0((T - S)^+)] / E[T], T and S independent.

    The goodput does not depend on how long the replaced spike would have lasted.
    """
    return SpikeCycle(spikes.expectation(lambda s: intervals.mean_packets(ramp, s)), intervals.mean)


def cycle_with_gaps(intervals: Distribution, spikes: Distribution, ramp: Ramp) -> SpikeCycle:
    """The intervals U run from the end of a spike to the next: E[A0(U)] / (E[U] + E[S])."""
    return SpikeCycle(intervals.mean_packets(ramp, 0.0), intervals.mean + spikes.mean)


def cycle_of_union(intervals: Distribution, spikes: Distribution, ramp: Ramp) -> SpikeCycle:
    """The link is silent while any spike lasts.

    A spike leaves the link silent for M = max(S, M' - T'), M' being that of the spike before and T'
    the interval between; then E[A0((T - M)^+)] / E[T]. With exponential intervals that is their
    closed form at E[S], for any distribution of S. Otherwise the distribution of M is computed on a
    grid, from its top downwards, and extrapolated from two grids; intervals with atoms are refused
    there.
    """
    if spikes.least == spikes.most or spikes.most <= intervals.least:
        return cycle_of_restarts(intervals, spikes, ramp)
    if isinstance(intervals, ExponentialDistribution):
        return SpikeCycle(intervals.mean_packets(ramp, spikes.mean), intervals.mean)
    if isinstance(intervals, DiscreteDistribution):
        raise InputError(
            "reading = 'union': with random spikes that may overlap, intervals must have a"
            " continuous"
            " distribution, not a list of values; or use reading = 'restart' or 'gap'"
        )
    return SpikeCycle(_packets_of_union(intervals, spikes, ramp), intervals.mean)


READINGS = {"restart": cycle_of_restarts, "union": cycle_of_union, "gap": cycle_with_gaps}


def _packets_of_union(intervals: ContinuousDistribution, spikes: Distribution, ramp: Ramp) -> float:
    """E[A0((T - M)^+)], its error falling with the square of the cell, extrapolated to none."""
    coarse = _grid(intervals, spikes)
    fine = np.sort(np.concatenate([coarse, 0.5 * (coarse[1:] + coarse[:-1])]))
    rewards = np.array([intervals.mean_packets(ramp, float(x)) for x in fine])
    exceeding = _integrated_survival(intervals, float(fine[-1] - fine[0]))
    halved = _mean_reward(exceeding, spikes, fine, rewards)
    whole = _mean_reward(exceeding, spikes, coarse, rewards[::2])
    return (4.0 * halved - whole) / 3.0


def _grid(intervals: ContinuousDistribution, spikes: Distribution) -> Floats:
    """Values of a busy time: even steps, in the tail steps of one ratio, and atoms of spikes."""
    atoms = spikes.values if isinstance(spikes, DiscreteDistribution) else np.zeros(0)
    if atoms.size > _MOST_ATOMS:
        raise InputError(
            f"spike: more than {_MOST_ATOMS} different samples for reading = 'union':"
            " give a distribution"
        )
    high = spikes.most
    if isinstance(spikes, ContinuousDistribution) and high > _GRID_END * spikes.mean:
        high = min(_GRID_END * spikes.mean, float(spikes.quantile(np.array([_LEAST_TAIL]))[0]))
        if spikes.mean_excess(high) > _CUT_SHARE * intervals.mean:
            raise InputError("spike: a distribution with too heavy a tail for reading = 'union'")
    typical = min(high, 8.0 * spikes.mean)
    even = np.linspace(spikes.least, typical, _GRID_CELLS)
    beyond = np.geomspace(typical, high, 2 + int(np.log(high / typical) / _LOG_STEP))
    found = np.unique(np.concatenate([even, beyond, atoms]))
    apart = np.diff(found, prepend=-np.inf) > _LEAST_DISTANCE * found
    return found[apart | np.isin(found, atoms)]


def _integrated_survival(intervals: ContinuousDistribution, longest: float) -> CubicHermiteSpline:
    """The integral of P[T > t] from 0 to y, for 0 <= y <= `longest`."""
    scale = min(intervals.mean, longest)
    steps = np.concatenate(
        [
            [0.0],
            intervals.knots,
            np.linspace(0.0, min(longest, 8.0 * scale), 4 * _GRID_CELLS),
            np.geomspace(1e-3 * scale, longest, 8 * _GRID_CELLS),
        ]
    )
    at = np.unique(steps[(steps >= 0.0) & (steps <= longest)])
    return CubicHermiteSpline(at, intervals.integrated_survival(at), intervals.survival(at))


def _mean_reward(
    exceeding: CubicHermiteSpline, spikes: Distribution, grid: Floats, rewards: Floats
) -> float:
    """The mean of `rewards`, a function of M on `grid`, under the distribution of M on that grid.

    P[M > x] = P[S > x] + P[S <= x] K(x), where K(x) = P[M - T > x] is the sum over y > x of
    dP[M = y] P[T < y - x]. The probability of a cell is spread evenly over it.
    """
    above, from_on = _tail_probabilities(spikes, grid)
    longer = exceeding.derivative()
    jumps, cells = np.zeros(grid.size), np.zeros(grid.size)  # cells[j] lies below grid[j]
    jumps[-1] = reached = from_on[-1]  # P[M >= grid[i + 1]]
    for i in range(grid.size - 2, -1, -1):
        lags = grid[i:] - grid[i]
        slack = np.diff(exceeding(lags)) / np.diff(lags)  # P[T > y - x], y even in a cell
        known = jumps[i + 1 :] @ (1.0 - longer(lags[1:])) + cells[i + 2 :] @ (1.0 - slack[1:])
        # K = known + (P[M > x] - reached) (1 - slack): the cell above ends at what is sought
        overlap = (known + (above[i] - reached) * (1.0 - slack[0])) / (
            above[i] + slack[0] - above[i] * slack[0]
        )
        cells[i + 1] = above[i] + (1.0 - above[i]) * overlap - reached
        jumps[i] = (from_on[i] - above[i]) * (1.0 - overlap)
        reached += cells[i + 1] + jumps[i]
    inside = float(cells[1:] @ (0.5 * (rewards[1:] + rewards[:-1])))
    return inside + float(jumps @ rewards)


def _tail_probabilities(spikes: Distribution, grid: Floats) -> tuple[Floats, Floats]:
    """P[S > x] and P[S >= x] on the grid, beyond which nothing is."""
    if isinstance(spikes, DiscreteDistribution):
        total = np.concatenate([np.cumsum(spikes.weights[::-1])[::-1], [0.0]])
        total /= total[0]
        above, from_on = (
            total[np.searchsorted(spikes.values, grid, side)] for side in ("right", "left")
        )
        return above, from_on
    above = np.array(spikes.survival(grid))
    above[-1] = 0.0
    return above, above
