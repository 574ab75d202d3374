"""A run as text: a table for people, JSON and CSV for programs; all with the same content."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.cli.run_metrics import metric_columns
from airtcp.cli.run_records import records_tables
from airtcp.cli.run_verdicts import verdict_columns, verdict_lines
from airtcp.cli.text import csv, fits, grid, page, records, report_line, to_json
from airtcp.comparison.realised import realised_losses
from airtcp.comparison.undelivered import undelivered
from airtcp.errors import count
from airtcp.metrics.absent import nearest, without_values
from airtcp.metrics.companions import UNFINISHED, unfinished_text, with_companions
from airtcp.metrics.labels import explained
from airtcp.metrics.ratios import unlike_packets
from airtcp.metrics.table import DEFAULT, metrics_by_kind
from airtcp.scenario.scenario import CASE
from airtcp.support.format import (
    coordinate,
    deviate,
    few_said,
    number,
    taken_for_normal,
    valid_runs,
    with_interval,
)
from airtcp.support.half_width import half_width
from airtcp.terminal import Printable

if TYPE_CHECKING:
    from rich.table import Table

    from airtcp.engines.run import RunResult
    from airtcp.simulation.replications import SimulationResult

VISIBLE = 5e-6  # bounds that differ by less look the same in five digits
OPTIONAL = (("bounds", "sent"), ("bounds",), ())  # columns on slots; left out where it is narrow


def run_text(result: RunResult, form: str, report: str | None = None) -> Printable:
    """A run in one of `FORMATS`; a table names the file of its `report`."""
    if form == "csv":
        return csv(result.table)
    if form == "json":
        return to_json(_run_data(result))
    return _run_page(result, [] if report is None else ["", report_line(report)])


def _run_data(result: RunResult) -> dict[str, Any]:
    from airtcp.comparison.side_by_side import covered  # noqa: PLC0415  (imports pandas)
    from airtcp.stats import CONFIDENCE  # noqa: PLC0415  (imports SciPy)

    simulation = result.simulation
    inside, compared = covered(result.table)
    return {
        "airtcp": _native.__version__,
        "model": _native.MODEL_VERSION,
        "seed": None if simulation is None else simulation.seed,
        "replications": None if simulation is None else simulation.replications,
        "exact_points": None if simulation is None else sum(simulation.exact),
        "chance": "" if simulation is None else simulation.chance,
        "order": "" if simulation is None else simulation.order(result.main_metric),
        "transient": "" if simulation is None else simulation.transient,
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


def _run_page(result: RunResult, last: Sequence[Any]) -> Printable:
    choices = _choices(result)
    for shown, short in choices:
        table = _run_grid(result, shown, short=short)
        if fits(table):
            break
    left = [name for name in choices[0][0] if name not in shown and _on_path(result)]
    unshown = [f"Not shown for want of width: {', '.join(left)}."] if left else []
    notes = [] if result.analysis is None else _notes(_note_per_point(result))
    if _unanswered(result):
        return page([*_heading(result), "", *notes, "", table, "", *_footer(result, shown), *last])
    silent = _on_path(result) and result.simulation is result.live is None
    first = [] if silent else [table, "", *_footer(result, shown), *unshown]
    end = [*notes, *_models(result), *records_tables(result, _coordinates(result)[0]), *last]
    return page([*_heading(result), "", *first, *end])


def _note_per_point(result: RunResult) -> list[str]:
    """Why there is no analysis at each point."""
    if result.analysis is None or not _on_path(result):
        return [] if result.analysis is None else result.analysis["note"].tolist()
    from airtcp.models.path_analysis import why_none  # noqa: PLC0415  (imports pandas)

    return why_none(result.analysis, len(result.scenario.points()))


def _models(result: RunResult) -> list[Any]:
    """The models that answer for a path, as a table below the first one."""
    from airtcp.cli.models_text import models_text  # noqa: PLC0415

    return models_text(result.models, _coordinates(result)[0]) if len(result.models) else []


def _on_path(result: RunResult) -> bool:
    return result.scenario.family == "path"


def _choices(result: RunResult) -> Sequence[tuple[tuple[str, ...], bool]]:
    """What the table may show, and whether in short, from the widest to the narrowest."""
    if result.metrics:
        known = [name for name in metrics_by_kind(result.scenario.family) if _known(result, name)]
        shown = tuple(with_companions(result.metrics, known))
        return [(shown, False), (shown, True)]
    if not _on_path(result):
        return [(names, False) for names in OPTIONAL]
    known = [name for name in DEFAULT["path"] if _known(result, name)] or [result.main_metric]
    fewer = [tuple(known[:number]) for number in range(len(known), 0, -1)]
    return [(fewer[0], False), *((names, True) for names in fewer)]


def _known(result: RunResult, metric: str) -> bool:
    names = [f"{engine}_{metric}" for engine in result.engines]
    return any(name in result.table and result.table[name].notna().any() for name in names)


def _unanswered(result: RunResult) -> bool:
    """Whether the table alone would not show that there is no analysis."""
    if result.analysis is None or result.scenario.family == "path":
        return False
    return not result.analysis["throughput"].notna().any()


def _run_grid(result: RunResult, optional: Sequence[str], *, short: bool) -> Table:
    rows = records(result.table)
    shown, _ = _coordinates(result)
    columns = {name: [coordinate(row[path]) for row in rows] for path, name in shown.items()}
    if "flow" in result.table:
        columns["flow"] = [str(row["flow"]) for row in rows]
    if "flow_tcp" in result.table:
        columns["its TCP"] = [row["flow_tcp"] for row in rows]
    if result.metrics or _on_path(result):
        numbers = _measured(result, rows, optional, short=short)
    else:
        numbers = _numbers(result, rows, optional)
    return grid(
        [*columns, *numbers],
        zip(*columns.values(), *numbers.values(), strict=True),
        numbers=len(numbers),
    )


def _numbers(
    result: RunResult, rows: list[dict[str, Any]], optional: Sequence[str]
) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    if result.analysis is not None:
        if "bounds" in optional and _bounded(rows):
            columns["lower"] = [number(row["analysis_lower"]) for row in rows]
        columns["analysis"] = [number(row["analysis_throughput"]) for row in rows]
    if result.simulation is not None:
        columns["simulation"] = [
            with_interval(
                row["simulation_throughput"],
                half_width(
                    *(row[f"simulation{part}"] for part in ("_throughput", "_low", "_high"))
                ),
                exact=row.get("exact", False),
                few=not math.isnan(row.get("simulation_throughput_carriers", math.nan)),
            )
            for row in rows
        ]
    if result.analysis is not None and result.simulation is not None:
        columns["z"] = [deviate(row["z"]) for row in rows]
        columns |= verdict_columns(result, "throughput")
    if "sent" in optional:
        engine = "analysis" if result.simulation is None else "simulation"
        name = f"{engine}_transmissions_per_delivery"
        columns["sent/delivered"] = [number(row[name]) for row in rows]
    return columns


def _measured(
    result: RunResult, rows: list[dict[str, Any]], metrics: Sequence[str], *, short: bool
) -> dict[str, list[str]]:
    differs = result.live is not None and not _whose(result)
    columns = {"live TCP": [row["live_tcp"] for row in rows]} if differs else {}
    columns |= metric_columns(rows, metrics, result.engines, short=short)
    if result.live is not None:
        columns["valid"] = [valid_runs(row["live_runs"], row["live_valid"]) for row in rows]
    return columns | verdict_columns(result, result.main_metric)


def _whose(result: RunResult) -> str:
    """Whose TCP was live, if it was the same at all points."""
    found = [] if result.live is None else result.live["live_tcp"].unique().tolist()
    return str(found[0]) if len(found) == 1 else ""


def _bounded(rows: list[dict[str, Any]]) -> bool:
    """Whether the analysis gives bounds that look different."""
    return any(row["analysis_upper"] - row["analysis_lower"] > VISIBLE for row in rows)


def _coordinates(result: RunResult) -> tuple[dict[str, str], dict[str, Any]]:
    """Coordinates that vary (path -> heading), and those that do not (path -> value)."""
    points = [point.coordinates for point in result.scenario.points()]
    varies = [path for path in points[0] if any(one[path] != points[0][path] for one in points)]
    if not varies:
        named = ("tcp.variant", "tcp.congestion", CASE)
        varies = [path for path in named if path in points[0]][:1]
    varies = [path for path in varies if not _is_implied(path, points)]
    last = [path.rpartition(".")[2] for path in varies]
    heads = {
        path: name if last.count(name) == 1 else path
        for path, name in zip(varies, last, strict=True)
    }
    first = points[0].items()
    return heads, {path: value for path, value in first if all(o[path] == value for o in points)}


def _is_implied(path: str, points: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the kind of the table in which a key stands says what its value is."""
    kind = f"{path.rpartition('.')[0]}.kind"
    if path == kind or kind not in points[0]:
        return False
    values: dict[Any, Any] = {}
    return all(values.setdefault(one[kind], one[path]) == one[path] for one in points)


def _heading(result: RunResult) -> list[str]:
    _, fixed = _coordinates(result)
    data = result.scenario.points()[0].data
    said = [f"profile {data['profile']}"]
    said += [f"{path.removesuffix('.kind')} {coordinate(v)}" for path, v in fixed.items()]
    if whose := _whose(result):
        said.append(f"live TCP {whose}")
    if result.simulation is not None:
        on_slots = result.scenario.family == "slot"
        length = count(data["stop"]["slots"], "slot") if on_slots else data["stop"]["time"]
        said.append(f"{result.simulation.each} of {length}")
        said.append(f"seed {result.simulation.seed}")
    return [result.scenario.title or "Throughput", ", ".join(said)]


def _footer(result: RunResult, shown: Sequence[str] = ()) -> list[str]:
    rows = records(result.table)
    if result.scenario.family == "path":
        return _path_footer(result, shown)
    if result.metrics:
        runs = [] if result.simulation is None else _intervals(result, result.simulation, shown)
        return [*runs, *verdict_lines(result, result.main_metric)]
    lines = ["Throughput: distinct packets delivered per slot."]
    if result.analysis is not None:
        lines[0] += f" Analysis: {_methods(rows)}."
    if result.simulation is not None:
        lines += _intervals(result, result.simulation, ["throughput"])
    if result.analysis is not None and result.simulation is not None:
        lines.append(
            "z: how far the simulation is from the analysis, as a standard normal deviate of"
            " Student's t."
        )
    return [*lines, *verdict_lines(result, "throughput")]


def _live_footer(result: RunResult) -> list[str]:
    """What the live engine did, and where the machine did not keep up."""
    if result.live is None:
        return []
    lines = [
        "live: real packets over the emulated path, in real time, of the kernel's TCP or of our"
        " own, airtcp (docs/live.md)."
    ]
    invalid = int((result.live["live_valid"] < 1).sum())
    if invalid:
        lines.append(f"INVALID: the machine did not keep up at {count(invalid, 'point')}.")
    notes = [note for note in result.live["live_note"].unique() if note]
    return [*lines, *(f"Not live: {note}." for note in notes)]


def _path_footer(result: RunResult, shown: Sequence[str]) -> list[str]:
    from airtcp.comparison.side_by_side import shared_answers  # noqa: PLC0415  (imports pandas)

    known = [name for name in shown if _known(result, name)]
    said = explained(known)
    beside = [f"simulation_{name}" for name in known if name.startswith(UNFINISHED)]
    unfinished = max((result.table[name].max() for name in beside), default=0.0)
    silent = [name for name in result.metrics if name not in known]
    return [
        *(_silence(result, name) for name in silent),
        *_live_footer(result),
        *filter(None, [shared_answers(result)]),
        *verdict_lines(result, result.main_metric),
        *([said] if said else []),
        *unfinished_text(known, unfinished),
        *unlike_packets(result.scenario.points(), shown),
        *realised_losses(records(result.table), _coordinates(result)[0]),
        *_undelivered(result),
        *([] if result.simulation is None else _intervals(result, result.simulation, shown)),
    ]


def _undelivered(result: RunResult) -> list[str]:
    profile = result.scenario.points()[0].data["profile"]
    return undelivered(records(result.table), _coordinates(result)[0], profile)


def _silence(result: RunResult, metric: str) -> str:
    """Why no engine has a value of a metric, and the nearest one that has."""
    reason = without_values(metric, result.scenario.points()[0].data) + _unended(result, metric)
    if result.simulation is None:
        asked = " and ".join(result.engines)
        reason = f"{asked} does not say it, the simulation does (--engine simulation)"
    valued = [name for name in metrics_by_kind("path") if _known(result, name)]
    near = nearest(metric, valued)
    return f"No value of {metric}: {reason}{f'; nearest with values: {near}' if near else ''}."


def _unended(result: RunResult, metric: str) -> str:
    """In how many runs a flow that ends did not, where some did."""
    if metric != "transfer_time" or result.simulation is None:
        return ""
    times = result.simulation.to_pandas()[metric]
    left = int(times.isna().sum())
    if left == len(times):
        return ""
    return (
        f" ({left} of {len(times)} times are unknown; medians count them as longer than all:"
        " airtcp results DIR --estimate median)"
    )


def _methods(rows: list[dict[str, Any]]) -> str:
    methods = ", ".join(dict.fromkeys(row["method"] for row in rows))
    bounds = " (the column analysis is the upper bound)" if _bounded(rows) else ""
    return methods + bounds


def _intervals(result: RunResult, simulation: SimulationResult, shown: Sequence[str]) -> list[str]:
    """What the intervals are, and where there are none because nothing is random."""
    said = [line for line in _remarks(simulation, result.main_metric) if line]
    if all(simulation.exact) and simulation.parts == 1:
        return said
    values = simulation.replications if simulation.replications > 1 else simulation.parts
    few = few_said(records(result.table), [f"simulation_{name}" for name in shown], values)
    normal = taken_for_normal(values)
    return [_interval(simulation, result.main_metric), *normal, *few, *said]


def _remarks(simulation: SimulationResult, metric: str) -> list[str]:
    return [simulation.chance, simulation.order(metric), simulation.transient]


def _interval(simulation: SimulationResult, metric: str) -> str:
    if simulation.replications == simulation.parts == 1:
        return "One run per point: no interval; give --replications 2 or more for one."
    over = f"{simulation.each}, which are independent"
    if simulation.replications > 1:
        return f"± is half the 95 % confidence interval of the mean (Student t over {over})."
    over = f"the {simulation.parts} parts of one run"
    said = f"± is half the 95 % confidence interval of the mean (Student t over {over})."
    return f"{said} {simulation.neighbours(metric)}".rstrip()


def _notes(notes: list[str]) -> list[str]:
    """At how many points there is no analysis, and why."""
    each = [note.split("; ") for note in filter(None, notes)]
    reasons = [reason for one in each for reason in one]
    if len(reasons) > 2 and all(one == each[0] for one in each):  # all for the same reasons
        said = "; ".join(each[0])
        return [f"No analysis at {len(each)} of {count(len(notes), 'point')}: {said}."]
    return [
        f"No analysis at {reasons.count(reason)} of {count(len(notes), 'point')}: {reason}."
        for reason in dict.fromkeys(reasons)
    ]
