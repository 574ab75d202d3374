"""Shares of the flows over time, from a traced run: goodputs, Jain's index, busy links, bin by bin.

A bin goes from its start to the next one's, which belongs to that; the last one ends with the run
and may be shorter. Goodput is payload handed over in order, counted when the last hole before it
is filled, as the metric `goodput_bps` counts it. A flow takes part from the bin in which its sender
begins to the one in which it has everything acknowledged, if it ends: elsewhere its rate is NaN.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np

from airtcp.errors import InputError, refusal
from airtcp.events.links import Links
from airtcp.events.records import Array
from airtcp.metrics.layout import flows_that_end

if TYPE_CHECKING:
    from airtcp.events.table import EventTable

MOST_BINS = 100_000
_MOST_USUAL_BINS = 100
_NS = 1_000_000_000


def usual_width(time: float) -> float:
    """1, 2 or 5 times a power of ten, in seconds: at most a hundred of them make up `time`."""
    least = time / _MOST_USUAL_BINS
    power = 10.0 ** math.floor(math.log10(least))
    return next(
        power * step for step in (1.0, 2.0, 5.0, 10.0) if power * step >= least * (1 - 1e-9)
    )


def check_width(width: float | None, time: float) -> float:
    """The width of bins in `time`, None: the usual one. Raises `InputError`."""
    if width is None:
        return usual_width(time)
    if isinstance(width, bool) or not isinstance(width, (int, float)) or not width > 0.0:
        raise refusal("width", width, "a number of seconds above 0")
    if time > MOST_BINS * width:
        raise refusal(
            "width", width, f"at least {time / MOST_BINS:g} s, for at most {MOST_BINS} bins"
        )
    return float(width)


def bin_edges(start: float, end: float, width: float) -> Array:
    """The ends of bins from `start` on; the last one ends at `end`."""
    edges_found = start + width * np.arange(math.ceil((end - start) / width * (1 - 1e-9)) + 1)
    return np.append(edges_found[edges_found < end], end)


def bin_edges_of(events: EventTable, width: float | None) -> Array:
    """The edges of bins that make up a run (s). Raises `InputError`."""
    links = events.links
    if links is not None and links.limits != (-math.inf, math.inf):
        raise InputError("width: bins need a whole run, and this is a part of one (between)")
    end = events.duration if links is None or links.end is None else links.end
    return bin_edges(0.0, end, check_width(width, end))


def goodputs(events: EventTable, bins: Array) -> Array:
    """Bits per second that each flow (row) gets in each bin; NaN where it takes no part."""
    limits = np.rint(bins * _NS).astype(np.int64)
    return np.array(
        [_goodput(events, flow, limits) for flow in range(int(events.facts["flows"]))]
    ).reshape(-1, len(bins) - 1)


def _goodput(events: EventTable, flow: int, limits: Array) -> Array:
    when, length = in_order_deliveries(events, flow)
    bin_of = np.searchsorted(limits, when, "right") - 1
    inside = (bin_of >= 0) & (bin_of < len(limits) - 1)
    units = np.bincount(bin_of[inside], length[inside], len(limits) - 1)
    per_unit = 8.0 * events.of_flows("payload")[flow] / events.of_flows("unit")[flow]
    rate: Array = units * per_unit * _NS / np.diff(limits)
    return np.where(_takes_part(events, flow, limits), rate, np.nan)


def _takes_part(events: EventTable, flow: int, limits: Array) -> Array:
    own = events.columns["time_ns"][events.columns["flow"] == flow]
    begun = limits[1:] > (own[0] if len(own) else limits[-1])
    takes_part: Array = begun & (limits[:-1] <= completion(events, flow))
    return takes_part


def completion(events: EventTable, flow: int) -> float:
    """The time (ns) at which a flow that ends had everything acknowledged; infinite if never."""
    scenario = json.loads(events.facts.get("scenario", "null"))
    acks = events.rows("ack", flow=flow)
    if scenario is None or not flows_that_end(scenario)[flow] or not len(acks):
        return math.inf
    if events.columns["inflight"][acks[-1]] > 0:
        return math.inf
    level = events.columns["seq"][acks]
    return float(events.columns["time_ns"][acks[np.argmax(level)]])


def in_order_deliveries(events: EventTable, flow: int) -> tuple[Array, Array]:
    """The times (ns) at which data of a flow was handed over, and the amounts (sequence numbers).

    Data waits for the data before it. Data that was never handed over within the trace is left out.
    """
    columns, node = events.columns, receiver(events, flow)
    at_receiver = (columns["flow"] == flow) & events.mask("arrive") & (columns["node"] == node)
    start, time = columns["seq"][at_receiver], columns["time_ns"][at_receiver]
    end = start + columns["length"][at_receiver]
    numbers = np.unique(np.concatenate([[0], start, end]))
    first = np.searchsorted(numbers, start)
    last = np.searchsorted(numbers, end)
    arrived = np.full(max(len(numbers) - 1, 0), np.iinfo(np.int64).max)
    single = last - first == 1
    np.minimum.at(arrived, first[single], time[single])
    for row in np.flatnonzero(~single).tolist():  # of segments that others begin or end within
        part = arrived[first[row] : last[row]]
        np.minimum(part, time[row], out=part)
    handed = np.maximum.accumulate(arrived)
    known = handed < np.iinfo(np.int64).max
    return handed[known], np.diff(numbers)[known]


def receiver(events: EventTable, flow: int) -> int:
    """The node of a flow's receiver."""
    receivers = events.facts.get("receivers")
    return int(receivers[flow] if receivers else events.facts["hops"])


def jain(rates: Array) -> Array:
    """Jain's index in each bin over the flows (rows) that take part; NaN if no flow gets data.

    (sum x)^2 / (n sum x^2): 1 where all get the same, 1/n where one gets all [Jain et al. 1984].
    """
    got = np.nan_to_num(rates)
    squares = (~np.isnan(rates)).sum(axis=0) * (got**2).sum(axis=0)
    index_by_bin = np.full(squares.shape, np.nan)
    np.divide(got.sum(axis=0) ** 2, squares, out=index_by_bin, where=squares > 0.0)
    return index_by_bin


def utilisation(links: Links, link: int, bins: Array) -> Array:
    """Share of each bin in which the transmitter of a link was busy."""
    busy = links.records_of("busy")
    busy = busy[busy["link"] == link]
    # The cumulated busy time grows while the link is busy, and stands still between.
    known = np.stack([busy["time_ns"], busy["end_ns"]], axis=1).reshape(-1) / _NS
    length = np.stack([np.zeros(len(busy)), (busy["end_ns"] - busy["time_ns"]) / _NS], axis=1)
    until = (
        np.interp(bins, known, np.cumsum(length.reshape(-1))) if len(busy) else np.zeros(len(bins))
    )
    part: Array = np.diff(until) / np.diff(bins)
    return part
