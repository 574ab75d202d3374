"""A hop from two recordings of a link: saturated, and of trains over the idle link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, count
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.light_load import LEVEL, LightLoad, difference
from airtcp.fitted.opportunities import with_recorded_trace
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import ASSUMED_COMMENT, FittedParts, base_hop
from airtcp.fitting.capacity import departures
from airtcp.fitting.rates_filled import ENOUGH, QUEUE_SIGN, filled_by_packets
from airtcp.links.mahimahi import BYTES
from airtcp.measured.measurement import ARRIVED, Measurement, Packets


def fit_two_loads(
    one: Measurement, light: LightLoad, options: FitOptions, plain: Callable[[], FittedParts]
) -> FittedParts:
    """The opportunities and the trains where the recordings differ, else the parts of `plain`.

    Raises `InputError` for a rate or a model, and where the first recording is not of the saturated
    link.
    """
    if options.rate is not None:
        raise InputError("rate: light goes with the opportunities of the link; give either")
    if options.model is not None:
        raise InputError(f"model: {options.model} has no trains; give either this or light")
    millis = _saturated_opportunities(one)
    kept = light.before(int(millis[-1]))
    p = difference(kept, millis)
    result = f"p = {p:.2g}, {count(len(kept.trains), 'train')} of {light.source}"
    if p >= LEVEL:
        same = (
            "a test finds no difference between the saturated link and the link under light load"
            f" ({result}): one recording stands for both"
        )
        parts = plain()
        hop = parts.hop
        if hop.comments.get("delay") == ASSUMED_COMMENT:
            hop = _with_delay(hop, kept)
        return replace(parts, hop=hop, remarks=(same, *parts.remarks))
    hop = with_recorded_trace(
        _with_delay(base_hop(one, options).without_rate(), kept), one.source, millis
    )
    said = f"trains of {light.source}, which begin every busy period"
    remarks = [
        f"under light load the link serves packets otherwise than saturated ({result}): a busy"
        " period begins with a recorded train, and goes on with the opportunities",
        "the hop has the opportunities and trains as recorded; it has no losses and no jitter",
    ]
    if len(kept.trains) < len(light.trains):
        left_out = count(len(light.trains) - len(kept.trains), "train")
        remarks.append(f"{left_out} after the end of {one.source} are left out")
    return FittedParts(hop.with_key("trains", kept.trains, said), remarks=tuple(remarks))


def _with_delay(hop: FittedHop, light: LightLoad) -> FittedHop:
    return hop.with_key("delay", light.least_delay, f"the least of {light.source}")


def _saturated_opportunities(one: Measurement) -> NDArray[np.int64]:
    """The opportunities of a trace, or of a capture whose sender kept the link busy; ms."""
    if one.opportunities is not None:
        return one.opportunities
    filled = None if one.packets is None else filled_by_packets(one.packets)
    if one.packets is None or filled is None:
        raise InputError(
            f"light: {one.source} has no opportunities of the saturated link; give a trace of"
            " Mahimahi or a capture of a long transfer"
        )
    if not filled.is_enough:
        intervals = count(len(filled.rates.bps), "interval")
        raise InputError(
            f"light: the sender of {one.source} did not saturate the link: in"
            f" {100 * filled.share:.0f} % of {intervals} {QUEUE_SIGN}, and {100 * ENOUGH:g} % are"
            " needed"
        )
    return _opportunities_of_packets(one.packets)


def _opportunities_of_packets(packets: Packets) -> NDArray[np.int64]:
    """Times (ms, above 0) at which each further 1504 bytes had left the link.

    Lost packets do not count: most were dropped ahead of the link, by the queue that stands there.
    """
    found = departures(packets)
    assert found is not None  # filled intervals are made of them
    carried = np.where(packets.fate == ARRIVED, packets.size, 0)
    sums = np.cumsum(carried, dtype=np.int64)[found.place]
    left, sums = np.maximum.accumulate(found.left), sums - sums[0]
    each = np.arange(BYTES, int(sums[-1]) + 1, BYTES)
    after = left[np.searchsorted(sums, each)] - left[0]
    millis: NDArray[np.int64] = np.maximum(-(-after // 1_000_000), 1)
    return millis
