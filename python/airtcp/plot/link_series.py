"""Data for the figures of links: delays and rates over time, from a trace."""

from __future__ import annotations

import numpy as np

from airtcp.events.links import ARRIVED_CODE, Links
from airtcp.events.over_time import receiver
from airtcp.events.records import Array
from airtcp.events.table import EventTable

_NS = 1_000_000_000


def one_way_delays(events: EventTable, flow: int) -> tuple[Array, Array, Array]:
    """Arrivals of a flow's data (s), the time of each since it was first sent (s), and a flag: true
    if it was sent more than once before that.

    A segment counts when it reaches the receiver for the first time.
    """
    of_flow, columns = events.columns["flow"] == flow, events.columns
    sent = np.flatnonzero(of_flow & events.mask("send", "resend"))
    arrived = np.flatnonzero(
        of_flow & events.mask("arrive") & (columns["node"] == receiver(events, flow))
    )
    numbers, first = np.unique(columns["seq"][sent], return_index=True)
    reached, when = np.unique(columns["seq"][arrived], return_index=True)
    known = np.isin(reached, numbers)
    rows = arrived[when[known]]
    place = np.searchsorted(numbers, reached[known])
    begun = sent[first[place]]
    again = np.flatnonzero(of_flow & events.mask("resend"))
    repeats, earliest = np.unique(columns["seq"][again], return_index=True)
    first_again = np.full(len(numbers), np.iinfo(np.int64).max)
    first_again[np.searchsorted(numbers, repeats)] = columns["time_ns"][again[earliest]]
    late = first_again[place] < columns["time_ns"][rows]
    order = np.argsort(rows, kind="stable")
    time = columns["time_ns"]
    return time[rows][order] / _NS, ((time[rows] - time[begun]) / _NS)[order], late[order]


def round_trips(events: EventTable, flow: int) -> tuple[Array, Array]:
    """Times at which the sender dealt with a flow's ACKs (s), and round trips that they show (s).

    An ACK shows one if it acknowledges new data of which nothing was sent twice [Karn and
    Partridge]: the time since the newest segment of these data was sent.
    """
    of_flow, columns = events.columns["flow"] == flow, events.columns
    sent = np.flatnonzero(of_flow & events.mask("send", "resend"))
    ends = columns["seq"][sent] + columns["length"][sent]
    known, first, times = np.unique(ends, return_index=True, return_counts=True)
    repeated = known[times > 1]
    acks = np.flatnonzero(of_flow & events.mask("ack"))
    level = columns["seq"][acks]
    before = np.concatenate([[0], np.maximum.accumulate(level)[:-1]]) if len(level) else level
    spans = np.searchsorted(repeated, level, "right") - np.searchsorted(repeated, before, "right")
    shows = (level > before) & (spans == 0) & np.isin(level, known)
    rows = acks[shows]
    since = sent[first[np.searchsorted(known, level[shows])]]
    time = columns["time_ns"]
    return time[rows] / _NS, (time[rows] - time[since]) / _NS


def delivered_rate(events: EventTable, links: Links, owner: int, bins: Array) -> Array:
    """Bits per second of a flow's data, or of cross-traffic, that arrive in each bin."""
    flows = len(links.flows)
    if owner < flows:
        columns = events.columns
        at_receiver = columns["node"] == receiver(events, owner)
        rows = (columns["flow"] == owner) & events.mask("arrive") & at_receiver
        time, size = columns["time_ns"][rows], columns["size"][rows]
    else:
        records = links.records_of("traffic")
        last = links.nodes.index(links.ends(links.traffic[owner - flows][-1])[1])
        mine = (records["source"] == owner - flows) & (records["event"] == ARRIVED_CODE)
        rows = mine & (records["node"] == last)
        time, size = records["time_ns"][rows], records["size"][rows]
    volume, _ = np.histogram(time / _NS, bins, weights=8.0 * size)
    rate: Array = volume / np.diff(bins)
    return rate
