"""The answers of engines to the same points, put side by side in one table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from airtcp.comparison.answer import Answer, EngineTraits, column_names_of, values_per_row
from airtcp.metrics.layout import flows_of, layout_of
from airtcp.metrics.ratios import metrics_of
from airtcp.stats import z_scores

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult
    from airtcp.scenario.scenario import Point


def tabulate_answers(result: RunResult, usual: Mapping[str, EngineTraits]) -> pandas.DataFrame:
    """The table of `RunResult`; `usual`: the engines that are asked where nobody says which."""
    head = _leading_columns(result)
    flows = rows_per_point(result.scenario.points(), len(head))
    first = {
        answer.engine: answer.columns(flows) for answer in result.answers if answer.engine in usual
    }
    last = [answer.columns(flows) for answer in result.answers if answer.engine not in usual]
    on_slots = result.scenario.family == "slot"
    middle = _slot_columns(result, first, usual) if on_slots else first.values()
    note = pandas.DataFrame({"note": _notes(result, flows)})
    return pandas.concat([head, *middle, note, *last], axis=1)


def _leading_columns(result: RunResult) -> pandas.DataFrame:
    """Coordinates, flows if some engine distinguishes them, and numbers of runs."""
    points = result.scenario.points()
    known = (answer.leading_columns() for answer in result.answers)
    head = next((columns for columns in known if columns is not None), None)
    if head is None:
        head = pandas.DataFrame([point.coordinates for point in points]).assign(replications=0)
    if result.scenario.family == "slot":
        head.insert(len(points[0].coordinates), "method", [point.method for point in points])
    return head


def rows_per_point(points: Sequence[Point], rows: int) -> list[int]:
    """Number of rows of each point in a table of so many: one, or its flows."""
    return [1] * len(points) if rows == len(points) else [flows_of(point) for point in points]


def _notes(result: RunResult, flows: Sequence[int]) -> list[str]:
    """Reasons why models do not answer, in the rows of the table."""
    models = [answer for answer in result.answers if answer.traits.is_drawn_as_line]
    silent = [
        values_per_row(model.reasons or model.estimates.reasons_not_compared, flows)
        for model in models
    ]
    notes = ["; ".join(filter(None, reasons)) for reasons in zip(*silent, strict=True)]
    return notes or [""] * sum(flows)


def _slot_columns(
    result: RunResult, known: Mapping[str, pandas.DataFrame], usual: Mapping[str, EngineTraits]
) -> list[pandas.DataFrame]:
    """Columns of all usual engines, metric by metric; NaN for engines that were not asked."""
    points, tables = result.scenario.points(), list[pandas.DataFrame]()
    for metric, (engine, about) in product(
        metrics_of("slot", layout_of(points[0]).names), usual.items()
    ):
        names = [*column_names_of(engine, about, metric), f"{engine}_{metric}_carriers"]
        expected = names[:3] if about.has_interval_columns or metric == "throughput" else names[:1]
        columns = known.get(engine)
        if columns is None:
            columns = pandas.DataFrame(np.nan, range(len(points)), expected)
        tables.append(columns[[name for name in names if name in columns]])
        if metric == "throughput" and engine == [*usual][-1]:
            tables.append(pandas.DataFrame({"z": _z_scores(result)}, index=range(len(points))))
    return tables


def _z_scores(result: RunResult) -> Any:
    """Distance of the means of the leading engine from the values of a model, at each point."""
    model, lead = model_and_leading_answer(result)
    if model is None or lead is None:
        return np.nan
    exact, means = (answer.estimates.estimates[_Z_METRIC] for answer in (model, lead))
    errors = [0.0 if mean.runs > 1 and math.isnan(mean.error) else mean.error for mean in means]
    runs = [max(estimate.runs, 1) for estimate in means]
    return z_scores(
        [estimate.value for estimate in means], [estimate.value for estimate in exact], errors, runs
    )


_Z_METRIC = "throughput"  # the metric that `z` is of


def model_and_leading_answer(result: RunResult) -> tuple[Answer | None, Answer | None]:
    """The answers that `z` compares: the first model with a throughput, and the one that leads."""
    models = (answer for answer in result.answers if answer.traits.is_drawn_as_line)
    return next(
        (model for model in models if _Z_METRIC in model.estimates.estimates), None
    ), result.leading_answer


def count_covered(result: RunResult) -> tuple[int, int]:
    """(points whose 95 % interval contains the analysis, points with an interval and an analysis).

    Points whose runs do not scatter have no interval.
    """
    table, (model, lead) = result.table, model_and_leading_answer(result)
    if "z" not in table or model is None or not model.traits.is_default or lead is None:
        return 0, 0
    compared, rounding = table["z"].notna(), 1e-12
    value, (_, low, high) = (
        table[model.column_names("throughput")[0]],
        lead.column_names("throughput"),
    )
    inside = (table[low] - rounding <= value) & (value <= table[high] + rounding)
    return int((compared & inside).sum()), int(compared.sum())


def rows_of_answer(result: RunResult, answer: Answer) -> list[dict[str, Any]]:
    """The rows of the table, with the metrics of one answer under their own names."""
    head = f"{answer.engine}_"
    named = result.table.rename(columns=lambda name: str(name).removeprefix(head))
    return [{str(key): value for key, value in row.items()} for row in named.to_dict("records")]


_VISIBLE_DIFFERENCE = 5e-6  # bounds that differ by less look the same in five digits


def is_bounded(result: RunResult, answer: Answer, metric: str) -> bool:
    """True if a model has bounds of a metric that say more than its values.

    For an exact value both bounds equal the value.
    """
    names = answer.column_names(metric)
    if not answer.traits.is_drawn_as_line or not all(name in result.table for name in names):
        return False
    _, low, high = (result.table[name] for name in names)
    return bool((high - low > _VISIBLE_DIFFERENCE * max(1.0, high.max())).any())


def validity_columns_by_engine(result: RunResult) -> dict[str, dict[str, list[str]]]:
    """For each engine that reports how many of its runs count, the column with that number.

    The head of the column names the engine if several have such a column.
    """
    validity = {
        answer.engine: answer.validity_columns(result.rows_per_point) for answer in result.answers
    }
    shown_validity = {engine: columns for engine, columns in validity.items() if columns}
    if len(shown_validity) < 2:
        return shown_validity
    return {
        engine: {f"{engine} {head}": cells for head, cells in columns.items()}
        for engine, columns in shown_validity.items()
    }


def shared_answers_text(result: RunResult) -> str:
    """Sentences on points that differ only in keys that some engines ignore."""
    points = result.scenario.points()
    first = points[0].coordinates
    varying = [path for path in first if any(o.coordinates[path] != first[path] for o in points)]
    deaf: dict[str, list[str]] = {}
    for answer in result.answers:
        deaf.setdefault(" and ".join(result.keys_of_other_engines(answer, varying)), []).append(
            answer.engine
        )
    return " ".join(
        _ignored_keys_sentence(engines, paths) for paths, engines in deaf.items() if paths
    )


def _ignored_keys_sentence(engines: Sequence[str], paths: str) -> str:
    who = f"{' and '.join(engines)} {'does' if len(engines) == 1 else 'do'}"
    return (
        f"{who[:1].upper()}{who[1:]} not depend on {paths}: rows that differ in"
        " nothing else repeat the answer for tcp.congestion."
    )
