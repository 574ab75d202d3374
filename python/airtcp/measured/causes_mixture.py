"""Losses as a mixture: a link's own, at one rate, and a queue's, the more the longer it is.

A link loses packets whatever their delay, so that its losses have the delays and the gaps of all
packets. A queue drops none below some delay, and from there on more the longer it is; its losses
leave no gap, as a rule. Both laws are estimated by the EM algorithm [dempster1977] for thresholds
over the whole range of delays, and for no queue at all, and the mean is taken over these, each by
its likelihood.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.causes_gaps import UNSEEN

Floats = NDArray[np.float64]
_THRESHOLDS = 10
_FIRST_STEPS, _STEPS = 100, 40  # of EM, at the first threshold and from one to the next
_STILL = 1e-4  # change of the link's rate by a step, below which EM has arrived
# Losses that the gaps of all packets count for in the law of those of the link's losses: many where
# these were sent by the bottleneck, few where they may have been lost before it and leave no gaps.
_GAPS_OF_LINK = (200.0, 2.0)
_RULED_OUT = 10.0  # log-likelihood below the other, from which on one of both is ruled out
_RARE = 0.005  # share of a kind of gap that is never ruled out
_GAPS_OF_QUEUE = np.array([4.7, 0.18, 0.12])  # losses put before those seen: none, one, long
_DROPS_LESS = 0.25  # link's losses by which rates of a queue shrink, so that a few prove nothing
_RATE_BEFORE = 1.0  # losses that a rate known before counts for
_NO_QUEUE = 3.0  # log-likelihood by which a queue must do better
_COARSE = 500.0  # losses beyond which likelihoods count for less, as no model is exact


class Seen(NamedTuple):
    """Losses by bin of delay and kind of gap; packets by bin; shares of gaps among all packets."""

    losses: Floats
    packets: Floats
    gaps: Floats


class Mixture(NamedTuple):
    """Probabilities that a loss is the queue's, by bin and kind of gap; the rate of the link's.

    They are between `least` and `most`, as nothing says whether the link loses packets behind the
    bottleneck or before it.
    """

    least: Floats
    most: Floats
    rate: float


class _Laws(NamedTuple):
    """Rate and gaps of the link's losses; rates by bin and gaps of the queue's."""

    rate: float
    gaps: Floats
    drops: Floats
    drop_gaps: Floats


def mixture(seen: Seen, rate: float | None = None) -> Mixture:
    """The causes of losses; `rate`: of the link, as far as it is known before."""
    found = [_mean(_Work(seen, rate, losses)) for losses in _GAPS_OF_LINK]
    best = max(one.likelihood for one in found)
    likely = [one for one in found if one.likelihood > best - _RULED_OUT]
    by_queue = np.array([one.by_queue for one in likely])
    rates = [one.rate for one in likely]
    return Mixture(by_queue.min(axis=0), by_queue.max(axis=0), min(rates))


class _Mean(NamedTuple):
    """Mean over thresholds; log-likelihood of the best of them."""

    by_queue: Floats
    rate: float
    likelihood: float


def _mean(work: _Work) -> _Mean:
    likelihoods, laws = zip(*work.runs(), strict=True)
    weights = np.array(likelihoods) / (1.0 + work.total / _COARSE)
    weights[0] += _NO_QUEUE + np.log(max(len(weights) - 1, 1))
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    by_queue = sum(share * work.by_queue(one) for share, one in zip(shares, laws, strict=True))
    rate = float(shares @ np.array([one.rate for one in laws]))
    return _Mean(np.asarray(by_queue), rate, max(likelihoods))


class _Work:
    """Laws in the making. Where a gap was not seen, that says nothing of the cause."""

    def __init__(self, seen: Seen, rate: float | None, losses: float) -> None:
        self.known, self.blind = seen.losses[:, :UNSEEN], seen.losses[:, UNSEEN]
        self.every = seen.losses.sum(axis=1)
        self.packets = np.maximum(seen.packets, self.every)
        self.total = float(self.every.sum())
        gaps = seen.gaps[:UNSEEN] / max(float(seen.gaps[:UNSEEN].sum()), 1e-9) + _RARE
        self.prior = losses * gaps / gaps.sum()
        self.rate = rate
        self.before = 0.0 if rate is None else _RATE_BEFORE

    def runs(self) -> Iterator[tuple[float, _Laws]]:
        """Log-likelihood and laws: without a queue, and by the bin from which on it drops."""
        bins = len(self.every)
        start = self._start()
        yield self._run(start, bins, _FIRST_STEPS)
        steps = _FIRST_STEPS
        for first in np.unique(np.linspace(0, bins - 1, _THRESHOLDS).astype(int)):
            found = self._run(start, int(first), steps)
            yield found
            start, steps = found[1], _STEPS

    def by_queue(self, laws: _Laws) -> Floats:
        """Probabilities that a loss is the queue's, by bin and kind of gap."""
        drops = laws.drops[:, None] * laws.drop_gaps
        known = drops / (laws.rate * laws.gaps + drops)
        blind = laws.drops / (laws.rate + laws.drops)
        return np.concatenate([known, blind[:, None]], axis=1)

    def _start(self) -> _Laws:
        rate = max(0.5 * self.total / float(self.packets.sum()), 1e-9)
        drops = rate * np.linspace(0.02, 4.0, len(self.every))
        queue = _GAPS_OF_QUEUE / _GAPS_OF_QUEUE.sum()
        return _Laws(rate, self.prior / self.prior.sum(), drops, queue)

    def _run(self, start: _Laws, first: int, steps: int) -> tuple[float, _Laws]:
        laws = start._replace(drops=np.where(np.arange(len(start.drops)) < first, 0.0, start.drops))
        for _ in range(steps):
            last, laws = laws, self._step(laws, first)
            if abs(laws.rate - last.rate) < _STILL * last.rate:
                break
        return self._log_likelihood(laws), laws

    def _step(self, laws: _Laws, first: int) -> _Laws:
        share = self.by_queue(laws)
        dropped = self.known * share[:, :UNSEEN]
        queue = dropped.sum(axis=1) + self.blind * share[:, UNSEEN]
        packets = float(self.packets.sum()) + self.before / (self.rate or 1.0)
        rate = max((self.total - float(queue.sum()) + self.before) / packets, 1e-9)
        gaps = (self.known - dropped).sum(axis=0) + self.prior
        drop_gaps = dropped.sum(axis=0) + _GAPS_OF_QUEUE
        drops = np.zeros(len(queue))
        drops[first:] = rising(queue[first:], self.packets[first:], _DROPS_LESS / rate)
        return _Laws(rate, gaps / gaps.sum(), drops, drop_gaps / drop_gaps.sum())

    def _log_likelihood(self, laws: _Laws) -> float:
        both = laws.rate * laws.gaps + laws.drops[:, None] * laws.drop_gaps
        rates = laws.rate + laws.drops
        found = (self.known * np.log(both)).sum() + (self.blind * np.log(rates)).sum()
        found -= (self.packets * rates).sum()
        found += _dirichlet(laws.gaps, self.prior)
        found += _dirichlet(laws.drop_gaps, _GAPS_OF_QUEUE)
        if self.rate is not None:
            found += self.before * (np.log(laws.rate) - laws.rate / self.rate)
        return float(found)


def _dirichlet(shares: Floats, seen: Floats) -> float:
    """Logarithm of the density, but for a constant, of shares whose mode is that of `seen`."""
    mode = seen / seen.sum()
    return float((seen * np.log(shares / mode)).sum())


def rising(number: Floats, of: Floats, more: float = 0.0) -> Floats:
    """Shares of greatest likelihood that never fall: neighbours that would are taken together.

    `more` is added to each sum of `of`, so that shares of few are less.
    """
    blocks: list[tuple[float, float, int]] = []
    for one in zip(number.tolist(), of.tolist(), [1] * len(of), strict=True):
        block = one
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    return np.repeat([a / max(b + more, 1e-12) for a, b, _ in blocks], [n for *_, n in blocks])
