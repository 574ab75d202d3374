"""Figures of this paper that the common ones do not cover: single runs, differences, traces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

import airtcp
from airtcp.plot.sequence import SEQUENCE_FIGURES
from airtcp.plot.sequence_view import SequenceView
from airtcp.plot.style import (
    DOUBLE_COLUMN,
    GRID,
    INK,
    LEVEL,
    MARKERS,
    PALETTE,
    PAPER,
    with_style,
)

BLUE, VERMILION, GREEN = PALETTE[:3]
_BOX_STYLE = 0.36  # half the width of a box
_PRINTED_STYLE: dict[str, Any] = {"marker": "X", "color": VERMILION, "markersize": 6.0}
_SINGLE_RUN_STYLE: dict[str, Any] = {"color": PALETTE[5], "linewidth": 4.0, "zorder": 1}
_REFERENCE_STYLE: dict[str, Any] = {
    "marker": "D",
    "color": GREEN,
    "markersize": 4.0,
    "markerfacecolor": PAPER,
}


@dataclass(frozen=True, kw_only=True)
class RunSpread:
    """Single runs of one case, the printed number, the mean of an independent reconstruction.

    [elaarag reading, section 9]
    """

    label: str
    values: ArrayLike
    printed: float
    reference: float = float("nan")


@with_style
def spreads_figure(
    panels: Sequence[tuple[str, Sequence[RunSpread]]], *, columns: int, together: bool = False
) -> Figure:
    """Single runs as boxes, with one panel per case and quantity, each on a scale of its own.

    `together`: the cases of a quantity share a panel.
    """
    shown = [
        (label if part == 0 else "", group)
        for label, spreads in panels
        for part, group in enumerate([spreads] if together else [[spread] for spread in spreads])
    ]
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(DOUBLE_COLUMN, 1.85 * rows + 0.45), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes, (label, spreads) in zip(grid.flat, shown, strict=True):
        _draw_boxes(axes, spreads)
        axes.set_title(label)
    figure.legend(handles=_spread_handles(panels), loc="outside lower center", ncols=4)
    return figure


def _draw_boxes(axes: Axes, spreads: Sequence[RunSpread]) -> None:
    for place, spread in enumerate(spreads):
        values = np.asarray(spread.values, dtype=float)
        low, first, middle, third, high = np.percentile(values, [2.5, 25, 50, 75, 97.5])
        axes.plot([place, place], [low, high], color=BLUE, linewidth=1.0, zorder=2)
        box: dict[str, Any] = {
            "facecolor": PAPER,
            "edgecolor": BLUE,
            "linewidth": 1.0,
            "zorder": 2.5,
        }
        axes.bar(place, third - first, 2 * _BOX_STYLE, first, **box)
        axes.plot(
            [place - _BOX_STYLE, place + _BOX_STYLE],
            [middle] * 2,
            color=BLUE,
            linewidth=1.6,
            zorder=3,
        )
        axes.plot(place + 0.18, spread.reference, linestyle="none", zorder=4, **_REFERENCE_STYLE)
        axes.plot(place - 0.18, spread.printed, linestyle="none", zorder=4, **_PRINTED_STYLE)
    axes.set_xticks(range(len(spreads)), [spread.label for spread in spreads])
    axes.set_xlim(-0.6, len(spreads) - 0.4)
    axes.margins(y=0.12)
    axes.grid(False, axis="x")
    axes.ticklabel_format(axis="y", useOffset=False)


def _spread_handles(panels: Sequence[tuple[str, Sequence[RunSpread]]]) -> list[Any]:
    known = any(np.isfinite(spread.reference) for _, spreads in panels for spread in spreads)
    handles = [
        Patch(facecolor=PAPER, edgecolor=BLUE, label="single runs: quartiles, median"),
        Line2D([], [], color=BLUE, linewidth=1.0, label=f"{LEVEL} of the runs"),
        Line2D([], [], linestyle="none", label="printed", **_PRINTED_STYLE),
        Line2D(
            [],
            [],
            linestyle="none",
            label="mean of the independent reconstruction",
            **_REFERENCE_STYLE,
        ),
    ]
    return handles if known else handles[:3]


@with_style
def differences_figure(panels: Sequence[tuple[str, pd.DataFrame]], ticks: Sequence[str]) -> Figure:
    """Paired differences with intervals, the printed ones, and the range of single runs.

    A panel is its label and a table with `mean`, `low`, `high`, `single_low`, `single_high`,
    `printed`, `reference` and its limits, one row per tick, from the top.
    """
    figure = Figure(figsize=(DOUBLE_COLUMN, 2.8), layout="constrained")
    grid = figure.subplots(1, len(panels), sharey=True)
    place = np.arange(len(ticks))[::-1]
    for axes, (label, table) in zip(grid, panels, strict=True):
        axes.axvline(0.0, color=INK, linewidth=0.6)
        axes.hlines(place, table["single_low"], table["single_high"], **_SINGLE_RUN_STYLE)
        around = [table["mean"] - table["low"], table["high"] - table["mean"]]
        axes.errorbar(
            table["mean"], place, xerr=around, fmt="o", color=BLUE, elinewidth=1.2, zorder=3
        )
        axes.plot(table["printed"], place, linestyle="none", zorder=4, **_PRINTED_STYLE)
        axes.plot(table["reference"], place - 0.25, linestyle="none", zorder=2, **_REFERENCE_STYLE)
        axes.hlines(
            place - 0.25,
            table["reference_low"],
            table["reference_high"],
            color=GREEN,
            linewidth=0.9,
        )
        axes.set_xlabel(label)
        axes.set_yticks(place, ticks)
        axes.set_ylim(-0.7, len(ticks) - 0.4)
        axes.xaxis.set_major_locator(MaxNLocator(3))
        axes.margins(x=0.1)
    handles = [
        Line2D([], [], marker="o", color=BLUE, label=f"mean of paired runs, {LEVEL}"),
        Line2D([], [], linestyle="none", label="printed (one run each)", **_PRINTED_STYLE),
        Line2D([], [], label=f"{LEVEL} of the differences of single runs", **_SINGLE_RUN_STYLE),
        Line2D([], [], label=f"independent reconstruction, {LEVEL}", **_REFERENCE_STYLE),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


@dataclass(frozen=True, kw_only=True)
class HorizontalLevel:
    """A horizontal line with its interval."""

    mean: float
    low: float
    high: float
    label: str


@dataclass(frozen=True, kw_only=True)
class MeanPoints:
    """Means with intervals over x, joined by straight lines."""

    x: ArrayLike
    mean: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    label: str
    style_index: int = 0  # place in palette and markers
    is_hollow: bool = False


@dataclass(frozen=True, kw_only=True)
class CurvePanel:
    """Content of one panel of `curves_figure`."""

    title: str
    curves: Sequence[MeanPoints]
    level: HorizontalLevel | None = None
    log_y: bool = False
    draw_more: Callable[[Axes], None] | None = None


@with_style
def curves_figure(panels: Sequence[CurvePanel], *, xlabel: str, ticks: Sequence[float]) -> Figure:
    """Panels side by side over one logarithmic axis, with one legend."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 2.95), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels)), panels, strict=True):
        _draw_panel(axes, panel)
        axes.set(xlabel=xlabel, title=panel.title)
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles=list(handles.values()),
        labels=list(handles),
        loc="outside lower center",
        ncols=2,
        handlelength=2.4,
    )
    return figure


def _draw_panel(axes: Axes, panel: CurvePanel) -> None:
    axes.set_xscale("log")
    if panel.log_y:
        axes.set_yscale("log")
    if panel.level is not None:
        level = panel.level
        axes.axhspan(level.low, level.high, color=VERMILION, alpha=0.25, linewidth=0)
        axes.axhline(level.mean, color=VERMILION, linestyle=(0, (5, 1.8)), label=level.label)
    for curve in panel.curves:
        mean = np.asarray(curve.mean, dtype=float)
        around = None
        if curve.low is not None and curve.high is not None:
            around = [mean - np.asarray(curve.low), np.asarray(curve.high) - mean]
        colour = PALETTE[curve.style_index]
        axes.errorbar(
            curve.x,
            mean,
            yerr=around,
            color=colour,
            marker=MARKERS[curve.style_index],
            markerfacecolor=PAPER if curve.is_hollow else colour,
            markersize=3.2,
            linewidth=1.0,
            elinewidth=0.9,
            label=curve.label,
        )
    if panel.draw_more is not None:
        panel.draw_more(axes)


@with_style
def trace_figure(
    events: airtcp.Events, outages: Sequence[tuple[float, float]], end: float
) -> Figure:
    """The paper's graph of a run, and below it the sender's window; outages are shaded."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 5.1), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.7, 1.0])
    for axes, kind in ((top, "paper"), (bottom, "window")):
        for down, up in outages:
            axes.axvspan(down, min(up, end), color=GRID, linewidth=0, zorder=0)
        SEQUENCE_FIGURES[kind](axes, SequenceView.of_whole_run(events))
        axes.set_xlim(-0.01 * end, 1.01 * end)
    top.set_xlabel("")
    handles: dict[str, Any] = {}
    for axes in (top, bottom):
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    handles["link down"] = Patch(color=GRID)
    figure.legend(
        handles=list(handles.values()),
        labels=list(handles),
        loc="outside lower center",
        ncols=-(-len(handles) // 2),
        columnspacing=1.2,
        handlelength=1.8,
    )
    return figure
