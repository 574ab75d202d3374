"""A link from counts per interval, in which single losses cannot be seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from airtcp.errors import InputError
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import ASSUMED_COMMENT, FittedParts, base_hop
from airtcp.fitting.loss_load import load_dependence
from airtcp.measured import iperf3
from airtcp.measured.loss_rate import loss_rate
from airtcp.measured.measurement import Intervals, Measurement

_NS_PER_MS = 1e6
NO_BURSTS_REMARK = (
    "counts per interval show no single packets: whether losses come in bursts cannot be seen in"
    " them, so they are independent in this scenario, which is kind to TCP"
)


def fit_counts(measurement: Measurement, options: FitOptions) -> FittedParts:
    """Rate, round trip and share of losses of a file that has counts.

    Raises `InputError` for an option that needs single packets.
    """
    if options.replay or options.model is not None:
        option = "replay" if options.replay else "model"
        raise InputError(
            f"{option}: {measurement.source} has no single packets, so there are no losses to model"
            " or replay"
        )
    assert measurement.intervals is not None  # by the caller
    found = _with_delay_and_losses(base_hop(measurement, options), measurement.intervals)
    return replace(found, remarks=(*_rate_remarks(measurement, options), *found.remarks))


def _rate_remarks(measurement: Measurement, options: FitOptions) -> Iterator[str]:
    """Why a test by TCP is no sample of the rate of the link, by what its file has."""
    if options.rate is not None or measurement.form != iperf3.FORMAT_NAME or measurement.is_probing:
        return
    queue = "a capture of the test shows when a queue stood"
    if any(odd.kind == "sender" for odd in measurement.oddities):
        yield (
            "the file has what the sender wrote, not what arrived: no interval is a sample of the"
            " rate of the link (iperf3 --get-server-output has what arrived)"
        )
    elif measurement.streams > 1:
        yield (
            f"{measurement.streams} parallel streams do not prove that the link was full, as losses"
            f" hold all of them back: the rate is what the test got, not that of the link; {queue}"
        )
    else:
        yield (
            "nothing tells when the sender filled the link, so that its rate cannot be told from"
            f" that of the sender; {queue}"
        )


def _with_delay_and_losses(hop: FittedHop, counts: Intervals) -> FittedParts:
    remarks = []
    delay = counts.delay[np.isfinite(counts.delay)]
    if delay.size:
        least = float(delay.min())
        hop = hop.with_key(
            "delay",
            f"{least / 2.0 / _NS_PER_MS:.4g}ms",
            "half of the least mean round trip of an interval",
        )
    known = counts.has_loss_counts
    if known.any() and counts.lost[known].sum() > 0:
        sent, lost = counts.sent[known], counts.lost[known]
        share = loss_rate(lost, sent)
        assert share is not None  # packets were sent
        rate = share.value
        by = "by the scatter of the intervals" if len(lost) > 1 else "if they were lost singly"
        said = (
            f"{lost.sum():.0f} of {sent.sum():.0f} packets were lost or sent again; 95 % interval"
            f" {share.low:.3g} to {share.high:.3g}, {by}"
        )
        hop = hop.with_key("channel", {"kind": "iid", "loss_rate": rate}, said)
        remarks.append(NO_BURSTS_REMARK)
        load = load_dependence(counts)
        if load is not None and load.is_seen:
            remarks.append(
                f"losses depend on the rate sent: {load.slow:.2g} of the packets in the slower"
                f" half of the intervals and {load.fast:.2g} in the faster half"
                f" (p = {load.p_value:.2g}), as in a full queue; the channel of this scenario"
                " loses as much at any rate"
            )
    elif np.isfinite(counts.lost).any() and np.nansum(counts.lost) > 0:
        remarks.append(
            f"{np.nansum(counts.lost):.0f} packets were sent again, but the file does not say of"
            f" how many: the scenario has no losses ({ASSUMED_COMMENT})"
        )
    elif np.isnan(counts.lost).all():
        remarks.append(f"the file does not show losses: the scenario has none ({ASSUMED_COMMENT})")
    return FittedParts(hop, "independent" if "channel" in hop.keys else "", remarks=tuple(remarks))
