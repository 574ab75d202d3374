"""Causes of losses: those of a full queue are told from the link's own by the delays around them.

A queue drops packets while it is long, so that the rate of losses is higher where packets sent just
before and after were delayed; a link loses packets whatever the delay. So the rate of the link is
that among the packets with the least delays, and a loss at some delay is the queue's with the
probability 1 - (rate of the link) / (rate of losses at that delay), by Bayes's theorem. It is
attributed where that probability, or its complement, is `SURE` at least.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.measurement import LINK, LOST, QUEUE, UNKNOWN, Packets

SURE = 0.9  # probability of a cause from which on it is told
RANGE = 4.0  # range of delays in units of their noise, below which nothing is told
FEWEST = 50  # delays that are needed
_NEAR = 3  # measured packets before and behind one, by which its delay is guessed
_BANDS = (1 / 32, 1 / 16, 1 / 8, 1 / 4)  # of the range: parts where the queue is short
_WINDOW = 1 / 64  # of the range: half the width in which rates are compared
_TOP, _BASE = 0.995, 0.01  # quantiles of delays
_BOUND = 2.0  # standard deviations

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


def causes(packets: Packets) -> Causes:
    """Packets with causes, where delays tell them."""
    lost = np.flatnonzero(packets.fate == LOST)
    if not len(lost):
        return Causes(packets)
    measured = np.flatnonzero(packets.delay >= 0)
    if len(measured) < FEWEST:
        return Causes(packets, f"causes of losses need {FEWEST} delays: {len(measured)} are known")
    delay = packets.delay[measured].astype(np.float64)
    base, top = np.quantile(delay, _BASE), np.quantile(delay, _TOP)
    noise = _noise(delay)
    found = Causes(packets, "", float(base), float(top), noise)
    if top - base <= RANGE * noise or top <= base:
        why = (
            f"causes of losses cannot be told: delays range over {(top - base) / 1e6:.3f} ms, "
            f"no more than {RANGE:g} times their noise of {noise / 1e6:.3f} ms"
        )
        return replace(found, why=why)
    around = _around(packets.time, measured, delay, float(base))
    cause = np.full(len(packets.fate), UNKNOWN, dtype=np.int8)
    cause[lost] = _told(around, packets.fate, lost, found)
    if not (cause[lost] != UNKNOWN).any():
        why = "causes of losses cannot be told: losses are as frequent at delays of any length"
        return replace(found, why=why)
    return replace(found, packets=replace(packets, cause=cause))


def _noise(delay: Floats) -> float:
    """The standard deviation of what differs from packet to packet, by the median."""
    steps = np.diff(delay)
    spread = np.median(np.abs(steps - np.median(steps)))
    return float(1.4826 * spread / np.sqrt(2))


def _around(time: NDArray[np.int64], measured: NDArray[Any], delay: Floats, near: float) -> Floats:
    """The delay of each packet as those sent around it tell; NaN where none is as near as `near`.

    Its own delay does not count, so that packets that were lost are like those that arrived.
    """
    sums = np.concatenate([[0.0], np.cumsum(delay)])
    every = np.arange(len(time))
    behind = np.searchsorted(measured, every, side="right")
    before = np.searchsorted(measured, every, side="left")
    first, last = np.maximum(before - _NEAR, 0), np.minimum(behind + _NEAR, len(measured))
    at = time[measured].astype(np.float64)
    own = time.astype(np.float64)
    sides = []
    for start, end, edge in ((first, before, before - 1), (behind, last, behind)):
        some = end > start
        distance = np.abs(own - at[np.clip(edge, 0, len(measured) - 1)])
        mean = (sums[end] - sums[start]) / np.maximum(end - start, 1)
        sides.append(np.where(some & (distance <= near), mean, np.nan))
    both = np.stack(sides)
    known = np.isfinite(both)
    count = known.sum(axis=0)
    total = np.where(known, both, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _told(
    around: Floats, fate: NDArray[np.int8], lost: NDArray[Any], found: Causes
) -> NDArray[np.int8]:
    """The cause of each loss."""
    span = found.top - found.base
    every = np.sort(around[np.isfinite(around) & (fate != UNKNOWN)])
    own = around[lost]
    losses = np.sort(own[np.isfinite(own)])
    told = np.full(len(lost), UNKNOWN, dtype=np.int8)
    if not len(losses):
        return told
    low, rate, most = _of_link(every, losses, found)
    half = max(span * _WINDOW, found.noise / np.sqrt(2 * _NEAR))
    sent = _within(every, own, half)
    gone = _within(losses, own, half)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_queue = 1 - most * sent / gone
        by_link = rate * sent / gone
    known = np.isfinite(own)
    told[known & (by_queue >= SURE)] = QUEUE
    told[known & ((by_link >= SURE) | (own <= low)) & (by_queue < SURE)] = LINK
    return told


def _of_link(every: Floats, losses: Floats, found: Causes) -> tuple[float, float, float]:
    """(delay up to which losses are the link's, their rate there, the most that it may be)."""
    best: tuple[float, float, float] | None = None
    for part in _BANDS:
        low = found.base + max(part * (found.top - found.base), found.noise)
        sent = int(np.searchsorted(every, low, side="right"))
        gone = int(np.searchsorted(losses, low, side="right"))
        if sent:
            most = (gone + _BOUND * np.sqrt(gone + 1) + 1) / sent
            if best is None or most < best[2]:
                best = (low, gone / sent, most)
    return best if best is not None else (-np.inf, 0.0, 1.0)


def _within(values: Floats, at: Floats, half: float) -> Floats:
    """How many of sorted `values` lie about each of `at`."""
    upper = np.searchsorted(values, at + half, side="right")
    return (upper - np.searchsorted(values, at - half, side="left")).astype(np.float64)
