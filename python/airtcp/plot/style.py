"""Figures in one style: sized for a journal column, safe for the colour-blind, text kept as text.

Nothing here touches pyplot or global settings: a figure is an object, and the same numbers give the
same SVG bytes. Series differ by colour *and* by marker or dash, so they survive grey printing.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from textwrap import fill, wrap
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    FormatStrFormatter,
    LogFormatterSciNotation,
    LogLocator,
    MultipleLocator,
    NullFormatter,
)
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike, NDArray

from airtcp.plot.marks import OPEN_MARKS, SIDES, MarkStyle
from airtcp.plot.svg_fonts import with_fonts
from airtcp.stats import CONFIDENCE
from airtcp.support.files import name_in_write_errors
from airtcp.terminal import visible_line

LEVEL = f"{100.0 * CONFIDENCE:g} %"  # of the intervals

SINGLE_COLUMN = 3.5  # inches, IEEE two-column page
DOUBLE_COLUMN = 7.16  # inches

# Blue, vermilion and bluish green of Okabe and Ito, whose other colours are too light for lines on
# white; violet, brown, slate and grey are chosen so that all seven have a contrast of 3 with the
# paper of pages, white and dark, and differ most for dichromats (test_figures_for_readers.py).
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#BE4BDC", "#975502", "#838BAF", "#5E6666")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
COLOUR_OF_VARIANT = {
    "tahoe": 0,
    "reno": 1,
    "newreno": 2,
    "oldtahoe": 3,
    "sack": 4,
}  # the same in every figure
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.8)),
    (0, (1.2, 1.4)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (2.5, 1)),
)

INK = "#1a1a1b"  # text and axes; reports swap these three for their own colours in the dark
PAPER = "#fffffe"
GRID = "#dcdcdd"

_LINE_WIDTH, _MARKER_SIZE = 1.3, 4.0  # of lines and markers, points

STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.formatter.useoffset": False,
    "axes.facecolor": PAPER,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 8,
    "axes.titlecolor": INK,
    "errorbar.capsize": 1.8,
    "figure.facecolor": PAPER,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 8,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "legend.edgecolor": "none",
    "legend.facecolor": "none",
    "legend.fontsize": 7,
    "legend.labelcolor": INK,
    "lines.linewidth": _LINE_WIDTH,
    "lines.markersize": _MARKER_SIZE,
    "pdf.fonttype": 42,  # TrueType: publishers refuse the Type 3 that Matplotlib makes by default
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "airtcp",
    "text.color": INK,
    "text.usetex": False,  # by which every text would be a program
    "xtick.color": INK,
    "xtick.labelsize": 7,
    "ytick.color": INK,
    "ytick.labelsize": 7,
}


def literal_text(text: str) -> str:
    """A text of a user for a figure, which shows it as it is: no dollar begins mathematics.

    Matplotlib leaves out of legends what begins with "_"; a blank goes before that.
    """
    shown = visible_line(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def wrapped_text(text: str, letters: int) -> str:
    """A text, as words, in lines of so many letters."""
    return "\n".join(map(literal_text, wrap(visible_line(text), letters)))


P = ParamSpec("P")
R = TypeVar("R")


def with_style(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function under this module's style, and leave the user's settings as they were."""

    @wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        with mpl.rc_context(STYLE):
            return function(*args, **kwargs)

    return inner


@dataclass(frozen=True, kw_only=True)
class CurveData:
    """One series: a line (a model), a band around it, points with intervals (runs).

    `colour` and `line` are what the series has in common with others: equal words share a colour,
    or a dash; `legend_words`: what a legend says instead of both. NaN leaves a gap; a value that no
    line reaches is a mark. `has_connected_points` is False where x has no order: a line is then a
    short bar. `marks`: how its points look; where several engines have points, some stand a little
    aside, so that intervals do not hide.
    """

    colour: str
    line: str = ""
    legend_words: str = ""
    has_connected_points: bool = True
    marks: MarkStyle = OPEN_MARKS
    x: ArrayLike = ()
    y: ArrayLike = ()
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    points_x: ArrayLike = ()
    points: ArrayLike = ()
    points_low: ArrayLike = ()
    points_high: ArrayLike = ()

    @property
    def label(self) -> str:
        """The words of the legend."""
        return self.legend_words or ", ".join(word for word in (self.colour, self.line) if word)


@with_style
def throughput_figure(
    curves: Sequence[CurveData],
    *,
    xlabel: str = "Packet loss rate",
    ylabel: str = "Throughput (packets per slot)",
    title: str = "",
    log_x: bool = True,
    width: float = SINGLE_COLUMN,
    y_range: tuple[float, float] | None = (0.0, 1.0),
) -> Figure:
    """Curves over one axis: lines for analysis, open markers with 95 % intervals for simulation.

    The legend stands below the axes, so it never covers data. With more than four curves it names
    colours and dashes apart.
    """
    figure = Figure(figsize=(width, 0.86 * width), layout="constrained")
    axes = figure.add_subplot()
    look = LookAssignment.of(curves)
    draw_curves(axes, curves, look)
    label_axes(axes, xlabel=xlabel, ylabel=ylabel, title=title, log_x=log_x)
    if y_range:
        axes.set_ylim(*y_range)
    legend(figure, curves, look)
    return figure


@with_style
def panels_figure(
    panels: Sequence[tuple[str, Sequence[CurveData]]],
    *,
    xlabel: str,
    ylabel: str,
    log_x: bool = True,
    columns: int = 2,
    zero: bool = False,
    y_range: tuple[float, float] | None = None,
    width: float = DOUBLE_COLUMN,
) -> Figure:
    """Several axes with one legend and one vertical scale; `zero` draws the line of no change."""
    everything = [curve for _, curves in panels for curve in curves]
    look = LookAssignment.of(everything)
    rows = -(-len(panels) // columns)
    letters = int(_LETTERS_PER_INCH * (width / columns - _ORDINATE_ROOM))
    panels = [(fill(title, letters), curves) for title, curves in panels]
    more = max(title.count("\n") for title, _ in panels)
    height = 0.62 * width / columns * rows + 0.5 + _LEGEND_LINE * rows * more
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for index, (axes, (title, curves)) in enumerate(zip(grid.flat, panels, strict=False)):
        draw_curves(axes, curves, look)
        lowest, leftmost = index + columns >= len(panels), index % columns == 0
        labels = {"xlabel": xlabel if lowest else "", "ylabel": ylabel if leftmost else ""}
        label_axes(axes, title=title, log_x=log_x, **labels)
        axes.tick_params(labelbottom=lowest)
        if zero:
            axes.axhline(0.0, color=INK, linewidth=0.6)
        if y_range:
            axes.set_ylim(*y_range)
    legend(figure, everything, look)
    return figure


@with_style
def energy_figure(
    throughput: Sequence[CurveData],
    cost: Sequence[CurveData],
    *,
    level: float,
    margins: tuple[float, float],
    width: float = DOUBLE_COLUMN,
) -> Figure:
    """Left: throughput over the fading margin, with the difference in dB marked at one `level`.

    Right: packets sent per packet delivered. `margins` are the two margins in dB that meet `level`.
    """
    figure = Figure(figsize=(width, 0.46 * width), layout="constrained")
    left, right = figure.subplots(1, 2)
    look = LookAssignment.of([*throughput, *cost])
    margin = "Fading margin (dB)"
    draw_curves(left, throughput, look)
    label_axes(left, xlabel=margin, ylabel="Throughput (packets per slot)", log_x=False)
    left.set_ylim(0.0, 1.0)
    _mark_difference(left, level, margins)
    draw_curves(right, cost, look)
    label_axes(right, xlabel=margin, ylabel="Packets sent per packet delivered", log_x=False)
    for axes in (left, right):
        axes.xaxis.set_major_locator(MultipleLocator(5.0))
    legend(figure, throughput, look)
    return figure


def _mark_difference(axes: Axes, level: float, margins: tuple[float, float]) -> None:
    low, high = sorted(margins)
    dots: dict[str, Any] = {"color": INK, "linewidth": 0.6, "linestyle": (0, (1, 2))}
    axes.axhline(level, **dots)
    for edge in (low, high):
        axes.plot([edge, edge], [0.0, level], **dots)
    arrow = {"arrowstyle": "<->", "color": INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (low, 0.1), (high, 0.1), arrowprops=arrow)
    text = f"{high - low:.1f} dB at {level:g}"
    axes.text((low + high) / 2.0, 0.12, text, ha="center", va="bottom", fontsize=7)


@dataclass(frozen=True)
class LookAssignment:
    """Assignment of colours, markers and dashes to words."""

    colours: tuple[str, ...]
    lines: tuple[str, ...]

    @classmethod
    def of(cls, curves: Sequence[CurveData]) -> LookAssignment:
        """Assign places in order of first appearance among the curves."""
        colours = dict.fromkeys(curve.colour for curve in curves)
        lines = dict.fromkeys(curve.line for curve in curves)
        return cls(tuple(colours), tuple(lines))

    def place(self, word: str) -> int:
        """The place of a word in palette and markers."""
        if all(colour.lower() in COLOUR_OF_VARIANT for colour in self.colours):
            return COLOUR_OF_VARIANT[word.lower()]
        return self.colours.index(word) % len(PALETTE)

    def colour(self, word: str) -> str:
        """The colour of a word."""
        return PALETTE[self.place(word)]

    def marker(self, word: str) -> str:
        """The marker of the same word."""
        return MARKERS[self.place(word)]

    def rank(self, word: str) -> float:
        """1 for the first colour, drawn largest, to 0 for the last, on top and smallest."""
        return 1.0 - self.colours.index(word) / max(1, len(self.colours) - 1)

    def width(self, word: str) -> float:
        """The width of a line: one that a later line covers shows at both sides of it."""
        return 0.9 + self.rank(word) if len(self.colours) > 1 else _LINE_WIDTH

    def size(self, word: str) -> float:
        """The size of a marker: one that a later marker covers shows around it."""
        return 3.2 + 2.6 * self.rank(word) if len(self.colours) > 1 else _MARKER_SIZE

    def stroke(self, curve: CurveData) -> dict[str, Any]:
        """Dash and width of a curve."""
        dash = self.dash(curve.colour, curve.line)
        width = self.width(curve.colour)
        return {"linestyle": dash, "linewidth": curve.marks.size * width}

    def point(self, curve: CurveData) -> dict[str, Any]:
        """The points of a curve, as its engine has them."""
        size = curve.marks.size * self.size(curve.colour)
        filled = _fill_keywords(curve.marks, self.colour(curve.colour))
        return {"marker": self.marker(curve.colour), "markersize": size, **filled}

    def bar(self, curve: CurveData) -> dict[str, Any]:
        """A value of a line that stands alone: a bar, or a mark of its own for a word of a dash."""
        place = self.lines.index(curve.line) if any(self.lines) else 0
        return {
            **_BAR_STYLE,
            "marker": _BAR_MARKERS[place % len(_BAR_MARKERS)],
            "markersize": 6 if place else 14,
        }

    def dash(self, colour: str, line: str) -> Any:
        """The dash of a word; dashes without a meaning of their own help to distinguish colours."""
        place = self.lines.index(line) if any(self.lines) else self.place(colour)
        return DASHES[place % len(DASHES)]


def draw_curves(axes: Axes, curves: Sequence[CurveData], look: LookAssignment) -> None:
    """Bands below, lines above them, points on top; points of some engines are shifted a little."""
    several = len({curve.marks for curve in curves if np.size(curve.points)}) > 1
    for curve in curves:
        where = (
            _offset_keywords(axes, curve.marks.offset_points)
            if several and curve.marks.offset_points
            else {}
        )
        colour, x = look.colour(curve.colour), np.asarray(curve.x, dtype=float)
        if curve.lower is not None and curve.upper is not None:
            axes.fill_between(x, curve.lower, curve.upper, color=colour, alpha=0.2, linewidth=0)
        lone = _isolated_values(curve)
        if x.size and not lone.all():
            axes.plot(x, curve.y, color=colour, **look.stroke(curve), **where)
        if lone.any():
            y = np.asarray(curve.y, dtype=float)[lone]
            axes.plot(x[lone], y, color=colour, **look.bar(curve), **where)
        _draw_points(axes, curve, look, where)
        if where:
            _make_room(axes, curve)


def _isolated_values(curve: CurveData) -> NDArray[np.bool_]:
    """Mask of the values of a line that no line reaches: neither neighbour is known."""
    known = np.isfinite(np.asarray(curve.y, dtype=float))
    if not curve.has_connected_points:
        return np.ones(known.shape, dtype=bool)
    beside = np.zeros(known.shape, dtype=bool)
    beside[1:] |= known[:-1]
    beside[:-1] |= known[1:]
    lone: NDArray[np.bool_] = known & ~beside
    return lone


def _offset_keywords(axes: Axes, points: float) -> dict[str, Any]:
    """Keywords that move an artist by `points` to the right of its coordinates."""
    move = ScaledTranslation(points / 72.0, 0.0, axes.figure.dpi_scale_trans)
    return {"transform": axes.transData + move}


def _fill_keywords(marks: MarkStyle, colour: str) -> dict[str, Any]:
    if marks.fill in SIDES:
        return {"fillstyle": marks.fill, "markerfacecolor": colour, "markerfacecoloralt": PAPER}
    return {"markerfacecolor": PAPER if marks.fill == "none" else colour}


def _make_room(axes: Axes, curve: CurveData) -> None:
    """Let the axes hold a curve that is not drawn in their own coordinates."""
    points = ((curve.points_x, bound) for bound in (curve.points_low, curve.points_high))
    for x, y in ((curve.x, curve.y), *points):
        both = np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])
        axes.update_datalim(both[np.isfinite(both).all(axis=1)])
    axes.autoscale_view()


_BAR_STYLE: dict[str, Any] = {"linestyle": "none", "markeredgewidth": 1.5}
_BAR_MARKERS = ("_", "x", "+", "1", "2")


def _draw_points(axes: Axes, curve: CurveData, look: LookAssignment, where: dict[str, Any]) -> None:
    mean = np.asarray(curve.points, dtype=float)
    drawn = np.isfinite(mean)  # a mean without bound has no place
    if not drawn.any():
        return
    mean = mean[drawn]
    ends = (curve.points_low, curve.points_high)
    low, high = (np.asarray(bound, dtype=float)[drawn] for bound in ends)
    axes.errorbar(
        np.asarray(curve.points_x)[drawn],
        mean,
        yerr=np.maximum([mean - low, high - mean], 0.0),
        linestyle="none",
        color=look.colour(curve.colour),
        markeredgewidth=0.9,
        elinewidth=0.9,
        zorder=4 if curve.marks.offset_points else 3,
        clip_on=False,
        **look.point(curve),
        **where,
    )


def label_axes(
    axes: Axes, *, xlabel: str, ylabel: str, title: str = "", log_x: bool = True
) -> None:
    """Labels, scale and ticks."""
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if log_x:
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        if high < 60.0 * low:  # decades alone would leave hardly a tick
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        else:
            axes.xaxis.set_major_formatter(LogFormatterSciNotation())
        axes.xaxis.set_minor_formatter(NullFormatter())


_LETTERS_PER_INCH = 17.0  # of the font of legends and titles, with some room
_ORDINATE_ROOM, _LEGEND_LINE = 0.5, 0.13  # inches: beside the axes of a panel; per line of a title


def legend(figure: Figure, curves: Sequence[CurveData], look: LookAssignment) -> None:
    """Below the axes; colours and dashes apart when there are many curves."""
    labels = dict.fromkeys(curve.label for curve in curves)
    handles = (
        _combined_handles(curves, look) if len(labels) <= 4 else _separate_handles(curves, look)
    )
    handles += _engine_handles([curve for curve in curves if np.asarray(curve.points).size])
    letters = max(len(re.sub(r"[${}_\\]", "", handle.get_label())) for handle in handles) + 7
    columns = max(1, int(_LETTERS_PER_INCH * figure.get_figwidth() / letters))
    rows = -(-len(handles) // columns)
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=-(-len(handles) // rows),
        handlelength=2.8,
        columnspacing=1.4,
    )


def _combined_handles(curves: Sequence[CurveData], look: LookAssignment) -> list[Any]:
    first = {curve.label: curve for curve in reversed(curves)}
    return [
        Line2D(
            [],
            [],
            color=look.colour(curve.colour),
            label=label,
            **(look.bar(curve) if _is_bars(curve) else look.point(curve))
            | look.stroke(curve)
            | ({} if _is_joined([curve]) else {"linestyle": "none"}),
        )
        for label, curve in reversed(first.items())
    ]


def _is_joined(curves: Sequence[CurveData]) -> bool:
    """True if some curve has a line, or bars in its place, beside its points."""
    return any(curve.has_connected_points or np.size(curve.x) for curve in curves)


def _is_bars(curve: CurveData) -> bool:
    return (
        curve.has_connected_points
        and bool(_isolated_values(curve).any())
        and not np.size(curve.points)
    )


def _stroke_of_colour(word: str, curves: Sequence[CurveData], look: LookAssignment) -> Any:
    """The dash of a colour in a legend; none where its points stand alone."""
    if not _is_joined([curve for curve in curves if curve.colour == word]):
        return "none"
    return "-" if any(look.lines) else look.dash(word, "")


def _separate_handles(curves: Sequence[CurveData], look: LookAssignment) -> list[Any]:
    colours = [
        Line2D(
            [],
            [],
            color=look.colour(word),
            linestyle=_stroke_of_colour(word, curves, look),
            linewidth=look.width(word),
            marker=look.marker(word),
            markersize=look.size(word),
            markerfacecolor=PAPER,
            label=word,
        )
        for word in look.colours
    ]
    bars = {curve.line: look.bar(curve) for curve in curves if _isolated_values(curve).any()}
    dashes = [
        Line2D(
            [], [], color=INK, label=word, **bars.get(word, {}) | {"linestyle": look.dash("", word)}
        )
        for word in look.lines
        if word
    ]
    return colours + (dashes if len(dashes) > 1 else [])


def _engine_handles(curves: Sequence[CurveData]) -> list[Any]:
    """Legend entries of the points: a bar for an interval alone, marks if two engines have some."""
    mark_styles = dict.fromkeys(curve.marks for curve in curves)
    bar: dict[str, Any] = {"marker": "|", "markersize": 7}
    return [
        Line2D(
            [],
            [],
            color=INK,
            linestyle="none",
            label=f"{marks.noun}, {LEVEL}",
            **(_mark_keywords(marks) if len(mark_styles) > 1 else bar),
        )
        for marks in sorted(mark_styles, key=lambda marks: marks.fill != "none")
    ]


def _mark_keywords(marks: MarkStyle) -> dict[str, Any]:
    return {"marker": "o", "markersize": 6 * marks.size, **_fill_keywords(marks, INK)}


@with_style
def svg(figure: Figure) -> str:
    """The figure as SVG text with its fonts: the same figure gives the same bytes on every run."""
    if figure.get_layout_engine() is not None:  # which would move things at every drawing
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    text = io.StringIO()
    metadata = {"Date": None, "Creator": "airtcp", "Format": None, "Type": None}
    figure.savefig(text, format="svg", metadata=metadata)
    return with_fonts(text.getvalue())


def save_svg(figure: Figure, path: Path) -> Path:
    """Write the figure as SVG and return the path; errors as of `name_in_write_errors`."""
    return save_text(svg(figure), path)


def save_text(text: str, path: Path) -> Path:
    """Write the text of a figure and return the path; errors as of `name_in_write_errors`."""
    with name_in_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path
