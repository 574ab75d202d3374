"""Results as text: a table for people, JSON and CSV for programs; all with the same content."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import count

if TYPE_CHECKING:
    import pandas
    from rich.table import Table
    from rich.text import Text

    from airtcp.results import Results
    from airtcp.run import RunResult
    from airtcp.simulation import SimulationResult

FORMATS = ("table", "json", "csv")
VISIBLE = 5e-6  # bounds that differ by less look the same in five digits
OPTIONAL = {  # columns that are left out where the terminal is narrow, by family
    "slot": (("bounds", "sent"), ("bounds",), ()),
    "path": (("efficiency", "timeouts", "transfer time"), ("efficiency", "timeouts"), ()),
}


def run_text(result: RunResult, form: str, report: str | None = None) -> str:
    """A run in one of `FORMATS`; a table names the file of its `report`."""
    if form == "csv":
        return csv(result.table)
    if form == "json":
        return to_json(_run_data(result))
    return _run_page(result, [] if report is None else ["", report_line(report)])


def csv(table: pandas.DataFrame) -> str:
    """A table as CSV."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def to_json(data: Any) -> str:
    """JSON text; what is not a finite number becomes null."""
    return json.dumps(_finite(data), indent=2, ensure_ascii=False) + "\n"


def records(table: pandas.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table."""
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def listing(entries: Iterable[Mapping[str, str]], form: str) -> str:
    """Named things with a line each, in one of `FORMATS`."""
    rows = list(entries)
    if form == "json":
        return to_json(rows)
    if form == "csv":
        import pandas  # noqa: PLC0415  (slow to import)

        return csv(pandas.DataFrame(rows))
    return page([_named(rows)])


def listings(entries: Mapping[str, list[dict[str, str]]], form: str) -> str:
    """Several kinds of named things, one below the other, in one of `FORMATS`."""
    if form == "json":
        return to_json(entries)
    if form == "csv":
        every = [{"kind": kind, **row} for kind, rows in entries.items() for row in rows]
        return listing(every, form)
    parts = ((kind.capitalize(), "", _named(rows), "") for kind, rows in entries.items())
    return page([part for four in parts for part in four][:-1])


def _named(rows: Sequence[Mapping[str, str]]) -> Table:
    heads = list(rows[0]) if rows else []
    return grid(heads, ([row[head] for head in heads] for row in rows))


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> Table:
    """A rich table; its last `numbers` columns are aligned right. Cells are text, not markup."""
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415  (slow to import)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for index, head in enumerate(heads):
        right = index >= len(heads) - numbers
        table.add_column(Text(head), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def page(parts: Iterable[Any]) -> str:
    """Tables and lines one below the other, as wide as the terminal; a `Text` is not wrapped."""
    from rich.console import Console  # noqa: PLC0415  (slow to import)
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=sys.stdout, highlight=False)
    with console.capture() as captured:
        for part in parts:
            one = Text(part) if isinstance(part, str) else part
            console.print(one, soft_wrap=isinstance(part, Text))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def report_line(file: object) -> Text:
    """Where the report is, on one line however long: a name that wraps cannot be copied."""
    from rich.text import Text  # noqa: PLC0415  (slow to import)

    return Text(f"Report: {file}")


def fits(table: Table) -> bool:
    """Whether a table needs no wrapped cells on this terminal."""
    from rich.console import Console  # noqa: PLC0415  (slow to import)

    console = Console(file=sys.stdout)
    boundless = console.options.update(max_width=1000)
    return console.measure(table, options=boundless).maximum <= console.width


def number(value: Any) -> str:
    """A rate in five decimals, or fewer digits where it is large; a dash for none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.5f}" if abs(value) < 100 else f"{value:.6g}"


def coordinate(value: Any) -> str:
    """A coordinate of a point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if hasattr(value, "item"):  # NumPy scalars
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _run_data(result: RunResult) -> dict[str, Any]:
    from airtcp._compare import covered  # noqa: PLC0415  (imports pandas)
    from airtcp.stats import CONFIDENCE  # noqa: PLC0415  (imports SciPy)

    simulation = result.simulation
    inside, compared = covered(result.table)
    return {
        "airtcp": _native.__version__,
        "model": _native.MODEL_VERSION,
        "seed": None if simulation is None else simulation.seed,
        "replications": None if simulation is None else simulation.replications,
        "confidence": CONFIDENCE,
        "points_compared": compared,
        "intervals_containing_analysis": inside,
        "scenario": result.scenario.to_dict(),
        "rows": records(result.table),
    }


# The table of a run


def _run_page(result: RunResult, last: Sequence[Any]) -> str:
    for optional in OPTIONAL[result.scenario.family]:
        table = _run_grid(result, optional)
        if fits(table):
            break
    notes = [] if result.analysis is None else _notes(result.analysis["note"].tolist())
    if _unanswered(result):
        return page([*_heading(result), "", *notes, "", table, "", *_footer(result), *last])
    return page([*_heading(result), "", table, "", *_footer(result), *notes, *last])


def _unanswered(result: RunResult) -> bool:
    """Whether the table alone would not show that there is no analysis."""
    asked = result.analysis is not None and not result.analysis["throughput"].notna().any()
    return asked and result.scenario.family == "slot"


def _run_grid(result: RunResult, optional: Sequence[str]) -> Table:
    rows = records(result.table)
    shown, _ = _coordinates(result)
    columns = {name: [coordinate(row[path]) for row in rows] for path, name in shown.items()}
    if "flow" in result.table:
        columns["flow"] = [str(row["flow"]) for row in rows]
    on_slots = result.scenario.family == "slot"
    numbers = (_numbers if on_slots else _path_numbers)(result, rows, optional)
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
                row["simulation_throughput"], row["simulation_low"], row["simulation_high"]
            )
            for row in rows
        ]
    if result.analysis is not None and result.simulation is not None:
        columns["z"] = [deviate(row["z"]) for row in rows]
    if "sent" in optional:
        engine = "analysis" if result.simulation is None else "simulation"
        name = f"{engine}_transmissions_per_delivery"
        columns["sent/delivered"] = [number(row[name]) for row in rows]
    return columns


def _path_numbers(
    result: RunResult, rows: list[dict[str, Any]], optional: Sequence[str]
) -> dict[str, list[str]]:
    if result.simulation is None:
        return {}
    wanted = {
        "throughput": ("throughput_pps", "packets/s"),
        "efficiency": ("efficiency", "efficiency"),
        "timeouts": ("timeouts", "timeouts"),
        "transfer time": ("transfer_time", "transfer time (s)"),
    }
    shown = [wanted[name] for name in ("throughput", *optional)]
    return {
        head: [_simulated(row, metric) for row in rows]
        for metric, head in shown
        if any(not math.isnan(row[f"simulation_{metric}"]) for row in rows)
    }


def _simulated(row: Mapping[str, Any], metric: str) -> str:
    mean, low, high = (row[f"simulation_{metric}{part}"] for part in ("", "_low", "_high"))
    return measured(mean, (high - low) / 2.0)


def _bounded(rows: list[dict[str, Any]]) -> bool:
    """Whether the analysis gives bounds that look different."""
    return any(row["analysis_upper"] - row["analysis_lower"] > VISIBLE for row in rows)


def with_interval(value: float, low: float, high: float) -> str:
    """A mean and half of its interval."""
    half = (high - low) / 2.0
    return number(value) + ("" if math.isnan(half) else f" ± {half:.5f}")


def measured(mean: float, half: float) -> str:
    """A mean and half of its interval, with as many digits as the interval allows."""
    if math.isnan(mean):
        return "-"
    if math.isnan(half) or half == 0.0:
        return f"{mean:.6g}"
    decimals = max(0, 2 - math.floor(math.log10(half)))
    return f"{mean:.{decimals}f} ± {half:.{decimals}f}"


def deviate(value: float) -> str:
    """A standard normal deviate."""
    return "-" if math.isnan(value) else f"{value:+.2f}"


def _coordinates(result: RunResult) -> tuple[dict[str, str], dict[str, Any]]:
    """Coordinates that vary (path -> heading), and those that do not (path -> value)."""
    points = [point.coordinates for point in result.scenario.points()]
    varies = [path for path in points[0] if any(one[path] != points[0][path] for one in points)]
    if not varies:
        varies = ["tcp.variant"]
    last = [path.rpartition(".")[2] for path in varies]
    heads = {
        path: name if last.count(name) == 1 else path
        for path, name in zip(varies, last, strict=True)
    }
    return heads, {path: value for path, value in points[0].items() if path not in heads}


def _heading(result: RunResult) -> list[str]:
    _, fixed = _coordinates(result)
    data = result.scenario.points()[0].data
    said = [f"profile {data['profile']}"]
    said += [f"{path.removesuffix('.kind')} {coordinate(v)}" for path, v in fixed.items()]
    if result.simulation is not None:
        on_slots = result.scenario.family == "slot"
        length = count(data["stop"]["slots"], "slot") if on_slots else data["stop"]["time"]
        said.append(f"{result.simulation.each} of {length}")
        said.append(f"seed {result.simulation.seed}")
    return [result.scenario.title or "Throughput", ", ".join(said)]


def _footer(result: RunResult) -> list[str]:
    from airtcp._compare import covered  # noqa: PLC0415  (imports pandas)

    rows = records(result.table)
    if result.scenario.family == "path":
        return _path_footer(result)
    lines = ["Throughput: distinct packets delivered per slot."]
    if result.analysis is not None:
        lines[0] += f" Analysis: {_methods(rows)}."
    if result.simulation is not None:
        lines.append(_interval(result.simulation))
    inside, compared = covered(result.table)
    if compared:
        lines.append(
            f"The interval contains the analysis at {inside} of {count(compared, 'point')}; over"
            " many seeds"
            " 95 % should. Points of one run share their random numbers and miss together."
            " z: how far the simulation is from the analysis, as a standard normal deviate of"
            " Student's t."
        )
    return lines


def _path_footer(result: RunResult) -> list[str]:
    if result.simulation is None:
        return []
    return [
        "packets/s: packets acknowledged at the sender. efficiency: the share of the packets sent"
        " that were no repetitions.",
        _interval(result.simulation),
    ]


def _methods(rows: list[dict[str, Any]]) -> str:
    methods = ", ".join(dict.fromkeys(row["method"] for row in rows))
    bounds = " (the column analysis is the upper bound)" if _bounded(rows) else ""
    return methods + bounds


def _interval(simulation: SimulationResult) -> str:
    if simulation.replications == 1:
        return "One run per point: no interval; give --replications 2 or more for one."
    return (
        "± is half the 95 % confidence interval of the mean (Student t over"
        f" {simulation.each}, which are independent)."
    )


def _notes(notes: list[str]) -> list[str]:
    """At how many points there is no analysis, and why."""
    reasons = [reason for note in notes for reason in note.split("; ") if reason]
    return [
        f"No analysis at {reasons.count(reason)} of {count(len(notes), 'point')}: {reason}."
        for reason in dict.fromkeys(reasons)
    ]


def sweep_text(results: Results) -> str:
    """What a sweep has made, and how to look at it."""
    folder = results.folder
    return page([f"{results!r}", f"airtcp results {folder}", f"airtcp plot {folder} -x KEY -y M"])
