"""Answers of models for a path, beside the simulation, as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from airtcp.cli.text import breaks_words, fits, join_columns, make_table, records
from airtcp.support.format import format_coordinate, mean_with_interval
from airtcp.support.half_width import half_width_of_row

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

    from airtcp.scenario.axes import TableAxes

_COLUMN_NOTE = (
    "Models: throughput in packets/s. range: out where the model has not been shown to be accurate"
    " (docs/explanation/formulas.md)."
)
_ERROR_NOTE = "error: how far the model is from the mean of the simulation."
_VERDICT_NOTE = "verdict: agree, differ or undecided, as between engines."
_OUT_OF_RANGE = re.compile(r"(?P<key>.+) = (?P<value>\S+)(?P<unit> m?s)? is outside (?P<range>.+)")
_COLUMNS_TO_DROP = ("verdict", "interval", "beside")  # left out where the terminal is narrow
_DROPPED_COLUMNS = {
    "interval": "interval of the simulation",
    "beside": "mean of the runs",
}  # what is said of it
_MOST_LISTED_VALUES = 3  # values that are listed one by one


def models_text(models: pandas.DataFrame, shown: Mapping[str, str], axes: TableAxes) -> list[Any]:
    """A table with a row per point and model, and the explanations that it needs.

    `shown`: headings of the coordinates by path.
    """
    from airtcp.comparison.models_beside import rows_in_range  # noqa: PLC0415  (imports pandas)

    inside, out = rows_in_range(models)
    lines, remarks = [out] if out else [], _remarks(models)
    if not len(inside):
        return ["", *lines, *remarks]
    models = inside
    known = models["error_percent"].notna().any()
    labels = (False, True) if axes else (False,)
    for number, short in product(range(len(_COLUMNS_TO_DROP) + 1 if known else 1), labels):
        left = _COLUMNS_TO_DROP[:number]
        table = _models_table(axes.table(models, short=short), shown, left)
        if fits(table):
            break
    else:
        if breaks_words(table):
            table = _models_table(axes.table(models, short=True), shown, left, together=True)
    what = [
        _COLUMN_NOTE,
        *([_ERROR_NOTE] if known else []),
        *([_VERDICT_NOTE] if known and not left else []),
    ]
    unshown = ", ".join(
        _DROPPED_COLUMNS.get(column, column)
        for column in left
        if column != "interval" or left[-1] == column
    )
    what += [f"Not shown for lack of width: {unshown}."] if left else []
    lines += [*(axes.explanations([*shown]) if short else []), *remarks]
    return ["", *what, "", table, *([""] if lines else []), *lines]


def _remarks(models: pandas.DataFrame) -> list[str]:
    """A line per remark, with the models that it is about; values of one key share a line."""
    models_of_remark: dict[str, dict[str, None]] = {}
    outside: dict[tuple[str, str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for model, text in zip(models["model"], models["remark"], strict=True):
        for remark in filter(None, text.split("; ")):
            match = _OUT_OF_RANGE.fullmatch(remark)
            if match is None:
                models_of_remark.setdefault(remark, {})[model] = None
                continue
            key = (match["key"], match["unit"] or "", match["range"])
            names, values = outside.setdefault(key, ({}, {}))
            names[model] = values[match["value"]] = None
    lines = [
        f"{', '.join(names)}: {key} = {_values_or_ends([*values])}{unit}"
        f" {'is' if len(values) == 1 else 'are'} outside {ends}."
        for (key, unit, ends), (names, values) in outside.items()
    ]
    return [
        *lines,
        *(f"{', '.join(names)}: {remark}." for remark, names in models_of_remark.items()),
    ]


def _values_or_ends(values: Sequence[str]) -> str:
    """ "0.01, 0.03", or the ends of many."""
    if len(values) <= _MOST_LISTED_VALUES:
        return ", ".join(values)
    ordered = sorted(values, key=float)
    return f"{ordered[0]} to {ordered[-1]}"


def _models_table(
    models: pandas.DataFrame,
    shown: Mapping[str, str],
    left: Sequence[str],
    *,
    together: bool = False,
) -> Table:
    """The table of the models; `left`: columns left out. The run's own table has the simulation.

    `together`: all coordinates are in one column.
    """
    from airtcp.comparison.models_beside import means_column, means_engine  # noqa: PLC0415

    rows = records(models)
    columns = {name: [format_coordinate(row[path]) for row in rows] for path, name in shown.items()}
    if together:
        columns = join_columns(columns)
    columns["model"] = [row["model"] for row in rows]
    columns["range"] = ["in" if row["within_range"] else "out" for row in rows]
    numbers = {"packets/s": [f"{row['throughput_pps']:.5g}" for row in rows]}
    if models["error_percent"].notna().any():
        name, wide = means_column(models), "interval" not in left
        if "beside" not in left:
            numbers[means_engine(models)] = [_simulated_cell(row, name, wide=wide) for row in rows]
        numbers["error"] = [_error_cell(row["error_percent"]) for row in rows]
        if "verdict" not in left:
            numbers["verdict"] = [row["verdict"] or "-" for row in rows]
    cells = zip(*columns.values(), *numbers.values(), strict=True)
    return make_table([*columns, *numbers], cells, numbers=len(numbers))


def _simulated_cell(row: Mapping[str, Any], name: str, *, wide: bool) -> str:
    if not wide:
        return f"{row[name]:.5g}"
    half = half_width_of_row(row, name)
    return mean_with_interval(row[name], half or math.nan)  # the table of the simulation says why


def _error_cell(percent: float) -> str:
    return "-" if math.isnan(percent) else f"{percent:+.1f} %"
