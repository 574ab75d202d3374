"""A link from counts per interval, in which single losses cannot be seen, or from opportunities."""

from __future__ import annotations

import numpy as np

from airtcp.errors import InputError, count
from airtcp.fitted.hop import Hop
from airtcp.fitted.parts import ASSUMED, Parts, base_hop
from airtcp.fitted.wanted import Wanted
from airtcp.measured.measurement import Intervals, Measurement
from airtcp.stats.ratio import ratio_of_means

_MS = 1e6
NO_BURSTS = (
    "counts per interval show no single packets: whether losses come in bursts cannot be seen in"
    " them, so they are independent in this scenario, which is kind to TCP"
)


def of_counts(one: Measurement, wanted: Wanted) -> Parts:
    """Rate, round trip and share of losses where the file has counts; else its opportunities.

    Raises `InputError` for what only single packets tell.
    """
    if wanted.replay or wanted.model is not None:
        option = "replay" if wanted.replay else "model"
        raise InputError(
            f"{option}: {one.source} has no single packets, so no losses to model or to replay"
        )
    hop = base_hop(one, wanted)
    if one.opportunities is not None:
        return _of_opportunities(hop, one)
    assert one.intervals is not None  # a measurement holds one of the three
    return _of_intervals(hop, one.intervals)


def _of_opportunities(hop: Hop, one: Measurement) -> Parts:
    """The trace itself in place of a rate."""
    assert one.opportunities is not None
    keys = {key: value for key, value in hop.keys.items() if key != "rate"}
    said = f"the {count(len(one.opportunities), 'opportunity')} of {one.source}"
    made = Hop(keys, dict(hop.comments)).with_key(
        "opportunities", one.opportunities.tolist(), f"{said}, from its beginning"
    )
    return Parts(made, remarks=("a trace of opportunities has no losses and no delay",))


def _of_intervals(hop: Hop, counts: Intervals) -> Parts:
    remarks = []
    delay = counts.delay[np.isfinite(counts.delay)]
    if delay.size:
        least = float(delay.min())
        hop = hop.with_key(
            "delay",
            f"{least / 2.0 / _MS:.4g}ms",
            "half of the least mean round trip of an interval",
        )
    known = np.isfinite(counts.sent) & np.isfinite(counts.lost) & (counts.sent > 0)
    if known.any() and counts.lost[known].sum() > 0:
        sent, lost = counts.sent[known], counts.lost[known]
        rate, low, high = _share(sent, lost)
        said = (
            f"{lost.sum():.0f} of {sent.sum():.0f} packets were lost or sent again; 95 % interval"
            f" {low:.3g} to {high:.3g}, by the scatter of the intervals"
        )
        hop = hop.with_key("channel", {"kind": "iid", "loss_rate": rate}, said)
        remarks.append(NO_BURSTS)
    elif np.isfinite(counts.lost).any() and np.nansum(counts.lost) > 0:
        remarks.append(
            f"{np.nansum(counts.lost):.0f} packets were sent again, but the file does not say of"
            f" how many: the scenario has no losses ({ASSUMED})"
        )
    return Parts(hop, "independent" if "channel" in hop.keys else "", remarks=tuple(remarks))


def _share(sent: np.ndarray, lost: np.ndarray) -> tuple[float, float, float]:
    """The share of packets lost, with a 95 % interval by the scatter of its intervals.

    A ratio of means, by the delta method [Law 2015, 9.5.3]; never below 0 or above 1.
    """
    found = ratio_of_means(lost, sent)
    return found[0], max(0.0, found[1]), min(1.0, found[2])
