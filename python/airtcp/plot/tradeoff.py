"""One metric against another: a point with the intervals of both for each setting.

The first key that varies gives the colour, the second the marker; what is left of a setting stands
beside its point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from airtcp.errors import InputError, known_name
from airtcp.metrics.absent import present_name
from airtcp.metrics.labels import scaled_label
from airtcp.plot.runs import (
    FLOW_COLUMN,
    FLOW_TCP_COLUMN,
    parse_quantities,
    with_flow_names,
    words_of_values,
)
from airtcp.plot.style import INK, LEVEL, MARKERS, PALETTE, PAPER, SINGLE_COLUMN, with_style
from airtcp.plot.wording import relabel_figure
from airtcp.scenario.axes import TableAxes

if TYPE_CHECKING:
    import pandas as pd

    from airtcp.simulation.results import Results

_WIDTH = 1.5 * SINGLE_COLUMN
_MOST_NAMED = 40  # points with words beside them


def is_tradeoff(results: Results, x: str) -> bool:
    """True if the abscissa is a metric and no key."""
    return not results.has_key(x) and present_name(x) in results.metrics


def tradeoff_figure(
    results: Results,
    x: str,
    y: str,
    *,
    by: str | Iterable[str] = (),
    where: Mapping[str, Any] | None = None,
    logx: bool = False,
    logy: bool = False,
    estimate: str = "mean",
    **words: Any,
) -> Figure:
    """The metric `y` against the metric `x`, a point per setting.

    `by`: the keys that make a setting; by default all that vary. What is in none of them is
    averaged. The other parameters are as in `airtcp.plot.results.results_figure`. Raises
    `InputError`.
    """
    x, y = (str(present_name(metric)) for metric in (x, y))
    known_name("y", y, results.metrics)
    if x == y:
        raise InputError(f"x and y: both are {x}; give two metrics")
    keys = results.keys(by) or results.varying(where)
    table = results.summary([x, y], by=keys, where=where, estimate=estimate)
    table = table[table[x].notna() & table[y].notna()]
    if table.empty:
        raise InputError(f"x = {x}, y = {y}: no setting has values of both")
    return relabel_figure(_draw_tradeoff(results, table, (x, y), logs=(logx, logy)), **words)


@with_style
def _draw_tradeoff(
    results: Results, table: pd.DataFrame, metrics: tuple[str, str], *, logs: tuple[bool, bool]
) -> Figure:
    folded = TableAxes.from_scenario(results.scenario).table(table)
    keys = [str(column) for column in folded.columns[: folded.columns.get_loc("n")]]
    folded, units = parse_quantities(with_flow_names(folded, results.scenario), keys)
    keys = [key for key in keys if folded[key].nunique(dropna=False) > 1]
    keys = [
        key for key in keys if key != FLOW_TCP_COLUMN or FLOW_COLUMN not in keys
    ]  # in the names of flows
    words_of_key = {
        key: [words_of_values([value], [key], units) for value in folded[key]] for key in keys
    }
    colour, marker, remaining = _key_roles(words_of_key)
    figure = Figure(figsize=(_WIDTH, 0.86 * _WIDTH), layout="constrained")
    axes = figure.add_subplot()
    ends = [
        _means_and_errors(table, metric, log=log) for metric, log in zip(metrics, logs, strict=True)
    ]
    for row in range(len(table)):
        place = _value_place(words_of_key, colour, row)
        axes.errorbar(
            ends[0][0][row : row + 1],
            ends[1][0][row : row + 1],
            xerr=ends[0][1][:, row : row + 1],
            yerr=ends[1][1][:, row : row + 1],
            color=PALETTE[place % len(PALETTE)],
            marker=MARKERS[_value_place(words_of_key, marker, row) % len(MARKERS)],
            markerfacecolor=PAPER,
            elinewidth=0.9,
            linestyle="none",
        )
        words = ", ".join(filter(None, (words_of_key[key][row] for key in remaining)))
        if words and len(table) <= _MOST_NAMED:
            point = (ends[0][0][row], ends[1][0][row])
            axes.annotate(words, point, (4, 4), textcoords="offset points", fontsize=6)
    for name, set_label, log, set_scale in (
        (metrics[0], axes.set_xlabel, logs[0], axes.set_xscale),
        (metrics[1], axes.set_ylabel, logs[1], axes.set_yscale),
    ):
        set_label(scaled_label(name, float(table[name].max()))[0])
        if log:
            set_scale("log")
    handles = [*_handles(words_of_key, colour, PALETTE), *_handles(words_of_key, marker, MARKERS)]
    bars = Line2D([], [], color=INK, linestyle="none", marker="+", label=f"{LEVEL} intervals")
    figure.legend(handles=[*handles, bars], loc="outside lower center", ncols=3)
    return figure


def _key_roles(words_of_key: Mapping[str, Sequence[str]]) -> tuple[str, str, list[str]]:
    """The key of the colour, the key of the marker, and the keys written beside points."""
    colours = [key for key, words in words_of_key.items() if len({*words}) <= len(PALETTE)]
    colour = colours[0] if colours else ""
    markers = [key for key in colours[1:] if len({*words_of_key[key]}) <= len(MARKERS)]
    marker = markers[0] if markers else ""
    return colour, marker, [key for key in words_of_key if key not in (colour, marker)]


def _means_and_errors(table: pd.DataFrame, metric: str, *, log: bool) -> tuple[Any, Any]:
    """Means in the unit of the axis, and how far intervals reach below and above them."""
    _, scale = scaled_label(metric, float(table[metric].max()))
    mean = table[metric].to_numpy(dtype=float) / scale
    if log and not (mean > 0.0).all():
        raise InputError(f"{metric}: a logarithmic axis needs values above 0")
    low, high = (table[f"{metric}_{end}"].to_numpy(dtype=float) / scale for end in ("low", "high"))
    least = mean / 10.0 if log else np.zeros_like(mean)  # no metric is negative
    reach = np.array([mean - np.maximum(low, least), high - mean])
    return mean, np.where(np.isfinite(reach), np.maximum(reach, 0.0), 0.0)


def _value_place(words_of_key: Mapping[str, Sequence[str]], key: str, row: int) -> int:
    return list(dict.fromkeys(words_of_key[key])).index(words_of_key[key][row]) if key else 0


def _handles(
    words_of_key: Mapping[str, Sequence[str]], key: str, looks: Sequence[str]
) -> list[Line2D]:
    """Legend entries for the values of a key, as colours or as markers."""
    words = dict.fromkeys(words_of_key[key]) if key else {}
    return [
        Line2D(
            [],
            [],
            linestyle="none",
            markerfacecolor=PAPER,
            color=look if looks is PALETTE else INK,
            marker="o" if looks is PALETTE else look,
            label=word,
        )
        for word, look in zip(words, looks, strict=False)
    ]
