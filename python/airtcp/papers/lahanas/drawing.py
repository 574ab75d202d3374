"""The figures of this paper: cells by error rate, and the map of the best protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from airtcp.papers.lahanas.study import ON_LENGTHS, PROTOCOLS, RATES
from airtcp.plot.style import DOUBLE_COLUMN, GRID, INK, LEVEL, MARKERS, PALETTE, PAPER, with_style

LABELS = {"time_s": "Task completion time (s)", "overhead_pct": "Overhead (%)"}
_GROUP_WIDTH = 0.78  # share of the room of an error rate that its protocols take
_SPAN_STYLE: dict[str, Any] = {
    "linewidth": 4.0,
    "zorder": 1,
}  # hollow: what lies in it stays visible
_WITHIN_STYLE: dict[str, Any] = {"linewidth": 2.4, "zorder": 1.1, "color": PAPER}
_PRINTED_STYLE: dict[str, Any] = {
    "marker": "x",
    "color": INK,
    "markersize": 3.8,
    "markeredgewidth": 0.9,
    "linestyle": "none",
    "zorder": 4,
}
_TICKS = (13, 15, 20, 30, 50, 100, 200, 400, 800)  # s
_FAR_RATIO = 3.0  # a range of times by this factor has a logarithmic axis


@with_style
def cells_figure(table: pd.DataFrame, quantity: str) -> Figure:
    """Means by error rate with intervals, the range of means of 10 runs, and the printed ones."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 3.1), layout="constrained")
    axes = figure.add_subplot()
    names = list(dict.fromkeys(table["protocol"]))
    for place, name in enumerate(names):
        _draw_protocol(
            axes, table[table["protocol"] == name], name, _protocol_offset(place, len(names))
        )
    axes.set(xlabel="Error rate while On (%)", ylabel=LABELS[quantity])
    axes.set_xticks(range(len(RATES)), [f"{rate}" for rate in RATES])
    axes.set_xlim(-0.5, len(RATES) - 0.5)
    axes.grid(False, axis="x")
    for edge in np.arange(len(RATES) - 1) + 0.5:
        axes.axvline(edge, color=GRID, linewidth=0.5, zorder=0)
    if quantity == "time_s":
        _label_times(axes, float(table["ten_high"].max() / table["ten_low"].min()))
    handles = _handles(names)
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), columnspacing=1.0
    )
    return figure


def _protocol_offset(place: int, number: int) -> float:
    return (place - (number - 1) / 2.0) * _GROUP_WIDTH / number


def _draw_protocol(axes: Axes, rows: pd.DataFrame, name: str, offset: float) -> None:
    look = PROTOCOLS[name].style_index
    x = rows["error_rate_pct"].map(RATES.index).to_numpy() + offset
    axes.vlines(x, rows["ten_low"], rows["ten_high"], color=PALETTE[look], **_SPAN_STYLE)
    axes.vlines(x, rows["ten_low"], rows["ten_high"], **_WITHIN_STYLE)
    around = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
    axes.errorbar(x, rows["mean"], yerr=around, color=PALETTE[look], **_marks(name), elinewidth=0.9)
    axes.plot(x, rows["printed"].astype(float), **_PRINTED_STYLE)


def _marks(name: str) -> dict[str, Any]:
    marker = MARKERS[PROTOCOLS[name].style_index]
    return {"marker": marker, "linestyle": "none", "markersize": 3.6, "zorder": 3}


def _label_times(axes: Axes, factor: float) -> None:
    if factor < _FAR_RATIO:
        return
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _handles(names: Sequence[str]) -> list[Any]:
    grey = PALETTE[6]
    return [
        *(_name_handle(name) for name in names),
        Line2D([], [], color=grey, label=f"mean, {LEVEL} interval"),
        Line2D(
            [],
            [],
            label=f"{LEVEL} of 10-run means",
            **_WITHIN_STYLE,
            path_effects=[_text_rim(grey)],
        ),
        Line2D([], [], label="printed", **_PRINTED_STYLE),
    ]


def _text_rim(colour: str) -> withStroke:
    return withStroke(linewidth=_SPAN_STYLE["linewidth"], foreground=colour)


def _name_handle(name: str) -> Line2D:
    this = PROTOCOLS[name]
    return Line2D([], [], color=PALETTE[this.style_index], label=this.words, **_marks(name))


@dataclass(frozen=True)
class MapTile:
    """A cell of the map: the best protocol, those not significantly worse, the gain of probing.

    `gain` is that of the best probing protocol over the better standard one, relative;
    `is_significant` is true if it is significant.
    """

    best: str
    not_worse: Sequence[str]
    gain: float
    is_significant: bool


_KINDS: dict[int, tuple[Any, str]] = {
    1: (to_rgba(PALETTE[5], 0.4), "probing better, significant"),
    -1: (to_rgba(PALETTE[4], 0.4), "standard better, significant"),
    0: (PAPER, "no significant difference"),
}


@with_style
def map_figure(panels: Sequence[tuple[str, dict[tuple[int, int], MapTile]]]) -> Figure:
    """On length by error rate: the best protocol, and where probing is better or worse."""
    figure = Figure(figsize=(DOUBLE_COLUMN, 2.3 * len(panels) + 0.75), layout="constrained")
    grid = figure.subplots(len(panels), 1, squeeze=False)
    for axes, (title, tiles) in zip(grid.flat, panels, strict=True):
        for (on, rate), tile in tiles.items():
            _draw_tile(axes, RATES.index(rate), ON_LENGTHS.index(on), tile)
        axes.set(
            xlim=(0, len(RATES)),
            ylim=(0, len(ON_LENGTHS)),
            title=title,
            ylabel="Mean On length (s)",
        )
        axes.set_xticks(np.arange(len(RATES)) + 0.5, [f"{rate}" for rate in RATES])
        axes.set_yticks(np.arange(len(ON_LENGTHS)) + 0.5, [f"{on}" for on in ON_LENGTHS])
        axes.grid(False)
        axes.tick_params(length=0)
    grid[-1, 0].set_xlabel("Error rate while On (%)")
    codes = ", ".join(f"{protocol.code}: {protocol.words}" for protocol in PROTOCOLS.values())
    handles = [Patch(facecolor=c, edgecolor=GRID, label=words) for c, words in _KINDS.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, title=codes)
    return figure


def _draw_tile(axes: Axes, x: int, y: int, tile: MapTile) -> None:
    kind = 0 if not tile.is_significant else 1 if tile.gain < 0.0 else -1
    edge: dict[str, Any] = {"edgecolor": GRID, "linewidth": 0.6}
    axes.add_patch(Rectangle((x, y), 1.0, 1.0, facecolor=_KINDS[kind][0], **edge))
    middle: dict[str, Any] = {"ha": "center", "va": "center"}
    gain = f"{100.0 * tile.gain:+.1f} %".replace("-", "\N{MINUS SIGN}")
    axes.text(x + 0.5, y + 0.2, gain if tile.gain else "", fontsize=6.5, **middle)
    if len(tile.not_worse) == len(PROTOCOLS) - 1:
        axes.text(x + 0.5, y + 0.62, "all alike", fontsize=7, **middle)
        return
    codes = " ".join(PROTOCOLS[name].code for name in tile.not_worse)
    best = PROTOCOLS[tile.best].code
    axes.text(x + 0.5, y + 0.76, best, fontsize=7.5, fontweight="bold", **middle)
    axes.text(x + 0.5, y + 0.48, f"= {codes}" if codes else "", fontsize=6, **middle)
