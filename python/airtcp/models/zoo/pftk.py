"""Padhye, Firoiu, Towsley and Kurose (1998, 2000): Reno with timeouts and a limited window.

Time goes in rounds of a round trip. The first loss of a round takes the rest of the round with it
("rounds"); a round is lost independently of the others. A loss is found by three duplicate ACKs,
or else by a timeout that doubles up to 64 T0. The rate is packets over time of a mean cycle, from
one end of congestion avoidance to the next, where the mean window stands in for its distribution.

Names as in the paper: p, b segments per ACK, W_m the largest window, T0, RTT; its full model is
`send_rate`, its approximate model `approximate`, its throughput of the receiver `receive_rate`.

On independent losses, which no round shares, the model is pessimistic: the full one gave 0.93
(Reno, 0.92 SACK) of the simulator's throughput up to 0.001, 0.90 (0.82) at 0.01, 0.81 (0.66) at
0.03, 0.75 (0.55) at 0.1.
"""

from __future__ import annotations

import math

from airtcp.models.zoo.model import LOSSY_REFUSALS, Conditions, Model

_DUPACKS = 3


def mean_window(p: float, b: int = 1) -> float:
    """E[W]: the window, not limited, as a loss is found."""
    root = (2.0 + b) / (3.0 * b)
    return root + math.sqrt(8.0 * (1.0 - p) / (3.0 * b * p) + root**2)


def timeout_probability(p: float, window: float) -> float:
    """Q-hat: a loss in a window is found by a timeout and not by duplicate ACKs."""
    if window <= _DUPACKS:
        return 1.0
    delivery_probability = 1.0 - p
    three = delivery_probability**_DUPACKS  # they get through, one after the other
    more = 1.0 - math.pow(delivery_probability, window - _DUPACKS)
    return min(
        1.0, (1.0 - three) * (1.0 + three * more) / (1.0 - math.pow(delivery_probability, window))
    )


def backoff(p: float) -> float:
    """f(p): a sequence of timeouts lasts T0 f(p) / (1 - p) in the mean, doubling up to 64 T0."""
    return 1.0 + p + 2.0 * p**2 + 4.0 * p**3 + 8.0 * p**4 + 16.0 * p**5 + 32.0 * p**6


def send_rate(p: float, rtt: float, timeout: float, window: float = math.inf, b: int = 1) -> float:
    """B(p), the full model: packets sent per second, lost ones included."""
    packets_between = (1.0 - p) / p  # packets between the losses
    reached = min(mean_window(p, b), window)
    found_late = timeout_probability(p, reached)
    packets = packets_between + reached + found_late / (1.0 - p)
    return packets / _cycle_seconds(p, rtt, timeout, window, b)


def receive_rate(
    p: float, rtt: float, timeout: float, window: float = math.inf, b: int = 1
) -> float:
    """T(p): packets that arrive per second: half of a last round, one in a series of timeouts."""
    reached = min(mean_window(p, b), window)
    packets = (1.0 - p) / p + reached / 2.0 + timeout_probability(p, reached)
    return packets / _cycle_seconds(p, rtt, timeout, window, b)


def _cycle_seconds(p: float, rtt: float, timeout: float, window: float, b: int) -> float:
    """Seconds from one end of congestion avoidance to the next."""
    unlimited = mean_window(p, b)
    if unlimited < window:
        rounds = b * unlimited / 2.0 + 1.0
    else:  # it grows from W_m / 2 to W_m, then stays there
        rounds = b * window / 8.0 + (1.0 - p) / (p * window) + 2.0
    silent = timeout_probability(p, min(unlimited, window)) * timeout * backoff(p) / (1.0 - p)
    return rtt * rounds + silent


def approximate(
    p: float, rtt: float, timeout: float, window: float = math.inf, b: int = 1
) -> float:
    """The approximate model for small p, as RFC 5348 uses it: packets sent per second."""
    often = min(1.0, 3.0 * math.sqrt(3.0 * b * p / 8.0))
    silent = timeout * often * p * (1.0 + 32.0 * p**2)
    return min(window / rtt, 1.0 / (rtt * math.sqrt(2.0 * b * p / 3.0) + silent))


def _full_answer(at: Conditions) -> float:
    return receive_rate(at.loss_rate, at.rtt, at.timeout, at.window, at.ack_every)


def _approximate_answer(at: Conditions) -> float:
    return approximate(at.loss_rate, at.rtt, at.timeout, at.window, at.ack_every)


_REFUSES = {
    **LOSSY_REFUSALS,
    "the model covers Reno's growth only": lambda at: at.growth != "reno",
    "the model does not cover Tahoe": lambda at: at.variant in ("tahoe", "oldtahoe"),
}
FULL = Model(
    name="pftk",
    title="Reno with timeouts and a limited window, in rounds",
    source="padhye2000",
    refuses=_REFUSES,
    answer=_full_answer,
    variants=("reno", "sack"),
)
APPROXIMATE = Model(
    name="pftk-approximate",
    title="the formula of TFRC: the full model for small loss rates",
    source="padhye2000",
    refuses=_REFUSES,
    answer=_approximate_answer,
    variants=("reno", "sack"),
)
