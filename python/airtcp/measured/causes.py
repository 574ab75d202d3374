"""Causes of losses: a full queue, or the link itself.

Two observations separate them. A queue drops packets while it is long, so packets sent just before
and after were delayed (`causes_delays`); a link loses packets whatever the delay. And behind a busy
bottleneck a packet that the link lost leaves a gap in the arrivals, and one that the queue dropped
leaves none (`causes_gaps`). Losses are explained as mixtures of both in several ways
(`causes_mixture`). Those that the capture does not rule out bound the probability of a cause, and
how losses cluster narrows it down (`causes_posterior`); a cause is given where its probability is
`SURE` at least and the middle of its bounds is on the same side. Where a link loses more than
simulated ones, all explanations must agree, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.causes_delays import (
    Edges,
    Span,
    bins_of,
    delay_around,
    delay_averaged,
    edges_of,
)
from airtcp.measured.causes_gaps import KINDS, UNSEEN, Arrivals, Gaps
from airtcp.measured.causes_mixture import WAYS, LossCounts, explanations
from airtcp.measured.causes_posterior import FEATURES, features, posterior
from airtcp.measured.delay_noise import delay_noise
from airtcp.measured.measurement import ARRIVED, LINK_LOSS, LOST, QUEUE_LOSS, UNKNOWN, Packets

SURE = 0.94  # probability of a cause from which on it is given
RANGE = 4.0  # range of delays in units of their noise, below which no cause is given
FEWEST = 50  # delays that are needed
_TOP, _BASE = 0.995, 0.01  # quantiles of delays
_SAMPLE = 200_000  # packets that are looked at, to know how many were sent at each delay
_RATE_KNOWN = 5  # losses that determine the rate of the link
_RULED_OUT = 6.0  # log-likelihood below the best explanation, from which on another is ruled out
_RUN = 2  # packets within which a loss belongs to the run of the last one
_POOLED = 20.0  # packets that the gaps of all packets count for, in a bin
_STRAY = 0.1  # share of gaps that follow no law
_SIMULATED = 0.02  # share of packets that links of simulated captures lose at most
_RESOLUTION = 1_000.0  # ns, of times in most captures
_EITHER = "causes of losses cannot be told: the delay of every loss fits either cause"

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Causes:
    """Packets with the causes of their losses.

    `why`: why no cause is given, "" where some are or nothing was lost.
    """

    packets: Packets
    why: str = ""


@dataclass(frozen=True, eq=False)
class _BinnedPackets:
    """Packets by their bins of delay (-1: not known) and gaps; each counts as `weight` of them."""

    bin: NDArray[np.int64]
    gaps: Gaps
    weight: Floats

    def counts(self, is_chosen: NDArray[np.bool_], bins: int) -> Floats:
        """Numbers of chosen packets by bin and kind of gap."""
        used = is_chosen & (self.bin >= 0)
        cell = self.bin[used] * KINDS + self.gaps.kind[used]
        found = np.bincount(cell, weights=self.weight[used], minlength=bins * KINDS)
        return np.asarray(found, dtype=np.float64).reshape(bins, KINDS)


@dataclass(frozen=True, eq=False)
class Judged:
    """Losses whose cause delays may show.

    - `losses`: their places; `features`: a row of `FEATURES` for each;
    - `least`, `most`: bounds of the probability that each is the queue's, over all explanations;
    - `link_rate`: share of packets that the link lost, at least;
    - `why`: why there are none, "" where nothing was lost.
    """

    losses: NDArray[Any]
    features: Floats
    least: Floats
    most: Floats
    link_rate: float = 0.0
    why: str = ""


def causes(packets: Packets) -> Causes:
    """Packets with the causes of losses, where delays show them."""
    found = judged(packets)
    if not len(found.losses):
        return Causes(packets, found.why)
    by_queue = posterior(found.features)
    cause = np.full(len(packets.fate), UNKNOWN, dtype=np.int8)
    is_queue, is_link = by_queue >= SURE, by_queue <= 1.0 - SURE
    # Clusters of losses narrow down what delays and gaps say, and do not overrule it: a link that
    # loses nothing is outside the captures from which the coefficients are made.
    middle = 0.5 * (found.least + found.most)
    is_queue &= middle >= 0.5
    is_link &= middle <= 0.5
    if found.link_rate > _SIMULATED:
        is_queue &= found.least >= SURE
        is_link &= found.most <= 1.0 - SURE
    cause[found.losses[is_queue]] = QUEUE_LOSS
    cause[found.losses[is_link]] = LINK_LOSS
    if not (cause != UNKNOWN).any():
        return Causes(packets, _EITHER)
    return Causes(replace(packets, cause=cause))


def judged(packets: Packets) -> Judged:
    """Losses with features, where delays span more than their noise."""
    lost = np.flatnonzero(packets.fate == LOST)
    nothing = Judged(lost[:0], np.zeros((0, len(FEATURES))), np.zeros(0), np.zeros(0))
    if not len(lost):
        return nothing
    measured = np.flatnonzero(packets.delay >= 0)
    if len(measured) < FEWEST:
        why = f"causes of losses are unknown: {len(measured)} known delays, {FEWEST} needed"
        return replace(nothing, why=why)
    delay = packets.delay[measured].astype(np.float64)
    base, top = np.quantile(delay, _BASE), np.quantile(delay, _TOP)
    noise = max(delay_noise(delay), _RESOLUTION)
    span = Span(float(delay.min()), float(base), float(top), noise)
    if top - base <= RANGE * noise or top <= base:
        why = (
            f"causes of losses cannot be told: delays span {(top - base) / 1e6:.3f} ms, "
            f"at most {RANGE:g} times their noise of {noise / 1e6:.3f} ms"
        )
        return replace(nothing, why=why)
    least, most = _bounds(packets, lost, measured, span)
    is_known = np.isfinite(least)
    if not is_known.any():
        return replace(nothing, why=_EITHER)
    rows = features(packets, lost, measured, span, (least, most))
    link_rate = float((1.0 - most[is_known]).sum()) / len(packets.fate)
    return Judged(lost[is_known], rows[is_known], least[is_known], most[is_known], link_rate)


def _bounds(
    packets: Packets, lost: NDArray[Any], measured: NDArray[Any], span: Span
) -> tuple[Floats, Floats]:
    """Least and greatest probability that each loss is the queue's, of all likely explanations.

    NaN where no delay is known nearby.
    """
    step = max(len(packets.fate) // _SAMPLE, 1)
    sample = np.arange(0, len(packets.fate), step)
    sample = sample[packets.fate[sample] != UNKNOWN]
    arrivals = Arrivals(packets, measured)
    bounds = np.full((2, len(lost)), np.nan)
    delays = [
        tuple(delay_of(packets, measured, places, span, arrivals) for places in (sample, lost))
        for delay_of in (delay_around, delay_averaged)
    ]
    is_sample, is_lost = (np.isfinite(kinds).all(axis=0) for kinds in zip(*delays, strict=True))
    if not is_sample.any() or not is_lost.any():
        return bounds[0], bounds[1]
    sample, known = sample[is_sample], lost[is_lost]
    sampled = _Sampled(packets, arrivals, sample, step)
    gaps = arrivals.around_lost(known)
    least, most = np.ones(len(known)), np.zeros(len(known))
    tried = []
    for weight in (np.ones(len(known)), 1.0 / _run_lengths(known)):
        for of_sample, of_lost in delays:
            edges = edges_of(of_sample[is_sample], span, arrivals)
            losses = _BinnedPackets(bins_of(of_lost[is_lost], edges.upper), gaps, weight)
            tried += sampled.explained(losses, bins_of(of_sample[is_sample], edges.upper), edges)
    # That a queue dropped everything is possible, but rules out nothing.
    best = max((likelihood for likelihood, _, high in tried if high.min() < 1.0), default=-np.inf)
    for likelihood, low, high in tried:
        # Runs are fewer than losses, which favours them: losses of a run are not independent.
        if likelihood > best - _RULED_OUT:
            least, most = np.minimum(least, low), np.maximum(most, high)
    bounds[:, is_lost] = least, most
    return bounds[0], bounds[1]


class _Sampled:
    """Packets with the gaps that they would leave."""

    def __init__(
        self, packets: Packets, arrivals: Arrivals, sample: NDArray[Any], step: int
    ) -> None:
        self.arrived = packets.fate[sample] == ARRIVED
        self.behind = arrivals.if_lost_behind(sample)
        self.dropped = arrivals.if_never_queued(sample)
        self.weight = np.full(len(sample), float(step))
        self.is_alone = arrivals.is_alone()

    def explained(
        self,
        losses: _BinnedPackets,
        bins_of_sample: NDArray[np.int64],
        edges: Edges,
    ) -> list[tuple[float, Floats, Floats]]:
        """Log-likelihood and bounds of the probability that losses are the queue's, of each way.

        Packets that were sent while a loss was being repaired are judged by themselves: ACKs are
        held back then, and losses of one cause come in bursts.
        """
        bins = int(max(bins_of_sample.max(), losses.bin.max())) + 1
        behind = _BinnedPackets(bins_of_sample, self.behind, self.weight)
        dropped = _BinnedPackets(bins_of_sample, self.dropped, self.weight)
        likelihood = np.zeros(WAYS)
        low, high = (np.full((WAYS, len(losses.bin)), 0.5) for _ in range(2))
        rates: list[float | None] = [None] * WAYS
        elsewhere: list[Floats | None] = [None] * WAYS
        for repairing in (False, True):
            is_packet = self.behind.repairing == repairing
            is_loss = losses.gaps.repairing == repairing
            counts = LossCounts(
                losses.counts(is_loss, bins),
                behind.counts(is_packet, bins).sum(axis=1),
                _shares(behind.counts(is_packet & self.arrived, bins)),
                _shares(dropped.counts(is_packet & self.arrived, bins)),
                edges.short,
                edges.is_empty_first,
                self.is_alone,
            )
            number = float(counts.losses.sum())
            if not number:
                continue
            place = losses.bin[is_loss], losses.gaps.kind[is_loss]
            is_blind = place[1] == UNSEEN
            for way, explanation in enumerate(explanations(counts, rates)):
                likelihood[way] += explanation.likelihood
                low[way, is_loss] = high[way, is_loss] = explanation.by_queue[place]
                before = elsewhere[way]
                if before is None:
                    elsewhere[way] = explanation.by_queue
                else:
                    # Bursts of the link, or of a queue: gaps tell, or what holds elsewhere too.
                    lower, upper = low[way, is_loss], high[way, is_loss]
                    low[way, is_loss] = np.where(is_blind, np.minimum(lower, before[place]), lower)
                    high[way, is_loss] = np.where(is_blind, np.maximum(upper, before[place]), upper)
                if number >= _RATE_KNOWN and explanation.rate > 0.0:
                    rates[way] = explanation.rate
        return list(zip(likelihood.tolist(), low, high, strict=True))


def _run_lengths(lost: NDArray[Any]) -> Floats:
    """The number of losses in the run of each: those that follow within `_RUN` packets."""
    run = np.cumsum(np.diff(lost, prepend=lost[0]) > _RUN)
    return np.asarray(np.bincount(run)[run], dtype=np.float64)


def _shares(counts: Floats) -> Floats:
    """Shares of kinds of gaps by bin; bins with few packets borrow from their neighbours."""
    known = counts[:, :UNSEEN]
    pooled = known.sum(axis=0) + 1.0
    pooled /= pooled.sum()
    near = known.copy()
    near[1:] += 0.5 * known[:-1]
    near[:-1] += 0.5 * known[1:]
    shares = near + _POOLED * pooled
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray((1.0 - _STRAY) * shares + _STRAY / UNSEEN)
