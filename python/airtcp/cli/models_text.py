"""Answers of models for a path, beside the simulation, as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airtcp.cli.text import fits, grid, records
from airtcp.support.format import coordinate, measured
from airtcp.support.half_width import half_width_of

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

_WHAT = (
    "Models: throughput in packets/s. range: out where the model was not found to be accurate"
    " (docs/models.md)."
)
_ERROR = "error: how far the model is from the mean of the simulation."
_NARROW = "Not shown for want of width: verdict, interval of the simulation."
_VERDICT = "verdict: agree, differ or undecided, as between engines."


def models_text(models: pandas.DataFrame, shown: Mapping[str, str]) -> list[Any]:
    """A table with a row per point and model, and what it needs to be understood.

    `shown`: headings of the coordinates by path.
    """
    known = models["error_percent"].notna().any()
    what = [_WHAT, _ERROR, _VERDICT] if known else [_WHAT]
    table = _grid(models, shown, remarks=True, wide=True)
    if fits(table):
        return ["", *what, "", table]
    table = _grid(models, shown, remarks=False, wide=True)
    if not fits(table):
        table = _grid(models, shown, remarks=False, wide=False)
        what = [one for one in what if one != _VERDICT] + ([_NARROW] if known else [])
    said: dict[str, dict[str, None]] = {}
    for model, text in zip(models["model"], models["remark"], strict=True):
        for remark in filter(None, text.split("; ")):
            said.setdefault(remark, {})[model] = None
    lines = [f"{', '.join(names)}: {remark}." for remark, names in said.items()]
    return ["", *what, "", table, *([""] if lines else []), *lines]


def _grid(
    models: pandas.DataFrame, shown: Mapping[str, str], *, remarks: bool, wide: bool
) -> Table:
    """`wide`: with the interval of the simulation, which the table of the run has as well."""
    from airtcp.comparison.models_beside import engine_in, measured_in  # noqa: PLC0415

    rows = records(models)
    columns = {name: [coordinate(row[path]) for row in rows] for path, name in shown.items()}
    columns["model"] = [row["model"] for row in rows]
    if remarks and models["remark"].any():
        columns["remark"] = [row["remark"] for row in rows]
    columns["range"] = ["in" if row["within_range"] else "out" for row in rows]
    columns["packets/s"] = [f"{row['throughput_pps']:.5g}" for row in rows]
    numbers = 1
    if models["error_percent"].notna().any():
        name = measured_in(models)
        columns[engine_in(models)] = [_simulated(row, name, wide=wide) for row in rows]
        columns["error"] = [_error(row["error_percent"]) for row in rows]
        columns["verdict"] = [row["verdict"] or "-" for row in rows]
        numbers = 3 if not wide else 4
        if not wide:
            del columns["verdict"]
    return grid(list(columns), zip(*columns.values(), strict=True), numbers=numbers)


def _simulated(row: Mapping[str, Any], name: str, *, wide: bool) -> str:
    if not wide:
        return f"{row[name]:.5g}"
    half = half_width_of(row, name)
    return measured(row[name], half or math.nan)  # the table of the simulation says why


def _error(percent: float) -> str:
    return "-" if math.isnan(percent) else f"{percent:+.1f} %"
