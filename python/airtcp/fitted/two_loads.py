"""A hop from two recordings of a link: saturated, and of trains over the idle link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, count
from airtcp.fitted.light_load import LightLoad, difference
from airtcp.fitted.opportunities import with_recorded_trace
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import FittedParts, base_hop
from airtcp.fitted.trains_words import TrainSummary
from airtcp.fitting.capacity import departures
from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.fitting.rates_filled import ENOUGH, QUEUE_SIGN, filled_by_packets
from airtcp.links.mahimahi import BYTES
from airtcp.measured.measurement import ARRIVED, Measurement, Packets


def fit_two_loads(
    chosen: Sequence[Measurement],
    light: LightLoad,
    options: FitOptions,
    plain: Callable[[FitOptions], FittedParts],
) -> FittedParts:
    """The opportunities and the trains where the recordings differ, else the parts of `plain`.

    Raises `InputError` for several recordings of the saturated link or one of another, and for
    options that say how to model one.
    """
    _refuse_other_options(options)
    saturated = chosen[0]
    if len(chosen) > 1:
        raise InputError(
            f"files: {saturated.source} is the first of {count(len(chosen), 'recording')} of the"
            " saturated link; light goes with one"
        )
    millis = _saturated_opportunities(saturated)
    kept = light.before(int(millis[-1]))
    p = difference(kept, millis)
    trains = TrainSummary.from_recordings(kept, millis)
    result = f"p = {p:.2g}, {count(len(kept.trains), 'train')} of {light.source}"
    link_delay = (kept.least_delay, f"the least of {light.source}")
    options = replace(options, link_delay=link_delay)
    if p >= TEST_LEVEL:
        same = (
            "a test finds no difference between the saturated link and the link under light load"
            f" ({result}): one recording stands for both"
        )
        parts = plain(options)
        return replace(parts, remarks=(same, *parts.remarks), trains=trains)
    base = base_hop(saturated, options).without_rate().with_key("delay", *link_delay)
    hop = with_recorded_trace(base, saturated.source, millis)
    said = f"trains of {light.source}, which begin every busy period"
    remarks = [
        f"under light load the link serves packets otherwise than saturated ({result}): a busy"
        " period begins with a recorded train, and goes on with the opportunities",
        "the hop has the opportunities and trains as recorded; it has no losses and no jitter",
    ]
    if len(kept.trains) < len(light.trains):
        left_out = count(len(light.trains) - len(kept.trains), "train")
        remarks.append(f"{left_out} after the end of {saturated.source} are left out")
    if kept.ends_early(int(millis[-1])):
        remarks.append(
            f"{light.source} ends at {kept.times[-1] / 1e3:.4g} s, {saturated.source} at"
            f" {int(millis[-1]) / 1e3:.4g} s: the last train stands for the time between"
        )
    hop = hop.with_key("trains", kept.trains, said)
    return FittedParts(hop, remarks=tuple(remarks), trains=trains)


def _refuse_other_options(options: FitOptions) -> None:
    """Raise `InputError` for options that say how to model one recording."""
    if options.rate is not None:
        raise InputError("rate: light goes with the opportunities of the link; give either")
    if options.model is not None:
        raise InputError(f"model: {options.model} has no trains; give either this or light")
    if options.delay is not None:
        raise InputError(f"delay: {options.delay} has no trains; give either this or light")
    if options.clock != "auto":
        raise InputError(f"clock: {options.clock} is of losses; give either this or light")
    if options.replay:
        raise InputError("replay: light replays both recordings if they differ; give either")


def _saturated_opportunities(measurement: Measurement) -> NDArray[np.int64]:
    """The opportunities of a trace, or of a capture whose sender kept the link busy; ms."""
    if measurement.opportunities is not None:
        return measurement.opportunities
    filled = None if measurement.packets is None else filled_by_packets(measurement.packets)
    if measurement.packets is None or filled is None:
        raise InputError(
            f"light: {measurement.source} has no opportunities of the saturated link; give a trace"
            " of Mahimahi or a capture of a long transfer"
        )
    if not filled.is_enough:
        intervals = count(len(filled.rates.bps), "interval")
        raise InputError(
            f"light: the sender of {measurement.source} did not saturate the link: in"
            f" {100 * filled.share:.0f} % of {intervals} {QUEUE_SIGN}, and {100 * ENOUGH:g} % are"
            " needed"
        )
    return _opportunities_of_packets(measurement.packets)


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
