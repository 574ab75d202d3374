"""Figures of results: one metric over one coordinate, means with their intervals.

The first key of `by` gives the colour, the second the dash, further ones a panel per combination of
their values. What is in none of them is averaged. Where there are many points on a line, a mark
with its interval stands at some of them only, evenly chosen. Runs of other engines beside simulated
ones have marks of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.figure import Figure

from airtcp.errors import InputError, refusal
from airtcp.metrics.absent import present_name
from airtcp.metrics.labels import scaled_label
from airtcp.plot.marks import FORMULA_PREFIX, MarkStyle
from airtcp.plot.runs import (
    MOST_PANELS,
    SIMULATED_COLUMN,
    axis_name,
    count_hops,
    parse_quantities,
    with_flow_names,
    words_of_values,
)
from airtcp.plot.style import (
    DASHES,
    DOUBLE_COLUMN,
    PALETTE,
    SINGLE_COLUMN,
    CurveData,
    literal_text,
    panels_figure,
    throughput_figure,
)
from airtcp.plot.wording import relabel_figure
from airtcp.reading.grouping import coordinate_text
from airtcp.scenario.axes import KIND, TableAxes

if TYPE_CHECKING:
    from airtcp.simulation.results import Results

_MOST_MARKS = 25  # on a line
_DODGE_WIDTH = 0.5  # of the place of a word on the axis: how far the points of a series stand apart


def results_figure(
    results: Results,
    x: str,
    y: str,
    *,
    by: str | Iterable[str] = (),
    where: Mapping[str, Any] | None = None,
    logx: bool = False,
    logy: bool = False,
    estimate: str = "mean",
    beside: Sequence[Results] = (),
    **words: Any,
) -> Figure:
    """The metric `y` over the coordinate `x`, one series per value of `by`.

    `beside`: runs of the same points by other engines, to be drawn beside these; keys in `by` and
    `where` that only they have apply to them alone. `words`: replacements as in
    `airtcp.plot.wording.reworded`. The other parameters are as in `Results.summary`. An axis of
    tables is one key, whose values are the kinds with what was written of them. Raises
    `InputError`.
    """
    named = [*beside, results]  # others may have all keys that these have, and some more
    axes = TableAxes.from_scenario(results.scenario)
    x, by, y = _key_of_name(named, x, axes), _keys_of_names(named, by, axes), str(present_name(y))
    axes = TableAxes(tuple(axis for axis in axes.axes if axis.path in (x, *by)))
    if len({x, *by}) <= len(by):
        raise refusal("by", by, f"different keys, none of them {x}")
    table = pd.concat(
        [
            axes.table(
                _summary(
                    engine_results, y, [axes.unfold_key(key) for key in (x, *by)], where, estimate
                )
            )
            for engine_results in (results, *beside)
        ],
        ignore_index=True,
    )
    known = (
        results.formulas(y, _conditions_of_engine(results, where))
        if estimate == "mean"
        else pd.DataFrame()
    )
    table, lines = _with_formulas(table, axes.table(known), (x, *by))
    table = _name_hops(results, table)
    table, units = parse_quantities(with_flow_names(table, results.scenario), [x, *by])
    table["x"], ticks = _positions(table[x])
    _check_axes(table, x, by, logx and not ticks)
    if logy and not (table["mean"].dropna() > 0.0).all():
        raise InputError(f"logy: {y} is not above 0 everywhere")
    label, scale = scaled_label(y, float(table["mean"].max()))
    table[["mean", "low", "high", *lines]] /= scale
    bottom = _lowest_ordinate(table) if logy else None
    table["low"] = table["low"].clip(lower=bottom or 0.0)  # no metric can be negative
    panels = [
        (
            ", ".join(_value_words(*pair, units) for pair in zip(values, by[2:], strict=True)),
            _curves_of_panel(part, by, units, ticks, estimate)
            + _formula_lines(part, by, units, ticks, lines),
        )
        for values, part in _groups(table, by[2:])
    ]
    noted = {
        key: label
        for engine_results in (results, *beside)
        for key, label in engine_results.noted.items()
    }
    hops = count_hops(results.scenario)
    noted |= {axis.path: axis_name(axis.path, "", hops=hops, limit=False) for axis in axes.axes}
    look: dict[str, Any] = {
        "xlabel": axis_name(x, units.get(x, ""), noted, hops=hops),
        "ylabel": label,
        "log_x": logx and not ticks,
        "y_range": None,
    }
    if len(panels) > 1:
        figure = panels_figure(panels, width=DOUBLE_COLUMN, **look)
    else:
        figure = throughput_figure(panels[0][1], width=1.3 * SINGLE_COLUMN, **look)
    _finish_axes(figure, ticks, bottom)
    return relabel_figure(figure, **words)


def _keys_of_names(
    engines: Sequence[Results], names: str | Iterable[str], axes: TableAxes
) -> list[str]:
    """The keys that one name or several mean, each once."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [_key_of_name(engines, names, axes)]
    return list(dict.fromkeys(_key_of_name(engines, name, axes) for name in names))


def _key_of_name(engines: Sequence[Results], name: str, axes: TableAxes) -> str:
    """The key that a name means; for the kind of a table the axis on which the tables stand."""
    path_found = next((axis.path for axis in axes.axes if name in (axis.path, axis.name)), "")
    if path_found:
        return path_found
    key = _engine_with_key(engines, name).key(name)
    axis = axes.axis_of_key(key)
    return axis.path if axis is not None and key == f"{axis.path}.{KIND}" else key


def _engine_with_key(engines: Sequence[Results], name: str) -> Results:
    """The first engine that has a key of this name; the first of all, if none has one."""
    return next(
        (engine_results for engine_results in engines if engine_results.has_key(name)), engines[0]
    )


def coordinates_drawn(results: Results, names: Iterable[str]) -> set[str]:
    """The coordinates that the names of keys stand for, as far as the runs of an engine have them.

    Raises `InputError`.
    """
    axes = TableAxes.from_scenario(results.scenario)
    keys = [
        _key_of_name([results], name, axes) for name in names if _replaces_key(results, name, axes)
    ]
    return {
        coordinate
        for key in keys
        for coordinate in axes.unfold_key(key)
        if results.has_key(coordinate)
    }


def _replaces_key(results: Results, name: str, axes: TableAxes) -> bool:
    return results.has_key(name) or any(name in (axis.path, axis.name) for axis in axes.axes)


def _summary(
    results: Results,
    y: str,
    drawn: Sequence[Sequence[str]],
    where: Mapping[str, Any] | None,
    estimate: str,
) -> pd.DataFrame:
    """The points of one engine, in series along the first key, where that is one coordinate.

    `drawn`: the coordinates that each key stands for.

    A key that it does not have has the value of no other engine.
    """
    keys = [coordinate for key in drawn for coordinate in key]
    known = [key for key in keys if results.has_key(key)]
    chosen = _conditions_of_engine(results, where)
    along = keys[0] if len(drawn[0]) == 1 and keys[0] in known else None
    table = results.summary(y, by=known, where=chosen, estimate=estimate, along=along)
    table = table.rename(columns={y: "mean", f"{y}_low": "low", f"{y}_high": "high"})
    table = table.assign(marks=results.marks)
    return table.assign(**{key: SIMULATED_COLUMN for key in keys if key not in known})


def _conditions_of_engine(results: Results, where: Mapping[str, Any] | None) -> dict[str, Any]:
    """The conditions on coordinates that one engine has."""
    return {key: value for key, value in (where or {}).items() if results.has_key(key)}


def usual_abscissa(results: Results, where: Mapping[str, Any] | None = None) -> str:
    """The coordinate with most values among those that vary and are numbers, else the first.

    Raises `InputError` if none varies.
    """
    varying = [key for key in results.varying(where) if key in results.coordinates]
    if not varying:
        raise InputError(f"x: no coordinate varies (there are {', '.join(results.coordinates)})")
    points = results.summary(results.metrics[0], by=varying, where=where)
    table, _ = parse_quantities(points, varying)
    numbers = [key for key in varying if not _positions(table[key])[1]]
    return max(numbers or varying[:1], key=lambda key: table[key].nunique())


def _name_hops(results: Results, table: pd.DataFrame) -> pd.DataFrame:
    """Hops called after their nodes, "access-phone", if these have names and are the same ones at
    every point."""
    if results.kind != "links" or "hop" not in table:
        return table
    ends = results.ends_of_hops()
    named = any(not name.isdecimal() for pair in ends.values() for name in pair)
    if not named or not set(table["hop"]) <= set(ends):
        return table
    return table.assign(hop=["-".join(ends[hop]) for hop in table["hop"]])


def _positions(column: pd.Series[Any]) -> tuple[Any, list[str]]:
    """Numbers as they are; words get a place each and their names as ticks."""
    values = column.tolist()
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return column.astype(float), []
    places, names = pd.factorize(column, use_na_sentinel=False)
    return places.astype(float), [literal_text(coordinate_text(name)) for name in names.tolist()]


def _check_axes(table: pd.DataFrame, x: str, by: Sequence[str], log_x: bool) -> None:
    """Refuse series and panels that could not be distinguished."""
    for keys, most, what in ((by[:1], len(PALETTE), "colours"), (by[1:2], len(DASHES), "dashes")):
        for key in keys:
            values = table[key].nunique(dropna=False)
            if values > most:
                refused = f"{values} values, but only {most} {what} can be told apart"
                raise InputError(f"by {key}: has {refused}; select some by where")
    panels = len(table[list(by[2:])].drop_duplicates()) if by[2:] else 1
    if panels > MOST_PANELS:
        refused = f"{panels} panels, but a figure shows at most {MOST_PANELS}"
        raise InputError(f"by {' '.join(by[2:])}: makes {refused}; select some by where")
    for name, axis_words in (("x", f"x = {x}"), ("mean", "metric")):
        if table[name].isna().all():
            raise InputError(f"{axis_words}: has no values")
    if log_x and not (table["x"].dropna() > 0.0).all():
        raise refusal(f"logx: {x}", float(table["x"].min()), "above 0 everywhere")


def _curves_of_panel(
    table: pd.DataFrame,
    by: Sequence[str],
    units: Mapping[str, str],
    ticks: Sequence[str],
    alone: str,
) -> list[CurveData]:
    """The series of a panel; one without `by` is called `alone`."""
    groups = _groups(table, [*by[:2], "marks"])
    curves = []
    for index, (values, rows) in enumerate(groups):
        shift = _DODGE_WIDTH * ((index + 0.5) / len(groups) - 0.5) if ticks else 0.0
        ordered = rows.dropna(subset=["mean", "x"]).sort_values("x")
        words_of_keys = [
            _value_words(value, key, units) for value, key in zip(values, by[:2], strict=False)
        ]
        colour, line = [*words_of_keys, *([alone, ""][len(words_of_keys) :])]
        curves.append(
            _curve_with_intervals(
                ordered, (colour, line), shift, joined=not ticks, marks=values[-1]
            )
        )
    return curves


def _with_formulas(
    table: pd.DataFrame, known: pd.DataFrame, keys: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """A table of means with a column for each formula, and what these columns are called.

    Formulas are averaged as runs are; one that is out of its range at some point of a mean has
    none.
    """
    names = [str(name) for name in known if str(name).startswith(FORMULA_PREFIX)]
    if not names or not {*keys} <= {*known}:
        return table, []
    means = known.groupby(list(keys), dropna=False)[names].agg(
        lambda column: column.mean(skipna=False)
    )
    merged = table.merge(means.reset_index(), how="left", on=list(keys))
    return merged, [name for name in names if merged[name].notna().any()]


def _formula_lines(
    table: pd.DataFrame,
    by: Sequence[str],
    units: Mapping[str, str],
    ticks: Sequence[str],
    names: Sequence[str],
) -> list[CurveData]:
    """The formulas of a panel, in the colours of the runs that they are about."""
    curves = []
    for values, rows in _groups(table.drop_duplicates(["x", *by]) if names else table, by[:2]):
        words_of_keys = [
            _value_words(value, key, units) for value, key in zip(values, by[:2], strict=True)
        ]
        colour, line = [*words_of_keys, *(["mean", ""][len(words_of_keys) :])]
        ordered = rows.dropna(subset=["x"]).sort_values("x")
        curves += [
            CurveData(
                colour=colour,
                line=", ".join(filter(None, (line, name))),
                legend_words="" if by else name,
                has_connected_points=not ticks,
                x=ordered["x"][known] if ticks else ordered["x"],
                y=ordered[name][known] if ticks else ordered[name],
            )
            for name in names
            if (known := ordered[name].notna()).any()
        ]
    return curves


def _value_words(value: Any, key: str, units: Mapping[str, str]) -> str:
    if value == SIMULATED_COLUMN:
        return SIMULATED_COLUMN
    return (
        words_of_values([value], [key], units) or f"no {key.rpartition('.')[2].replace('_', ' ')}"
    )


def _curve_with_intervals(
    rows: pd.DataFrame, words: tuple[str, str], shift: float, *, joined: bool, marks: MarkStyle
) -> CurveData:
    """Points with their intervals; a line joins them where x has an order."""
    marked = rows.iloc[:: -(-len(rows) // _MOST_MARKS)] if joined and len(rows) else rows
    return CurveData(
        colour=words[0],
        line=words[1],
        marks=marks,
        x=rows["x"] if joined else (),
        y=rows["mean"] if joined else (),
        points_x=marked["x"] + shift,
        points=marked["mean"],
        points_low=marked["low"].fillna(marked["mean"]),
        points_high=marked["high"].fillna(marked["mean"]),
    )


def _groups(table: pd.DataFrame, names: Sequence[str]) -> list[tuple[tuple[Any, ...], Any]]:
    """(values, rows) in order of appearance; one group of everything if there are no names."""
    if not names:
        return [((), table)]
    return list(table.groupby(list(names), sort=False, dropna=False))


def _lowest_ordinate(table: pd.DataFrame) -> float:
    """Begin of a logarithmic axis, on which an interval that reaches below 0 has no end."""
    values = table[["mean", "low"]].to_numpy()
    return float(values[values > 0.0].min()) / 1.5


def _finish_axes(figure: Figure, ticks: Sequence[str], bottom: float | None) -> None:
    """The ordinate, logarithmic from `bottom` if that is given, and names of places."""
    for axes in figure.axes:
        if bottom is not None:
            axes.set_yscale("log")
            axes.set_ylim(bottom=bottom)
        elif axes.get_ylim()[0] < 0.0:
            axes.set_ylim(bottom=0.0)
        if ticks:
            axes.set_xticks(range(len(ticks)), ticks)
            axes.set_xlim(-0.6, len(ticks) - 0.4)
            if max(map(len, ticks)) * len(ticks) > 40:
                axes.tick_params(axis="x", rotation=30)
