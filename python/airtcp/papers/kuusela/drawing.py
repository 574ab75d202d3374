"""Figures of the paper: models as lines, simulations as markers with 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from airtcp.papers.columns import HIGH, LOW, SIMULATED
from airtcp.plot.style import DASHES, DOUBLE_COLUMN, INK, LEVEL, MARKERS, PALETTE, PAPER, with_style

INTERVAL_LABEL = "Mean time between spikes E(T) (s)"
RATE_UNIT = ("kbit/s", 1e3)  # of goodputs, and how many bit/s make one
GOODPUT_LABEL = f"Goodput ({RATE_UNIT[0]})"
SHARE_UNIT = ("%", 0.01)  # of goodputs over others
_MARKER_SHIFT = 0.9  # s, between markers of one abscissa
_GREY = "#6b6b6b"
_REFERENCE: dict[str, Any] = {"marker": "x", "markersize": 5, "markeredgewidth": 1.1}
_MODELS: tuple[tuple[str, str, Any], ...] = (
    ("renewal", "Renewal model", "-"),
    ("p_model", "P-model", DASHES[1]),
)


@with_style
def goodput_figure(table: pd.DataFrame, curves: pd.DataFrame) -> Figure:
    """Above goodput with the losses, window 20; below the simulation's gap to the model."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 5.3), layout="constrained")
    grid = figure.subplots(2, 2, sharex=True, height_ratios=[1.2, 1.0])
    rates = sorted(table["rate"].unique())
    for column, rate in enumerate(rates):
        rows, lines = (frame[frame["rate"] == rate] for frame in (table, curves))
        _draw_levels(grid[0, column], rows, lines)
        _draw_gaps(grid[1, column], rows[rows["loss_rate"] == 0.0], lines)
        grid[0, column].set_title(f"{rate / 1000:g} kbit/s, window 20, by loss rate")
        grid[1, column].set_title(f"{rate / 1000:g} kbit/s, without loss, by window")
        grid[1, column].set_xlabel(INTERVAL_LABEL)
        grid[0, column].tick_params(labelbottom=False)
    grid[0, 0].set_ylabel(GOODPUT_LABEL)
    grid[1, 0].set_ylabel("Difference from renewal model (%)")
    _share_scale(grid[1])
    figure.legend(
        handles=_legend_handles(table), loc="outside lower center", ncols=3, handlelength=2.4
    )
    return figure


def _draw_levels(axes: Axes, rows: pd.DataFrame, models: pd.DataFrame) -> None:
    for name, _, dash in _MODELS:
        axes.plot(models["mean_interval"], models[name] / RATE_UNIT[1], color=INK, linestyle=dash)
    for place, loss in enumerate(sorted(rows["loss_rate"].unique())):
        points = rows[(rows["window"] == 20) & (rows["loss_rate"] == loss)]
        _draw_markers(axes, points, place, line=loss > 0.0)
    axes.set_ylim(bottom=0.0)


def _draw_gaps(axes: Axes, rows: pd.DataFrame, models: pd.DataFrame) -> None:
    axes.axhline(0.0, color=INK)
    difference = 100.0 * (models["p_model"] / models["renewal"] - 1.0)
    axes.plot(models["mean_interval"], difference, color=INK, linestyle=DASHES[1])
    for place, window in enumerate(sorted(rows["window"].unique())):
        points = rows[rows["window"] == window]
        shift = _MARKER_SHIFT * (place - 1)
        _draw_markers(axes, points, 4 + place, gap=True, shift=shift)
        known = points["reference"].notna()
        axes.plot(
            points["mean_interval"][known] + shift + 2.0,
            100.0 * (points["reference"] / points["renewal"] - 1.0)[known],
            linestyle="none",
            color=PALETTE[4 + place],
            zorder=4,
            **_REFERENCE,
        )


def _draw_markers(
    axes: Axes,
    points: pd.DataFrame,
    place: int,
    *,
    line: bool = False,
    gap: bool = False,
    shift: float = 0.0,
) -> None:
    """Simulated goodput, or its difference from the renewal model, with intervals."""
    names = (SIMULATED, LOW, HIGH)
    if gap:
        mean, low, high = (100.0 * (points[name] / points["renewal"] - 1.0) for name in names)
    else:
        mean, low, high = (points[name] / RATE_UNIT[1] for name in names)
    axes.errorbar(
        points["mean_interval"] + shift,
        mean,
        yerr=np.maximum([mean - low, high - mean], 0.0),
        color=PALETTE[place],
        linestyle=DASHES[2] if line else "none",
        linewidth=1.0,
        elinewidth=0.9,
        marker=MARKERS[place],
        markersize=4.0,
        markerfacecolor=PAPER,
        zorder=3,
    )


def _share_scale(row: Sequence[Axes]) -> None:
    """One vertical scale for the axes of a row."""
    limits = np.array([axes.get_ylim() for axes in row])
    for axes in row:
        axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


def _legend_handles(table: pd.DataFrame) -> list[Line2D]:
    models = [Line2D([], [], color=INK, linestyle=dash, label=word) for _, word, dash in _MODELS]
    losses = [
        _legend_handle(place, f"loss {100.0 * loss:g} %")
        for place, loss in enumerate(sorted(table["loss_rate"].unique()))
    ]
    windows = [
        _legend_handle(4 + place, f"window {window}")
        for place, window in enumerate(sorted(table["window"].unique()))
    ]
    simulated = Line2D(
        [], [], color=INK, marker="|", markersize=7, linestyle="none", label=f"simulated, {LEVEL}"
    )
    known = Line2D(
        [], [], color=INK, linestyle="none", label="ns-2 values of the reading", **_REFERENCE
    )
    return [*models, simulated, known, *losses, *windows]  # a column each


def _legend_handle(place: int, label: str, dash: Any = "none") -> Line2D:
    return Line2D(
        [],
        [],
        color=PALETTE[place],
        marker=MARKERS[place],
        markersize=4.0,
        markerfacecolor=PAPER,
        linestyle=dash,
        label=label,
    )


@with_style
def distributions_figure(table: pd.DataFrame, words: dict[str, str]) -> Figure:
    """Left goodput by distribution of the intervals, right its gain over intervals all alike."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    for place, (distribution, word) in enumerate(words.items()):
        look = {"color": PALETTE[place], "linestyle": DASHES[place % len(DASHES)], "label": word}
        left.plot(table["mean_interval"], table[distribution] / RATE_UNIT[1], **look)
        gain = (table[distribution] - table["deterministic"]) / RATE_UNIT[1]
        right.plot(table["mean_interval"], gain, **look)
    right.axhline(0.0, color=INK, linewidth=0.6)
    left.set(xlabel=INTERVAL_LABEL, ylabel=GOODPUT_LABEL, ylim=(0.0, None), title="Goodput")
    right.set(
        xlabel=INTERVAL_LABEL,
        ylabel=f"Difference ({RATE_UNIT[0]})",
        title="Above intervals that are all alike",
    )
    figure.legend(
        *left.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=3,
        handlelength=3.2,
    )
    return figure


@with_style
def cures_figure(table: pd.DataFrame, words: dict[str, str]) -> Figure:
    """Goodput over that of a timer which never expires, by cure; a row per length of spikes."""
    spikes, rates = table["spikes_last"].unique(), sorted(table["rate"].unique())
    figure = Figure(figsize=(DOUBLE_COLUMN, 4.6), layout="constrained")
    grid = figure.subplots(len(spikes), len(rates), sharex=True, sharey=True)
    for row, length in enumerate(spikes):
        for column, rate in enumerate(rates):
            axes = grid[row, column]
            rows = table[(table["rate"] == rate) & (table["spikes_last"] == length)]
            _draw_cures(axes, rows, words)
            axes.set_title(f"{rate / 1000:g} kbit/s, spikes of {length}")
            axes.set_xlabel(INTERVAL_LABEL if row == len(spikes) - 1 else "")
    figure.supylabel(f"Goodput over that without timeouts ({SHARE_UNIT[0]})", fontsize=8)
    handles = [_legend_handle(place, word, DASHES[2]) for place, word in enumerate(words.values())]
    handles.append(Line2D([], [], color=_GREY, label="less the bytes of timestamps"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=2.4)
    return figure


def _draw_cures(axes: Axes, rows: pd.DataFrame, words: dict[str, str]) -> None:
    axes.axhline(100.0, color=INK, linewidth=0.6)
    axes.axhline(100.0 * (1.0 - rows["option_share"].max()), color=_GREY, linewidth=0.9)
    for place, cure in enumerate(words):
        points = rows[rows["spurious"] == cure]
        share, low, high = (points[name] / SHARE_UNIT[1] for name in ("share", "low", "high"))
        axes.errorbar(
            points["mean_interval"] + _MARKER_SHIFT * (place - 1),
            share,
            yerr=np.maximum([share - low, high - share], 0.0),
            color=PALETTE[place],
            marker=MARKERS[place],
            markersize=4.0,
            markerfacecolor=PAPER,
            linestyle=DASHES[2],
            linewidth=1.0,
            elinewidth=0.9,
        )


@with_style
def losses_figure(table: pd.DataFrame) -> Figure:
    """Relative excess of the models over the simulation, by loss rate; a panel per rate."""
    rates, windows = sorted(table["rate"].unique()), sorted(table["window"].unique())
    figure = Figure(figsize=(DOUBLE_COLUMN, 3.3), layout="constrained")
    row = figure.subplots(1, len(rates), sharey=True)
    for axes, rate in zip(row, rates, strict=True):
        for place, window in enumerate(windows):
            rows = table[(table["rate"] == rate) & (table["window"] == window)]
            for name, filled in (("plain_error", True), ("corrected_error", False)):
                _draw_errors(axes, rows, name, place=place, filled=filled)
        axes.axhline(0.0, color=INK, linewidth=0.6)
        axes.set(xlabel="Packet loss rate (%)", title=f"{rate / 1000:g} kbit/s")
    row[0].set_ylabel("Model above simulation (%)")
    handles = [
        _legend_handle(4 + place, f"window {window}") for place, window in enumerate(windows)
    ]
    handles += [
        Line2D([], [], color=INK, linestyle=DASHES[1], label="renewal model as it is"),
        Line2D([], [], color=INK, label="with the loss-corrected capacity"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, handlelength=2.4)
    return figure


def _draw_errors(axes: Axes, rows: pd.DataFrame, name: str, *, place: int, filled: bool) -> None:
    """The mean over E(T) of an error; bars from the least to the most."""
    grouped = rows.groupby("loss_rate")[name]
    mean, low, high = (100.0 * grouped.agg(how) for how in ("mean", "min", "max"))
    axes.errorbar(
        100.0 * mean.index.to_numpy() + 0.05 * (place - 1),
        mean,
        yerr=np.maximum([mean - low, high - mean], 0.0),
        color=PALETTE[4 + place],
        marker=MARKERS[4 + place],
        markersize=4.0,
        markerfacecolor=PALETTE[4 + place] if filled else PAPER,
        linestyle=DASHES[1] if filled else "-",
        linewidth=1.0,
        elinewidth=0.9,
    )
