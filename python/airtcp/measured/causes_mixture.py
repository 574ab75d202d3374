"""Losses as a mixture: a link's own, at one rate, and a queue's, the more the longer it is.

A link loses packets whatever their delay. A queue drops none below some delay, and from there on
more the longer it is. The gaps that losses of either kind leave are known from the packets that
arrived. Rates are estimated by the EM algorithm [dempster1977] for thresholds over the whole range
of delays, and for no queue at all, and the mean is taken over these, each by its likelihood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.causes_gaps import UNSEEN

Floats = NDArray[np.float64]
WAYS = 6  # in which losses are explained
_THRESHOLDS = 10
_FIRST_STEPS, _STEPS = 100, 40  # of EM, at the first threshold and from one to the next
_STILL = 1e-4  # change of the link's rate by a step, below which EM has arrived
_DROPS_LESS = 0.25  # losses by which rates of a queue shrink, so that a few prove nothing
_LEFT = 0.1  # share of losses before a busy bottleneck that leave a gap all the same
_RATE_BEFORE = 1.0  # losses that a rate known before counts for
_NO_QUEUE = 1.0  # log-likelihood by which a queue must do better
_COARSE = 500.0  # losses beyond which likelihoods count for less, as no model is exact


class LossCounts(NamedTuple):
    """Losses by bin of delay and kind of gap; packets by bin; shares of gaps by bin and kind.

    `gaps_behind`: gaps of packets lost behind the bottleneck; `gaps_dropped`: gaps of packets that
    its queue dropped, or that were lost before it, where nobody else's packets fill the queue;
    `empty`: number of bins, from the first one on, in which the queue may be empty;
    `is_empty_first`: True if it is empty in the first one; `is_alone`: True if nobody else's
    packets are in the queue.
    """

    losses: Floats
    packets: Floats
    gaps_behind: Floats
    gaps_dropped: Floats
    empty: int
    is_empty_first: bool
    is_alone: bool


class _Rates(NamedTuple):
    """Rate of the link's losses, and rates of the queue's by bin."""

    link: float
    drops: Floats


class Explanation(NamedTuple):
    """Losses explained, as a mean over thresholds.

    - `by_queue`: probability that a loss is the queue's, by bin and kind of gap;
    - `rate`: rate of the link's losses; `likelihood`: log-likelihood at the best threshold.
    """

    by_queue: Floats
    rate: float
    likelihood: float


def explanations(
    counts: LossCounts, rates: Sequence[float | None] = (None,) * WAYS
) -> list[Explanation]:
    """Losses explained in three ways; `rates`: the link's loss rate in each, if known before.

    The link loses packets behind its bottleneck; or before it; or others' packets share the queue
    and fill the gaps of those that it dropped.
    """
    behind, dropped = counts.gaps_behind, counts.gaps_dropped
    before = (1.0 - _LEFT) * dropped + _LEFT * behind
    low = slice(None, counts.empty)
    before[low] = 0.5 * (dropped[low] + behind[low])
    ways = ((behind, dropped), (dropped, dropped), (before, dropped), (behind, behind))
    found = [
        _mean(_Estimation(counts, gaps, drop_gaps, rate))
        for (gaps, drop_gaps), rate in zip(ways, rates, strict=False)
    ]
    found += [_all_dropped(counts, drop_gaps) for drop_gaps in (dropped, behind)]
    if counts.is_alone:
        for shared in (3, 5):
            found[shared] = found[shared]._replace(likelihood=-np.inf)
    return found


def _all_dropped(counts: LossCounts, drop_gaps: Floats) -> Explanation:
    """Losses as the queue's alone, which no delay contradicts where the queue is never empty."""
    if counts.is_empty_first:
        return Explanation(np.ones_like(counts.losses), 0.0, -np.inf)
    work = _Estimation(counts, drop_gaps, drop_gaps, None)
    drops = rising(work.every, work.packets)
    likelihood = work.log_likelihood(_Rates(0.0, np.maximum(drops, 1e-9)))
    return Explanation(np.ones_like(counts.losses), 0.0, likelihood / work.coarseness)


def _mean(work: _Estimation) -> Explanation:
    likelihoods, rates = zip(*work.runs(), strict=True)
    weights = np.array(likelihoods) / work.coarseness
    weights[0] += _NO_QUEUE + np.log(max(len(weights) - 1, 1))
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    by_queue = sum(
        share * work.by_queue(run_rates) for share, run_rates in zip(shares, rates, strict=True)
    )
    rate = float(shares @ np.array([run_rates.link for run_rates in rates]))
    return Explanation(np.asarray(by_queue), rate, float(weights.max()))


class _Estimation:
    """Rates in the making. Where a gap was not seen, that says nothing of the cause."""

    def __init__(
        self, counts: LossCounts, gaps: Floats, drop_gaps: Floats, rate: float | None
    ) -> None:
        self.known, self.blind = counts.losses[:, :UNSEEN], counts.losses[:, UNSEEN]
        self.every = counts.losses.sum(axis=1)
        self.packets = np.maximum(counts.packets, self.every)
        self.total = float(self.every.sum())
        self.coarseness = 1.0 + self.total / _COARSE
        self.gaps, self.drop_gaps = gaps, drop_gaps
        self.lowest = int(counts.is_empty_first)
        self.rate = rate
        self.before = 0.0 if rate is None else _RATE_BEFORE

    def runs(self) -> Iterator[tuple[float, _Rates]]:
        """Log-likelihood and rates: without a queue, and by the bin from which on it drops."""
        bins = len(self.every)
        start = self._start()
        yield self._run(start, bins, _FIRST_STEPS)
        steps = _FIRST_STEPS
        for first in np.unique(
            np.linspace(self.lowest, max(bins - 1, self.lowest), _THRESHOLDS).astype(int)
        ):
            found = self._run(start, int(first), steps)
            yield found
            start, steps = found[1], _STEPS

    def by_queue(self, rates: _Rates) -> Floats:
        """Probabilities that a loss is the queue's, by bin and kind of gap."""
        drops = rates.drops[:, None] * self.drop_gaps
        known = drops / (rates.link * self.gaps + drops)
        blind = rates.drops / (rates.link + rates.drops)
        return np.concatenate([known, blind[:, None]], axis=1)

    def _start(self) -> _Rates:
        rate = max(0.5 * self.total / float(self.packets.sum()), 1e-9)
        return _Rates(rate, rate * np.linspace(0.02, 4.0, len(self.every)))

    def _run(self, start: _Rates, first: int, steps: int) -> tuple[float, _Rates]:
        is_below = np.arange(len(start.drops)) < first
        rates = start._replace(drops=np.where(is_below, 0.0, start.drops))
        for _ in range(steps):
            last, rates = rates, self._step(rates, first)
            if abs(rates.link - last.link) < _STILL * last.link:
                break
        return self.log_likelihood(rates), rates

    def _step(self, rates: _Rates, first: int) -> _Rates:
        share = self.by_queue(rates)
        dropped = (self.known * share[:, :UNSEEN]).sum(axis=1) + self.blind * share[:, UNSEEN]
        packets = float(self.packets.sum()) + self.before / (self.rate or 1.0)
        rate = max((self.total - float(dropped.sum()) + self.before) / packets, 1e-9)
        drops = np.zeros(len(dropped))
        drops[first:] = rising(
            dropped[first:], self.packets[first:], _DROPS_LESS * packets / self.total
        )
        return _Rates(rate, drops)

    def log_likelihood(self, rates: _Rates) -> float:
        both = rates.link * self.gaps + rates.drops[:, None] * self.drop_gaps
        sums = rates.link + rates.drops
        found = (self.known * np.log(both)).sum() + (self.blind * np.log(sums)).sum()
        found -= (self.packets * sums).sum()
        if self.rate is not None:
            found += self.before * (np.log(rates.link) - rates.link / self.rate)
        return float(found)


def rising(number: Floats, totals: Floats, more: float = 0.0) -> Floats:
    """Shares of greatest likelihood that never fall: neighbours that would are taken together.

    `more` is added to each sum of `totals`, so that shares of few are less.
    """
    blocks: list[tuple[float, float, int]] = []
    for bin_of_one in zip(number.tolist(), totals.tolist(), [1] * len(totals), strict=True):
        block = bin_of_one
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    return np.repeat([a / max(b + more, 1e-12) for a, b, _ in blocks], [n for *_, n in blocks])
