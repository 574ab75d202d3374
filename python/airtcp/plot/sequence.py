"""Figures of a run, packet by packet: packets sent, acknowledged and lost, and the course of cwnd.

- `time_sequence`: in the manner of tcptrace, with losses, timeouts, and when these are found to
  have been spurious marked, which only a simulator knows;
- `packet_number`: in the manner of ElAarag & Bassiouni [elaarag2000], numbers modulo 100;
- `window_steps`: congestion window, threshold, packets not yet acknowledged;
- `compare`: one of these for several runs side by side, on common axes.

`start` and `end` limit the time (s): lines begin with the state at the start and go on to the end.
More than 10 000 marks of a sort in one panel are pixels, so
that vector files stay small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, BinaryIO, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from airtcp.errors import InputError, known_name, refusal
from airtcp.events.limits import time_limits, words_for_limits
from airtcp.events.table import EventTable
from airtcp.plot.sequence_marks import paint_numbers, paint_sequence, paint_window
from airtcp.plot.sequence_view import SequenceView
from airtcp.plot.style import DOUBLE_COLUMN, literal_text, svg, with_style

RESOLUTION = 300  # of pixels, per inch
MOST_PANELS = 24
_MARKER_SHRINK = 0.75
_LETTERS_PER_INCH = 15.0  # of the legend

FigureFunction: TypeAlias = Callable[[Axes, SequenceView], None]


def time_sequence(
    events: EventTable,
    flow: int = 0,
    *,
    start: float | None = None,
    end: float | None = None,
    advertised: bool | None = None,
) -> Figure:
    """Draw segments as bars, with ACKs, the edge of the receiver's window and SACK blocks.

    Retransmissions, losses, timeouts and the duplicate ACKs that trigger a fast retransmit are
    marked, with words where they are few.

    Parameters
    ----------
    events : EventTable
        A traced run.
    flow : int, default 0
        Number of the flow.
    start : float, optional
        Leave out events before this time, s.
    end : float, optional
        Leave out events after this time, s.
    advertised : bool, optional
        True to draw the edge of the advertised window, False to leave it out; by default it is
        drawn if it is near the data.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If the flow has no events in the time.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.sequence import time_sequence
    >>> len(time_sequence(events).axes)
    1
    """
    return compare([events], flow=flow, start=start, end=end, advertised=advertised)


def packet_number(
    events: EventTable,
    flow: int = 0,
    *,
    modulo: int = 100,
    start: float | None = None,
    end: float | None = None,
) -> Figure:
    """Draw packet numbers modulo 100, when packets were enqueued at the sender and reached node 1.

    Circles are ACKs that the sender received, crosses lost packets, barred squares lost ACKs.

    Parameters
    ----------
    events : EventTable
        A traced run.
    flow : int, default 0
        Number of the flow.
    modulo : int, default 100
        Number at which packet numbers start again at 0.
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
        If the flow has no events in the time.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.sequence import packet_number
    >>> len(packet_number(events).axes)
    1
    """
    if isinstance(modulo, bool) or not isinstance(modulo, int) or modulo < 1:
        raise refusal("modulo", modulo, "a whole number from 1")
    return _figure([events], lambda axes, view: paint_numbers(axes, view, modulo), flow, start, end)


def window_steps(
    events: EventTable, flow: int = 0, *, start: float | None = None, end: float | None = None
) -> Figure:
    """Draw the congestion window, the threshold and the unacknowledged packets as steps.

    Timeouts and fast retransmits are marked.

    Parameters
    ----------
    events : EventTable
        A traced run.
    flow : int, default 0
        Number of the flow.
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
        If the flow has no events in the time.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.sequence import window_steps
    >>> len(window_steps(events).axes)
    1
    """
    return _figure([events], paint_window, flow, start, end)


SEQUENCE_FIGURES: dict[str, FigureFunction] = {
    "sequence": paint_sequence,
    "paper": paint_numbers,
    "window": paint_window,
}


def compare(
    runs: Sequence[EventTable],
    kind: str = "sequence",
    flow: int = 0,
    *,
    start: float | None = None,
    end: float | None = None,
    advertised: bool | None = None,
) -> Figure:
    """Draw several runs side by side on common axes.

    Parameters
    ----------
    runs : sequence of EventTable
        Traced runs.
    kind : str, default "sequence"
        Kind of figure: sequence, paper or window.
    flow : int, default 0
        Number of the flow.
    start : float, optional
        Leave out events before this time, s.
    end : float, optional
        Leave out events after this time, s.
    advertised : bool, optional
        With kind sequence, as in `time_sequence`.

    Returns
    -------
    Figure
        The figure, with one panel per run.

    Raises
    ------
    InputError
        If there are too many runs, or a run has no event of the flow.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.sequence import compare
    >>> len(compare([events, events], "window").axes)
    2
    """
    known_name("kind", kind, SEQUENCE_FIGURES)
    if advertised is None:
        return _figure(runs, SEQUENCE_FIGURES[kind], flow, start, end)
    if kind != "sequence":
        raise InputError(f"advertised: applies only to kind sequence, not to {kind}")
    return _figure(runs, partial(paint_sequence, advertised=advertised), flow, start, end)


@with_style
def save(figure: Figure, file: BinaryIO, suffix: str) -> None:
    """Write a figure as .svg, .pdf or .png; the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
        The figure.
    file : BinaryIO
        An open binary file.
    suffix : str
        ".svg", ".pdf" or ".png".

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> import io
    >>> from airtcp.plot.sequence import save, time_sequence
    >>> file = io.BytesIO()
    >>> save(time_sequence(events), file, ".png")
    >>> file.getvalue()[1:4]
    b'PNG'
    """
    if suffix == ".svg":
        file.write(svg(figure).encode())
        return
    metadata = {"CreationDate": None} if suffix == ".pdf" else {}
    figure.savefig(file, format=suffix[1:], dpi=RESOLUTION, metadata=metadata)


@with_style
def _figure(
    runs: Sequence[EventTable],
    paint: FigureFunction,
    flow: int,
    start: float | None,
    end: float | None,
) -> Figure:
    if not 1 <= len(runs) <= MOST_PANELS:
        raise InputError(f"{len(runs)} runs: a figure can show 1 to {MOST_PANELS}")
    shown = [_flow_view(events, flow, start, end) for events in runs]
    columns = 1 if len(runs) == 1 else 2 if len(runs) <= 8 else 3
    rows = -(-len(runs) // columns)
    each = 0.46 if columns == 1 else 0.66 / columns
    size = (DOUBLE_COLUMN, each * DOUBLE_COLUMN * rows + 0.4)
    figure = Figure(figsize=size, layout="constrained", dpi=RESOLUTION)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, view, title in zip(grid.flat, shown, _titles(shown), strict=False):
        paint(axes, view)
        axes.set_title(title)
        axes.margins(x=0.01)
        if columns > 1:
            _shrink_markers(axes)
    _set_limits(grid.flat[0], shown)
    for axes in grid.flat[len(runs) :]:
        axes.remove()
    for index, axes in enumerate(grid.flat[: len(runs)]):
        _label_outside(axes, lowest=index + columns >= len(runs), leftmost=index % columns == 0)
    legend_below(figure)
    return figure


def _flow_view(
    events: EventTable, flow: int, start: float | None, end: float | None
) -> SequenceView:
    """One flow within the limits of time."""
    time_limits(start, end)
    view = SequenceView(events.of_flow(flow), start, end, events.duration)
    if not len(view.run) or not len(view.events):
        limits = words_for_limits(start, end)
        when = " in this time" if limits else ""
        raise InputError(f"{limits}{': ' if limits else ''}flow {flow} has no events{when}")
    return view


def _set_limits(axes: Axes, views: Sequence[SequenceView]) -> None:
    """Let the common axis of time end where the time is cut, so that lines meet its ends."""
    starts, ends = zip(*(view.limits for view in views), strict=True)
    if None not in starts:
        axes.set_xlim(left=min(starts))
    if None not in ends:
        axes.set_xlim(right=max(ends))


def _titles(views: Sequence[SequenceView]) -> list[str]:
    """Label of each run by the coordinates that differ; the variant where nothing does."""
    runs = [view.events for view in views]
    points: list[dict[str, Any]] = [dict(events.facts.get("coordinates", {})) for events in runs]
    varying = [key for key in points[0] if any(p.get(key) != points[0][key] for p in points)]
    if not varying:
        return [events.label for events in runs]
    return [
        ", ".join(_coordinate_words(key, point.get(key)) for key in varying) for point in points
    ]


def _coordinate_words(path: str, value: Any) -> str:
    key = path.rpartition(".")[2].replace("_", " ")
    return literal_text(str(value) if key in ("variant", "kind") else f"{key} {value}")


def _shrink_markers(axes: Axes) -> None:
    """Smaller marks for smaller panels."""
    for line in axes.lines:
        line.set_markersize(_MARKER_SHRINK * line.get_markersize())


def _label_outside(axes: Axes, *, lowest: bool, leftmost: bool) -> None:
    if not lowest:
        axes.set_xlabel("")
    if not leftmost:
        axes.set_ylabel("")
    axes.tick_params(labelbottom=lowest, labelleft=leftmost)


def legend_below(figure: Figure) -> None:
    """Put one legend below the axes, with the entries of all panels.

    Parameters
    ----------
    figure : Figure
        The figure, which is changed.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> document = scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}}
    >>> events = at.trace(document, links=True)
    >>> from airtcp.plot.sequence import legend_below, time_sequence
    >>> legend_below(time_sequence(events))
    """
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if not handles:
        return
    letters = sum(len(label) + 7 for label in handles)
    rows = max(1, round(0.5 + letters / (_LETTERS_PER_INCH * DOUBLE_COLUMN)))
    figure.legend(
        handles=list(handles.values()),
        labels=list(handles),
        loc="outside lower center",
        ncols=-(-len(handles) // rows),
        handlelength=1.8,
        columnspacing=1.3,
    )
