"""The tables of the report of a run, with what each of them says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from airtcp.metrics.labels import DIRECTIONS, axis_label, readable
from airtcp.metrics.records import KEYS, NAMES
from airtcp.metrics.table import DEFAULT, metrics_by_kind
from airtcp.plot.style import LEVEL
from airtcp.report.digits import estimates, even, even_coordinates, interval_decimals, signed
from airtcp.report.messages import Spread, head, intervals_said, places_of, runs_said, subject
from airtcp.report.page import html_table
from airtcp.stats.verdict import DIFFER
from airtcp.support.format import few_said, valid_runs
from airtcp.support.half_width import half_width, half_width_of

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult

_OF_A_PATH = (*DEFAULT["path"], "throughput_pps", "efficiency", "fast_retransmits")
_HALF = f"\N{PLUS-MINUS SIGN} half the {LEVEL} interval"
_SLOT_METRICS = ("throughput", "transmissions_per_delivery")


def names_of(table: pd.DataFrame, engine: str, metric: str) -> tuple[str, str, str]:
    """The columns of a metric in `RunResult.table`: mean, low and high."""
    name = f"{engine}_{metric}"
    if metric == "throughput":
        limits = ("low", "high") if engine == "simulation" else ("lower", "upper")
        return name, f"{engine}_{limits[0]}", f"{engine}_{limits[1]}"
    return name, f"{name}_low", f"{name}_high"


def keys_of(table: pd.DataFrame, coordinates: Sequence[str]) -> list[str]:
    """What tells the rows of `RunResult.table` apart."""
    varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
    return [*varying, *(name for name in ("flow", "flow_tcp") if name in table)]


def runs_of(table: pd.DataFrame) -> tuple[list[int], list[bool]]:
    """How many runs each row has, and in which nothing is random."""
    name = "n" if "n" in table else "replications"
    return table[name].astype(int).tolist(), exact_in(table).tolist()


def exact_in(table: pd.DataFrame) -> pd.Series[bool]:
    """At which points nothing is random."""
    return table["exact"] if "exact" in table else pd.Series(False, index=table.index)


def spread_of(result: RunResult, metric: str, coordinates: Sequence[str]) -> Spread | None:
    """What the runs say of a metric, or where there are none, live ones or the analysis."""
    table = result.table
    for engine in ("simulation", "live", "analysis"):
        names = names_of(table, engine, metric)
        if names[0] in table and table[names[0]].notna().any():
            if engine == "analysis":  # its bounds are no intervals
                names = (names[0], "", "")
            return Spread.of(table, metric, names, keys_of(table, coordinates))
    return None


def is_bounded(table: pd.DataFrame) -> bool:
    """Whether bounds say more than the value itself; those of an exact one repeat it."""
    return "method" in table and bool((table["method"] != "exact").any())


def results_table(result: RunResult, coordinates: Sequence[str]) -> str:
    """All points (and flows) with what the engines say of them."""
    table = result.table
    columns = _key_columns(table, keys_of(table, coordinates))
    if "method" in table:
        columns |= _slot_columns(table)
    else:
        shown = [*dict.fromkeys((*result.metrics, *_OF_A_PATH))]
        columns |= _estimated(table, "simulation", shown)
        columns |= _live_columns(table, shown)
    for name in result.others:
        found = _estimated(table, name, [*metrics_by_kind(result.scenario.family)])
        columns |= {f"{name} {head}": values for head, values in found.items()}
    return html_table(pd.DataFrame(columns), caption=_results_caption(result))


def _results_caption(result: RunResult) -> str:
    table = result.table
    said = "One row per point" + (" and flow." if "flow" in table else ".")
    if result.simulation is None:
        return said
    runs, exact = runs_of(table)
    if not all(exact) and max(runs, default=0) > 1:
        said += f" {_HALF}, {runs_said(runs)}."
    shown = [name.removesuffix("_carriers") for name in table if name.endswith("_carriers")]
    few = few_said(table.to_dict("records"), shown, max(runs, default=0))
    return " ".join(filter(None, (said, *few, _widest(result))))


def _widest(result: RunResult) -> str:
    """Where the first metric is known least, as a share of its mean."""
    metric = result.main_metric
    names = names_of(result.table, "simulation", metric)
    if names[0] not in result.table:
        return ""
    mean, *ends = (result.table[name] for name in names)
    halves = half_width(mean, *ends) / mean.abs()
    halves = halves.where(np.isfinite(halves) & (halves > 0.0))
    if not halves.notna().any():
        return ""
    keys = keys_of(result.table, list(result.scenario.points()[0].coordinates))
    place = places_of(result.table, keys)[int(np.nanargmax(halves.to_numpy()))]
    where = f", at {place}" if place else ""
    share, name = 100.0 * halves.max(), subject(metric).lower()
    widest = (
        f"\N{PLUS-MINUS SIGN} {share:.0f} %"
        if share >= 10.0
        else f"\N{PLUS-MINUS SIGN} {share:.2g} %"
    )
    return f"The widest interval of the {name} is {widest}{where}."


def _slot_columns(table: pd.DataFrame) -> dict[str, Any]:
    """Analysis and simulation side by side."""
    columns: dict[str, Any] = {}
    for metric in _SLOT_METRICS:
        words = "throughput" if metric == "throughput" else "sent per delivered"
        analysis = f"analysis_{metric}"
        if table[analysis].notna().any():
            columns[f"{words}, analysis"] = table[analysis]
        if metric == "throughput" and is_bounded(table):
            bounds = {"lower bound": "analysis_lower", "upper bound": "analysis_upper"}
            columns |= {
                said: table[name] for said, name in bounds.items() if table[name].notna().any()
            }
        mean, low, high = names_of(table, "simulation", metric)
        if table[mean].notna().any():
            halves = half_width(table[mean], table[low], table[high])
            columns[f"{words}, simulation"] = estimates(
                table[mean], halves, exact_in(table), table.get(f"{mean}_carriers")
            )
        if metric == "throughput" and table["z"].notna().any():
            columns["z"] = even(table["z"], 3)
    return columns


def _estimated(table: pd.DataFrame, engine: str, metrics: Sequence[str]) -> dict[str, Any]:
    """A column for each metric that has values, in a unit that suits them."""
    columns: dict[str, Any] = {}
    for metric in metrics:
        mean, low, high = names_of(table, engine, metric)
        if mean in table and table[mean].notna().any():
            unit, scale = readable(metric, float(table[mean].max()))
            halves = half_width(table[mean], table[low], table[high]) / scale
            exact = exact_in(table) if engine == "simulation" else None
            few = table.get(f"{mean}_carriers")
            columns[head(metric, unit)] = estimates(table[mean] / scale, halves, exact, few)
    return columns


def _live_columns(table: pd.DataFrame, metrics: Sequence[str]) -> dict[str, Any]:
    """What real packets gave, and with how many of their runs the machine kept up."""
    if "live_runs" not in table:
        return {}
    columns: dict[str, Any] = {"live TCP": table["live_tcp"], "live runs": table["live_runs"]}
    found = _estimated(table, "live", metrics)
    columns |= {f"live {name}": values for name, values in found.items()}
    shares = zip(table["live_runs"], table["live_valid"], strict=True)
    columns["valid"] = [valid_runs(runs, share) for runs, share in shares]
    return columns


def _key_columns(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, Any]:
    """What tells rows apart, under the last parts of its paths where they suffice."""
    last = [key.rpartition(".")[2] for key in keys]
    heads = {"flow_tcp": "its TCP"}
    return {
        heads.get(key, name if last.count(name) == 1 else key): _coordinate_column(table[key])
        for key, name in zip(keys, last, strict=True)
    }


def _coordinate_column(column: pd.Series[Any]) -> Any:
    if column.dtype.kind != "f" or column.isna().any():
        return column
    return even_coordinates(column.tolist())


def records_table(kind: str, table: pd.DataFrame, coordinates: Sequence[str]) -> str:
    """What links or sources counted, with half of the intervals."""
    varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
    own = [*KEYS[kind], *NAMES[kind]]
    identical = [name for name in own if len(table) > 1 and table[name].nunique() == 1]
    columns = _key_columns(table, [*varying, *(name for name in own if name not in identical)])
    for metric in metrics_by_kind(kind):
        if table[metric].notna().any() and (metric in DEFAULT[kind] or table[metric].any()):
            unit, scale = readable(metric, float(table[metric].max()))
            halves = half_width_of(table, metric) / scale
            few = table.get(f"{metric}_carriers")
            means = table[metric] / scale
            columns[head(metric, unit)] = estimates(means, halves, exact_in(table), few)
    runs, exact = runs_of(table)
    said = [f"{subject(runs_said(runs))}, {intervals_said(runs, exact)}."]
    first = DEFAULT[kind][0]
    names = (first, f"{first}_low", f"{first}_high")
    spread = Spread.of(table, first, names, [*varying, *KEYS[kind]])
    said += [spread.sentence(axis_label(first).partition(" (")[0])]
    said += (
        [f"Everywhere: {', '.join(f'{name} {table[name].iloc[0]}' for name in identical)}."]
        if identical
        else []
    )
    said += few_said(table.to_dict("records"), metrics_by_kind(kind), max(runs, default=0))
    said += [DIRECTIONS[:1].upper() + DIRECTIONS[1:]] if kind == "links" else []
    return html_table(pd.DataFrame(columns), caption=" ".join(filter(None, said)))


def _differences(rows: pd.DataFrame) -> dict[str, list[str]]:
    """Relative differences in percent and their intervals, all with the same decimals."""
    difference, low, high = (100.0 * rows[name] for name in ("difference", "low", "high"))
    places = interval_decimals(difference.tolist(), ((high - low) / 2.0).tolist())

    def percent(value: float) -> str:
        return signed(f"{value:+.{places}f}") if math.isfinite(value) else "-"

    return {
        "difference (%)": [percent(one) for one in difference],
        "from (%)": [percent(one) for one in low],
        "to (%)": [percent(one) for one in high],
    }


def verdicts_table(result: RunResult, coordinates: Sequence[str]) -> str:
    """The verdicts on the main metric, and those on the others where engines differ."""
    table = result.verdicts
    if table.empty:
        return ""
    first = result.main_metric
    if first not in set(table["metric"]):
        first = table["metric"].iloc[0]
    told = (table["metric"] == first) | (table["verdict"] == DIFFER)
    varying = [name for name in coordinates if result.table[name].nunique(dropna=False) > 1]
    rows = table[told]
    keys = varying + [name for name in ("flow", "flow_tcp") if name in table]
    columns = _key_columns(rows, keys)
    columns |= {
        "metric": rows["metric"],
        "engines": rows["engine_a"] + " / " + rows["engine_b"],
        "verdict": rows["verdict"],
        **_differences(rows),
        "runs that would decide": rows["runs_needed"],
        "why": rows["why"],
    }
    shown = pd.DataFrame(columns, index=rows.index)
    said = [f"The {subject(first).lower()} at every point, and other metrics where engines differ."]
    for name in ("metric", "engines"):
        if shown[name].nunique() == 1:
            said.append(f"{name.capitalize()}: {shown[name].iloc[0]}.")
            shown = shown.drop(columns=name)
    kept = [shown[name].replace("", np.nan).notna().any() for name in shown]
    return html_table(shown.loc[:, kept], caption=" ".join(said))
