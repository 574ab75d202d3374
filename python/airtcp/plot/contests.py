"""The matrix of shares of a contest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb
from matplotlib.figure import Figure

from airtcp.plot.style import INK, LEVEL, PALETTE, PAPER, SINGLE_COLUMN, with_style

_MOST_WIDTH = 9  # variants with their names side by side
_TINT_SHARE = 0.65  # of a colour in white, on which dark text has a contrast above 4.5


@with_style
def shares_figure(table: pandas.DataFrame, variants: Sequence[str], flows: int) -> Figure:
    """A cell per variant (row) and rival (column), coloured by the share from blue (0) to red (1).

    `table`, `variants` and `flows` are fields of an `airtcp.simulation.contests.Contest`.

    Both colours are tints of Okabe and Ito's palette and meet in white at 1/2; each cell has its
    number.
    """
    size = SINGLE_COLUMN * max(1.0, len(variants) / 4)
    figure = Figure(figsize=(size, size + 0.2), layout="constrained")
    axes = figure.subplots()
    square = table.pivot(index="variant", columns="rival", values="share")
    shares = square.loc[list(variants), list(variants)]
    shades = LinearSegmentedColormap.from_list(
        "shares", [_light_colour(0), PAPER, _light_colour(1)]
    )
    edges = np.arange(len(variants) + 1) - 0.5  # cells as shapes: an image would be pixels
    axes.pcolormesh(edges, edges, shares.to_numpy(), vmin=0, vmax=1, cmap=shades)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    _label_axes(axes, variants)
    for place, variant in enumerate(variants):
        for across, other in enumerate(variants):
            _write_cell(axes, (across, place), _row_of_pair(table, variant, other))
    figure.supxlabel(_caption(table, flows), fontsize=7, color=INK)
    return figure


def _light_colour(place: int) -> str:
    """A colour of the palette, mixed with white."""
    colour, paper = (np.array(to_rgb(colour_name)) for colour_name in (PALETTE[place], PAPER))
    return to_hex((_TINT_SHARE * colour + (1.0 - _TINT_SHARE) * paper).tolist())


def _label_axes(axes: Axes, variants: Sequence[str]) -> None:
    places = range(len(variants))
    turn = 0 if len(variants) <= _MOST_WIDTH else 90
    axes.set_xticks(places, variants, rotation=turn)
    axes.set_yticks(places, variants)
    axes.set_xlabel("against")
    axes.set_ylabel("share of the goodput of")
    axes.tick_params(length=0)
    axes.grid(visible=False)


def _row_of_pair(table: pandas.DataFrame, variant: str, other: str) -> dict[str, Any]:
    chosen = table[(table["variant"] == variant) & (table["rival"] == other)]
    return {str(key): value for key, value in chosen.iloc[0].items()}


def _write_cell(axes: Axes, place: tuple[int, int], row: dict[str, Any]) -> None:
    half = (row["share_high"] - row["share_low"]) / 2
    share = "-" if math.isnan(row["share"]) else f"{row['share']:.2f}"
    text = share + ("" if math.isnan(half) else f"\n± {half:.2f}")
    axes.text(*place, text, ha="center", va="center", fontsize=7, color=INK)


def _caption(table: pandas.DataFrame, flows: int) -> str:
    n = int(table["replications"].min())
    often = "one replication per pair" if n == 1 else f"n = {n} per pair, all equal"
    if table["share_low"].notna().any():
        often = f"n = {n} per pair, ±: half the {LEVEL} interval (Student's t)"
    if table["share"].isna().all():
        return f"{flows} + {flows} flows; {often}.\nNothing was delivered."
    highest = table.loc[table["share"].idxmax()]
    least = f"{highest['variant']} takes most: {highest['share']:.2f} against {highest['rival']}"
    return f"{flows} + {flows} flows; {often}.\n{least}."
