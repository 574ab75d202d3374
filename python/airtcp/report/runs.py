"""The report of a run: one self-contained HTML page, its figures as SVG beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.comparison.losses import realised_loss_lines
from airtcp.errors import count
from airtcp.metrics.layout import is_unlimited
from airtcp.metrics.ratios import packet_length_warning
from airtcp.metrics.table import DEFAULT_METRICS
from airtcp.plot.runs import MOST_PANELS, panel_count, quantities, run_figure, table_and_coordinates
from airtcp.report.citing import citations
from airtcp.report.key_figures import comparable_parts, key_figures
from airtcp.report.messages import intervals_in_words, runs_in_words, sentence_subject
from airtcp.report.page import PAGE, cell, cells, save_picture, write_page
from airtcp.report.paths import models_table
from airtcp.report.references import bibtex_entries, plain_references
from airtcp.report.run_tables import (
    records_table,
    results_table,
    runs_of,
    spread_of,
    verdicts_table,
)
from airtcp.report.run_words import (
    command_line,
    engines_sentence,
    marks_sentence,
    remark_lines,
    repeat_sentence,
)
from airtcp.scenario.axes import TableAxes
from airtcp.scenario.link_overrides import link_override_lines
from airtcp.scenario.scenario import leaf_values, shorten_value
from airtcp.stats.verdict import LEVELS
from airtcp.support.files import existing_directory

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult

_HEADS = {"links": "Links", "traffic": "Cross-traffic"}
_LONGEST_LINE = 1000


def write_run_report(result: RunResult, out: str | Path) -> Path:
    """Write `report.html` and its figures for one scenario; returns the path of the page."""
    folder = existing_directory(out)
    points = result.scenario.points()
    _, coordinates = table_and_coordinates(result)
    pictures = [
        save_picture(run_figure(result, name), folder, name, label)
        for name, label in _quantities_drawn(result)
    ]
    cited = citations(points, models=len(result.models) > 0)
    records = _record_tables(result, coordinates)
    return write_page(
        folder / PAGE,
        "run.html.j2",
        title=_title(result),
        fixed=_common_values(result),
        swept=_varying_values(result),
        source=_scenario_source(result),
        key_figures=key_figures(result, coordinates),
        pictures=pictures,
        sentence=engines_sentence(result),
        messages=[
            _figure_message(result, name, label, coordinates)
            for name, label in _quantities_drawn(result)
        ],
        marks=[marks_sentence(result, name) for name, _ in _quantities_drawn(result)],
        panels=panel_count(result),
        most_panels=MOST_PANELS,
        family=result.scenario.family,
        joint=result.joint_verdicts.to_dict("records"),
        verdicts=verdicts_table(result, coordinates),
        levels=LEVELS,
        warnings=[*packet_length_warning(points, _compared_metrics(result)), *_loss_lines(result)],
        lines=[*link_override_lines(points), *remark_lines(result)],
        repeats=repeat_sentence(result),
        table=results_table(result, coordinates),
        records=records,
        sections=[(head.lower(), head) for head, _ in records],
        citations=bibtex_entries(cited),
        references=plain_references(cited).splitlines(),
        provenance=_provenance(result),
        command=command_line(result, folder),
        files=sorted(p.name for p in folder.glob("*") if p.suffix in (".csv", ".json", ".toml")),
    )


def _record_tables(result: RunResult, coordinates: Sequence[str]) -> list[tuple[str, str]]:
    """Heads and tables: models that answer beside the simulation, links, cross-traffic."""
    axes = TableAxes.from_scenario(result.scenario)
    tables = [("Models", models_table(axes.table(result.models)))] if len(result.models) else []
    return tables + [
        (_HEADS[kind], records_table(kind, axes.table(table), coordinates))
        for kind, table in result.records.items()
    ]


_USUAL_FIGURES = (
    "throughput",
    "transmissions_per_delivery",
    "goodput_bps",
    "delay_median",
    "transfer_time",
)
_MOST_WORKLOAD_FIGURES = 3  # that have figures; the table has all


def _quantities_drawn(result: RunResult) -> list[tuple[str, str]]:
    """The quantities that have a figure, with their labels: as asked for, or the usual ones."""
    usual = [name for name in _USUAL_FIGURES if name in DEFAULT_METRICS[result.scenario.family]]
    usual = [*result.workload_metrics[:_MOST_WORKLOAD_FIGURES], *usual]
    known = quantities(result)
    return [(name, known[name]) for name in result.metrics or usual if name in known]


def _compared_metrics(result: RunResult) -> tuple[str, ...]:
    return result.metrics or DEFAULT_METRICS[result.scenario.family]


def _figure_message(result: RunResult, name: str, label: str, coordinates: Sequence[str]) -> str:
    """Message of a figure: the number of runs, the kind of intervals, and its extremes."""
    sentences = []
    if result.leading_answer is not None:
        runs, exact = runs_of(result.table)
        sentences.append(
            f"{sentence_subject(runs_in_words(runs))}, {intervals_in_words(runs, exact)}."
        )
    spread = spread_of(result, name, coordinates)
    if spread is not None:
        subject_of = label.partition(" (")[0]
        parts = comparable_parts(result, name, spread, every=True)
        sentences += [part.sentence(f"{subject_of}{whose}") for whose, part in parts]
    return " ".join(filter(None, sentences))


def _loss_lines(result: RunResult) -> list[str]:
    """Lines on realised loss rates beside those asked, and on flows that delivered nothing."""
    return realised_loss_lines(
        result, {key: key.rpartition(".")[2] for key in _varying_values(result)}
    )


def _title(result: RunResult) -> str:
    title = result.scenario.title
    return title if isinstance(title, str) and title else "A run of airtcp"


def _scenario_source(result: RunResult) -> str:
    """The scenario file; lines that values from files make long are cut."""
    lines = result.scenario.to_toml().splitlines()
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..." for line in lines]
    return "\n".join(cut)


def _profile_values(result: RunResult) -> list[dict[str, Any]]:
    return [dict(leaf_values(point.data)) for point in result.scenario.points()]


def _common_values(result: RunResult) -> dict[str, str]:
    """Keys and values that all points have in common, without a window that limits nothing."""
    points = _profile_values(result)
    if result.leading_answer is not None:
        runs = result.leading_answer.runs
        points = [point | {"stop.replications": n} for point, n in zip(points, runs, strict=True)]
    first = points[0]
    return {
        key: cell(shorten_value(value))
        for key, value in first.items()
        if key != "title"
        and not is_unlimited(key, value)
        and all(point.get(key, None) == value for point in points)
    }


def _varying_values(result: RunResult) -> dict[str, str]:
    """Keys that vary, with their values."""
    axes = TableAxes.from_scenario(result.scenario)
    points = [axes.row(point.coordinates) for point in result.scenario.points()]
    values = {key: list(dict.fromkeys(point[key] for point in points)) for key in points[0]}
    return {
        key: ", ".join(cell(value) for value in values_found if value is not None)
        for key, values_found in values.items()
        if len(values_found) > 1
    }


def _provenance(result: RunResult) -> dict[str, str]:
    provenance: dict[str, Any] = {"airtcp": _native.__version__, "model": _native.MODEL_VERSION}
    if (lead := result.leading_answer) is not None:
        provenance |= {
            "seed": lead.run_metadata(result.main_metric).seed,
            "replications": lead.runs_per_point_text,
            "runs": sum(lead.runs),
        }
    return {**cells(provenance), **_coverage_words(result)}


def _coverage_words(result: RunResult) -> dict[str, str]:
    """Number of points at which each engine answers, and the models or programs that it uses."""
    coverage: dict[str, str] = {}
    for name, rows in result.coverage.groupby("engine", sort=False):
        known = rows[rows["by"] != ""]
        by = dict.fromkeys(program for text in known["by"] for program in text.split(", "))
        answered = f"{len(known)} of {count(len(rows), 'point')}"
        coverage[str(name)] = f"{answered}, by {', '.join(by)}" if by else answered
    return coverage
