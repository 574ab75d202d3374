"""Causes of losses: those of a full queue are told from the link's own.

Two things tell. A queue drops packets while it is long, so that packets sent just before and behind
were delayed; a link loses packets whatever the delay. And behind a busy bottleneck a packet that
the link lost leaves a gap in the arrivals, and one that the queue dropped leaves none
(`causes_gaps`). Losses are taken to be a mixture of both (`causes_mixture`), and a cause is told
where its probability is `SURE` at least.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.causes_gaps import KINDS, UNSEEN, Arrivals, Gaps
from airtcp.measured.causes_mixture import Seen, mixture
from airtcp.measured.measurement import ARRIVED, LINK, LOST, QUEUE, UNKNOWN, Packets

SURE = 0.95  # probability of a cause from which on it is told
RANGE = 4.0  # range of delays in units of their noise, below which nothing is told
FEWEST = 50  # delays that are needed
_NEAR = 4  # measured packets before and behind one, by which its delay is guessed
_LEAST_NEAR = 2
_BINS = 24  # of delays
_TOP, _BASE = 0.995, 0.01  # quantiles of delays
_SIGMA = 0.6827  # share of a normal distribution within one standard deviation
_SAMPLE = 200_000  # packets that are looked at, to know how many were sent at each delay
_RATE_KNOWN = 5  # losses that tell the rate of the link
_BOUND = 2.0  # standard errors

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Causes:
    """Packets with the causes of their losses.

    - `why`: why no cause is told, "" where some are or nothing was lost;
    - `base`, `top`: least and largest delays but for a few, ns; `noise`: their noise, ns.
    """

    packets: Packets
    why: str = ""
    base: float = float("nan")
    top: float = float("nan")
    noise: float = float("nan")


@dataclass(frozen=True, eq=False)
class _Some:
    """Packets by their bins of delay (-1: not known) and gaps; each stands for `step` of all."""

    bin: NDArray[np.int64]
    gaps: Gaps
    step: int = 1

    def counts(self, chosen: NDArray[np.bool_], bins: int) -> Floats:
        """Numbers of chosen packets by bin and kind of gap."""
        used = chosen & (self.bin >= 0)
        cell = self.bin[used] * KINDS + self.gaps.kind[used]
        found = np.bincount(cell, minlength=bins * KINDS).reshape(bins, KINDS)
        return np.asarray(found * float(self.step))


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
    found = Causes(packets, "", float(base), float(top), noise)
    if top - base <= RANGE * noise or top <= base:
        why = (
            f"causes of losses cannot be told: delays span {(top - base) / 1e6:.3f} ms, "
            f"at most {RANGE:g} times their noise of {noise / 1e6:.3f} ms"
        )
        return replace(found, why=why)
    cause = np.full(len(packets.fate), UNKNOWN, dtype=np.int8)
    cause[lost] = _told(packets, lost, measured, found)
    if not (cause[lost] != UNKNOWN).any():
        why = "causes of losses cannot be told: the delay of every loss fits either cause"
        return replace(found, why=why)
    return replace(found, packets=replace(packets, cause=cause))


def _noise(delay: Floats) -> float:
    """The standard deviation of what differs from packet to packet, by its quantiles."""
    steps = np.diff(delay)
    spread = np.quantile(np.abs(steps - np.median(steps)), _SIGMA)
    return float(spread / np.sqrt(2))


def _told(
    packets: Packets, lost: NDArray[Any], measured: NDArray[Any], found: Causes
) -> NDArray[np.int8]:
    """The cause of each loss.

    Packets that were sent while a loss was being repaired are told by themselves: ACKs are held
    back then, and losses of one cause come in bursts.
    """
    step = max(len(packets.fate) // _SAMPLE, 1)
    sample = np.arange(0, len(packets.fate), step)
    sample = sample[packets.fate[sample] != UNKNOWN]
    every, own = (_around(packets, measured, which, found) for which in (sample, lost))
    if not np.isfinite(every).any():
        return np.full(len(lost), UNKNOWN, dtype=np.int8)
    edges = _edges(every[np.isfinite(every)], found)
    arrivals = Arrivals(packets, measured)
    all_packets = _Some(_bins(every, edges), arrivals.of(sample, as_if=True), step)
    losses = _Some(_bins(own, edges), arrivals.of(lost, as_if=False))
    arrived = packets.fate[sample] == ARRIVED
    told = np.full(len(lost), UNKNOWN, dtype=np.int8)
    rate, most = None, np.inf
    for repairing in (False, True):
        there = all_packets.gaps.repairing == repairing
        here = losses.gaps.repairing == repairing
        seen = Seen(
            losses.counts(here, len(edges) + 1),
            all_packets.counts(there, len(edges) + 1).sum(axis=1),
            all_packets.counts(there & arrived, len(edges) + 1).sum(axis=0),
        )
        if not seen.losses.any():
            continue
        laws = mixture(seen, rate)
        by_queue = laws.least[losses.bin, losses.gaps.kind]
        by_link = 1.0 - laws.most[losses.bin, losses.gaps.kind]
        if rate is not None and laws.rate > most:
            # Bursts of the link, or of a queue that goes on after it was long: only gaps tell.
            by_link[losses.gaps.kind == UNSEEN] *= most / laws.rate
        known = here & (losses.bin >= 0)
        told[known & (by_queue >= SURE)] = QUEUE
        told[known & (by_link >= SURE)] = LINK
        number = float(seen.losses.sum())
        if number >= _RATE_KNOWN:
            rate, most = laws.rate, laws.rate * (1.0 + _BOUND / np.sqrt(number))
    return told


def _around(packets: Packets, measured: NDArray[Any], which: NDArray[Any], found: Causes) -> Floats:
    """The delay of some packets as those sent around them tell; NaN where none is near.

    Near is within the time in which a full queue runs empty, and within a round trip. Their own
    delays do not count, so that packets that were lost are like those that arrived. A low quartile
    leaves out ACKs that waited.
    """
    within = min(found.base, found.top - found.base)
    before = np.searchsorted(measured, which, side="left")
    behind = np.searchsorted(measured, which, side="right")
    steps = np.arange(_NEAR)
    places = np.concatenate([before[:, None] - 1 - steps, behind[:, None] + steps], axis=1)
    inside = np.clip(places, 0, len(measured) - 1)
    apart = np.abs(packets.time[measured][inside] - packets.time[which][:, None])
    known = (places == inside) & (apart <= within)
    delays = np.where(known, packets.delay[measured][inside], np.inf)
    number = known.sum(axis=1)
    quartile = np.sort(delays, axis=1)[np.arange(len(which)), number // 4]
    return np.where(number >= _LEAST_NEAR, quartile, np.nan)


def _edges(delay: Floats, found: Causes) -> Floats:
    """Upper edges of bins of delay: quantiles, and even steps, none closer than the noise."""
    parts = np.linspace(0.0, 1.0, _BINS + 1)[1:]
    span = found.top - found.base
    wanted = np.unique(np.concatenate([np.quantile(delay, parts), found.base + parts * span]))
    least = max(found.noise, span / _BINS) * (1.0 - 1e-9)
    edges = [found.base]
    for one in wanted:
        if one - edges[-1] >= least:
            edges.append(float(one))
    return np.array(edges[1:] or [found.top])


def _bins(delay: Floats, edges: Floats) -> NDArray[np.int64]:
    place = np.searchsorted(edges, np.nan_to_num(delay))
    return np.where(np.isfinite(delay), place, -1).astype(np.int64)
