"""The tables of the report of a run, with what each of them says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from airtcp.comparison.answer import values_per_row
from airtcp.comparison.calls import DELAY_METRIC, OPINION_METRIC, worst_calls
from airtcp.comparison.side_by_side import is_bounded, validity_columns_by_engine
from airtcp.metrics.labels import axis_label, readable_unit
from airtcp.metrics.owners import heads_of_owners, with_owners
from airtcp.metrics.table import DEFAULT_METRICS, metrics_by_kind
from airtcp.plot.runs import table_and_coordinates
from airtcp.plot.style import LEVEL
from airtcp.report.digits import (
    estimate_cells,
    format_coordinates,
    format_evenly,
    interval_decimals,
    with_minus_sign,
)
from airtcp.report.messages import (
    MeanSpread,
    intervals_in_words,
    metric_head,
    places_of,
    runs_in_words,
    sentence_subject,
)
from airtcp.report.page import html_table
from airtcp.scenario.axes import TableAxes
from airtcp.stats.verdict import DIFFER
from airtcp.support.format import few_mark_lines
from airtcp.support.half_width import half_width, half_width_of_row

if TYPE_CHECKING:
    from airtcp.comparison.answer import Answer
    from airtcp.engines.run import RunResult

_PATH_METRICS = (*DEFAULT_METRICS["path"], "throughput_pps", "efficiency", "fast_retransmits")
_WAIT_METRIC = "mean_sojourn"
_HALF_NOTE = f"\N{PLUS-MINUS SIGN}: half the {LEVEL} interval"
_SLOT_WORDS = {"throughput": "throughput", "transmissions_per_delivery": "sent per delivered"}


def keys_of(table: pd.DataFrame, coordinates: Sequence[str]) -> list[str]:
    """Columns that identify the rows of `RunResult.table`."""
    varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
    return [*varying, *(name for name in ("flow", "flow_tcp") if name in table)]


def runs_of(table: pd.DataFrame) -> tuple[list[int], list[bool]]:
    """Number of runs of each row, and a flag for rows in which nothing is random."""
    name = "n" if "n" in table else "replications"
    return table[name].astype(int).tolist(), exact_flags(table).tolist()


def exact_flags(table: pd.DataFrame) -> pd.Series[bool]:
    """Flags of the rows in which nothing is random."""
    return table["exact"] if "exact" in table else pd.Series(False, index=table.index)


def spread_of(result: RunResult, metric: str, coordinates: Sequence[str]) -> MeanSpread | None:
    """Columns of a metric with values of runs, the leading answer first; of a model if none do."""
    table, _ = table_and_coordinates(result)
    for answer in sorted(
        result.answers,
        key=lambda candidate: (candidate.traits.is_drawn_as_line, not candidate.traits.is_leading),
    ):
        names = answer.column_names(metric)
        if result.has_metric(answer, metric):
            if answer.traits.is_drawn_as_line:  # bounds are no intervals
                names = (names[0], "", "")
            return MeanSpread.from_table(
                table, names, keys_of(table, coordinates), result.unit(metric)
            )
    return None


def results_table(result: RunResult, coordinates: Sequence[str]) -> str:
    """All points (and flows) with what the engines say of them."""
    table, _ = table_and_coordinates(result)
    columns = _key_columns(table, keys_of(table, coordinates))
    if result.scenario.family == "slot":
        columns |= _slot_columns(result)
    else:
        columns |= {} if result.metrics else _worst_calls(result)
        shown = [*dict.fromkeys((*result.metrics, *result.workload_metrics, *_PATH_METRICS))]
        for answer in result.answers:
            columns |= _answer_columns(result, answer, shown)
    return html_table(pd.DataFrame(columns), caption=_results_caption(result, _cells(columns)))


def _worst_calls(result: RunResult) -> dict[str, list[str]]:
    """Opinion and delay of the worst call at each point, where there are calls."""
    worst = worst_calls(result)
    if not worst:
        return {}
    rows = pd.DataFrame([row or {} for row in worst])
    columns = {}
    for metric, words in ((OPINION_METRIC, "call MOS"), (DELAY_METRIC, "call delay")):
        unit, scale = readable_unit(metric, float(rows[metric].max()))
        halves = half_width_of_row(rows, metric) / scale
        few = rows.get(f"{metric}_carriers")
        cells = estimate_cells(rows[metric] / scale, halves, exact_flags(rows), few)
        columns[f"{words} ({unit})" if unit else words] = values_per_row(
            cells, result.rows_per_point
        )
    return columns


def _cells(columns: Mapping[str, Any]) -> list[str]:
    """The texts in columns."""
    return [cell for column in columns.values() for cell in column if isinstance(cell, str)]


def _results_caption(result: RunResult, cells: Sequence[str]) -> str:
    table = result.table
    caption = "One row per point" + (" and flow." if "flow" in table else ".")
    if result.leading_answer is None:
        return caption
    runs, exact = runs_of(table)
    if not all(exact) and max(runs, default=0) > 1:
        caption += f" {_HALF_NOTE}, {runs_in_words(runs)}."
    shown = [name.removesuffix("_carriers") for name in table if name.endswith("_carriers")]
    few = few_mark_lines(cells, table.to_dict("records"), shown, max(runs, default=0))
    return " ".join(filter(None, (caption, *few, _widest_interval_sentence(result))))


def _widest_interval_sentence(result: RunResult) -> str:
    """Sentence on the row in which the first metric is known least, as a share of its mean."""
    metric = result.main_metric
    names = () if result.leading_answer is None else result.leading_answer.column_names(metric)
    if not names or names[0] not in result.table:
        return ""
    mean, *ends = (result.table[name] for name in names)
    halves = half_width(mean, *ends) / mean.abs()
    halves = halves.where(np.isfinite(halves) & (halves > 0.0))
    if not halves.notna().any():
        return ""
    table, coordinates = table_and_coordinates(result)
    place = places_of(table, keys_of(table, coordinates))[int(np.nanargmax(halves.to_numpy()))]
    where = f", at {place}" if place else ""
    share, name = 100.0 * halves.max(), sentence_subject(metric).lower()
    widest = (
        f"\N{PLUS-MINUS SIGN} {share:.0f} %"
        if share >= 10.0
        else f"\N{PLUS-MINUS SIGN} {share:.2g} %"
    )
    return f"The widest interval of the {name} is {widest}{where}."


def _slot_columns(result: RunResult) -> dict[str, Any]:
    """Metric by metric, the engines side by side."""
    table = result.table
    columns: dict[str, Any] = {}
    pairs = product(result.answers, _SLOT_WORDS)
    bounded = [
        (answer.engine, metric) for answer, metric in pairs if is_bounded(result, answer, metric)
    ]
    for metric, words in _SLOT_WORDS.items():
        for answer in result.answers:
            columns |= _throughput_columns(result, answer, metric, words)
            if (answer.engine, metric) in bounded:
                whose = f" of {words}, {answer.engine}" if len(bounded) > 1 else ""
                columns |= _bound_columns(table, answer, metric, whose)
        if metric == "throughput" and table["z"].notna().any():
            columns["z"] = format_evenly(table["z"], 3)
    return columns


def _throughput_columns(
    result: RunResult, answer: Answer, metric: str, words: str
) -> dict[str, Any]:
    """A column of an engine that has values."""
    if not result.has_metric(answer, metric):
        return {}
    table, (value, low, high) = result.table, answer.column_names(metric)
    named = f"{words}, {answer.engine}"
    if answer.traits.is_drawn_as_line:
        return {named: table[value]}
    halves = half_width(table[value], table[low], table[high])
    return {
        named: estimate_cells(
            table[value], halves, _exact_rows(table, answer), _few_carriers(table, value)
        )
    }


def _bound_columns(table: pd.DataFrame, answer: Answer, metric: str, whose: str) -> dict[str, Any]:
    _, low, high = answer.column_names(metric)
    return {f"lower bound{whose}": table[low], f"upper bound{whose}": table[high]}


def _exact_rows(table: pd.DataFrame, answer: Answer) -> pd.Series[bool] | None:
    """Flags of the rows in which nothing is random, for the engine that has one run there."""
    return exact_flags(table) if answer.traits.is_leading else None


def _few_carriers(table: pd.DataFrame, name: str) -> pd.Series[Any] | None:
    return table.get(f"{name}_carriers")


def _answer_columns(result: RunResult, answer: Answer, metrics: Sequence[str]) -> dict[str, Any]:
    """A column for each metric that has values, in a unit that suits them, and of how many runs."""
    prefix = "" if answer.traits.is_leading else f"{answer.engine} "
    columns_found = {
        f"{prefix}{name}": values
        for name, values in _estimate_columns(result, answer, metrics).items()
    }
    runs = (
        () if answer.traits.is_leading else answer.runs
    )  # those of the answer that leads are in the caption
    who = {
        name: values_said
        for name, values_said in (
            (answer.traits.answered_by_head, answer.answered_by),
            ("runs", runs),
        )
        if values_said
    }
    whose = {
        f"{prefix}{name}": values_per_row(values_said, result.rows_per_point)
        for name, values_said in who.items()
    }
    return {**whose, **columns_found, **validity_columns_by_engine(result).get(answer.engine, {})}


def _estimate_columns(result: RunResult, answer: Answer, metrics: Sequence[str]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    table = result.table
    for metric in metrics:
        value, low, high = answer.column_names(metric)
        if result.has_metric(answer, metric):
            unit, scale = result.unit(metric)
            halves = half_width(table[value], table[low], table[high]) / scale
            cells = estimate_cells(
                table[value] / scale,
                halves,
                _exact_rows(table, answer),
                _few_carriers(table, value),
            )
            columns[metric_head(metric, unit)] = cells
    return columns


def _key_columns(
    table: pd.DataFrame, keys: Sequence[str], owner_heads: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Columns that identify rows, named by the last parts of their paths where these suffice.

    `owner_heads`: heads of further keys.
    """
    last = [key.rpartition(".")[2] for key in keys]
    heads = {"flow_tcp": "its TCP", **(owner_heads or {})}
    return {
        heads.get(key, name if last.count(name) == 1 else key): _coordinate_column(table[key])
        for key, name in zip(keys, last, strict=True)
    }


def _coordinate_column(column: pd.Series[Any]) -> Any:
    if column.dtype.kind != "f" or column.isna().any():
        return column
    return format_coordinates(column.tolist())


def records_table(kind: str, table: pd.DataFrame, coordinates: Sequence[str]) -> str:
    """Table of the counts of links or sources, with half of the intervals."""
    varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
    units = {name: readable_unit(name, float(table[name].max())) for name in metrics_by_kind(kind)}
    table, usual = with_owners(kind, table), DEFAULT_METRICS[kind]
    owner_heads = heads_of_owners(kind, table)
    columns = _key_columns(table, [*varying, *owner_heads], owner_heads)
    for metric in (*usual, *(name for name in metrics_by_kind(kind) if name not in usual)):
        if table[metric].notna().any() and (metric in usual or table[metric].any()):
            unit, scale = units[metric]
            halves = half_width_of_row(table, metric) / scale
            few = table.get(f"{metric}_carriers")
            means = table[metric] / scale
            columns[metric_head(metric, unit)] = estimate_cells(
                means, halves, exact_flags(table), few
            )
    runs, exact = runs_of(table)
    sentences = [f"{sentence_subject(runs_in_words(runs))}, {intervals_in_words(runs, exact)}."]
    first = next(name for name in (_WAIT_METRIC, *usual) if name in metrics_by_kind(kind))
    names = (first, f"{first}_low", f"{first}_high")
    spread = MeanSpread.from_table(table, names, [*varying, *owner_heads], units[first])
    sentences += [spread.sentence(axis_label(first).partition(" (")[0])]
    rows, values = table.to_dict("records"), max(runs, default=0)
    sentences += few_mark_lines(_cells(columns), rows, metrics_by_kind(kind), values)
    return html_table(pd.DataFrame(columns), caption=" ".join(filter(None, sentences)))


def _difference_cells(rows: pd.DataFrame) -> dict[str, list[str]]:
    """Relative differences in per cent and their intervals, all with the same decimals."""
    difference, low, high = (100.0 * rows[name] for name in ("difference", "low", "high"))
    places = interval_decimals(difference.tolist(), ((high - low) / 2.0).tolist())

    def percent(value: float) -> str:
        return with_minus_sign(f"{value:+.{places}f}") if math.isfinite(value) else "-"

    return {
        "difference (%)": [percent(share) for share in difference],
        "from (%)": [percent(share) for share in low],
        "to (%)": [percent(share) for share in high],
    }


def verdicts_table(result: RunResult, coordinates: Sequence[str]) -> str:
    """The verdicts on the main metric, and on other metrics where engines differ."""
    table = TableAxes.from_scenario(result.scenario).table(result.verdicts)
    if table.empty:
        return ""
    first = result.main_metric
    if first not in set(table["metric"]):
        first = table["metric"].iloc[0]
    telling = (table["metric"] == first) | (table["verdict"] == DIFFER)
    full_table, _ = table_and_coordinates(result)
    varying = [name for name in coordinates if full_table[name].nunique(dropna=False) > 1]
    rows = table[telling]
    keys = varying + [name for name in ("flow", "flow_tcp") if name in table]
    columns = _key_columns(rows, keys)
    columns |= {
        "metric": rows["metric"],
        "engines": rows["engine_a"] + " / " + rows["engine_b"],
        "verdict": rows["verdict"],
        **_difference_cells(rows),
        "runs that would decide": rows["runs_needed"],
        "why": rows["why"],
    }
    shown = pd.DataFrame(columns, index=rows.index)
    sentences = [
        f"The {sentence_subject(first).lower()} at every point, and other metrics where engines"
        " differ."
    ]
    for name in ("metric", "engines"):
        if shown[name].nunique() == 1:
            sentences.append(f"{name.capitalize()}: {shown[name].iloc[0]}.")
            shown = shown.drop(columns=name)
    has_values = [shown[name].replace("", np.nan).notna().any() for name in shown]
    return html_table(shown.loc[:, has_values], caption=" ".join(sentences))
