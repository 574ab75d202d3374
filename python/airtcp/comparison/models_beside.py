"""Models of a path beside its simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas

from airtcp.errors import count
from airtcp.metrics.layout import flows_of
from airtcp.models.zoo import ZOO
from airtcp.stats.verdict import Estimate, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.engines.run import RunResult


def compare_models(result: RunResult, leading: str) -> pandas.DataFrame:
    """The table `RunResult.models`; `leading`: the engine with the means to compare."""
    models = next((answer.models for answer in result.answers if answer.models is not None), None)
    if models is None:
        return pandas.DataFrame()
    table = models.copy()
    first, row = [], 0
    for point in result.scenario.points():
        first += [row] * len(ZOO)
        row += flows_of(point)
    names = [f"{leading}_{_COMPARED_METRIC}{end}" for end in ("", "_low", "_high")]
    for name in names:
        known = name in result.table
        table[name] = result.table[name].to_numpy()[first] if known else math.nan
    ratio = table[_COMPARED_METRIC] / table[names[0]].where(table[names[0]] > 0.0)
    table["error_percent"] = 100.0 * (ratio - 1.0)
    table = table.assign(**_judge_models(result, table[_COMPARED_METRIC].tolist(), first))
    return table[table["note"] == ""].drop(columns="note").reset_index(drop=True)


def rows_in_range(models: pandas.DataFrame) -> tuple[pandas.DataFrame, str]:
    """The rows of points at which some model is within its range, and a line on the others.

    `models`: rows of `RunResult.models`, perhaps with labels in place of coordinates. All rows are
    returned if nothing else answers.
    """
    if models["error_percent"].isna().all():
        return models, ""
    keys = [str(name) for name in models.columns[: models.columns.get_loc("model")]]
    inside = models["within_range"].astype(bool)
    point = models.groupby(keys, dropna=False).ngroup() if keys else inside * 0
    known = inside.groupby(point).transform("any")
    points, out = point.nunique(), point[~known].nunique()
    note = (
        f"At {out} of {count(points, 'point')} no model is within its range of validity"
        " (docs/explanation/formulas.md); --format json and models.csv have the answers."
    )
    return models[known], note if out else ""


_COMPARED_METRIC = "throughput_pps"


def means_column(models: pandas.DataFrame) -> str:
    """The column of `RunResult.models` with the means that models are compared with."""
    return next(str(name) for name in models if str(name).endswith(f"_{_COMPARED_METRIC}"))


def means_engine(models: pandas.DataFrame) -> str:
    """The engine that these means come from."""
    return means_column(models).removesuffix(f"_{_COMPARED_METRIC}")


def _judge_models(
    result: RunResult, values: Sequence[float], rows: Sequence[int]
) -> dict[str, list[str] | list[float]]:
    """Verdicts of the means of runs on the throughput of models, with intervals of the error."""
    lead = result.leading_answer
    known = None if lead is None else lead.estimates.estimates[_COMPARED_METRIC]
    verdicts = [
        None
        if known is None or not (math.isfinite(value) and known[row].value > 0.0)
        else judge(known[row], Estimate(value))
        for value, row in zip(values, rows, strict=True)
    ]
    ends = {
        f"error_{end}": [
            math.nan if error is None else 100.0 * getattr(error, end) for error in verdicts
        ]
        for end in ("low", "high")
    }
    return {"verdict": ["" if verdict is None else verdict.verdict for verdict in verdicts], **ends}
