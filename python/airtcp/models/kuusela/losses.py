"""A capacity that allows for packet losses, which the paper leaves to future work."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from airtcp.errors import real_number, refusal
from airtcp.models.kuusela.ramp import check_positive

Floats = NDArray[np.float64]
_LEAST_LOSS = 1e-9
_LOSS_RATE_DOMAIN = "0 or from 1e-9 to 0.5"
_WIDEST_WINDOW = 7.5  # times 1/sqrt(p b): a window that is reached without loss once in 10^9 times


def loss_corrected_capacity(
    capacity: float,
    *,
    loss_rate: float,
    rtt: float,
    window: float = math.inf,
    packets_per_ack: float = 1.0,
    timeout: float = 1.0,
) -> float:
    """Estimate the rate of SACK TCP between delay spikes on a link that loses packets.

    The rate, in packets/s, serves as `capacity` in the other models. It is an approximation in
    rounds: losses are independent and occur after the link. A window of w packets takes max(R,
    w/C), since a queue of any length holds the packets that the link cannot. Without a loss the
    window grows by one per b rounds. After a loss, if three packets of the window arrive and no
    retransmission is lost, the window is halved at the cost of one round at w/2. Otherwise a timer
    of max(`timeout`, two round trips) expires, doubling [padhye2000], and slow start leads to w/2.
    Where timeouts are rare this is the square-root law [mathis1997], with the round trip under
    load.

    Measured against the simulator (profile `ns2`, SACK, one-way delay 100 ms, 576-byte packets, no
    spikes): too high by 0.1 to 1.4 % at p = 0.5 %, 1 to 4 % at 2 % and 8 to 9 % at 5 % for windows
    of 20 and more at 40 and 100 kbit/s; by 1 to 15 % for a window of 6; by 4 to 8 % at 400 kbit/s.
    In `renewal`, with the spikes of [kuusela] Figs. 3 and 4 and E[T] from 40 s on, the error of
    goodput is -0.5 to 3.1 % at 0.5 %, 0.8 to 11 % at 2 % and 7 to 14 % at 5 %. With the capacity of
    the link itself, the errors are 0 to 7, 4 to 32 and 24 to 87 %, the largest for a window of 6
    (`airtcp reproduce kuusela/losses`). Left out: bursts, losses of ACKs, slow start's threshold,
    drops at a full queue.

    Parameters
    ----------
    capacity : float
        Capacity C of the link, packets/s.
    loss_rate : float
        Loss probability p of a packet, 0 or from 1e-9 to 0.5.
    rtt : float
        Round trip R without queueing, s.
    window : float, default inf
        Largest number of packets in flight, at least 1; above 4 C R + 64 it makes no difference.
    packets_per_ack : float, default 1
        Packets per ACK b, at least 1; 2 with delayed ACKs.
    timeout : float, default 1
        Smallest retransmission timeout, s.

    Returns
    -------
    float
        The rate, packets/s.

    Raises
    ------
    InputError
        If a number is out of range.

    Examples
    --------
    >>> from airtcp.models import kuusela
    >>> round(kuusela.loss_corrected_capacity(50, loss_rate=0.01, rtt=0.2), 1)
    44.5
    """
    limit, trip = check_positive("capacity", capacity, "packets/s"), check_positive("rtt", rtt, "s")
    timer = check_positive("timeout", timeout, "s")
    per_ack = _check_at_least_one("packets_per_ack", packets_per_ack)
    most = math.inf if window == math.inf else _check_at_least_one("window", window)
    loss = real_number("loss_rate", loss_rate, _LOSS_RATE_DOMAIN)
    if loss == 0.0:
        return min(limit, most / trip)
    if not _LEAST_LOSS <= loss <= 0.5:
        raise refusal("loss_rate", loss_rate, _LOSS_RATE_DOMAIN)
    widest = min(_WIDEST_WINDOW / math.sqrt(loss * per_ack) + 4.0, 4.0 * limit * trip + 64.0)
    windows = np.arange(min(2.0, most // 1.0), min(most, widest) // 1.0 + 1.0)
    rate = _rate_of_rounds(windows, p=loss, capacity=limit, rtt=trip, per_ack=per_ack, timer=timer)
    return min(rate, limit * (1.0 - loss))


def _check_at_least_one(field: str, value: object) -> float:
    number = real_number(field, value, "a number >= 1")
    if number < 1.0:
        raise refusal(field, value, "a number >= 1")
    return number


def _rate_of_rounds(
    w: Floats, *, p: float, capacity: float, rtt: float, per_ack: float, timer: float
) -> float:
    """Packets over seconds of a round, averaged over the windows `w` of the rounds."""
    half = np.maximum(w // 2.0, w[0])
    clean = (1.0 - p) ** w
    # k are lost, w - k >= 3 arrive, and so do k retransmissions: C(w, k) p^k (1 - p)^w, k >= 1
    share = p / (1.0 + p)
    some = np.maximum(binom.cdf(w - 3.0, w, share) - binom.pmf(0, w, share), 0.0)
    recovered = ((1.0 - p) * (1.0 + p)) ** w * some
    expired = np.maximum(1.0 - clean - recovered, 0.0)
    new = np.maximum(half - w * p / (1.0 - clean), 0.0)  # what recovery sends beside k
    waits = np.maximum(timer, 2.0 * np.maximum(rtt, w / capacity)) * _backoff_factor(p)
    packets = w + recovered * new + expired * (half - 1.0)
    seconds = np.maximum(rtt, w / capacity) + recovered * np.maximum(rtt, half / capacity)
    seconds += expired * (waits + rtt * np.log2(half))
    often = _window_frequencies(clean / per_ack, 1.0 - clean, int(w[0]))
    return float(often @ packets / (often @ seconds))


def _backoff_factor(p: float) -> float:
    """Length of a sequence of timeouts over that of its first [padhye2000 eq. 29]."""
    doubled = 1.0 + p + 2.0 * p**2 + 4.0 * p**3 + 8.0 * p**4 + 16.0 * p**5 + 32.0 * p**6
    return doubled / (1.0 - p)


def _window_frequencies(up: Floats, down: Floats, first: int) -> Floats:
    """Frequency of rounds with each window, up to a factor: flows up and down past w are equal.

    `up` is the probability of w -> w + 1, `down` that of w -> w // 2.
    """
    often = np.zeros(up.size)
    falls = np.zeros(up.size + 1)  # falls[i]: often @ down from i on
    often[-1] = 1.0
    falls[-2] = down[-1]
    for i in range(up.size - 2, -1, -1):
        highest = min(2 * (i + first) + 1 - first, up.size - 1)  # the last window that falls to w
        often[i] = (falls[i + 1] - falls[highest + 1]) / up[i]
        falls[i] = falls[i + 1] + often[i] * down[i]
    return often
