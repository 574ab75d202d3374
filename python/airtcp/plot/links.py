"""Figures of a traced run beside its packets: queues, delays, rates.

- `queue_lengths`: the queue of each link, in packets and in bytes, with the losses there;
- `delays`: for every packet its delay to the receiver, its round trip, and its wait for each link;
- `rates`: rates of arrival of each flow and of cross-traffic, and utilisation of each link.

The trace must have a history of its links: `airtcp.trace(..., links=True)`. All flows are shown, or
one and the links that its packets cross. `start` and `end` limit the time (s). More than 10 000
marks of a sort in one panel are pixels, so that vector files stay small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from airtcp.errors import InputError, count, refusal, whole_number
from airtcp.events.limits import time_limits, words_for_limits
from airtcp.events.links import LOSS_CAUSES, Links
from airtcp.events.over_time import bin_edges, usual_width, utilisation
from airtcp.events.records import Array
from airtcp.events.table import EventTable
from airtcp.plot.link_series import delivered_rate, one_way_delays, round_trips
from airtcp.plot.sequence import legend_below
from airtcp.plot.sequence_marks import MOST_MARKED_EVENTS
from airtcp.plot.style import (
    DASHES,
    DOUBLE_COLUMN,
    INK,
    MARKERS,
    PALETTE,
    PAPER,
    literal_text,
    with_style,
)

MOST_PANELS = 24
_MOST_NAMED = 12  # series with a colour and a name of their own in one panel
_NS = 1_000_000_000
_BLUE, _RED, _GREEN, _VIOLET, _BROWN, _SLATE, _GREY = PALETTE
_LOST_STYLE: dict[str, dict[str, Any]] = {  # by cause: what it looks like, and its words
    "queue": {"color": _RED, "marker": "x", "label": "lost: queue"},
    "channel": {"color": _BROWN, "marker": "+", "label": "lost: channel"},
    "gate": {"color": _VIOLET, "marker": "v", "label": "lost: gate"},
    "forced": {"color": _GREEN, "marker": "D", "label": "lost: forced"},
    "arq": {"color": INK, "marker": "s", "label": "lost: given up"},
    "vanished": {"color": _GREY, "marker": "1", "label": "lost: link down"},
}


@dataclass(frozen=True, eq=False)
class _RunPart:
    """Part of a run that a figure shows: one flow of it or all, from `start` to `end` (s)."""

    events: EventTable
    links: Links
    flow: int | None
    start: float
    end: float

    @classmethod
    def from_limits(
        cls, events: EventTable, flow: int | None, start: float | None, end: float | None
    ) -> _RunPart:
        """Check the limits and choose that part of a run; raises `InputError`."""
        links = events.known_links
        links.records_of("queue")  # there, or refused
        if flow is not None:
            whole_number("flow", flow, 0, len(links.flows) - 1)
        time_limits(start, end)
        last = events.duration if links.end is None else links.end
        low, high = (
            0.0 if start is None else max(start, 0.0),
            last if end is None else min(end, last),
        )
        if low >= high:
            limits = words_for_limits(start, end)
            when = f"{limits}: nothing happens in this time, " if limits else ""
            raise InputError(f"{when}the run ends after {last:g} s")
        return cls(events, links, flow, low, high)

    def within(self, time: Array) -> Array:
        """Mask of the instants (s) that the figure shows."""
        is_within: Array = (time >= self.start) & (time <= self.end)
        return is_within

    def used_links(self) -> list[int]:
        """The links over which something was sent, or on which something was lost."""
        taken = {*np.unique(self.links.records_of("sojourn")["link"]).tolist()}
        taken |= {*np.unique(self.links.records_of("drops")["link"]).tolist()}
        if self.flow is not None:
            taken &= self.links.ways(self.flow)
        # Both directions of a hop stand side by side.
        return sorted(taken, key=self.links.hop)

    def owners(self) -> list[int]:
        """Numbers of the flows and sources that sent something, whose packets the figure shows."""
        if self.flow is not None:
            return [self.flow]
        flows = np.unique(self.events.columns["flow"]).tolist()
        sources = np.unique(self.links.records_of("traffic")["source"]) + len(self.links.flows)
        return [*flows, *sources.tolist()]

    @property
    def owner_words(self) -> str:
        """Words for a title."""
        return "all flows" if self.flow is None else f"flow {self.flow}"


def queue_lengths(
    events: EventTable,
    flow: int | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
) -> Figure:
    """Draw the queue of each link over time: packets on the left, bytes on the right.

    Crosses at the length of the queue are packets that it drops; other losses of a link are drawn
    at the bottom. A packet in transmission does not count as queued. With `flow`, only links that
    its packets cross are shown.

    Parameters
    ----------
    events : EventTable
        A traced run.
    flow : int, optional
        Number of the flow; all flows if not given.
    start : float, optional
        Leave out events before this time, s.
    end : float, optional
        Leave out events after this time, s.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If the flow does not exist, or no event lies in the time.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.links import queue_lengths
    >>> len(queue_lengths(events).axes)
    4
    """
    return _queue_lengths(_RunPart.from_limits(events, flow, start, end))


def delays(
    events: EventTable,
    flow: int | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
) -> Figure:
    """Draw the delays of single packets over time, in milliseconds.

    Three kinds are shown: from the first sending of data to its first arrival at the receiver; the
    round trip, from ACKs of data sent once; and for each link the wait of a packet in its queue.

    Parameters
    ----------
    events : EventTable
        A traced run.
    flow : int, optional
        Number of the flow; all flows if not given.
    start : float, optional
        Leave out events before this time, s.
    end : float, optional
        Leave out events after this time, s.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If the flow does not exist, or no event lies in the time.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.links import delays
    >>> len(delays(events).axes)
    4
    """
    return _delays(_RunPart.from_limits(events, flow, start, end))


def rates(
    events: EventTable,
    flow: int | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    width: float | None = None,
) -> Figure:
    """Draw the rate of arrival at receivers, headers included, and the load of each link.

    Parameters
    ----------
    events : EventTable
        A traced run.
    flow : int, optional
        Number of the flow; all flows if not given.
    start : float, optional
        Leave out events before this time, s.
    end : float, optional
        Leave out events after this time, s.
    width : float, optional
        Width of a time bin, s; without it the run has at most a hundred bins.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If the flow does not exist, or no event lies in the time.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.links import rates
    >>> len(rates(events).axes)
    2
    """
    if width is not None and not width > 0.0:
        raise refusal("width", width, "a number of seconds above 0")
    return _rates(_RunPart.from_limits(events, flow, start, end), width)


LINK_FIGURES = {"queue": queue_lengths, "delay": delays, "rate": rates}


@with_style
def _queue_lengths(part: _RunPart) -> Figure:
    links, used = part.links, part.used_links()
    _check_panels(2 * len(used))
    figure, grid = _grid(
        len(used), 2, f"Packets and bytes that wait for each link ({_run_words(part)})"
    )
    records, drops = links.records_of("queue"), links.records_of("drops")
    for row, link in enumerate(used):
        link_records = records[records["link"] == link]
        packets = _level_steps(part, link_records["time_ns"] / _NS, link_records["packets"])
        time, volume = _level_steps(part, link_records["time_ns"] / _NS, link_records["bits"] / 8.0)
        unit, scale = _volume_unit(volume)
        for axes, (when, level), color in zip(
            grid[row], (packets, (time, volume / scale)), (_BLUE, _GREEN), strict=True
        ):
            axes.plot(
                when,
                level,
                color=color,
                linewidth=0.9,
                drawstyle="steps-post",
                rasterized=len(when) > MOST_MARKED_EVENTS,
            )
            highest = max(1.0, float(level.max()))
            axes.set_ylim(-0.05 * highest, 1.05 * highest)
            axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        _mark_losses(grid[row][0], part, link_records, drops[drops["link"] == link])
        for axes, what in zip(grid[row], ("packets", unit), strict=True):
            lowest = row == len(used) - 1
            axes.set(title=literal_text(links.label(link)), ylabel=f"Waiting ({what})")
            axes.set_xlabel("Time (s)" if lowest else "")
    _limit_axis(figure, part)
    legend_below(figure)
    return figure


def _volume_unit(volume: Array) -> tuple[str, float]:
    """Unit in which bytes are shown, and its size."""
    highest = volume.max()
    return ("B", 1.0) if highest < 2e3 else ("kB", 1e3) if highest < 2e6 else ("MB", 1e6)


def _level_steps(part: _RunPart, time: Array, level: Array) -> tuple[Array, Array]:
    """A level that holds until it changes and begins with 0, from one limit to the other."""
    first = int(np.searchsorted(time, part.start, "left"))
    last = int(np.searchsorted(time, part.end, "right"))
    before = level[first - 1] if first else 0
    shown = np.concatenate([[before], level[first:last]])
    return (
        np.concatenate([[part.start], time[first:last], [part.end]]),
        np.append(shown, shown[-1]),
    )


def _mark_losses(axes: Axes, part: _RunPart, queue: Array, drops: Array) -> None:
    time = drops["time_ns"] / _NS
    before = np.searchsorted(queue["time_ns"], drops["time_ns"], "right") - 1
    level = np.where(before >= 0, queue["packets"][before] if len(queue) else 0, 0)
    for code, cause in enumerate(LOSS_CAUSES, start=1):
        shown = (drops["cause"] == code) & part.within(time)
        if shown.any():
            height = level[shown] if cause == "queue" else np.zeros(int(shown.sum()))
            look = {"markersize": 4.0, "markerfacecolor": PAPER, **_LOST_STYLE[cause]}
            _draw_dots(axes, time[shown], height, markeredgewidth=0.8, clip_on=False, **look)


@with_style
def _delays(part: _RunPart) -> Figure:
    links, used, owners = part.links, part.used_links(), part.owners()
    flows = [owner for owner in owners if owner < len(links.flows)]
    _check_panels(2 + len(used))
    rows = 1 + -(-len(used) // 2)
    figure, grid = _grid(rows, 2, f"Delays of single packets ({_run_words(part)})")
    panels = list(grid.flat)
    looks = _owner_looks(owners, links)
    for flow in flows:
        time, delay, again = one_way_delays(part.events, flow)
        shown = part.within(time)
        for chosen, look in (
            (shown & ~again, looks[flow]),
            (shown & again, {**looks[flow], "label": "sent again", "marker": "D", "color": INK}),
        ):
            _draw_dots(panels[0], time[chosen], 1e3 * delay[chosen], **look)
        time, trip = round_trips(part.events, flow)
        shown = part.within(time)
        _draw_dots(panels[1], time[shown], 1e3 * trip[shown], **looks[flow])
    panels[0].set(title="Data: first sent to first arrival", ylabel="One-way delay (ms)")
    panels[1].set(title="ACKs: newest segment to ACK", ylabel="Round trip (ms)")
    sojourns = links.records_of("sojourn")
    for axes, link in zip(panels[2:], used, strict=False):
        link_records = sojourns[sojourns["link"] == link]
        time = link_records["time_ns"] / _NS
        rows_of = {owner: (link_records["owner"] == owner) & part.within(time) for owner in owners}
        for owner in sorted(
            owners, key=lambda number: -int(rows_of[number].sum())
        ):  # the rarest on top
            rows = rows_of[owner]
            _draw_dots(axes, time[rows], link_records["sojourn_ns"][rows] / 1e6, **looks[owner])
        axes.set(title=f"Queue {literal_text(links.label(link))}", ylabel="Sojourn (ms)")
    for axes in panels[2 + len(used) :]:
        axes.remove()
    for axes in figure.axes:
        axes.set_ylim(bottom=0.0)
    _label_lowest(figure.axes, 2)
    _limit_axis(figure, part)
    legend_below(figure)
    return figure


@with_style
def _rates(part: _RunPart, width: float | None) -> Figure:
    links, owners, used = part.links, part.owners(), part.used_links()
    width = usual_width(part.end - part.start) if width is None else float(width)
    bins = bin_edges(part.start, part.end, width)
    what = f"Delivered rates and utilisation in bins of {width:g} s ({_run_words(part)})"
    figure, grid = _grid(2, 1, what)
    upper, lower = grid.flat
    each = {owner: delivered_rate(part.events, links, owner, bins) / 1e6 for owner in owners}
    _draw_lines(upper, bins, each, _owner_looks(owners, links))
    if part.flow is None and len(owners) > _MOST_NAMED:
        mean = np.mean(list(each.values()), axis=0)
        look = {"color": INK, "linewidth": 1.6, "label": "mean of all"}
        upper.stairs(mean, bins, baseline=None, **look)
    upper.set(title="At receivers, headers included", ylabel="Delivered rate (Mbit/s)")
    busy = {link: 100.0 * utilisation(links, link, bins) for link in used}
    _draw_lines(lower, bins, busy, _link_looks(used, links))
    lower.set(title="Transmitters busy", ylabel="Utilisation (%)", xlabel="Time (s)")
    for axes in figure.axes:
        axes.set_ylim(bottom=0.0)
    _limit_axis(figure, part)
    _legends_beside(figure)
    return figure


def _draw_lines(
    axes: Axes, bins: Array, each: dict[int, Array], looks: dict[int, dict[str, Any]]
) -> None:
    for number, values in each.items():
        look = {key: value for key, value in looks[number].items() if key != "marker"}
        axes.stairs(values, bins, baseline=None, **{"linewidth": 1.0, **look})


def _draw_dots(axes: Axes, time: Array, level: Array, **look: Any) -> None:
    """Marks without a line, if there are any."""
    if len(time):
        style = {"markersize": 2.2, "markeredgewidth": 0.5, "markerfacecolor": "none"}
        crowded = len(time) > MOST_MARKED_EVENTS
        axes.plot(time, level, rasterized=crowded, **{**style, **look, "linestyle": "none"})


def _owner_looks(owners: Sequence[int], links: Links) -> dict[int, dict[str, Any]]:
    """Colour, marker, dash and name of each flow and source; of many only which of both it is."""
    flows = [owner for owner in owners if owner < len(links.flows)]
    if len(owners) <= _MOST_NAMED:
        return _looks_of_names({owner: links.owner(owner) for owner in owners})
    others = len(owners) - len(flows)
    common = {
        True: {"color": _BLUE, "marker": "o", "linewidth": 0.5, "label": count(len(flows), "flow")},
        False: {
            "color": _BROWN,
            "marker": "^",
            "linewidth": 0.5,
            "label": f"{count(others, 'source')} of cross-traffic",
        },
    }
    return {owner: common[owner < len(links.flows)] for owner in owners}


def _link_looks(used: Sequence[int], links: Links) -> dict[int, dict[str, Any]]:
    if len(used) <= _MOST_NAMED:
        return _looks_of_names({link: links.label(link) for link in used})
    look = {"color": _BLUE, "marker": "o", "linewidth": 0.5, "label": count(len(used), "link")}
    return dict.fromkeys(used, look)


def _looks_of_names(names: dict[int, str]) -> dict[int, dict[str, Any]]:
    return {
        number: {
            "color": PALETTE[place % len(PALETTE)],
            "marker": MARKERS[(place + place // len(PALETTE)) % len(MARKERS)],
            "linestyle": DASHES[(place + place // len(PALETTE)) % len(DASHES)],
            "label": literal_text(name),
        }
        for place, (number, name) in enumerate(names.items())
    }


def _grid(rows: int, columns: int, title: str) -> tuple[Figure, Any]:
    height = {1: 2.1, 2: 1.7}[columns]
    figure = Figure(figsize=(DOUBLE_COLUMN, height * rows + 0.75), layout="constrained", dpi=300)
    figure.suptitle(title, x=0.01, ha="left", fontsize=9)
    return figure, figure.subplots(rows, columns, sharex=True, squeeze=False)


def _run_words(part: _RunPart) -> str:
    label = part.events.label
    return f"{part.owner_words}; {label}" if label else part.owner_words


def _check_panels(panels: int) -> None:
    if panels > MOST_PANELS:
        raise InputError(
            f"flow: {panels} panels for the links that carry packets, and a figure shows"
            f" {MOST_PANELS}: choose one flow"
        )


def _label_lowest(panels: Iterable[Axes], columns: int) -> None:
    """The lowest panel of each column says what time is."""
    shown = list(panels)
    for axes in shown[-columns:]:
        axes.set_xlabel("Time (s)")
        axes.tick_params(labelbottom=True)


def _limit_axis(figure: Figure, part: _RunPart) -> None:
    margin = 0.01 * (part.end - part.start)
    figure.axes[0].set_xlim(part.start - margin, part.end + margin)


def _legends_beside(figure: Figure) -> None:
    """Give each panel a legend of its own, where they do not show the same."""
    for axes in figure.axes:
        handles = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
        axes.legend(
            handles=list(handles.values()),
            labels=list(handles),
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
        )
