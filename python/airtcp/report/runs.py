"""The report of a run: one self-contained HTML page, its figures as SVG beside it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from airtcp import _native
from airtcp.comparison.verdicts import share
from airtcp.engines.choice import SETS
from airtcp.metrics.live import METRICS
from airtcp.metrics.records import KEYS, NAMES, RECORDS, SHOWN
from airtcp.plot.runs import MOST_PANELS, REPORTED, panel_count, quantities, run_figure
from airtcp.plot.style import LEVEL
from airtcp.report.citing import citations
from airtcp.report.page import PAGE, cell, cells, html_table, save_picture, write_page
from airtcp.report.paths import models_table
from airtcp.report.references import bibtex
from airtcp.scenario.scenario import leaves, shortened
from airtcp.stats.verdict import DIFFER, LEVELS
from airtcp.support.files import directory
from airtcp.support.format import EXACT, measured, valid_runs

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult

_COLUMNS = {
    "analysis_throughput": "analysis",
    "analysis_lower": "lower bound",
    "analysis_upper": "upper bound",
    "simulation_throughput": "simulation",
    "half_width": f"\N{PLUS-MINUS SIGN} {LEVEL}",
    "z": "z",
    "analysis_transmissions_per_delivery": "sent per delivered, analysis",
    "simulation_transmissions_per_delivery": "sent per delivered, simulation",
}
_HEADS = {"links": "Links", "traffic": "Cross-traffic"}
_BOUNDS = ("analysis_lower", "analysis_upper")
_LONGEST_LINE = 1000
_PATH_COLUMNS = {
    "throughput_pps": "packets/s",
    "goodput_bps": "goodput, bit/s",
    "delay_first_arrival": "delay to the first arrival, s",
    "efficiency": "efficiency",
    "transfer_time": "transfer time, s",
    "timeouts": "timeouts",
    "fast_retransmits": "fast retransmits",
}
_LIVE_METRICS = tuple(name for name in _PATH_COLUMNS if name in METRICS)


def write_run_report(result: RunResult, out: str | Path) -> Path:
    """Write `report.html` and its figures for one scenario; returns the path of the page."""
    folder = directory(out)
    points = result.scenario.points()
    table, coordinates = result.table, list(points[0].coordinates)
    pictures = [
        save_picture(run_figure(table, coordinates, name), folder, name, label)
        for name, label in quantities(table).items()
        if name in REPORTED and _has(table, name)
    ]
    return write_page(
        folder / PAGE,
        "run.html.j2",
        title=_title(result),
        fixed=_fixed(result),
        swept=_swept(result),
        source=_source(result),
        pictures=pictures,
        panels_left_out=max(0, panel_count(table, coordinates) - MOST_PANELS),
        family=result.scenario.family,
        method=", ".join(table["method"].unique()) if "method" in table else "",
        analysed=result.analysis is not None,
        bounded=_bounded(table),
        simulation=result.simulation,
        joint=result.joint_verdicts.to_dict("records"),
        verdicts=_verdict_table(result, coordinates),
        levels=LEVELS,
        notes=sorted({note for note in table["note"] if note}),
        live=result.live is not None,
        live_notes=sorted({note for note in table.get("live_note", ()) if note}),
        table=_table(table, coordinates, result.metrics),
        records=[
            *_models(result),
            *(
                (_HEADS[kind], _record_table(kind, found, coordinates))
                for kind, found in result.records.items()
            ),
        ],
        citations=bibtex(citations(points, models=len(result.models) > 0)),
        facts=_facts(result),
        command=_command(result, folder),
        files=sorted(p.name for p in folder.glob("*") if p.suffix in (".csv", ".json", ".toml")),
    )


def _models(result: RunResult) -> list[tuple[str, str]]:
    """The models that answer for a path beside the simulation, if there are any."""
    return [("Models", models_table(result.models))] if len(result.models) else []


def _has(table: pd.DataFrame, quantity: str) -> bool:
    """Whether some engine has said something about a quantity."""
    names = {f"analysis_{quantity}", f"simulation_{quantity}"} & set(table)
    return bool(table[sorted(names)].notna().to_numpy().any())


def _title(result: RunResult) -> str:
    title = result.scenario.title
    return title if isinstance(title, str) and title else "A run of airtcp"


def _source(result: RunResult) -> str:
    """The scenario file; lines that values from files make long are cut."""
    lines = result.scenario.to_toml().splitlines()
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..." for line in lines]
    return "\n".join(cut)


def _leaves(result: RunResult) -> list[dict[str, Any]]:
    return [dict(leaves(point.data)) for point in result.scenario.points()]


def _fixed(result: RunResult) -> dict[str, str]:
    """What all points have in common."""
    points = _leaves(result)
    if result.simulation is not None:
        runs = result.simulation.per_point
        points = [point | {"stop.replications": n} for point, n in zip(points, runs, strict=True)]
    first = points[0]
    return {
        key: cell(shortened(value))
        for key, value in first.items()
        if key != "title" and all(point.get(key, None) == value for point in points)
    }


def _swept(result: RunResult) -> dict[str, str]:
    """What varies, with its values."""
    points = [point.coordinates for point in result.scenario.points()]
    values = {key: list(dict.fromkeys(point[key] for point in points)) for key in points[0]}
    return {
        key: ", ".join(cell(value) for value in found if value is not None)
        for key, found in values.items()
        if len(found) > 1
    }


def _verdict_table(result: RunResult, coordinates: list[str]) -> str:
    """The verdicts on the first metric, and those on the others where engines differ."""
    table = result.verdicts
    if table.empty:
        return ""
    told = (table["metric"] == table["metric"].iloc[0]) | (table["verdict"] == DIFFER)
    varying = [name for name in coordinates if result.table[name].nunique(dropna=False) > 1]
    keys = varying + [name for name in ("flow", "flow_tcp") if name in table]
    rows = table[told]
    columns: dict[str, Any] = {name.rpartition(".")[2]: rows[name] for name in keys}
    columns |= {
        "metric": rows["metric"],
        "engines": rows["engine_a"] + " / " + rows["engine_b"],
        "verdict": rows["verdict"],
        "difference": [share(one) for one in rows["difference"]],
        "interval": [
            f"{share(low)} to {share(high)}"
            for low, high in zip(rows["low"], rows["high"], strict=True)
        ],
        "runs that would decide": rows["runs_needed"],
        "why": rows["why"],
    }
    shown = pd.DataFrame(columns)
    return html_table(
        shown.loc[:, [shown[name].replace("", np.nan).notna().any() for name in shown]]
    )


def _bounded(table: pd.DataFrame) -> bool:
    """Whether bounds say more than the value itself; those of an exact one repeat it."""
    return "method" in table and bool((table["method"] != "exact").any())


def _table(table: pd.DataFrame, coordinates: list[str], metrics: Sequence[str]) -> str:
    varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
    if "method" not in table:
        return _path_table(table, varying, metrics)
    half = (table["simulation_high"] - table["simulation_low"]) / 2.0
    wide = table.assign(half_width=half.astype(object).mask(_exact(table), EXACT))
    said = [name for name in _COLUMNS if name not in _BOUNDS or _bounded(table)]
    shown = [name for name in said if wide[name].notna().any()]
    short = wide[varying + shown].rename(columns=_COLUMNS)
    short = short.rename(columns={name: name.rpartition(".")[2] for name in varying})
    return html_table(short, digits={_COLUMNS["half_width"]: 2, "z": 3})


def _path_table(table: pd.DataFrame, varying: list[str], metrics: Sequence[str]) -> str:
    """The metrics of a path, the usual ones and those asked for, with half of their intervals."""
    columns: dict[str, Any] = {name.rpartition(".")[2]: table[name] for name in varying}
    if "flow" in table:
        columns["flow"] = table["flow"]
    if "flow_tcp" in table:
        columns["its TCP"] = table["flow_tcp"]
    for metric, head in (dict(zip(metrics, metrics, strict=True)) | _PATH_COLUMNS).items():
        name = f"simulation_{metric}"
        if name in table and table[name].notna().any():
            half = (table[f"{name}_high"] - table[f"{name}_low"]) / 2.0
            rows = zip(table[name], half, _exact(table), strict=True)
            columns[head] = [measured(mean, width, exact=sure) for mean, width, sure in rows]
    return html_table(pd.DataFrame(columns | _live_columns(table)))


def _live_columns(table: pd.DataFrame) -> dict[str, Any]:
    """What real packets gave, and with how many of their runs the machine kept up."""
    if "live_runs" not in table:
        return {}
    columns: dict[str, Any] = {"live TCP": table["live_tcp"], "live runs": table["live_runs"]}
    for metric in _LIVE_METRICS:
        name = f"live_{metric}"
        if table[name].notna().any():
            half = (table[f"{name}_high"] - table[f"{name}_low"]) / 2.0
            rows = zip(table[name], half, strict=True)
            columns[f"live {_PATH_COLUMNS[metric]}"] = [measured(*row) for row in rows]
    shares = zip(table["live_runs"], table["live_valid"], strict=True)
    columns["valid"] = [valid_runs(runs, share) for runs, share in shares]
    return columns


def _record_table(kind: str, table: pd.DataFrame, coordinates: list[str]) -> str:
    """What links or sources counted, with half of the intervals."""
    varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
    columns: dict[str, Any] = {name.rpartition(".")[2]: table[name] for name in varying}
    columns |= {name: table[name] for name in (*KEYS[kind], *NAMES[kind])}
    for metric in RECORDS[kind]:
        if table[metric].notna().any() and (metric in SHOWN[kind] or table[metric].any()):
            half = (table[f"{metric}_high"] - table[f"{metric}_low"]) / 2.0
            rows = zip(table[metric], half, _exact(table), strict=True)
            columns[metric] = [measured(mean, width, exact=sure) for mean, width, sure in rows]
    return html_table(pd.DataFrame(columns))


def _exact(table: pd.DataFrame) -> pd.Series[bool]:
    """At which points nothing is random."""
    return table["exact"] if "exact" in table else pd.Series(False, index=table.index)


def _facts(result: RunResult) -> dict[str, str]:
    facts: dict[str, Any] = {"airtcp": _native.__version__, "model": _native.MODEL_VERSION}
    if result.simulation is not None:
        facts |= {
            "seed": result.simulation.seed,
            "replications": result.simulation.each,
            "runs": sum(result.simulation.per_point),
        }
    return cells(facts)


def _command(result: RunResult, folder: Path) -> str:
    words = ["airtcp", "run", str(folder / "scenario.toml")]
    if result.engines != SETS["both"]:
        words += ["--engine", ",".join(result.engines)]
    if result.live is not None:
        asked = result.live.attrs  # the numbers of runs and seed are those of the simulation
        words += ["--stack", asked["stack"]]
        if result.simulation is None:
            words += ["--seed", str(asked["seed"]), "--replications", str(asked["replications"])]
    if result.simulation is not None:
        words += ["--links"] if result.simulation.with_links else []
        words += ["--seed", str(result.simulation.seed)]
        words += result.simulation.stop.options
    return shlex.join([*words, "--out", str(folder)])
