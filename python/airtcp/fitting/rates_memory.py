"""Memory of a rate: correlations of the normal scores behind its ranks, as sums of exponentials.

Rates are modelled as a monotone function of a standard normal process (a Gaussian copula). So
correlations of ranks determine correlations of the process, whatever the distribution of rates
[cario1996]. Ties, such as times without any rate, weaken correlations of ranks by an amount that
follows from the distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, nnls
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]
MOST = 3  # memories
_LAGS = 40  # that are fitted, evenly spread over their logarithm
_LONGEST = 8  # part of the record that the longest lag is
_GRID = 60  # memories that are tried first
_SHORTEST = 0.5  # memory, in steps
_EXTREME = 12.0  # log of a share by what is left, at most
_ALIKE = 5.0  # ratio of two times below which they are one
_TURNS = 3  # of memories and of the mean that they explain
_MOST_OF_MEAN = 0.5  # of the variance, in such turns
_NODES = 400  # of the integral over one of two normal numbers
_LEAST, _SURE = -0.98, 0.9999  # correlations that are told


@dataclass(frozen=True, eq=False)
class Memories:
    """Time constants of correlations, in steps, and the share of the variance that each has."""

    times: Floats
    shares: Floats

    def correlation(self, lags: Floats) -> Floats:
        """Correlation of scores so many steps (above 0) apart."""
        found: Floats = np.exp(-lags[:, None] / self.times[None, :]) @ self.shares
        return found

    def scores(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw normal scores of n steps."""
        fresh = max(1.0 - float(self.shares.sum()), 0.0)
        score: Floats = np.sqrt(fresh) * rng.standard_normal(n)
        for time, share in zip(self.times, self.shares, strict=True):
            old = np.exp(-1.0 / time)
            new = np.sqrt(-np.expm1(-2.0 / time)) * rng.standard_normal(n)
            new[0] = rng.standard_normal()
            score += np.sqrt(share) * lfilter([1.0], [1.0, -old], new)
        return score

    def of_mean(self, n: float) -> float:
        """Variance of the mean of n normal scores."""
        old = np.exp(-1.0 / self.times)
        both = (1.0 + old) / (1.0 - old) / n
        both -= 2.0 * old * (1.0 - old**n) / (n * (1.0 - old)) ** 2
        fresh = max(1.0 - float(self.shares.sum()), 0.0)
        return fresh / n + float(self.shares @ both)

    def expected(self, lags: Floats, n: float) -> Floats:
        """Expected correlations of n scores as estimated around their own mean.

        The mean follows the record, and takes its part of every correlation away: to first order
        its variance [marriott1954].
        """
        mean = self.of_mean(n)
        return (self.correlation(lags) - mean) / (1.0 - mean)

    def places(self) -> Floats:
        """The parameters on unbounded scales: logarithms of times, and shares of the remainder."""
        left = max(1.0 - float(self.shares.sum()), 1e-6)
        shares = np.clip(np.log(np.maximum(self.shares, 1e-9) / left), -_EXTREME, _EXTREME)
        return np.concatenate([np.log(self.times), shares])

    @classmethod
    def at(cls, places: Floats) -> Memories:
        """The memories at such places, by increasing times."""
        half = len(places) // 2
        weights = np.exp(places[half:])
        times, shares = np.exp(places[:half]), weights / (1.0 + weights.sum())
        order = np.argsort(times)
        return cls(times[order], shares[order])


class Ranks:
    """Ranks of rates with their ties, and correlations of scores derived from theirs."""

    def __init__(self, rates: Floats) -> None:
        """Take the distribution of these rates (NaN: not known)."""
        rates = rates[np.isfinite(rates)]
        self._values, counts = np.unique(rates, return_counts=True)
        ends = np.cumsum(counts) / len(rates)
        middle = ends - counts / len(rates) / 2.0 - 0.5
        self._rank = middle / np.sqrt(counts / len(rates) @ middle**2)
        self._cuts = ndtri(ends[:-1])
        self._told = self._table()

    def normal_scores(self, rates: Floats) -> Floats:
        """Ranks of rates, with mean 0 and variance 1; NaN for a rate that is not known."""
        found: Floats = np.append(self._rank, np.nan)[np.searchsorted(self._values, rates)]
        return found

    def values(self, scores: Floats) -> Floats:
        """The rates of this distribution at normal scores."""
        found: Floats = self._values[np.searchsorted(self._cuts, scores, side="right")]
        return found

    def scores(self, correlation: Floats) -> Floats:
        """Correlations of scores that give ranks these correlations."""
        found: Floats = np.interp(correlation, *self._told)
        return found

    def _table(self) -> tuple[Floats, Floats]:
        """Pairs of correlations: of ranks, and of the scores behind these; both increase.

        The mean rank at a normal number around r z is a sum over levels; over z it is a sum over
        equally likely places.
        """
        z = ndtri((np.arange(_NODES) + 0.5) / _NODES)
        own = self._rank[np.searchsorted(self._cuts, z, side="right")]
        steps = np.diff(self._rank)
        grid = np.concatenate([np.linspace(_LEAST, 0.95, 60), [0.97, 0.98, 0.99, 0.995, _SURE]])
        told = []
        for r in grid:
            below = (self._cuts[:, None] - r * z[None, :]) / np.sqrt((1.0 - r) * (1.0 + r))
            told.append(float(own @ (self._rank[0] + steps @ ndtr(-below))) / _NODES)
        return np.maximum.accumulate(np.array(told)), grid


def lags_of(n: int) -> Floats:
    """Lags at which correlations of n steps are taken."""
    return np.unique(np.round(np.geomspace(1.0, n / _LONGEST, _LAGS)))


def correlations(ranks: Floats, lags: Floats) -> Floats:
    """Correlations of ranks (NaN: not known) at lags; the sums by a Fourier transform."""
    known = np.isfinite(ranks)
    apart = np.where(known, ranks - ranks[known].mean(), 0.0)
    pairs = np.maximum(_products(known.astype(np.float64), lags), 1.0)
    found: Floats = _products(apart, lags) / pairs / float(apart[known].var())
    return found


def _products(values: Floats, lags: Floats) -> Floats:
    """Sums of the products of values so many places apart."""
    power = np.abs(np.fft.rfft(values, 2 * len(values))) ** 2
    found: Floats = np.fft.irfft(power)[lags.astype(np.int64)]
    return found


def memories_of_record(ranks: Ranks, bps: Floats) -> Memories:
    """The memories of a record's normal scores, told by `ranks`; NaN where a rate is not known."""
    lags = lags_of(len(bps))
    return memories_of(ranks.scores(correlations(ranks.normal_scores(bps), lags)), lags, len(bps))


def memories_of(correlation: Floats, lags: Floats, n: float = math.inf) -> Memories:
    """Sums of at most `MOST` exponentials nearest to correlations of n scores; inf: without bias.

    With times on a grid the problem is convex, and its solution has few of them. Times close
    together are merged; then times and shares are fitted together. The mean that estimates take
    away follows from the memories, in turns.
    """
    grid = np.geomspace(1.0, float(lags[-1]), _GRID)
    mean, started = 0.0, Memories(np.ones(1), np.full(1, 1e-3))
    for _ in range(_TURNS):
        shares, _ = nnls(np.exp(-lags[:, None] / grid[None, :]), correlation * (1.0 - mean) + mean)
        kept = shares > 1e-3
        times, shares = _merged(grid[kept], shares[kept])
        if not times.size:
            return started
        started = Memories(times, shares * min(1.0, 0.99 / shares.sum()))
        mean = min(started.of_mean(n), _MOST_OF_MEAN)
    return refined(correlation, lags, started, n)


def refined(correlation: Floats, lags: Floats, start: Memories, n: float) -> Memories:
    """The memories nearest to correlations of n scores, from others of the same number on."""
    number, longest = len(start.times), np.log(lags[-1])
    low = np.concatenate([np.full(number, np.log(_SHORTEST)), np.full(number, -_EXTREME)])
    high = np.concatenate([np.full(number, longest), np.full(number, _EXTREME)])
    found = least_squares(
        lambda places: Memories.at(places).expected(lags, n) - correlation,
        np.clip(start.places(), low + 1e-3, high - 1e-3),
        bounds=(low, high),
        max_nfev=200,
    )
    return Memories.at(found.x)


def _merged(times: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Memories after merging the closest pairs until none is close and at most `MOST` are left."""
    logs = np.log(times)
    while len(logs) > 1:
        apart = np.diff(logs)
        i = int(np.argmin(apart))
        if apart[i] > np.log(_ALIKE) and len(logs) <= MOST:
            break
        both = shares[i : i + 2]
        logs = np.concatenate([logs[:i], [both @ logs[i : i + 2] / both.sum()], logs[i + 2 :]])
        shares = np.concatenate([shares[:i], [both.sum()], shares[i + 2 :]])
    return np.exp(logs), shares
