"""A map of where a formula is within 5, 10 and 20 % of the simulator, from `validity`'s table."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from airtcp.models.zoo.validity import SORTS, Axis, Sort
from airtcp.plot.style import DOUBLE_COLUMN, INK, styled

LIMITS = (5.0, 10.0, 20.0)  # percent
CLASSES = ("within 5 %", "within 10 %", "within 20 %", "further off")
_COLOURS = ("#0072B2", "#56B4E9", "#F0E442", "#D55E00")  # of Okabe and Ito
_NOTHING = "#e6e6e7"
_HEIGHT, _REST = 1.45, 1.0  # inches: of a row of panels, of legend and labels


def classes(error_percent: ArrayLike) -> NDArray[np.int64]:
    """Place in `CLASSES`; beyond them where there is no answer."""
    error = np.abs(np.asarray(error_percent, dtype=float))
    found = np.searchsorted(LIMITS, error, side="left")
    return np.where(np.isnan(error), len(CLASSES), found)


@styled
def validity_map(table: pd.DataFrame, model: str) -> Figure:
    """Panels: a row per variant of TCP, a column per value of the third axis of its grid.

    A cell is coloured by how far the formula is off, and says + where it promises too much, - where
    too little, beyond 5 %; it is empty where the formula has no answer.
    """
    sort = next(one for one in SORTS if model in one.models)
    across = sort.axes[2]
    size = (DOUBLE_COLUMN, _HEIGHT * len(sort.variants) + _REST)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(
        len(sort.variants), len(across.values), sharex=True, sharey=True, squeeze=False
    )
    own = table[table["model"] == model]
    for row, variant in enumerate(sort.variants):
        for column, value in enumerate(across.values):
            cells = own[(own["variant"] == variant) & np.isclose(own[across.name], value)]
            _panel(panels[row, column], cells, sort)
            if row == 0:
                panels[row, column].set_title(_title(across, value))
        panels[row, 0].set_ylabel(f"{variant}\nrate x RTT (packets)")
    figure.supxlabel(sort.axes[0].label, fontsize=8)
    _legend(figure)
    return figure


def _title(across: Axis, value: float) -> str:
    if across.name == "up":
        return f"up {value:g} s"
    return "independent" if value == 1 else f"{value:g} in a row"


def _panel(axes: Axes, cells: pd.DataFrame, sort: Sort) -> None:
    first, second = sort.axes[0], sort.axes[1]
    found = np.full((len(second.values), len(first.values)), np.nan)
    for x, y, error in zip(
        cells[first.name], cells[second.name], cells["error_percent"], strict=True
    ):
        found[_place(second, y), _place(first, x)] = error
    colours = ListedColormap([*_COLOURS, _NOTHING])
    norm = BoundaryNorm(np.arange(len(CLASSES) + 2) - 0.5, colours.N)
    axes.pcolormesh(classes(found), cmap=colours, norm=norm)
    for (row, column), error in np.ndenumerate(found):
        if abs(error) > LIMITS[0]:
            sign = "+" if error > 0.0 else "\N{MINUS SIGN}"
            axes.text(
                column + 0.5, row + 0.5, sign, ha="center", va="center", fontsize=6, color=INK
            )
    axes.grid(visible=False)
    across, up = np.arange(len(first.values)) + 0.5, np.arange(len(second.values)) + 0.5
    axes.set_xticks(across[::2], [f"{one:g}" for one in first.values[::2]])
    axes.set_yticks(up, [f"{one:g}" for one in second.values])
    axes.tick_params(axis="x", rotation=90, labelsize=6)
    axes.tick_params(axis="y", labelsize=6)


def _place(axis: Axis, value: float) -> int:
    return int(np.argmin(np.abs(np.asarray(axis.values) - value)))


def _legend(figure: Figure) -> None:
    names = [f"{name} of the simulation" for name in CLASSES[:-1]] + [CLASSES[-1]]
    patches = [Patch(color=one, label=name) for one, name in zip(_COLOURS, names, strict=True)]
    patches.append(Patch(color=_NOTHING, label="no answer"))
    figure.legend(handles=patches, loc="outside upper center", ncols=5, fontsize=6.5)
