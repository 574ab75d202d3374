"""Reno on a link that goes up and down: renewal-reward, timeouts with exponential backoff.

The link is up and down for exponential times, and loses all that it has as it goes down. Nothing
else is lost. The last ACK before an outage starts the timer; the sender tries again T0 after it, 3
T0, 7 T0, .. (RFC 6298, 5.5, doubling up to a largest multiple), also through whole times up that it
does not see, until a try finds the link up and its ACK comes back. The rest of that time up is
exponential again. In it the window grows, by slow start up to half the window of the last outage (2
segments where the outage came before that: RFC 5681, eq. 4), then by one per b round trips up to
its largest, and all that is acknowledged in time counts. So the slow-start threshold at successive
restarts is a Markov chain; the throughput is its mean reward per cycle over the mean cycle.

Poojary et al., "Throughput of TCP over cognitive radio channels" (arXiv 1611.05556), treat Reno on
such a link; their text was not at hand, and this derivation is independent of it. Left out:
backoff that outlasts the first new round trip, an RTT sample that raises T0, the first slow
start. So it holds where times up are long beside T0: it gave 0.98 to 1.00 of the simulator's
throughput for means from 5 s on at T0 = 1 s, 1.06 of it at 2 s, 1.4 at 1 s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from airtcp.models.zoo.chains import Floats, stationary
from airtcp.models.zoo.model import RFC_REFUSALS, SLOT_REFUSALS, SPIKE_REFUSALS, Conditions, Model

_MOST_WINDOW = 10_000  # segments
_MOST_STATES = 400
_LEAST_THRESHOLD = 2  # segments: the smallest threshold [RFC 5681, eq. 4]
_NEGLIGIBLE_TRY = 1e-12  # the probability that a try is still to come


@dataclass(frozen=True)
class OutageRestart:
    """From the start of an outage to the first segment that gets through, in the mean."""

    silence: float
    tries: float


def restart_after_outage(
    up: float, down: float, rtt: float, timeout: float, backoff: int = 64
) -> OutageRestart:
    """The tries after an outage: times in s; `backoff`: the largest multiple of `timeout`.

    A try succeeds if the link is up, as it is t after it was down with probability
    u (1 - exp(-t (1/up + 1/down))), u = up / (up + down), and stays so for a round trip.
    """
    rate = 1.0 / up + 1.0 / down
    stays = math.exp(-rtt / up)
    left, multiple, at, silence, tries = 1.0, 1, 0.0, 0.0, 0.0
    while left > _NEGLIGIBLE_TRY:
        at += multiple * timeout
        is_up = -up / (up + down) * math.expm1(-multiple * timeout * rate)
        succeeds = left * is_up * stays
        silence += succeeds * at
        tries += left
        left -= succeeds
        multiple = min(2 * multiple, backoff)
    return OutageRestart(silence, tries)


def _rounds(threshold: float, at: Conditions) -> tuple[Floats, Floats]:
    """The windows of the round trips after a restart, up to the largest, and their durations."""
    slow = [1.0]
    while slow[-1] < threshold:
        slow.append(min(slow[-1] * (1.0 + 1.0 / at.ack_every), threshold))
    linear = np.arange(slow[-1], at.window, 1.0 / at.ack_every)[1:]
    windows = np.concatenate([slow, linear, [at.window]])
    return windows, np.maximum(at.rtt, windows / at.capacity)


def _thresholds(window: float) -> Floats:
    """Slow-start thresholds up to half the largest window: all, or some in equal ratios."""
    highest = max(_LEAST_THRESHOLD, math.ceil(window / 2.0))
    return np.unique(np.rint(np.geomspace(_LEAST_THRESHOLD, highest, _MOST_STATES)))


def answer(conditions: Conditions) -> float:
    """Segments delivered per second."""
    at = conditions
    thresholds = _thresholds(at.window)
    chain = np.zeros((thresholds.size, thresholds.size))
    delivered = np.zeros(thresholds.size)
    for row, threshold in enumerate(thresholds):
        windows, lasts = _rounds(min(threshold, at.window), at)
        # Probability that a round is acknowledged; the first is, as the try that found the link up.
        reached = np.exp(-np.append(0.0, np.cumsum(lasts[1:])) / at.up)
        largest = reached[-1] / -math.expm1(-lasts[-1] / at.up)  # rounds at the largest window
        delivered[row] = windows[:-1] @ reached[:-1] + windows[-1] * largest
        # The window of the round that the outage cuts off.
        cut = np.append(reached[:-1] - reached[1:], reached[-1])
        halves = np.append(windows[1:], windows[-1]) / 2.0
        chain[row] = _threshold_distribution(thresholds, halves, cut)
    silent = restart_after_outage(at.up, at.down, at.rtt, at.timeout, at.backoff)
    cycle = silent.silence + at.rtt + at.up
    return float(stationary(chain) @ delivered) / cycle


def _threshold_distribution(thresholds: Floats, halves: Floats, probability: Floats) -> Floats:
    """The distribution of the next threshold."""
    between = (thresholds[1:] + thresholds[:-1]) / 2.0
    place = np.searchsorted(between, halves)
    return np.asarray(np.bincount(place, probability, thresholds.size), dtype=np.float64)


MODEL = Model(
    name="outages",
    title="Reno on a link that goes down: timeouts with backoff, renewal-reward",
    source="rfc6298",
    refuses={
        **RFC_REFUSALS,
        "the model needs outages": lambda at: not 0.0 < at.down < math.inf or at.up == math.inf,
        **SPIKE_REFUSALS,
        **SLOT_REFUSALS,
        "the model does not cover other losses": lambda at: at.loss_rate > 0.0,
        "the model covers Reno's growth only": lambda at: at.growth != "reno",
        f"the model needs a largest window, up to {_MOST_WINDOW}": lambda at: (
            at.window > _MOST_WINDOW
        ),
    },
    answer=answer,
    variants=("sack",),
)
