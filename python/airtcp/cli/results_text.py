"""Summaries of results as text: a table for people, JSON and CSV for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp import _native
from airtcp.cli.run_records import SHORT_HEADS
from airtcp.cli.text import cell_texts, fits, make_table, records, render_page, to_csv, to_json
from airtcp.errors import count
from airtcp.metrics.companions import UNFINISHED_SHARE_METRIC, unfinished_lines
from airtcp.metrics.labels import DIRECTIONS_NOTE, column_head, explain_heads, readable_unit
from airtcp.metrics.layout import distinguishing_words
from airtcp.metrics.ratios import means_of_ratios_note, packet_length_warning
from airtcp.metrics.records import RECORD_KEYS
from airtcp.metrics.table import metrics_by_kind
from airtcp.scenario.axes import TableAxes
from airtcp.support.format import (
    few_mark_lines,
    format_coordinate,
    mean_with_interval,
    normality_line,
    short_mean_with_interval,
    short_names,
)
from airtcp.support.half_width import half_width, half_width_of_row
from airtcp.terminal import Printable, visible_line

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

    from airtcp.simulation.results import Results

MOST_ROWS = 40  # of a table on a terminal
MOST_WORKLOAD_COLUMNS = 3  # metrics for which labels become short: of a path goodput and delays


@dataclass(frozen=True)
class ShownSummary:
    """A summary, and how it was made: its `metrics`, and coordinates it is `averaged` over."""

    table: pandas.DataFrame
    metrics: Sequence[str]
    is_default_choice: bool  # whether metrics may be left out where the terminal is narrow
    averaged: Sequence[str]
    confidence: float
    estimate: str


@dataclass(frozen=True)
class ShownRanking:
    """A ranking, and how it was made."""

    table: pandas.DataFrame
    metric: str
    better: str
    confidence: float


def sweep_text(results: Results, shown: Sequence[str] = ()) -> str:
    """Summary of a sweep, and commands to look at its results: at the metrics `shown`, if any."""
    from rich.text import Text  # noqa: PLC0415  (slow to import)

    folder = results.folder
    of_flows = [name for name in shown if name in metrics_by_kind(results.family)]
    metric = next(iter(of_flows or results.usual_metrics))
    following = [
        "Next:",
        f"airtcp results {folder}{_metric_options(of_flows)}",
        f"airtcp plot {folder} -x KEY -y {metric} -o F",
    ]
    if results.manifest.links:
        asked = {
            kind: [metric for metric in shown if metric in metrics_by_kind(kind)]
            for kind in RECORD_KEYS
        }
        following[2:2] = [
            f"airtcp results {folder} --{kind}{_metric_options(asked[kind])}"
            for kind in RECORD_KEYS
            if kind == "links" or asked[kind]
        ]
    commands = map(Text, following)  # on one line each: what wraps cannot be copied
    return render_page(
        [f"{results!r}", *_chance_lines(results), *imprecision_lines(results), *commands]
    )


def _metric_options(metrics: Sequence[str]) -> str:
    return "".join(f" --metric {name}" for name in metrics)


def _packet_length_lines(results: Results, metrics: Sequence[str]) -> list[str]:
    return packet_length_warning(results.scenario.points(), metrics)


def _chance_lines(results: Results) -> list[str]:
    return [line for line in (results.chance, results.order) if line]


def imprecision_lines(results: Results) -> list[str]:
    """A line where a precision was asked and is not everywhere there."""
    asked = results.manifest.precision
    if asked is None or not results.manifest.complete or results.kind != results.family:
        return []
    metric, level = asked["metric"], asked["confidence"]
    summary = results.summary(metric, confidence=level)
    half = half_width_of_row(summary, metric)
    precise = half <= asked["relative"] * summary[metric].abs() * (1.0 + 1e-9)
    if f"{metric}_carriers" in summary:
        precise &= summary[f"{metric}_carriers"].isna()
    short = int((~precise).sum())
    if not short:
        return []
    points = count(len(summary), "row")
    return [
        f"At {short} of {points} the mean of {metric} is not as precise as asked"
        f" ({100.0 * asked['relative']:g} %) after up to {asked['most']} replications."
    ]


def summary_text(results: Results, shown: ShownSummary, form: str) -> Printable:
    """A summary in one of the formats of `airtcp.cli.text`."""
    if form == "csv":
        return to_csv(shown.table)
    if form == "json":
        made = {"confidence": shown.confidence, "estimate": shown.estimate}
        return to_json(_facts_for_programs(results) | made | {"rows": records(shown.table)})
    axes = TableAxes.from_scenario(results.scenario)
    tables, left_out, short = _tables_that_fit(shown, axes)
    shown_names = [name for name in shown.metrics if name not in left_out]
    last = [
        *_left_out_lines(results, shown, left_out),
        *(axes.explanations(list(axes.table(shown.table))) if short else []),
        *_footer(replace(shown, metrics=shown_names), axes, tables),
        *filter(None, [results.neighbours(shown.metrics[0])]),
        *_packet_length_lines(results, shown.metrics),
        *(means_of_ratios_note(results.kind, shown_names) if results.is_measured else []),
        *_chance_lines(results),
        *results.remarks,
        *imprecision_lines(results),
    ]
    parts = [part for table in tables for part in ("", table)]
    return render_page([*heading(results, axes.table(shown.table)), *parts, "", *last])


def calls_text(results: Results, shown: ShownSummary) -> list[str]:
    """The table of cross-traffic with calls, and what its heads and intervals are."""
    axes = TableAxes.from_scenario(results.scenario)
    tables, left, short = _tables_that_fit(shown, axes)
    shown_part = replace(shown, metrics=[name for name in shown.metrics if name not in left])
    lines = axes.explanations(list(axes.table(shown.table))) if short else []
    return render_page([*tables, "", *lines, *_footer(shown_part, axes, tables)]).splitlines()


def rank_text(results: Results, ranked: ShownRanking, form: str) -> Printable:
    """A ranking in one of the formats of `airtcp.cli.text`."""
    if form == "csv":
        return to_csv(ranked.table)
    if form == "json":
        names = ("metric", "better", "confidence")
        made = {name: getattr(ranked, name) for name in names}
        return to_json(_facts_for_programs(results) | made | {"rows": records(ranked.table)})
    axes = TableAxes.from_scenario(results.scenario)
    head = heading(results, axes.table(ranked.table))
    table = axes.table(ranked.table)
    grid_of_ranks = _ranking_table(ranked, table)
    lines = list[str]()
    if not fits(grid_of_ranks) and axes:
        table = axes.table(ranked.table, short=True)
        grid_of_ranks = _ranking_table(ranked, table)
        lines = axes.explanations(list(table))
    last = [
        *_rank_footer(ranked, grid_of_ranks),
        *_packet_length_lines(results, [ranked.metric]),
        *_chance_lines(results),
        *results.remarks,
    ]
    return render_page([*head, "", grid_of_ranks, "", *lines, *last])


def _ranking_table(ranked: ShownRanking, table: pandas.DataFrame) -> Table:
    rows = records(table.head(MOST_ROWS))
    keys = _varying_keys(table, "rank")
    alternative = str(table.columns[list(table.columns).index("rank") + 1])
    heads = short_names([*keys, alternative])
    unit, scale = readable_unit(ranked.metric, float(table["mean"].max()))
    cells = [
        [
            *(format_coordinate(row[key]) for key in [*keys, alternative]),
            "best" if row["best"] else "",
            _mean_cell(row, scale),
            "-" if row["rank"] == 1 else f"{row['behind'] / scale:.3g}",
            "-" if np.isnan(row["p"]) else f"{row['p']:.2g}",
            str(row["n"]),
        ]
        for row in rows
    ]
    mean = column_head(ranked.metric, unit, "\n")
    behind = f"behind\n({unit})" if unit else "behind"
    return make_table([*heads, "", mean, behind, "p", "n"], cells, numbers=4)


def _mean_cell(row: dict[str, Any], scale: float) -> str:
    value, low, high = (row[name] / scale for name in ("mean", "low", "high"))
    few = row.get("mean_carriers", np.nan)
    return short_mean_with_interval(
        value, half_width(value, low, high), exact=row["n"] == 1, few=not np.isnan(few)
    )


def _rank_footer(ranked: ShownRanking, table: Table) -> list[str]:
    metric, level = ranked.metric, f"{100.0 * ranked.confidence:g} %"
    rows = records(ranked.table.head(MOST_ROWS))
    return [
        *_cut_lines(ranked.table),
        f"{metric}, {ranked.better} values first. ±: half the {level} confidence interval of the"
        " mean.",
        "best: not significantly worse than the first. p: of the paired difference from the first"
        " on common random numbers, after Holm's correction for all pairs.",
        *_no_test_lines(ranked.table),
        *few_mark_lines(cell_texts(table), rows, ["mean"], int(ranked.table["n"].max())),
    ]


def _no_test_lines(table: pandas.DataFrame) -> list[str]:
    """Line on the reason why there is no p value, where differences are alike."""
    behind = table[table["rank"] > 1]
    if not (behind["p"].isna() & (behind["n"] > 1)).any():
        return []
    return [
        "p -: the difference is the same in all runs, or in all but a few, so that it cannot be"
        " tested; run more replications."
    ]


def plain_text(
    table: pandas.DataFrame, form: str, facts: dict[str, Any] | None = None
) -> Printable:
    """A table as it is: an answer to a query."""
    if form == "csv":
        return to_csv(table)
    if form == "json":
        return to_json((facts or {}) | {"rows": records(table)})
    return render_page(first_rows_and_columns(table))


def first_rows_and_columns(table: pandas.DataFrame) -> list[Any]:
    """The first rows of a table, as many columns as fit, and what is left out."""
    if table.empty:
        return ["No rows."]
    rows = [
        list(map(format_coordinate, row)) for row in table.head(MOST_ROWS).itertuples(index=False)
    ]
    shown = len(table.columns)
    while shown > 1 and not fits(_plain_table(table, rows, shown)):
        shown -= 1
    left = len(table.columns) - shown
    more = [f"... and {count(left, 'more column')}; --format csv gives all of them."]
    return [_plain_table(table, rows, shown), *(more if left else []), *_cut_lines(table)]


def _plain_table(table: pandas.DataFrame, rows: Sequence[Sequence[str]], shown: int) -> Table:
    """The first columns; numbers at the end are aligned right."""
    numeric = [kind.kind in "iufb" for kind in table.dtypes[:shown]]
    numbers = next((i for i, is_number in enumerate(reversed(numeric)) if not is_number), shown)
    names = [visible_line(str(name)) for name in table.columns[:shown]]
    return make_table(names, [row[:shown] for row in rows], numbers)


def _cut_lines(table: pandas.DataFrame) -> list[str]:
    left = len(table) - MOST_ROWS
    if left <= 0:
        return []
    return [f"... and {count(left, 'more row')}; --format csv gives all of them."]


def heading(results: Results, table: pandas.DataFrame) -> list[str]:
    """The title, and what all rows have in common."""
    manifest = results.manifest
    document = manifest.scenario
    facts = [f"profile {document.get('profile', '?')}", count(manifest.points, "point")]
    for path in results.coordinates:
        if path in table and table[path].nunique(dropna=False) == 1:
            facts.append(f"{path.removesuffix('.kind')} {format_coordinate(table[path].iloc[0])}")
    facts.append(f"seed {manifest.seed}")
    if manifest.model != _native.MODEL_VERSION:
        facts.append(f"model {manifest.model} (this version has {_native.MODEL_VERSION})")
    lines = [str(document.get("title", "Results")), ", ".join(facts)]
    if not manifest.complete:
        done = f"{results.points_done} of {count(manifest.points, 'point')}"
        lines.append(f"The sweep has not ended: {done} complete; the rows cover the finished runs.")
    return lines


def _facts_for_programs(results: Results) -> dict[str, Any]:
    """Facts about the results that a program needs beside the rows."""
    names = ("airtcp", "model", "seed", "replications", "precision", "complete", "points", "exact")
    known = {name: getattr(results.manifest, name) for name in names}
    known |= {"complete": results.complete, "chance": results.chance, "order": results.order}
    done = {"points_done": results.points_done, "problems": list(results.problems)}
    return known | done | {"scenario": results.manifest.scenario}


def _tables_that_fit(shown: ShownSummary, axes: TableAxes) -> tuple[list[Table], list[str], bool]:
    """The metrics in short and in as many tables as the width calls for; those that are left out;
    and whether labels are short.

    Of metrics that nobody asked for there is one table, and what it has no room for is left out.
    Labels are short where that makes room for a metric of the question.
    """
    full = axes.table(shown.table)
    full_grid = _summary_table(shown, full, shown.metrics, short=False)
    if fits(full_grid, heads=True):
        return [full_grid], [], False
    parts = _split_metrics(shown, full)
    if not axes or len(parts[0]) >= min(MOST_WORKLOAD_COLUMNS, len(shown.metrics)):
        return *_tables_of_parts(shown, full, parts), False
    brief = axes.table(shown.table, short=True)
    shorter = _split_metrics(shown, brief)
    if len(shorter[0]) <= len(parts[0]):
        return *_tables_of_parts(shown, full, parts), False
    return *_tables_of_parts(shown, brief, shorter), True


def _split_metrics(shown: ShownSummary, table: pandas.DataFrame) -> list[Sequence[str]]:
    """The metrics of each table as wide as the terminal."""
    parts, left = list[Sequence[str]](), list(shown.metrics)
    while left:
        size = len(left)
        while size > 1 and not fits(_summary_table(shown, table, left[:size], short=True)):
            size -= 1
        parts.append(left[:size])
        left = left[size:]
    return parts


def _tables_of_parts(
    shown: ShownSummary, table: pandas.DataFrame, parts: Sequence[Sequence[str]]
) -> tuple[list[Table], list[str]]:
    """The tables that are shown, and the metrics that are in none of them."""
    shown_parts = parts[:1] if shown.is_default_choice else parts
    tables = [_summary_table(shown, table, part, short=True) for part in shown_parts]
    return tables, [name for part in parts[len(shown_parts) :] for name in part]


def _left_out_lines(results: Results, shown: ShownSummary, narrow: Sequence[str]) -> list[Any]:
    """Lines that name the metrics left out of a table for which nobody chose metrics."""
    if not shown.is_default_choice:
        return []
    lines: list[Any] = []
    if narrow:
        lines.append(f"Not shown for lack of width: {', '.join(narrow)}; --metric shows them.")
    if results.kind in RECORD_KEYS:
        others = [name for name in results.metrics if name not in shown.metrics]
        lines.append(f"Also available with --metric, and in --format csv: {', '.join(others)}.")
    return lines


def _summary_table(
    shown: ShownSummary, table: pandas.DataFrame, metrics: Sequence[str], *, short: bool
) -> Table:
    rows = records(table.head(MOST_ROWS))
    keys = _varying_keys(table, "n")
    columns = {
        head: [format_coordinate(row[path]) for row in rows]
        for path, head in zip(keys, short_names(keys), strict=True)
    }
    if short and "flow_tcp" in keys:
        place = keys.index("flow_tcp")
        columns[list(columns)[place]] = distinguishing_words(table["flow_tcp"].tolist())[
            : len(rows)
        ]
    numbers = {} if short and _has_common_n(shown) else {"n": [str(row["n"]) for row in rows]}
    for metric in metrics:
        values = shown.table[metric]  # in the unit of the largest, or of most to be short
        unit, scale = readable_unit(metric, float(values.median() if short else values.max()))
        head = _column_head(shown, metric, unit, "\n" if short else " ")
        numbers[head] = [_estimate_cell(shown, row, metric, scale, short) for row in rows]
    heads = [*columns, *numbers]
    cells = zip(*columns.values(), *numbers.values(), strict=True)
    return make_table(heads, cells, numbers=len(numbers))


def _shows_default_records(shown: ShownSummary) -> bool:
    """True if the rows are links or cross-traffic with the metrics that nobody chose."""
    return shown.is_default_choice and bool({"direction", "source"} & {*shown.table})


def _column_head(shown: ShownSummary, metric: str, unit: str, between: str) -> str:
    """The head of a column: of links and cross-traffic the word that `run` has for the metric."""
    word = SHORT_HEADS.get(metric, "") if _shows_default_records(shown) else ""
    if not word:
        return column_head(metric, unit, between)
    return f"{word}{between}({unit})" if unit else word


def _has_common_n(shown: ShownSummary) -> bool:
    """True if all rows have as many values, so that a line can say it in the place of a column."""
    return int(shown.table["n"].nunique()) == 1


def _varying_keys(table: pandas.DataFrame, end: str) -> list[str]:
    """The columns before `end` that have more than one value; all of them in a single row."""
    names = [str(name) for name in table.columns]
    keys = names[: names.index(end)]
    if len(table) == 1:
        return keys
    return [key for key in keys if table[key].nunique(dropna=False) > 1]


def _estimate_cell(
    shown: ShownSummary, row: dict[str, Any], metric: str, scale: float, short: bool
) -> str:
    value, low, high = (row[f"{metric}{part}"] / scale for part in ("", "_low", "_high"))
    exact = row.get("exact", False)
    if shown.estimate == "mean" or exact:
        write_estimate = short_mean_with_interval if short else mean_with_interval
        few = not np.isnan(row.get(f"{metric}_carriers", np.nan))
        return write_estimate(value, half_width(value, low, high), exact=exact, few=few)
    if np.isnan(low) or np.isnan(value):
        return mean_with_interval(value, np.nan)
    return f"{value:.6g} [{low:.6g}, {high:.6g}]"


def _footer(shown: ShownSummary, axes: TableAxes, tables: Sequence[Table]) -> list[str]:
    """Lines below the tables of the metrics that are shown."""
    lines = _cut_lines(shown.table)
    if _shows_default_records(shown):
        words = ", ".join(
            f"{SHORT_HEADS[metric]}: {metric}" for metric in shown.metrics if metric in SHORT_HEADS
        )
        lines += [f"{words}."] if words else []
    if explanation := explain_heads(shown.metrics):
        lines.append(explanation)
    if "direction" in shown.table:
        lines.append(DIRECTIONS_NOTE)
    beside = [name for name in shown.metrics if name.startswith(UNFINISHED_SHARE_METRIC)]
    unfinished = max((shown.table[name].max() for name in beside), default=0.0)
    lines += unfinished_lines(shown.metrics, unfinished)
    if shown.averaged:
        averaged = ", ".join(axes.fold_keys(shown.averaged))
        lines.append(f"Averaged over {averaged}: one value per replication.")
    if "exact" in shown.table and shown.table["exact"].all():
        return lines
    rows = records(shown.table.head(MOST_ROWS))
    few = few_mark_lines(cell_texts(*tables), rows, shown.metrics, int(shown.table["n"].max()))
    normal = normality_line(int(shown.table["n"].min())) if shown.estimate == "mean" else []
    has_column = any(column.header == "n" for column in tables[0].columns)
    each = "n" if has_column else str(shown.table["n"].iloc[0])
    return [*lines, _interval_line(shown, each), *normal, *few]


def _interval_line(shown: ShownSummary, each: str) -> str:
    """Line on the intervals; `each`: how many values every row has."""
    level = f"{100.0 * shown.confidence:g} %"
    if shown.table["n"].max() == 1:
        return "n = 1: one value per row, so no interval."
    if shown.estimate == "median":
        interval_words = (
            f"In brackets: the {level} confidence interval of the median (order statistics,"
        )
    else:
        interval_words = f"±: half the {level} confidence interval of the mean (Student's t,"
    return f"{interval_words} {each} independent values)."
