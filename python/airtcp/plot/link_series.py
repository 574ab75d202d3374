"""What the figures of links draw: delays, rates and utilisations over time, from a trace."""

from __future__ import annotations

import math

import numpy as np

from airtcp.events.links import ARRIVED, Links
from airtcp.events.records import Array
from airtcp.events.table import EventTable

_NS = 1_000_000_000
_BINS = 100  # at most


def one_way_delays(events: EventTable, flow: int) -> tuple[Array, Array, Array]:
    """Of a flow's data: when it arrived (s), the time since it was first sent (s), and whether it
    was sent more than once before that.

    A segment counts when it reaches the receiver for the first time.
    """
    own, columns = events.columns["flow"] == flow, events.columns
    sent = np.flatnonzero(own & events.mask("send", "resend"))
    arrived = np.flatnonzero(
        own & events.mask("arrive") & (columns["node"] == receiver(events, flow))
    )
    numbers, first = np.unique(columns["seq"][sent], return_index=True)
    reached, when = np.unique(columns["seq"][arrived], return_index=True)
    known = np.isin(reached, numbers)
    rows = arrived[when[known]]
    place = np.searchsorted(numbers, reached[known])
    begun = sent[first[place]]
    again = np.flatnonzero(own & events.mask("resend"))
    repeats, earliest = np.unique(columns["seq"][again], return_index=True)
    first_again = np.full(len(numbers), np.iinfo(np.int64).max)
    first_again[np.searchsorted(numbers, repeats)] = columns["time_ns"][again[earliest]]
    late = first_again[place] < columns["time_ns"][rows]
    order = np.argsort(rows, kind="stable")
    time = columns["time_ns"]
    return time[rows][order] / _NS, ((time[rows] - time[begun]) / _NS)[order], late[order]


def round_trips(events: EventTable, flow: int) -> tuple[Array, Array]:
    """Of a flow's ACKs: when they were dealt with (s), and the round trip that they show (s).

    Such a one acknowledges new data of which nothing was sent twice [Karn and Partridge], and
    what it shows is the time since its newest segment was sent.
    """
    own, columns = events.columns["flow"] == flow, events.columns
    sent = np.flatnonzero(own & events.mask("send", "resend"))
    ends = columns["seq"][sent] + columns["length"][sent]
    known, first, times = np.unique(ends, return_index=True, return_counts=True)
    repeated = known[times > 1]
    acks = np.flatnonzero(own & events.mask("ack"))
    level = columns["seq"][acks]
    before = np.concatenate([[0], np.maximum.accumulate(level)[:-1]]) if len(level) else level
    spans = np.searchsorted(repeated, level, "right") - np.searchsorted(repeated, before, "right")
    shows = (level > before) & (spans == 0) & np.isin(level, known)
    rows = acks[shows]
    since = sent[first[np.searchsorted(known, level[shows])]]
    time = columns["time_ns"]
    return time[rows] / _NS, (time[rows] - time[since]) / _NS


def receiver(events: EventTable, flow: int) -> int:
    """The node of a flow's receiver."""
    receivers = events.facts.get("receivers")
    return int(receivers[flow] if receivers else events.facts["hops"])


def bin_width(time: float) -> float:
    """1, 2 or 5 times a power of ten, in seconds: at most a hundred of them make up `time`."""
    least = time / _BINS
    power = 10.0 ** math.floor(math.log10(least))
    return next(
        power * step for step in (1.0, 2.0, 5.0, 10.0) if power * step >= least * (1 - 1e-9)
    )


def edges(start: float, end: float, width: float) -> Array:
    """The ends of bins from `start` on; the last one ends at `end`."""
    found = start + width * np.arange(math.ceil((end - start) / width * (1 - 1e-9)) + 1)
    return np.append(found[found < end], end)


def delivered(events: EventTable, links: Links, owner: int, bins: Array) -> Array:
    """How many bits per second of a flow's data, or of cross-traffic, arrive in each bin."""
    flows = len(links.flows)
    if owner < flows:
        columns = events.columns
        there = columns["node"] == receiver(events, owner)
        rows = (columns["flow"] == owner) & events.mask("arrive") & there
        time, size = columns["time_ns"][rows], columns["size"][rows]
    else:
        seen = links.of("traffic")
        last = links.nodes.index(links.ends(links.traffic[owner - flows][-1])[1])
        mine = (seen["source"] == owner - flows) & (seen["event"] == ARRIVED)
        rows = mine & (seen["node"] == last)
        time, size = seen["time_ns"][rows], seen["size"][rows]
    volume, _ = np.histogram(time / _NS, bins, weights=8.0 * size)
    rate: Array = volume / np.diff(bins)
    return rate


def utilisation(links: Links, link: int, bins: Array) -> Array:
    """Which part of each bin the transmitter of a link was busy."""
    busy = links.of("busy")
    busy = busy[busy["link"] == link]
    # How long it was busy up to an instant grows while it is, and stands still between.
    known = np.stack([busy["time_ns"], busy["end_ns"]], axis=1).reshape(-1) / _NS
    length = np.stack([np.zeros(len(busy)), (busy["end_ns"] - busy["time_ns"]) / _NS], axis=1)
    until = (
        np.interp(bins, known, np.cumsum(length.reshape(-1))) if len(busy) else np.zeros(len(bins))
    )
    part: Array = np.diff(until) / np.diff(bins)
    return part
