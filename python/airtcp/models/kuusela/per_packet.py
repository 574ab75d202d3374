"""The P-model: every packet meets a delay spike with the same probability."""

from __future__ import annotations

import math

import numpy as np

from airtcp.errors import InputError, real_number, refusal
from airtcp.models.kuusela.ramp import LN2, Ramp, check_positive


def p_model(
    p: float | None = None,
    *,
    mean_interval: float | None = None,
    spike: float,
    rtt: float,
    capacity: float,
) -> float:
    """Compute goodput from the explicit formula: 1/p packets in the time H + SD.

    After a spike the rate is min(2^(t/R - 1/2), C_max); H is the time in which 1/p packets are
    sent. C_1 of the paper lacks a parenthesis, which H supplies. Source: [kuusela 2.3].

    Parameters
    ----------
    p : float, optional
        Expected number of spikes per packet, above 0. By Remark 2 it may exceed 1.
    mean_interval : float, optional
        Mean interval E[T], s, in place of `p`: p = 1/A(E[T]) by Remark 2, where the rate starts at
        1 packet/s. At or below `spike` nothing is sent, and the goodput is 0.
    spike : float
        Length SD of a spike, s, at least 0.
    rtt : float
        Round trip R, s, above 0.
    capacity : float
        Largest rate C_max, packets/s, above 1/sqrt(2), the rate after a spike.

    Returns
    -------
    float
        Goodput, packets/s.

    Raises
    ------
    InputError
        If not exactly one of `p` and `mean_interval` is given, or a number is out of range.

    Examples
    --------
    >>> from airtcp.models import kuusela
    >>> round(kuusela.p_model(0.01, spike=2, rtt=0.5, capacity=40), 2)
    14.92
    """
    allowed = "a finite number >= 0, in s"
    silence = real_number("spike", spike, allowed)
    if silence < 0.0:
        raise refusal("spike", spike, allowed)
    trip, limit = check_positive("rtt", rtt, "s"), check_positive("capacity", capacity, "packets/s")
    if limit <= math.sqrt(0.5):
        raise refusal("capacity", capacity, "above 1/sqrt(2) packets/s, where the rate starts")
    packets = _packets_between_spikes(p, mean_interval, silence, trip, limit)
    return packets / (_sending_time(packets, trip, limit) + silence) if packets > 0.0 else 0.0


def _packets_between_spikes(
    p: float | None, mean_interval: float | None, spike: float, rtt: float, capacity: float
) -> float:
    """1/p, or A(E[T]) of [kuusela eq. 3], whose rate never exceeds the capacity."""
    if (p is None) == (mean_interval is None):
        raise InputError("p_model: give exactly one of p and mean_interval")
    if p is not None:
        return 1.0 / check_positive("p", p, "spikes per packet")
    mean = check_positive("mean_interval", mean_interval, "s")
    ramp = Ramp(rtt=rtt, capacity=capacity, initial_rate=min(1.0, capacity))
    return float(ramp.packets_sent(np.array([mean - spike]))[0])


def _sending_time(packets: float, rtt: float, capacity: float) -> float:
    """H, the time in which `packets` packets are sent, s."""
    climbed = rtt * (2.0 * capacity - math.sqrt(2.0)) / math.log(4.0)  # s-hat
    if packets < climbed:
        return rtt / LN2 * math.log1p(math.sqrt(2.0) * LN2 * packets / rtt)
    return rtt * (0.5 + math.log2(capacity)) + (packets - climbed) / capacity  # t-hat, and the rest
