"""Figures of a fitted link: the record over time, and its statistics beside the model's.

A model is shown by records simulated from it, as long as the measured one: the band holds 95 % of
them at each place, so that a record of the model itself would leave it in one place of twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from airtcp.plot.style import DOUBLE_COLUMN, INK, PALETTE, literal_text, with_style, wrapped_text

Floats = NDArray[np.float64]

RECORD_COLOUR, MODEL_COLOUR = PALETTE[0], PALETTE[1]
_MOST_DOTS = 3000  # of a scatter, so that a vector figure stays small


@dataclass(frozen=True, eq=False)
class StatisticCurves:
    """A curve of the record and, at the same places, the band of the model.

    `model`: one row per simulated record; empty without a model. `log`: scales of the axes.
    """

    title: str
    x_label: str
    y_label: str
    x: Floats
    record: Floats
    model: Floats
    log: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, eq=False)
class DelayLossSeries:
    """A record over time, in seconds, and ms of delay.

    `delay` is NaN where none was measured; `lost`: times of losses; `outages`: starts and ends.
    """

    time: Floats
    delay: Floats
    delays: str
    lost: Floats
    outages: Floats


@with_style
def over_time_figure(record: DelayLossSeries, caption_text: str) -> Figure:
    """Delay, and below it the share of packets lost, over the time of the record."""
    end = float(record.time[-1]) if record.time.size else 1.0
    figure, (above, below), scale = _time_axes(end)
    shown = _visible_points(record.delay)
    if shown.size:
        above.plot(
            record.time[shown] / scale,
            record.delay[shown],
            ".",
            color=RECORD_COLOUR,
            markersize=1.5,
        )
        above.set_ylim(bottom=0.0)
    else:
        above.text(0.5, 0.5, "no delays in this file", transform=above.transAxes, ha="center")
    above.set_ylabel(f"delay, {record.delays} (ms)")
    edges = np.linspace(0.0, max(end, 1e-9), 121)
    sent = np.histogram(record.time, edges)[0]
    lost = np.histogram(record.lost, edges)[0]
    with np.errstate(invalid="ignore"):
        share = np.where(sent > 0, 100.0 * lost / np.maximum(sent, 1), np.nan)
    below.stairs(share, edges / scale, color=RECORD_COLOUR, fill=True)
    below.set_ylabel("lost (%)")
    below.set_ylim(bottom=0.0)
    for start, stop in record.outages:
        for axes in (above, below):
            axes.axvspan(start / scale, stop / scale, color=MODEL_COLOUR, alpha=0.25, linewidth=0)
    _write_caption(figure, caption_text)
    return figure


def _time_axes(end: float) -> tuple[Figure, tuple[Axes, Axes], float]:
    """A figure with two axes over the time of a record until `end` s, and s per unit of it."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 3.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    unit, scale = ("min", 60.0) if end > 600.0 else ("s", 1.0)
    below.set_xlabel(f"time in the record ({unit})")
    return figure, (above, below), scale


def _visible_points(delay: Floats) -> NDArray[np.int64]:
    """Places of a scatter that look as all would: of each stretch the least and greatest value."""
    known = np.flatnonzero(np.isfinite(delay))
    if known.size <= _MOST_DOTS:
        return known
    parts = np.array_split(known, _MOST_DOTS // 3)
    kept_places = [(p[np.argmin(delay[p])], p[np.argmax(delay[p])], p[len(p) // 2]) for p in parts]
    return np.unique(np.array(kept_places))


@dataclass(frozen=True, eq=False)
class CountSeries:
    """Counts per interval: starts and lengths in seconds, Mbit/s received, per cent lost.

    A value is NaN if the file does not show it.
    """

    start: Floats
    length: Floats
    rate: Floats
    lost: Floats


@with_style
def counts_figure(counts: CountSeries, caption_text: str) -> Figure:
    """The rate of each interval, and below it the share of its packets lost."""
    edges = np.append(counts.start, counts.start[-1] + counts.length[-1])
    figure, (above, below), scale = _time_axes(float(edges[-1]))
    for axes, values, label, none in (
        (above, counts.rate, "rate (Mbit/s)", "no rates in this file"),
        (below, counts.lost, "lost (%)", "no losses told in this file"),
    ):
        if np.isfinite(values).any():
            axes.stairs(
                values,
                edges / scale,
                color=RECORD_COLOUR,
                fill=axes is below,
                baseline=0.0 if axes is below else None,
            )
            axes.set_ylim(bottom=0.0)
        else:
            axes.text(0.5, 0.5, none, transform=axes.transAxes, ha="center")
        axes.set_ylabel(label)
    _write_caption(figure, caption_text)
    return figure


@with_style
def statistics_figure(
    statistics: Sequence[StatisticCurves], model: str, caption_text: str
) -> Figure:
    """Panels with a statistic of the record each, in rows of two, and the band of the model."""
    rows = (len(statistics) + 1) // 2
    size = (DOUBLE_COLUMN, 2.3 * rows + 0.4)
    figure = Figure(figsize=size, layout="constrained")
    panels = np.atleast_1d(figure.subplots(rows, min(2, len(statistics)), squeeze=False)).ravel()
    for axes, statistic in zip(panels, statistics, strict=False):
        _panel(axes, statistic, model)
    for axes in panels[len(statistics) :]:
        axes.set_axis_off()
    if statistics:
        panels[0].legend(loc="best")
    _write_caption(figure, caption_text)
    return figure


def _panel(axes: Axes, statistic: StatisticCurves, model: str) -> None:
    if statistic.model.size:
        has_values = np.isfinite(statistic.model).any(axis=0)
        low, middle, high = np.nanquantile(
            statistic.model[:, has_values], (0.025, 0.5, 0.975), axis=0
        )
        axes.fill_between(
            statistic.x[has_values], low, high, color=MODEL_COLOUR, alpha=0.25, linewidth=0
        )
        axes.plot(
            statistic.x[has_values],
            middle,
            color=MODEL_COLOUR,
            linestyle="--",
            label=literal_text(model),
        )
    axes.plot(
        statistic.x,
        statistic.record,
        color=RECORD_COLOUR,
        marker="o",
        markersize=2.5,
        label="record",
    )
    axes.set_title(statistic.title)
    axes.set_xlabel(statistic.x_label)
    axes.set_ylabel(statistic.y_label)
    if statistic.log[0]:
        axes.set_xscale("log")
    if statistic.log[1]:
        axes.set_yscale("log")


@dataclass(frozen=True, eq=False)
class GoodputRuns:
    """Goodput in Mbit/s of a TCP, run by run, over the record and over the model."""

    tcp: str
    over_record: Floats
    over_model: Floats


@with_style
def tcp_figure(runs: Sequence[GoodputRuns], caption_text: str) -> Figure:
    """A row of dots for each TCP over the record and over the model, with the means."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 1.0 + 0.55 * len(runs)), layout="constrained")
    axes = figure.subplots()
    names = []
    for place, tcp_runs in enumerate(reversed(runs)):
        for shift, values, colour in (
            (0.17, tcp_runs.over_record, RECORD_COLOUR),
            (-0.17, tcp_runs.over_model, MODEL_COLOUR),
        ):
            y = np.full(values.shape, place + shift)
            axes.plot(values, y, "|", color=colour, markersize=6, alpha=0.6)
            axes.plot([values.mean()], [place + shift], "D", color=colour, markersize=5)
        names.append(literal_text(tcp_runs.tcp))
    axes.plot([], [], "D", color=RECORD_COLOUR, label="over the record")
    axes.plot([], [], "D", color=MODEL_COLOUR, label="over the model")
    axes.set_yticks(range(len(runs)), names)
    axes.set_ylim(-0.5, len(runs) - 0.5)
    axes.set_xlim(left=0.0)
    axes.set_xlabel("goodput (Mbit/s)")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    _write_caption(figure, caption_text)
    return figure


def _write_caption(figure: Figure, caption_text: str) -> None:
    figure.supxlabel(wrapped_text(caption_text, 120), fontsize=7, color=INK, x=0.01, ha="left")
