"""The rate of a link as a record shows it, with what it does not show.

A record shows a rate where its sender kept the link busy: packets that waited for one another
(`airtcp.fitting.capacity`), or the bytes of a test that sends as much as it can. Elsewhere it shows
what the link carried, and no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import count
from airtcp.fitting.capacity import estimate_capacity
from airtcp.measured import iperf3
from airtcp.measured.captures import UDP_FORM
from airtcp.measured.measurement import ARRIVED, Intervals, Measurement, Packets

EMULATOR_SETTING = "as the emulator was told"
LEAST_VARIATION = 0.25  # coefficient of variation, above which a rate is one that changes
MOST_STEPS = 1000  # of a rate that changes
# Share, which a sender of UDP loses that sends more than the link carries.
OVERLOAD_LOSS_SHARE = 0.1
_NS_PER_SECOND = 1e9
_WINDOW_SECONDS = 0.1  # seconds, over which packets are counted
_WRITES = 10.0  # writes of a sender that a window holds on average, lest it shows these
_HIGH_QUANTILE = 0.95  # quantile of windows
_FEWEST_PACKETS = 50  # packets, too few to tell a rate
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinkRate:
    """A rate for a hop.

    - `key`: "rate" or "rates"; `value`: its value in a scenario;
    - `source`: origin of the value; `note`: a caution for the user, "" without one.
    """

    key: str
    value: Any
    source: str
    note: str = ""


def link_rate(measurement: Measurement) -> LinkRate | None:
    """The rate of the link of a measurement; None where it does not show one."""
    if "rate" in measurement.emulated_hop:
        return LinkRate("rate", measurement.emulated_hop["rate"], EMULATOR_SETTING)
    if measurement.packets is not None and not measurement.is_probing:
        found = estimate_capacity(measurement.packets, paced=measurement.form == UDP_FORM)
        if found is None:
            return None
        said = (
            f"by {count(found.trains, 'train')} of packets that waited for one another, of which"
            f" 5 % have less than {rate_text(found.low)}, 90 % less than this, 95 % less than"
            f" {rate_text(found.high)}"
        )
        note = (
            f"the rate of {rate_text(found.rate)} is {share_text(measurement.packets)}; if you know"
            " the rate, give it by --rate"
        )
        return LinkRate("rate", rate_text(found.rate), said, note)
    if measurement.intervals is not None and np.isfinite(measurement.intervals.received).any():
        return (
            _rate_of_udp_sender(measurement.intervals)
            if measurement.is_probing
            else _rate_of_intervals(measurement)
        )
    return None


def share_text(packets: Packets) -> str:
    """Words for a rate that one connection shows: the part of the link that others left to it."""
    hidden = "traffic beside it"
    if packets.delays == "round trip":
        hidden += ", or a way back too slow for its ACKs,"
    return f"what the link gave this connection: {hidden} would hide the rest"


def carried_rate(packets: Packets | None) -> float | None:
    """A rate in bit/s that a link carried at least: 95 % of windows of 0.1 s have less."""
    if packets is None or not packets.is_time_measured or not len(packets.time):
        return None
    arrived = (packets.fate == ARRIVED) & (packets.size > 0)
    span = float(packets.time[-1] - packets.time[0]) / _NS_PER_SECOND
    if arrived.sum() < _FEWEST_PACKETS or span < 10 * _WINDOW_SECONDS:
        return None
    at = (packets.time[arrived] / (_WINDOW_SECONDS * _NS_PER_SECOND)).astype(np.int64)
    bits = 8.0 * np.bincount(at, packets.size[arrived]) / _WINDOW_SECONDS
    return float(np.quantile(bits, _HIGH_QUANTILE))


def rate_text(rate: float) -> str:
    """A rate as a scenario has it."""
    return f"{rate:.4g}bps" if rate < 1e3 else f"{rate / 1e6:.4g}Mbps"


def repeated_rates(starts: Iterable[float], rates: Iterable[float]) -> dict[str, Any]:
    """The scenario's table of rates (bit/s) from their starts (s) on, again and again."""
    values = [
        {"at": f"{at:.6g}s", "rate": rate_text(rate)}
        for at, rate in zip(starts, rates, strict=True)
    ]
    return {"kind": "steps", "values": values, "end": "repeat"}


def _rate_of_udp_sender(counts: Intervals) -> LinkRate:
    """The rate of a sender of UDP, above the rate of arrivals by its losses."""
    lost = _lost_share(counts)
    arrived = (
        8.0 * float(np.nansum(counts.received)) / (float(counts.length.sum()) / _NS_PER_SECOND)
    )
    rate = arrived / (1.0 - lost) if lost < 1.0 else arrived
    said = f"the pace of the sender, of which {rate_text(arrived)} arrived"
    note = (
        f"the rate is the pace of the sender of UDP, {rate_text(rate)}: the link carries at least"
        " that"
        " and may be faster (--rate)"
    )
    if lost >= OVERLOAD_LOSS_SHARE:
        note += (
            f"; it lost {100 * lost:.3g} %, as a pace above that of the link does too: measure at a"
            " lower pace to tell"
        )
    return LinkRate("rate", rate_text(rate), said, note)


def _lost_share(counts: Intervals) -> float:
    """Share of packets lost in the intervals with both counts; 0 if there are none."""
    known = counts.has_loss_counts
    sent = float(counts.sent[known].sum())
    return min(float(counts.lost[known].sum()) / sent, 1.0) if sent else 0.0


def _rate_of_intervals(measurement: Measurement) -> LinkRate:
    """The rate of a test that sends all it can: constant, or by windows where it changes."""
    counts = measurement.intervals
    assert counts is not None  # by the caller
    is_test = measurement.form == iperf3.FORMAT_NAME
    is_written = any(odd.kind == "sender" for odd in measurement.oddities)
    # Retransmissions that are known crossed the link once more.
    lost = _lost_share(counts)
    start, bits = _rates_of_windows(counts, 1.0 if is_test else 0.0, is_written)
    bits = bits / (1.0 - lost) if lost < 1.0 else bits
    width = (
        float(start[1] - start[0])
        if len(start) > 1
        else float(counts.length.sum()) / _NS_PER_SECOND
    )
    variation = float(bits.std() / bits.mean()) if bits.any() else 0.0
    of = "what the sender wrote" if is_written else "what arrived" if is_test else "as in the file"
    windows = f"windows of {width:.4g} s"
    held = (
        "; a sender that losses or its window hold back leaves a faster link idle: if you know the"
        " rate, give it by --rate"
    )
    held = held if is_test else ""
    if variation <= LEAST_VARIATION or len(bits) < 3:
        rate = rate_text(float(np.quantile(bits, _HIGH_QUANTILE)))
        note = f"the rate of {rate} is what the test got{held}" if is_test else ""
        return LinkRate("rate", rate, f"{of}: 95 % of its {windows} have less", note)
    said = f"{of}, by {windows}; then from the beginning again"
    note = (
        f"the rate changes (standard deviation {100 * variation:.3g} % of the mean of"
        f" {rate_text(float(bits.mean()))}): the scenario has the rates of the record, by"
        f" {windows}{held}"
    )
    return LinkRate("rates", repeated_rates(start.tolist(), bits.tolist()), said, note)


def _rates_of_windows(counts: Intervals, least: float, is_written: bool) -> tuple[Floats, Floats]:
    """Starts in s, and bit/s, of equal windows: of `least` s, and no shorter than intervals.

    A send buffer takes a write at once, but the link carries it over time. So where single writes
    can be seen, windows hold 10 of them on average.
    """
    start, length = counts.start / _NS_PER_SECOND, counts.length / _NS_PER_SECOND
    size = np.nan_to_num(counts.received)
    end = float(start[-1] + length[-1])
    width = max(float(np.median(length)), end / MOST_STEPS, least)
    if is_written and (size == 0.0).any() and size.any():
        write = float(np.median(size[size > 0.0]))
        width = max(width, float(np.ceil(_WRITES * write / (float(size.sum()) / end))))
    number = max(int(end / width + 1e-6), 1)
    width = min(width, end)
    edges = np.concatenate([[start[0]], start + length])
    total = np.concatenate([[0.0], np.cumsum(8.0 * size)])
    at: Floats = width * np.arange(number + 1, dtype=np.float64)
    bits: Floats = np.diff(np.interp(at, np.maximum.accumulate(edges), total)) / width
    return at[:-1], bits
