"""Bars, steps and marks over time that a figure of a run draws into one panel."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.path import Path

from airtcp.events.records import SENDER_KINDS, Array
from airtcp.events.table import EventTable
from airtcp.plot.sequence_view import SequenceView
from airtcp.plot.style import INK, PALETTE, PAPER, label_axes

BLUE, RED, GREEN, VIOLET, BROWN, SLATE, GREY = PALETTE
MOST_MARKED_EVENTS = 10_000  # marks in a panel: beyond, they become pixels
_FAR_PANELS = 5.0  # times the window: a threshold above would leave the window no height
_CLOSE_PANELS = 0.25  # of the height of the data: a window's edge above would take it from them
FAST_RETRANSMIT_DUPACKS = 3  # where the scenario does not say
_TICK_DOWN, _CARET_DOWN = 3, 7  # Matplotlib's TICKDOWN and CARETDOWN: below and above the point

# A square with a bar in its middle: a lost ACK in [elaarag2000].
_BARRED_SQUARE = Path(
    [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1), (0, -1), (0, 1)],
    [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY, Path.MOVETO, Path.LINETO],
)
_HOLLOW_STYLE: dict[str, Any] = {"markerfacecolor": PAPER}
_LOST_STYLE: dict[str, Any] = {"color": RED, "marker": "x", "markeredgewidth": 0.8}
_LOST_ACK_STYLE: dict[str, Any] = {"color": RED, "marker": _BARRED_SQUARE, **_HOLLOW_STYLE}
_PROBE_STYLE: dict[str, Any] = {"color": SLATE, "marker": "o", "markersize": 4.0, **_HOLLOW_STYLE}
_TIMEOUT_STYLE: dict[str, Any] = {"color": VIOLET, "marker": _CARET_DOWN, "markersize": 7.0}
_SPURIOUS_STYLE: dict[str, Any] = {**_TIMEOUT_STYLE, **_HOLLOW_STYLE}


def paint_sequence(axes: Axes, view: SequenceView, advertised: bool | None = None) -> None:
    """Time and sequence, in the manner of tcptrace.

    `advertised`: whether the edge of the advertised window is drawn; None: where it is so near to
    the data that it leaves them their height.
    """
    events, run = view.events, view.run
    unit = float(events.facts["unit"])
    acks = run.rows("ack", "probe-ack")
    level = run.columns["seq"][acks] / unit
    acknowledged = view.steps(acks, level)
    edge = view.steps(acks, level + run.columns["window"][acks] / unit)
    near = np.inf if advertised else _height_near_data(events, acknowledged[1], unit)
    if advertised is not False:
        _draw_window_edge(axes, *edge, near)
    _draw_steps(axes, *acknowledged, "acknowledged", color=GREEN)
    repeats = np.flatnonzero(np.diff(level) == 0) + 1
    again = repeats[run.mask("ack")[acks][repeats]]  # an answer to a probe is none
    again = again[view.within(acks[again])]
    _draw_marks(
        axes, run.time[acks[again]], level[again], "duplicate ACK", color=GREEN, marker=_TICK_DOWN
    )
    fast = fast_retransmits(run)
    fast = fast[view.within(fast)]
    look = {"color": GREEN, "marker": "^", "markersize": 6.0}
    third = f"{_ordinal(int(events.facts.get('dupacks', FAST_RETRANSMIT_DUPACKS)))} duplicate"
    height = run.columns["seq"][fast] / unit
    _draw_marks(axes, run.time[fast], height, "fast retransmission", **look)
    write_notes(axes, view, run.time[fast], height, third)
    _draw_sacks(axes, events, unit)
    _draw_segments(axes, events, "send", "sent", unit, color=INK)
    _draw_segments(axes, events, "resend", "", unit, color=BLUE)  # the diamonds stand in the legend
    for kind, label, look in (
        ("timeout", "timeout", _TIMEOUT_STYLE),
        ("spurious", "spurious timeout", _SPURIOUS_STYLE),
        (
            "resend",
            "sent again",
            {"color": BLUE, "marker": "D", "markersize": 3.0, **_HOLLOW_STYLE},
        ),
        ("drop", "packet lost", _LOST_STYLE),
        ("ack-drop", "ACK lost", _LOST_ACK_STYLE),
        ("probe-send", "probe", _PROBE_STYLE),
        (
            "probe-ack",
            "probe answered",
            {**_PROBE_STYLE, "fillstyle": "full", "markerfacecolor": SLATE},
        ),
        ("probe-drop", "probe lost", {**_LOST_STYLE, "marker": "+"}),
        ("probe-ack-drop", "answer to a probe lost", {**_LOST_STYLE, "marker": "1"}),
    ):
        rows = events.rows(kind)
        height = events.columns["seq"][rows] + events.columns["length"][rows] / 2
        _draw_marks(axes, events.time[rows], height / unit, label, **look)
        if kind in _NOTED_EVENTS:
            write_notes(axes, view, events.time[rows], height / unit, _NOTED_EVENTS[kind])
    label_axes(axes, xlabel="Time (s)", ylabel="Sequence number (packets)", log_x=False)
    axes.ticklabel_format(axis="y", style="plain")


def paint_numbers(axes: Axes, view: SequenceView, modulo: int = 100) -> None:
    """Packet numbers over time, in the manner of [elaarag2000]."""
    events = view.events
    arrived = events.rows("arrive")
    node = _first_node(events)
    square = {"color": BLUE, "marker": "s", "markersize": 2.2}
    for rows, label, look in (
        (events.rows("send", "resend"), "packet enqueued at the sender", square),
        (
            arrived[events.columns["node"][arrived] == node],
            f"packet at node {node}",
            {**square, "color": SLATE},
        ),
        (
            events.rows("ack"),
            "ACK received",
            {"color": GREEN, "marker": "o", "markersize": 3.0, **_HOLLOW_STYLE},
        ),
        (events.rows("ack-drop"), "ACK lost", _LOST_ACK_STYLE),
        (events.rows("drop"), "packet lost", _LOST_STYLE),
    ):
        packet = events.columns["packet"][rows]
        rows, packet = rows[packet >= 0], packet[packet >= 0]  # noqa: PLW2901
        _draw_marks(axes, events.time[rows], packet % modulo, label, **look)
    label_axes(axes, xlabel="Time (s)", ylabel=f"Packet number mod {modulo}", log_x=False)
    axes.set_ylim(-0.03 * modulo, 1.03 * modulo)


def _first_node(events: EventTable) -> int:
    """The node next to the sender of the one flow that these events are of."""
    flow = int(events.columns["flow"][0])
    neighbours: list[int] = events.facts.get("neighbours", [])
    return neighbours[flow] if neighbours else 1


def paint_window(axes: Axes, view: SequenceView) -> None:
    """The sender's window over time."""
    run = view.run
    rows = run.rows(*SENDER_KINDS)
    levels = {name: run.columns[name][rows] for name in ("inflight", "ssthresh", "cwnd")}
    known = levels["cwnd"] > 0
    inflight = view.steps(rows, levels["inflight"])
    cwnd = view.steps(rows[known], levels["cwnd"][known])
    _draw_steps(axes, *inflight, "not acknowledged", color=GREY, linewidth=0.7)
    highest = max(np.nanmax(cwnd[1], initial=1.0), inflight[1].max(initial=1))
    time, threshold = view.steps(rows, levels["ssthresh"])
    threshold = np.where(threshold <= _FAR_PANELS * highest, threshold, np.nan)
    _draw_steps(axes, time, threshold, "ssthresh", color=BROWN, linestyle=(0, (5, 1.8)))
    _draw_steps(axes, *cwnd, "cwnd", color=BLUE, linewidth=1.3)
    third = f"{_ordinal(int(run.facts.get('dupacks', FAST_RETRANSMIT_DUPACKS)))} duplicate"
    for marked, label, note_words, look in (
        (
            fast_retransmits(run),
            "fast retransmission",
            third,
            {"color": GREEN, "marker": "^", "markersize": 6.0},
        ),
        (run.rows("timeout"), "timeout", "timeout", _TIMEOUT_STYLE),
    ):
        shown = marked[view.within(marked)]
        height = run.columns["cwnd"][shown]
        _draw_marks(axes, run.time[shown], height, label, **look)
        write_notes(axes, view, run.time[shown], height, note_words)
    label_axes(axes, xlabel="Time (s)", ylabel="Window (packets)", log_x=False)
    axes.update_datalim([(float(view.events.time[0]), 0.0)])
    axes.autoscale_view()


def _height_near_data(events: EventTable, acknowledged: Array, unit: float) -> float:
    """Greatest height at which a line stays near the data shown; infinite if none is shown."""
    shown = events.columns["seq"][events.mask("send", "resend", "ack")] / unit
    shown = np.append(shown, acknowledged)
    lowest, highest = shown.min(initial=np.inf), shown.max(initial=-np.inf)
    return float(highest + _CLOSE_PANELS * (highest - lowest + 1.0)) if shown.size else np.inf


def _draw_window_edge(axes: Axes, time: Array, level: Array, near: float) -> None:
    """The line of the advertised window, which leaves the panel where it is far above the data."""
    if not (level <= near).any():
        return
    line = Line2D(time, level, label="advertised window", color=BROWN, **_step_style(time))
    axes.add_artist(line)  # other than by plot, so that what is far does not count in the limits
    axes.update_datalim(np.stack([time, np.minimum(level, near)], axis=1))
    axes.autoscale_view()


_NOTED_EVENTS = {
    "timeout": "timeout",
    "drop": "lost",
}  # kinds of events that have words in the panel
_MOST_NOTES = 10  # of a sort: with more, the legend alone says what the marks are
_POINTS_PER_INCH = 72.0  # per inch
_PANEL_SHARE = 0.8  # share of the place of a panel without its labels
_LETTER_WIDTH, _LINE_HEIGHT = 3.4, 8.0  # points: width and height of letters of these words
_LEAST_GAP = 0.04  # of the time shown: events that are nearer have their words once


def write_notes(axes: Axes, view: SequenceView, time: Array, level: Array, words: str) -> None:
    """Words beside marks; events that follow one another share a text: "12 lost"."""
    if not len(time):
        return
    shown = view.events.time
    apart = _LEAST_GAP * max(float(shown[-1] - shown[0]), 1e-9)
    order = np.argsort(time, kind="stable")
    breaks = np.flatnonzero(np.diff(time[order]) > apart) + 1
    groups = np.split(order, breaks)
    longest = max(float(np.ptp(time[group])) for group in groups)
    if len(groups) > _MOST_NOTES or longest > 2.0 * apart:
        return  # words would cover the data, or tell of no place
    before: tuple[float, float, float] | None = None  # place of the words before, and their width
    across, up = _points_per_unit(axes)
    for group in groups:
        counted = _counted_words(words, len(group))
        at, height = float(time[group[-1]]), float(level[group[-1]])
        place = (across * at, up * height, _LETTER_WIDTH * len(counted))
        if before and place[0] < before[0] + before[2] and abs(place[1] - before[1]) < _LINE_HEIGHT:
            continue  # they would cover the words before
        before = place
        axes.annotate(
            counted,
            (at, height),
            xytext=(4, -7 if words != "lost" else 3),
            textcoords="offset points",
            fontsize=6,
            color=INK,
            annotation_clip=True,
            zorder=5,
            bbox={"boxstyle": "round,pad=0.1", "facecolor": PAPER, "edgecolor": "none"},
        )


def _counted_words(words: str, number: int) -> str:
    """Words for one event, or for several: "12 lost", "2 timeouts", "3rd duplicate × 4"."""
    if number == 1:
        return words
    if words[0].isdigit():
        return f"{words} \N{MULTIPLICATION SIGN} {number}"
    return f"{number} {words if words == 'lost' else f'{words}s'}"


def _points_per_unit(axes: Axes) -> tuple[float, float]:
    """Points per unit along either axis, by the size of the figure and the number of panels."""
    figure, spec = axes.figure, axes.get_subplotspec()
    rows, columns = (1, 1) if spec is None else spec.get_gridspec().get_geometry()
    size = _PANEL_SHARE * _POINTS_PER_INCH / figure.dpi
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    across = size * figure.bbox.width / columns / max(right - left, 1e-9)
    return across, size * figure.bbox.height / rows / max(high - low, 1e-9)


def _ordinal(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def fast_retransmits(events: EventTable) -> Array:
    """The ACKs of one flow that made the sender retransmit at once.

    Something is sent again at their instant, and they are the duplicate that makes up the number,
    or the threshold falls.
    """
    rows = events.rows("ack", "timeout")
    if not len(rows):
        return rows
    columns = {name: events.columns[name][rows] for name in ("time_ns", "dupacks", "ssthresh")}
    dupacks_needed = int(events.facts.get("dupacks", FAST_RETRANSMIT_DUPACKS))
    before = {name: np.concatenate([column[:1], column[:-1]]) for name, column in columns.items()}
    reached = (columns["dupacks"] >= dupacks_needed) & (before["dupacks"] < dupacks_needed)
    fell = columns["ssthresh"] < before["ssthresh"]
    resent = np.isin(columns["time_ns"], events.columns["time_ns"][events.rows("resend")])
    return rows[(reached | fell) & resent & events.mask("ack")[rows]]


def _draw_steps(axes: Axes, time: Array, level: Array, label: str, **look: Any) -> None:
    axes.plot(time, level, label=label, **{**_step_style(time), **look})


def _step_style(time: Array) -> dict[str, Any]:
    crowded = len(time) > MOST_MARKED_EVENTS
    return {"linewidth": 0.9, "drawstyle": "steps-post", "rasterized": crowded}


def _draw_marks(axes: Axes, time: Array, level: Array, label: str, **look: Any) -> None:
    """Marks without a line, if there are any."""
    if not len(time):
        return
    style = {
        "markersize": 3.5,
        "markeredgewidth": 0.7,
        "rasterized": len(time) > MOST_MARKED_EVENTS,
        **look,
    }
    axes.plot(time, level, linestyle="none", label=label, **style)


def _draw_segments(
    axes: Axes, events: EventTable, kind: str, label: str, unit: float, *, color: str
) -> None:
    """Bars from the first to the last sequence number of what was sent."""
    rows = events.rows(kind)
    start = events.columns["seq"][rows] / unit
    end = start + events.columns["length"][rows] / unit
    _draw_bars(axes, events.time[rows], start, end, label, color=color, linewidth=1.4)


def _draw_sacks(axes: Axes, events: EventTable, unit: float) -> None:
    """Bars over what each ACK reported beyond its number."""
    rows = events.rows("ack")
    blocks = events.columns["sack"][rows] / unit
    used = blocks[:, :, 1] > blocks[:, :, 0]
    time = np.repeat(events.time[rows], used.sum(axis=1))
    _draw_bars(
        axes, time, blocks[used][:, 0], blocks[used][:, 1], "SACK", color=VIOLET, linewidth=0.7
    )


def _draw_bars(axes: Axes, time: Array, start: Array, end: Array, label: str, **look: Any) -> None:
    if not len(time):
        return
    corners: Any = np.stack([time, start, time, end], axis=1).reshape(-1, 2, 2)
    bars = LineCollection(
        corners, label=label, rasterized=len(time) > MOST_MARKED_EVENTS, zorder=2, **look
    )
    axes.add_collection(bars)
    axes.autoscale_view()
