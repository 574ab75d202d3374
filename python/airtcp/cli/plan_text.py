"""A plan as text: a table for people, JSON and CSV for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from airtcp.campaign.stop_rule import UntilPrecise
from airtcp.cli.text import cell_texts, fits, make_table, records, render_page, to_csv, to_json
from airtcp.errors import count
from airtcp.metrics.labels import column_head, readable_unit
from airtcp.scenario.axes import TableAxes
from airtcp.simulation.plans import Plan, TotalEstimate
from airtcp.support.format import (
    EXACT_WORD,
    FEW_MARK,
    few_mark,
    format_coordinate,
    has_mark,
    short_names,
)
from airtcp.terminal import Printable

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

_MOST_ROWS = 20  # on a terminal
_SECONDS_PER_RUN_HEAD, _SECONDS_HEAD = "s per run", "seconds"
# Columns left out where the terminal is narrow, step by step.
_DROPPED_COLUMNS = ((), (_SECONDS_PER_RUN_HEAD,), (_SECONDS_PER_RUN_HEAD, _SECONDS_HEAD))


def plan_text(plan: Plan, form: str) -> Printable:
    """A plan in one of the formats of `airtcp.cli.text`."""
    if form == "csv":
        return to_csv(plan.table)
    if form == "json":
        return to_json(_plan_data(plan))
    axes = TableAxes.from_scenario(plan.scenario)
    for short, left in product((False, True) if axes else (False,), _DROPPED_COLUMNS):
        full_table = axes.table(plan.table, short=short)
        table = _plan_table(plan, full_table, left)
        if fits(table):
            break
    unshown = [f"Not shown for lack of width: {', '.join(left)}."] if left else []
    lines = [*unshown, *(axes.explanations(list(full_table)) if short else [])]
    footer = _footer(plan, table)
    return render_page([plan.scenario.title or "Plan", "", table, "", *lines, *footer])


def _plan_data(plan: Plan) -> dict[str, Any]:
    return {
        "points": plan.points,
        "tried": len(plan.table),
        "jobs": plan.jobs,
        "runs": plan.runs._asdict(),
        "seconds_one_thread": plan.seconds._asdict(),
        "seconds": plan.wall._asdict(),
        "bytes": plan.bytes,
        "short": plan.short,
        "exact_points": plan.exact,
        "chance": plan.chance,
        **plan.stop.to_dict(),
        "rows": records(plan.table),
    }


def _plan_table(plan: Plan, full_table: pandas.DataFrame, left: Sequence[str]) -> Table:
    names = [str(name) for name in full_table.columns[: full_table.columns.get_loc("tried")]]
    keys = [name for name in names if full_table[name].nunique(dropna=False) > 1] or names[:1]
    rows = records(full_table.head(_MOST_ROWS))
    unit, scale = readable_unit(plan.metric, float(full_table["mean"].max()))
    columns = dict(
        zip(
            short_names(keys),
            ([format_coordinate(row[key]) for row in rows] for key in keys),
            strict=True,
        )
    )
    numbers = {
        column_head(plan.metric, unit, "\n"): [f"{row['mean'] / scale:.4g}" for row in rows],
        "sd/mean": [_share_text(row["cv"]) + _mark_of_row(row) for row in rows],
        "runs": [str(row["replications"]) for row in rows],
        "precision": [_precision_cell(row) for row in rows],
        _SECONDS_PER_RUN_HEAD: [f"{row['seconds_per_run']:.2g}" for row in rows],
        _SECONDS_HEAD: [f"{row['seconds']:.2g}" for row in rows],
    }
    numbers = {head: cells for head, cells in numbers.items() if head not in left}
    cells = zip(*columns.values(), *numbers.values(), strict=True)
    return make_table([*columns, *numbers], cells, numbers=len(numbers))


def _precision_cell(row: dict[str, Any]) -> str:
    if row["tried"] == 1:
        return EXACT_WORD
    return (FEW_MARK if row["cv"] == 0.0 else _share_text(row["precision"])) + _mark_of_row(row)


def _mark_of_row(row: dict[str, Any]) -> str:
    return few_mark(row["carriers"] > 0.0)


def _share_text(value: float) -> str:
    if not value < float("inf"):  # NaN is not below
        return "-"
    return f"{100.0 * value:.2g} %" if value < 0.995 else f"{100.0 * value:.0f} %"


def _footer(plan: Plan, table: Table) -> list[str]:
    tried, lines = len(plan.table), []
    if tried > _MOST_ROWS:
        lines.append(f"... and {count(tried - _MOST_ROWS, 'more row')}; --format csv gives all.")
    runs = _total_words(plan.runs, _whole_text)
    lines.append(
        f"{count(plan.points, 'point')}: about {runs} run{'' if runs == '1' else 's'},"
        f" {_total_words(plan.seconds, duration_text)} on one thread,"
        f" {duration_text(plan.wall.value)} on"
        f" {plan.jobs}, {size_text(plan.bytes)} in the journal."
    )
    lines += [plan.chance] if plan.chance else []
    lines += _trial_runs_lines(plan)
    lines += _few_deviations_lines(plan, table)
    if isinstance(plan.stop.rule, UntilPrecise):
        lines.append(_total_sentence(plan, plan.stop.rule))
    return lines


def _trial_runs_lines(plan: Plan) -> list[str]:
    """Line on the number of runs from which the scatter of points was estimated."""
    runs = plan.table["tried"][plan.table["tried"] > 1]
    if runs.empty:
        return []
    every_point = "every other point" if plan.exact else "every point"
    some = f"{len(runs)} of the points, spread over them"
    of = every_point if len(runs) == plan.points - plan.exact else some
    least, most = runs.min(), runs.max()
    run_numbers = str(most) if least == most else f"{least} to {most}"
    roughly = 1.0 / math.sqrt(2.0 * (least - 1))  # of a standard deviation, for normal values
    return [
        f"Estimated from {run_numbers} runs of {of}. sd/mean: standard deviation over mean of"
        f" {plan.metric}, uncertain by about {100.0 * roughly:.0f} %."
    ]


def _few_deviations_lines(plan: Plan, table: Table) -> list[str]:
    """Line on means whose scatter the trial runs do not show, since few of them deviate."""
    if not has_mark(cell_texts(table)):
        return []
    carriers = plan.table["carriers"].dropna()
    few = "no two" if not carriers.any() else "too few"
    return [
        f"{FEW_MARK}: at {count(len(carriers), 'point')} {few} of the trial runs differ, so that"
        " the number of runs is a guess there."
    ]


def _total_sentence(plan: Plan, rule: UntilPrecise) -> str:
    asked = rule.precision
    asked_words = f"Precision asked: {_share_text(asked.relative)} of the mean of {plan.metric}."
    if not plan.short:
        return asked_words
    return (
        f"{asked_words} At {plan.short} of the {count(len(plan.table), 'point')} tried"
        f" {asked.most} replications (stop.precision.most) do not reach it."
    )


def _total_words(estimate: TotalEstimate, written: Any) -> str:
    value, low, high = map(written, estimate)
    if estimate.low == estimate.high:
        return str(value)
    return f"{value} ({low} to {high if estimate.high < float('inf') else 'unknown'})"


def _whole_text(value: float) -> str:
    return f"{round(value):_}".replace("_", " ") if value < float("inf") else "unknown"


def duration_text(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.2g} s"


def size_text(number: float) -> str:
    """A number of bytes in the unit that suits it."""
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= length:
            return f"{number / length:.3g} {unit}"
    return f"{number:.0f} bytes"
