"""Causes of losses: those of a full queue are distinguished from the link's own.

Two things tell. A queue drops packets while it is long, so that packets sent just before and behind
were delayed (`causes_delays`); a link loses packets whatever the delay. And behind a busy
bottleneck a packet that the link lost leaves a gap in the arrivals, and one that the queue dropped
leaves none (`causes_gaps`). Losses are explained as mixtures of both in several ways
(`causes_mixture`), and a cause is given where its probability is `SURE` at least in all ways that
the capture does not rule out.
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
from airtcp.measured.measurement import ARRIVED, LINK_LOSS, LOST, QUEUE_LOSS, UNKNOWN, Packets

SURE = 0.95  # probability of a cause from which on it is given
RANGE = 4.0  # range of delays in units of their noise, below which no cause is given
FEWEST = 50  # delays that are needed
_TOP, _BASE = 0.995, 0.01  # quantiles of delays
_SIGMA = 0.6827  # share of a normal distribution within one standard deviation
_SAMPLE = 200_000  # packets that are looked at, to know how many were sent at each delay
_RATE_KNOWN = 5  # losses that tell the rate of the link
_RULED_OUT = 6.0  # log-likelihood below the best explanation, from which on another is ruled out
_RUN = 2  # packets within which a loss belongs to the run of the last one
_POOLED = 20.0  # packets that the gaps of all packets count for, in a bin
_STRAY = 0.1  # share of gaps that follow no law

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


def causes(packets: Packets) -> Causes:
    """Packets with causes, where delays tell them."""
    lost = np.flatnonzero(packets.fate == LOST)
    if not len(lost):
        return Causes(packets)
    measured = np.flatnonzero(packets.delay >= 0)
    if len(measured) < FEWEST:
        return Causes(
            packets, f"causes of losses are unknown: {len(measured)} known delays, {FEWEST} needed"
        )
    delay = packets.delay[measured].astype(np.float64)
    base, top = np.quantile(delay, _BASE), np.quantile(delay, _TOP)
    noise = _noise(delay)
    span = Span(float(delay.min()), float(base), float(top), noise)
    if top - base <= RANGE * noise or top <= base:
        why = (
            f"causes of losses cannot be told: delays span {(top - base) / 1e6:.3f} ms, "
            f"at most {RANGE:g} times their noise of {noise / 1e6:.3f} ms"
        )
        return Causes(packets, why)
    cause = np.full(len(packets.fate), UNKNOWN, dtype=np.int8)
    cause[lost] = _classify_losses(packets, lost, measured, span)
    if not (cause[lost] != UNKNOWN).any():
        why = "causes of losses cannot be told: the delay of every loss fits either cause"
        return Causes(packets, why)
    return Causes(replace(packets, cause=cause))


def _noise(delay: Floats) -> float:
    """The standard deviation of what differs from packet to packet, by its quantiles."""
    steps = np.diff(delay)
    spread = np.quantile(np.abs(steps - np.median(steps)), _SIGMA)
    return float(spread / np.sqrt(2))


def _classify_losses(
    packets: Packets, lost: NDArray[Any], measured: NDArray[Any], span: Span
) -> NDArray[np.int8]:
    """The cause of each loss: that on which all likely explanations agree."""
    step = max(len(packets.fate) // _SAMPLE, 1)
    sample = np.arange(0, len(packets.fate), step)
    sample = sample[packets.fate[sample] != UNKNOWN]
    arrivals = Arrivals(packets, measured)
    causes = np.full(len(lost), UNKNOWN, dtype=np.int8)
    delays = [
        tuple(delay_of(packets, measured, places, span, arrivals) for places in (sample, lost))
        for delay_of in (delay_around, delay_averaged)
    ]
    is_sample, is_lost = (np.isfinite(kinds).all(axis=0) for kinds in zip(*delays, strict=True))
    if not is_sample.any() or not is_lost.any():
        return causes
    sample, judged = sample[is_sample], lost[is_lost]
    sampled = _Sampled(packets, arrivals, sample, step)
    gaps = arrivals.around_lost(judged)
    least, most = np.ones(len(judged)), np.zeros(len(judged))
    for weight in (np.ones(len(judged)), 1.0 / _run_lengths(judged)):
        tried = []
        for of_sample, of_lost in delays:
            edges = edges_of(of_sample[is_sample], span, arrivals)
            losses = _BinnedPackets(bins_of(of_lost[is_lost], edges.upper), gaps, weight)
            tried += sampled.explained(losses, bins_of(of_sample[is_sample], edges.upper), edges)
        # That a queue dropped everything is possible, but rules out nothing.
        best = max(
            (likelihood for likelihood, _, high in tried if high.min() < 1.0), default=-np.inf
        )
        for likelihood, low, high in tried:
            if likelihood > best - _RULED_OUT:
                least, most = np.minimum(least, low), np.maximum(most, high)
    decided = np.full(len(judged), UNKNOWN, dtype=np.int8)
    decided[least >= SURE] = QUEUE_LOSS
    decided[most <= 1.0 - SURE] = LINK_LOSS
    causes[is_lost] = decided
    return causes


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
    """Shares of kinds of gaps by bin, which few packets leave near those of neighbouring bins."""
    known = counts[:, :UNSEEN]
    pooled = known.sum(axis=0) + 1.0
    pooled /= pooled.sum()
    near = known.copy()
    near[1:] += 0.5 * known[:-1]
    near[:-1] += 0.5 * known[1:]
    shares = near + _POOLED * pooled
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray((1.0 - _STRAY) * shares + _STRAY / UNSEEN)
