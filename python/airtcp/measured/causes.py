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
_NEAR = 2  # measured packets before and behind one, by which its delay is guessed
_BANDS = (1 / 32, 1 / 16, 1 / 8, 1 / 4)  # of the range: parts where the queue is short
_MORE = (1 / 2, 3 / 4, 7 / 8, 1.0)  # larger parts: there, too, if losses are no more frequent
_SOME = 5  # losses in the parts where the queue is short, for larger ones to be compared
_WINDOW = 1 / 64  # of the range: half the width in which rates are compared
_TOP, _BASE = 0.995, 0.01  # quantiles of delays
_SIGMA = 0.6827  # share of a normal distribution within one standard deviation
_SAMPLE = 200_000  # packets that are looked at, to know how many were sent at each delay
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
    step = max(len(packets.fate) // _SAMPLE, 1)
    some = np.arange(0, len(packets.fate), step)
    some = some[packets.fate[some] != UNKNOWN]
    every, own = (_around(packets, measured, delay, which, float(base)) for which in (some, lost))
    cause = np.full(len(packets.fate), UNKNOWN, dtype=np.int8)
    cause[lost] = _told(np.sort(every[np.isfinite(every)]), step, own, found)
    if not (cause[lost] != UNKNOWN).any():
        why = "causes of losses cannot be told: losses are as frequent at delays of any length"
        return replace(found, why=why)
    return replace(found, packets=replace(packets, cause=cause))


def _noise(delay: Floats) -> float:
    """The standard deviation of what differs from packet to packet, by its quantiles."""
    steps = np.diff(delay)
    spread = np.quantile(np.abs(steps - np.median(steps)), _SIGMA)
    return float(spread / np.sqrt(2))


def _around(
    packets: Packets, measured: NDArray[Any], delay: Floats, which: NDArray[Any], near: float
) -> Floats:
    """The delay of some packets as those sent around them tell; NaN where none is within `near`.

    Their own delays do not count, so that packets that were lost are like those that arrived. The
    median leaves out ACKs that waited.
    """
    before = np.searchsorted(measured, which, side="left")
    behind = np.searchsorted(measured, which, side="right")
    steps = np.arange(_NEAR)
    places = np.concatenate([before[:, None] - 1 - steps, behind[:, None] + steps], axis=1)
    inside = np.clip(places, 0, len(measured) - 1)
    apart = np.abs(packets.time[measured][inside] - packets.time[which][:, None])
    known = (places == inside) & (apart <= near)
    found = np.full(len(which), np.nan)
    some = known.sum(axis=1) >= _NEAR
    found[some] = np.nanmedian(np.where(known, delay[inside], np.nan)[some], axis=1)
    return found


def _told(every: Floats, step: int, own: Floats, found: Causes) -> NDArray[np.int8]:
    """The cause of each loss at a delay `own`; of all packets each `step`-th is in `every`."""
    losses = np.sort(own[np.isfinite(own)])
    told = np.full(len(own), UNKNOWN, dtype=np.int8)
    if not len(losses) or not len(every):
        return told
    low, rate, most = _of_link(every, step, losses, found)
    half = max((found.top - found.base) * _WINDOW, found.noise / np.sqrt(2 * _NEAR))
    sent = _within(every, own, half) * step
    # A loss does not speak for itself: of single ones some stand alone at any delay.
    others = _within(losses, own, half) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        by_queue = 1 - most * sent / others
        by_link = rate * sent / others
    known = np.isfinite(own)
    is_queue = known & (by_queue >= SURE)
    told[is_queue] = QUEUE
    told[known & ~is_queue & ((by_link >= SURE) | (own <= low))] = LINK
    return told


def _of_link(every: Floats, step: int, losses: Floats, found: Causes) -> tuple[float, float, float]:
    """(delay up to which losses are the link's, their rate there, the most that it may be)."""
    best, gone = (-np.inf, 0.0, 1.0), 0
    for part in (*_BANDS, *_MORE):
        if part == _MORE[0] and gone < _SOME:
            break
        low = found.base + max(part * (found.top - found.base), found.noise)
        sent = int(np.searchsorted(every, low, side="right")) * step
        gone = int(np.searchsorted(losses, low, side="right"))
        if sent:
            most = (gone + _BOUND * np.sqrt(gone + 1) + 1) / sent
            if most < best[2]:
                best = (low, gone / sent, most)
    return best


def _within(values: Floats, at: Floats, half: float) -> Floats:
    """How many of sorted `values` lie about each of `at`."""
    upper = np.searchsorted(values, at + half, side="right")
    return (upper - np.searchsorted(values, at - half, side="left")).astype(np.float64)
