"""A run as text: a table for people, JSON and CSV for programs; all with the same content."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.cli.run_metrics import metric_columns
from airtcp.cli.run_records import call_columns, records_tables
from airtcp.cli.run_verdicts import capitalise_first, verdict_columns, verdict_lines
from airtcp.cli.text import (
    breaks_words,
    cell_texts,
    fits,
    join_columns,
    make_table,
    records,
    render_page,
    report_line,
    to_csv,
    to_json,
)
from airtcp.errors import count
from airtcp.metrics.absent import nearest_metric
from airtcp.metrics.companions import UNFINISHED_SHARE_METRIC, unfinished_lines, with_companions
from airtcp.metrics.labels import explain_heads
from airtcp.metrics.layout import distinguishing_words
from airtcp.metrics.ratios import packet_length_warning
from airtcp.metrics.table import DEFAULT_METRICS, metrics_by_kind
from airtcp.scenario.axes import TableAxes
from airtcp.scenario.link_overrides import link_override_lines
from airtcp.scenario.scenario import CASE
from airtcp.support.format import (
    few_mark_lines,
    format_coordinate,
    format_deviate,
    format_number,
    mean_interval_line,
    normality_line,
    short_names,
    with_interval,
)
from airtcp.support.half_width import half_width
from airtcp.terminal import Printable

if TYPE_CHECKING:
    from rich.table import Table

    from airtcp.comparison.answer import Answer
    from airtcp.engines.run import RunResult

# Columns of results on slots that go with the width of the terminal.
OPTIONAL_COLUMNS = (("bounds", "sent"), ("bounds",), ())
CALL_COLUMNS = ("MOS of the call", "delay of the call")  # columns, where the scenario has a call
_CALLS_NOTE = (
    "call: the call with the lowest mean opinion score (voice_mos; 1 is bad, 4.5 is excellent)."
)


@dataclass(frozen=True)
class TableLayout:
    """The layout of a table: its metrics or columns; whether heads and labels are short; whether
    all coordinates share one column, which wraps between words.
    """

    shown: tuple[str, ...]
    has_short_heads: bool = False
    has_short_labels: bool = False
    joins_coordinates: bool = False


def run_text(
    result: RunResult, form: str, report: str | None = None, *, links: bool = True
) -> Printable:
    """A run in one of `FORMATS`; a table names the file of its `report`.

    `links`: show tables of links and cross-traffic, where these were counted.
    """
    if form == "csv":
        return to_csv(result.table)
    if form == "json":
        return to_json(_run_data(result))
    last = [] if report is None else ["", report_line(report)]
    return _run_page(result, last, links=links)


def _run_data(result: RunResult) -> dict[str, Any]:
    from airtcp.comparison.answer import RunMetadata  # noqa: PLC0415  (imports pandas)
    from airtcp.comparison.side_by_side import count_covered  # noqa: PLC0415
    from airtcp.stats import CONFIDENCE  # noqa: PLC0415  (imports SciPy)

    lead = result.leading_answer
    inside, compared = count_covered(result)
    return {
        "airtcp": _native.__version__,
        "model": _native.MODEL_VERSION,
        **vars(RunMetadata() if lead is None else lead.run_metadata(result.main_metric)),
        "confidence": CONFIDENCE,
        "points_compared": compared,
        "intervals_containing_analysis": inside,
        "verdicts": records(result.verdicts),
        "joint_verdicts": records(result.joint_verdicts),
        "coverage": records(result.coverage),
        "scenario": result.scenario.to_dict(),
        "rows": records(result.table),
        **({"models": records(result.models)} if len(result.models) else {}),
        **{kind: records(table) for kind, table in result.records.items()},
    }


# The table of a run


def _run_page(result: RunResult, last: Sequence[Any], *, links: bool) -> Printable:
    axes = TableAxes.from_scenario(result.scenario)
    tables, layouts = _tables(result, axes)
    shown = [name for layout in layouts for name in layout.shown]
    short = layouts[0].has_short_labels
    left = [name for name in _maximal_metrics(result) if name not in shown]
    unshown = [f"Not shown for lack of width: {', '.join(left)}."] if left else []
    heads = _coordinates(result, axes)[0]
    unshown += axes.explanations([*heads]) if short else []
    notes = [
        line
        for answer in result.answers
        if not answer.notes
        for line in _missing_answer_lines(answer)
    ]
    footer = _footer(result, shown, heads, tables)
    between = [part for table in tables for part in (table, "")]
    if _lacks_slot_answer(result):
        return render_page([*_heading(result, axes), "", *notes, "", *between, *footer, *last])
    speak = any(answer.estimates.estimates for answer in result.answers)
    first = [*between, *footer, *unshown] if speak else []
    counted = records_tables(result, axes, heads) if links or result.record_metrics else []
    end = [*notes, *_models_table(result, axes), *counted, *last]
    return render_page([*_heading(result, axes), "", *first, *end])


def _models_table(result: RunResult, axes: TableAxes) -> list[Any]:
    """The models that answer for a path, as a table below the first one."""
    from airtcp.cli.models_text import models_text  # noqa: PLC0415

    if not len(result.models):
        return []
    return models_text(result.models, _coordinates(result, axes)[0], axes)


def _is_on_path(result: RunResult) -> bool:
    return result.scenario.family == "path"


def _tables(result: RunResult, axes: TableAxes) -> tuple[list[Table], list[TableLayout]]:
    """The table of a run, or several where the metrics that were asked for call for them."""
    layouts = _layouts(result, axes)
    for layout in layouts:
        table = _run_table(result, axes, layout)
        if fits(table, heads=not layout.has_short_heads):
            return [table], [layout]
    narrow = replace(layouts[-1], has_short_heads=True, shown=_minimal_metrics(result))
    for layout in (narrow, replace(narrow, joins_coordinates=True)):
        table = _run_table(result, axes, layout)
        if not result.metrics and not breaks_words(table):
            return [table], [layout]
    parts = _split_layout(result, axes, replace(layouts[-1], has_short_heads=True))
    return [_run_table(result, axes, part) for part in parts], parts


def _split_layout(result: RunResult, axes: TableAxes, layout: TableLayout) -> list[TableLayout]:
    """A layout in as many as it takes that each fits, or at least breaks no word."""
    parts, left = list[TableLayout](), layout.shown or ("",)
    together = breaks_words(_run_table(result, axes, replace(layout, shown=left[:1])))
    while left:
        size = len(left)
        part = replace(layout, shown=left[:size], joins_coordinates=together)
        while size > 1 and not _has_room(_run_table(result, axes, part), together=together):
            size -= 1
            part = replace(part, shown=left[:size])
        parts.append(part)
        left = left[size:]
    return parts


def _has_room(table: Table, *, together: bool) -> bool:
    """True if nothing wraps, or with coordinates `together` that nothing breaks."""
    return not breaks_words(table) if together else fits(table)


def _maximal_metrics(result: RunResult) -> list[str]:
    """The metrics of a table that has room: the ones asked for, or the usual ones of a path."""
    if result.metrics:
        all_metrics = [
            name for name in metrics_by_kind(result.scenario.family) if _has_metric(result, name)
        ]
        return [*with_companions(result.metrics, all_metrics)]
    if not _is_on_path(result):
        return []
    known = [name for name in DEFAULT_METRICS["path"] if _has_metric(result, name)] or [
        result.main_metric
    ]
    known[2:2] = CALL_COLUMNS if call_columns(result, short=False) else ()
    return [*(name for name in result.workload_metrics if _has_metric(result, name)), *known]


def _minimal_metrics(result: RunResult) -> tuple[str, ...]:
    """Metrics that even the narrowest table has: the first of a path, and metrics of calls."""
    known = _maximal_metrics(result)
    return tuple(known[: known.index(CALL_COLUMNS[0]) + 1 if CALL_COLUMNS[0] in known else 2])


def _layouts(result: RunResult, axes: TableAxes) -> Sequence[TableLayout]:
    """Choices of columns, of short heads and of short labels, from the widest to the narrowest."""
    labels = (False, True) if axes else (False,)
    if not _is_on_path(result) and not result.metrics:
        return [
            TableLayout(names, has_short_labels=short)
            for short in labels
            for names in OPTIONAL_COLUMNS
        ]
    known = tuple(_maximal_metrics(result))
    if result.metrics:
        return [
            TableLayout(known),
            *(TableLayout(known, has_short_heads=True, has_short_labels=short) for short in labels),
        ]
    least = len(_minimal_metrics(result))
    fewer = [known[:number] for number in range(len(known), least - 1, -1)]
    most = least + (1 if least < len(known) else 0)
    first = [names for names in fewer if len(names) >= most]
    narrow = [
        TableLayout(names, has_short_heads=True, has_short_labels=short)
        for short in labels
        for names in first
    ]
    narrow += [
        TableLayout(names, has_short_heads=True, has_short_labels=short)
        for names in fewer[len(first) :]
        for short in labels
    ]
    return [TableLayout(known), *narrow]


def _has_metric(result: RunResult, metric: str) -> bool:
    return any(result.has_metric(answer, metric) for answer in result.answers)


def _lacks_slot_answer(result: RunResult) -> bool:
    """True if an engine has no answer on slots, which the table alone would not show."""
    if _is_on_path(result):
        return False
    names = [answer.column_names("throughput")[0] for answer in result.answers]
    return any(name in result.table and result.table[name].isna().all() for name in names)


def _run_table(result: RunResult, axes: TableAxes, layout: TableLayout) -> Table:
    rows = records(result.table)
    shown, _ = _coordinates(result, axes)
    labelled = [axes.row(row, short=layout.has_short_labels) for row in rows]
    columns = {
        name: [format_coordinate(row[path]) for row in labelled] for path, name in shown.items()
    }
    if layout.joins_coordinates:
        columns = join_columns(columns)
    if "flow" in result.table:
        columns["flow"] = [str(row["flow"]) for row in rows]
    if "flow_tcp" in result.table:
        columns["its TCP"] = distinguishing_words([row["flow_tcp"] for row in rows])
    if result.metrics or _is_on_path(result):
        numbers = _measured_columns(result, rows, layout.shown, short=layout.has_short_heads)
    else:
        numbers = _slot_columns(result, rows, layout.shown)
    return make_table(
        [*columns, *numbers],
        zip(*columns.values(), *numbers.values(), strict=True),
        numbers=len(numbers),
    )


def _slot_columns(
    result: RunResult, rows: list[dict[str, Any]], optional: Sequence[str]
) -> dict[str, list[str]]:
    from airtcp.comparison.side_by_side import is_bounded  # noqa: PLC0415  (imports pandas)

    columns: dict[str, list[str]] = {}
    known = [
        answer for answer in result.answers if answer.column_names("throughput")[0] in result.table
    ]
    for answer in known:
        bounds = "bounds" in optional and is_bounded(result, answer, "throughput")
        columns |= _throughput_columns(answer, rows, bounds=bounds)
    if any(answer.traits.is_drawn_as_line for answer in known) and result.leading_answer in known:
        columns["z"] = [format_deviate(row["z"]) for row in rows]
    columns |= verdict_columns(result, "throughput")
    sent = [
        answer.column_names(_SENT_METRIC)[0]
        for answer in (result.leading_answer, *known)
        if answer is not None
    ]
    if "sent" in optional and (name := next((name for name in sent if name in rows[0]), "")):
        columns["sent/delivered"] = [format_number(row[name]) for row in rows]
    return columns


_SENT_METRIC = "transmissions_per_delivery"


def _throughput_columns(
    answer: Answer, rows: list[dict[str, Any]], *, bounds: bool
) -> dict[str, list[str]]:
    """The column of an engine on slots, with intervals in it or lower bounds before it."""
    value, low, high = answer.column_names("throughput")
    if answer.traits.is_drawn_as_line:
        head = "lower" if answer.traits.answers_by_method else f"{answer.engine} lower"
        lower = {head: [format_number(row[low]) for row in rows]} if bounds else {}
        return {**lower, answer.engine: [format_number(row[value]) for row in rows]}
    cells = [
        with_interval(
            row[value],
            half_width(row[value], row[low], row[high]),
            exact=answer.traits.is_leading and row.get("exact", False),
            few=not math.isnan(row.get(f"{value}_carriers", math.nan)),
        )
        for row in rows
    ]
    return {answer.engine: cells}


def _measured_columns(
    result: RunResult, rows: list[dict[str, Any]], metrics: Sequence[str], *, short: bool
) -> dict[str, list[str]]:
    from airtcp.comparison.answer import values_per_row  # noqa: PLC0415  (imports pandas)
    from airtcp.comparison.side_by_side import validity_columns_by_engine  # noqa: PLC0415

    columns: dict[str, list[str]] = {}
    for answer in result.answers:
        if answer.answered_by and not _answering_model(answer):
            columns[f"{answer.engine} {answer.traits.answered_by_head}"] = values_per_row(
                answer.answered_by, result.rows_per_point
            )
    columns |= metric_columns(
        result, rows, [metric for metric in metrics if metric not in CALL_COLUMNS], short=short
    )
    calls = call_columns(result, short=short).items() if {*CALL_COLUMNS} & {*metrics} else ()
    columns |= dict(
        column for name, column in zip(CALL_COLUMNS, calls, strict=False) if name in metrics
    )
    for valid in validity_columns_by_engine(result).values():
        columns |= valid
    return columns | verdict_columns(result, result.main_metric)


def _answering_model(answer: Answer) -> str:
    """Model or program by which an engine answers, if it is the same at all points."""
    return answer.answered_by[0] if len({*answer.answered_by}) == 1 else ""


def _coordinates(result: RunResult, axes: TableAxes) -> tuple[dict[str, str], dict[str, Any]]:
    """Coordinates that vary (path -> heading), and those that do not (path -> value)."""
    points = [axes.row(point.coordinates) for point in result.scenario.points()]
    varies = [path for path in points[0] if any(point[path] != points[0][path] for point in points)]
    if not varies and "flow" not in result.table:
        named = ("tcp.variant", "tcp.congestion", CASE)
        varies = [path for path in named if path in points[0]][:1]
    heads = dict(zip(varies, short_names(varies), strict=True))
    first = points[0].items()
    return heads, {path: value for path, value in first if all(o[path] == value for o in points)}


def _heading(result: RunResult, axes: TableAxes) -> list[str]:
    _, fixed = _coordinates(result, axes)
    data = result.scenario.points()[0].data
    facts = [f"profile {data['profile']}"]
    facts += [f"{path.removesuffix('.kind')} {format_coordinate(v)}" for path, v in fixed.items()]
    facts += [
        f"{answer.engine} {answer.traits.answered_by_head} {_answering_model(answer)}"
        for answer in result.answers
        if _answering_model(answer)
    ]
    facts += [line for answer in result.answers for line in answer.heading_lines()]
    return [result.scenario.title or "Throughput", ", ".join(facts)]


def _footer(
    result: RunResult, shown: Sequence[str], heads: Mapping[str, str], tables: Sequence[Table]
) -> list[str]:
    if result.scenario.family == "path":
        return _path_footer(result, shown, heads, tables)
    if result.metrics:
        return [
            *_interval_explanations(result, shown, tables),
            *verdict_lines(result, result.main_metric),
        ]
    lines = ["Throughput: distinct packets delivered per slot."]
    lines[0] += "".join(
        f" {capitalise_first(answer.engine)}: {_methods_words(result, answer)}."
        for answer in result.answers
        if answer.traits.answers_by_method
    )
    lines += _interval_explanations(result, ["throughput"], tables)
    return [*lines, *_z_lines(result), *verdict_lines(result, "throughput")]


def _z_lines(result: RunResult) -> list[str]:
    from airtcp.comparison.side_by_side import model_and_leading_answer  # noqa: PLC0415  (imports pandas)

    model, lead = model_and_leading_answer(result)
    if model is None or lead is None:
        return []
    return [
        f"z: the {lead.engine} minus the {model.engine}, as a standard normal deviate (from"
        " Student's t)."
    ]


def _path_footer(
    result: RunResult, shown: Sequence[str], heads: Mapping[str, str], tables: Sequence[Table]
) -> list[str]:
    from airtcp.comparison.losses import realised_loss_lines  # noqa: PLC0415  (imports pandas)
    from airtcp.comparison.side_by_side import shared_answers_text  # noqa: PLC0415

    known = [name for name in shown if _has_metric(result, name)]
    explanation = explain_heads(known)
    silent = [name for name in result.metrics if name not in known]
    return [
        *(_reason_without_metric(result, name) for name in silent),
        *(line for answer in result.answers for line in answer.notes),
        *filter(None, [shared_answers_text(result)]),
        *verdict_lines(result, result.main_metric),
        *([explanation] if explanation else []),
        *([_CALLS_NOTE] if CALL_COLUMNS[0] in shown else []),
        *unfinished_lines(known, _most_unfinished(result, known)),
        *packet_length_warning(result.scenario.points(), shown),
        *link_override_lines(result.scenario.points()),
        *realised_loss_lines(result, heads),
        *_interval_explanations(result, shown, tables),
    ]


def _most_unfinished(result: RunResult, metrics: Sequence[str]) -> float:
    """The most transfers that a run left unfinished, by the answer that leads."""
    lead = result.leading_answer
    names = [name for name in metrics if name.startswith(UNFINISHED_SHARE_METRIC)]
    beside = [] if lead is None else [lead.column_names(name)[0] for name in names]
    return max((result.table[name].max() for name in beside), default=0.0)


def _reason_without_metric(result: RunResult, metric: str) -> str:
    """Reason why no engine has a value of a metric, and the nearest engine that has one."""
    from airtcp.engines.registry import leading_engine  # noqa: PLC0415  (imports SciPy)

    if result.leading_answer is None:
        asked = " and ".join(result.engines)
        reason = (
            f"{asked} does not give it, the {leading_engine()} does (--engine {leading_engine()})"
        )
    else:
        reason = result.leading_answer.reason_without_value(metric)
    valued = [name for name in metrics_by_kind("path") if _has_metric(result, name)]
    near = nearest_metric(metric, valued)
    return f"No value of {metric}: {reason}{f'; nearest with values: {near}' if near else ''}."


def _methods_words(result: RunResult, answer: Answer) -> str:
    from airtcp.comparison.side_by_side import is_bounded  # noqa: PLC0415  (imports pandas)

    methods = ", ".join(dict.fromkeys(result.table["method"]))
    upper = is_bounded(result, answer, "throughput")
    return methods + (f" (the column {answer.engine} is the upper bound)" if upper else "")


def _interval_explanations(
    result: RunResult, shown: Sequence[str], tables: Sequence[Table]
) -> list[str]:
    """Lines that explain the intervals, and name points without any since nothing is random."""
    metric, cells = result.main_metric, cell_texts(*tables)
    lines = [
        line for answer in result.answers for line in answer.interval_lines(shown, metric, cells)
    ]
    return lines or [
        line for answer in result.answers for line in _interval_lines(result, answer, cells)
    ]


def _interval_lines(result: RunResult, answer: Answer, cells: Sequence[str]) -> list[str]:
    """Lines on the intervals of an engine whose answer explains none itself."""
    values = max(answer.runs, default=0)
    if values < 2 or not any(" ± " in cell for cell in cells):
        return []
    names = [name.removesuffix("_carriers") for name in result.table if name.endswith("_carriers")]
    few = few_mark_lines(cells, records(result.table), names, values)
    return [mean_interval_line(answer.runs_per_point_text), *normality_line(values), *few]


def _missing_answer_lines(answer: Answer) -> list[str]:
    """Line on the number of points without an answer, and on the reasons."""
    each = [reason.split("; ") for reason in answer.reasons_without_answer]
    points = count(len(answer.reasons or answer.estimates.reasons_not_compared), "point")
    reasons = [reason for row_reasons in each for reason in row_reasons]
    head = answer.traits.no_answer_words
    if len(reasons) > 2 and all(
        row_reasons == each[0] for row_reasons in each
    ):  # all for the same reasons
        return [f"{head} at {len(each)} of {points}: {'; '.join(each[0])}."]
    return [
        f"{head} at {reasons.count(reason)} of {points}: {reason}."
        for reason in dict.fromkeys(reasons)
    ]
