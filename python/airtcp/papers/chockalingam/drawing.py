"""Figures of the paper: the fit at the left, the fading itself at the right.

Lines are the model on the fit, open markers simulations on the fit, filled ones on the fading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from airtcp.plot.style import DASHES, DOUBLE_COLUMN, INK, LEVEL, MARKERS, PALETTE, PAPER, with_style

SNR_LABEL = "Mean SNR per transmitted bit (dB)"
THROUGHPUT_LABEL = "Throughput (share of slots)"
BURST_LABEL = "Mean run of losses (slots)"
Words = Callable[[pd.Series], str]


class CurveLook:
    """Look of curves: colour and marker by one word, dash by another, as words first appear."""

    def __init__(self, colours: Iterable[str], lines: Iterable[str]) -> None:
        """The words of all curves."""
        self.colours, self.lines = list(dict.fromkeys(colours)), list(dict.fromkeys(lines))

    def colour(self, word: str) -> str:
        """The colour of a word, from the palette."""
        return PALETTE[self.colours.index(word)]

    def marker(self, word: str) -> str:
        """The marker of a word that has a colour."""
        return MARKERS[self.colours.index(word)]

    def dash(self, word: str) -> Any:
        """The dash of a word."""
        return DASHES[self.lines.index(word)]

    def handles(self) -> list[Line2D]:
        """The handles of a legend."""
        handles_found = [
            Line2D([], [], color=self.colour(colour), marker=self.marker(colour), label=colour)
            for colour in self.colours
        ]
        if len(self.lines) > 1:
            handles_found += [
                Line2D([], [], color=INK, linestyle=self.dash(line), label=line)
                for line in self.lines
            ]
        return handles_found


def empty_word(_: pd.Series) -> str:
    """An empty word, for curves that need no distinction."""
    return ""


@dataclass(frozen=True)
class Panels:
    """Left the model and simulations on the fit, right simulations on the fading over the model.

    `colour` and `line` give the words of a row; `x` is the abscissa, "snr" or "mean_burst".
    """

    table: pd.DataFrame
    colour: Words
    line: Words = empty_word
    x: str = "snr"

    @with_style
    def figure(self, faded: pd.DataFrame | None = None) -> Figure:
        """The figure. `faded`: the points on the fading where they are not rows of the table."""
        figure = Figure(figsize=(DOUBLE_COLUMN, 3.1), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        for curve in self._curves(self.table):
            self._line(left, curve, linewidth=1.3)
            self._line(right, curve, linewidth=0.8)
            self._markers(left, curve, "fit", linestyle="none", markerfacecolor=PAPER)
        for rows in self._curves(self.table if faded is None else faded):
            self._markers(right, rows, "fading", **({} if faded is None else {"linestyle": "none"}))
        if faded is not None:
            _label_dopplers(right, faded)
        left.set(
            ylabel=THROUGHPUT_LABEL,
            ylim=(0.0, 1.0),
            title="On the Markov chain fitted to the fading",
        )
        right.set_title("On the fading itself")
        for axes in (left, right):
            axes.set_xlabel(SNR_LABEL if self.x == "snr" else BURST_LABEL)
            axes.set_xscale("linear" if self.x == "snr" else "log")
            if self.x == "snr":
                axes.xaxis.set_major_locator(MultipleLocator(5.0))
        legend(figure, [*self._words.handles(), *_kind_handles()])
        return figure

    @cached_property
    def _words(self) -> CurveLook:
        return CurveLook(self.table.apply(self.colour, axis=1), self.table.apply(self.line, axis=1))

    def _curves(self, table: pd.DataFrame) -> list[pd.DataFrame]:
        words = [table.apply(word, axis=1).to_numpy() for word in (self.colour, self.line)]
        return [rows for _, rows in table.groupby(words, sort=False)]

    def _look(self, rows: pd.DataFrame) -> dict[str, Any]:
        first = rows.iloc[0]
        return {
            "color": self._words.colour(self.colour(first)),
            "linestyle": self._words.dash(self.line(first)),
        }

    def _line(self, axes: Axes, rows: pd.DataFrame, **look: Any) -> None:
        axes.plot(rows[self.x], rows["throughput"], **self._look(rows), **look)

    def _markers(self, axes: Axes, rows: pd.DataFrame, name: str, **look: Any) -> None:
        simulated_rows, marker = (
            rows.dropna(subset=[name]),
            self._words.marker(self.colour(rows.iloc[0])),
        )
        values = (simulated_rows[f"{name}{end}"] for end in ("", "_low", "_high"))
        draw_errors(
            axes, simulated_rows[self.x], *values, **self._look(rows) | {"marker": marker} | look
        )


def _label_dopplers(axes: Axes, faded: pd.DataFrame) -> None:
    """Label points that stand apart with their Doppler shift: fast fading has the shortest runs."""
    apart = faded[(faded["fading"] < 0.85) & (faded["fading"] > 0.05)]
    for row in apart.itertuples():
        left = row.doppler == faded["doppler"].max()
        axes.annotate(
            f"{row.doppler:g} Hz",
            (row.mean_burst, row.fading),
            (-6 if left else 6, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=6,
        )


def draw_errors(axes: Axes, x: Any, mean: Any, low: Any, high: Any, **look: Any) -> None:
    """Points with their intervals."""
    look = {"markersize": 4.0, "elinewidth": 0.9, "zorder": 3, "clip_on": False} | look
    axes.errorbar(x, mean, yerr=np.maximum([mean - low, high - mean], 0.0), **look)


def _kind_handles() -> list[Line2D]:
    look: dict[str, Any] = {"color": INK, "marker": "o", "markersize": 4.0}
    return [
        Line2D([], [], color=INK, label="model, on the fit"),
        Line2D([], [], linestyle="none", markerfacecolor=PAPER, label="simulated, fit", **look),
        Line2D([], [], label=f"simulated, fading ({LEVEL})", **look),
    ]


def legend(figure: Figure, handles: Sequence[Line2D], columns: int = 5) -> None:
    """A legend below the axes."""
    figure.legend(
        handles=list(handles),
        loc="outside lower center",
        ncols=min(columns, len(handles)),
        handlelength=2.8,
        columnspacing=1.4,
    )
