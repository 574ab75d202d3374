"""A map of where a formula is within 5, 10 and 20 % of the simulator, from `validity`'s table."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from airtcp.models.zoo.grid_links import Link
from airtcp.models.zoo.grids import ValidityGrid
from airtcp.plot.style import DOUBLE_COLUMN, INK, with_style

ERROR_LIMITS = (5.0, 10.0, 20.0)  # per cent
ERROR_CLASSES = ("within 5 %", "within 10 %", "within 20 %", "further off")
_COLOURS = ("#0072B2", "#56B4E9", "#F0E442", "#D55E00")  # of Okabe and Ito
_NO_ANSWER_COLOUR = "#e6e6e7"
_ROW_HEIGHT, _MARGIN_HEIGHT = 1.1, 1.0  # inches: of a row of panels, of legend and labels


def error_classes(error_percent: ArrayLike) -> NDArray[np.int64]:
    """Place in `ERROR_CLASSES`; beyond them where there is no answer."""
    error = np.abs(np.asarray(error_percent, dtype=float))
    places = np.searchsorted(ERROR_LIMITS, error, side="left")
    return np.where(np.isnan(error), len(ERROR_CLASSES), places)


@with_style
def validity_map(table: pd.DataFrame, model: str, sort: ValidityGrid) -> Figure:
    """Panels: the columns of a grid, a row for every variant of TCP and row of the grid.

    A cell is coloured by how far the formula is off, and says + where it promises too much, - where
    too little, beyond 5 %; it is grey where the formula has no answer.
    """
    rows = list(product(sort.variants, sort.rows))
    figure = Figure(
        figsize=(DOUBLE_COLUMN, _ROW_HEIGHT * len(rows) + _MARGIN_HEIGHT), layout="constrained"
    )
    panels = figure.subplots(len(rows), len(sort.columns), sharex=True, sharey=True, squeeze=False)
    rows_of_model = table[(table["model"] == model) & (table["grid"] == sort.name)]
    for row, (variant, (words, part)) in enumerate(rows):
        of_row = _rows_where(rows_of_model[rows_of_model["variant"] == variant], part)
        for column, (title, where) in enumerate(sort.columns):
            _panel(panels[row, column], _rows_where(of_row, where), sort)
            if row == 0:
                panels[row, column].set_title(title, fontsize=6.5)
        phrases = [phrase for phrase in (variant, words, sort.y[1]) if phrase]
        panels[row, 0].set_ylabel("\n".join(phrases), fontsize=6.5)
    figure.supxlabel(sort.x[1], fontsize=8)
    _legend(figure)
    return figure


def _rows_where(table: pd.DataFrame, where: Link) -> pd.DataFrame:
    is_chosen = np.logical_and.reduce(
        [np.isclose(table[key], value) for key, value in where.items()]
    )
    return table[is_chosen] if where else table


def _panel(axes: Axes, cells: pd.DataFrame, sort: ValidityGrid) -> None:
    across, up = (sorted({link[name] for link in sort.links}) for name, _ in (sort.x, sort.y))
    error_grid = np.full((len(up), len(across)), np.nan)
    for x, y, error in zip(cells[sort.x[0]], cells[sort.y[0]], cells["error_percent"], strict=True):
        error_grid[_place(up, y), _place(across, x)] = error
    colours = ListedColormap([*_COLOURS, _NO_ANSWER_COLOUR])
    norm = BoundaryNorm(np.arange(len(ERROR_CLASSES) + 2) - 0.5, colours.N)
    axes.pcolormesh(error_classes(error_grid), cmap=colours, norm=norm)
    for (row, column), error in np.ndenumerate(error_grid):
        if abs(error) > ERROR_LIMITS[0]:
            sign = "+" if error > 0.0 else "\N{MINUS SIGN}"
            axes.text(
                column + 0.5, row + 0.5, sign, ha="center", va="center", fontsize=6, color=INK
            )
    axes.grid(visible=False)
    every = 2 if len(across) > 4 else 1
    places = np.arange(len(across)) + 0.5
    axes.set_xticks(places[::every], [f"{tick:g}" for tick in across[::every]])
    axes.set_yticks(np.arange(len(up)) + 0.5, [f"{tick:g}" for tick in up])
    axes.tick_params(axis="x", rotation=90, labelsize=6)
    axes.tick_params(axis="y", labelsize=6)


def _place(values: list[float], value: float) -> int:
    return int(np.argmin(np.abs(np.asarray(values) - value)))


def _legend(figure: Figure) -> None:
    names = [f"{name} of the simulation" for name in ERROR_CLASSES[:-1]] + [ERROR_CLASSES[-1]]
    patches = [
        Patch(color=colour, label=name) for colour, name in zip(_COLOURS, names, strict=True)
    ]
    patches.append(Patch(color=_NO_ANSWER_COLOUR, label="no answer"))
    figure.legend(
        handles=patches, loc="outside upper center", ncols=5, fontsize=6, columnspacing=1.2
    )
