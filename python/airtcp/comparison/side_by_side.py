"""Analysis and simulation of the same points, put side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from airtcp.metrics.layout import flows_of, layout_of
from airtcp.metrics.live import SECTION
from airtcp.metrics.ratios import metrics_of, units
from airtcp.models.path_analysis import why_none
from airtcp.reading.point_summary import independent_values
from airtcp.scenario.scenario import Scenario
from airtcp.simulation.replications import SimulationResult
from airtcp.stats import z_scores

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult

PER_SLOT = ("transmissions_per_slot", "timeouts_per_slot", "fast_retransmits_per_slot")


def comparison(
    scenario: Scenario,
    analysis: pandas.DataFrame | None,
    simulation: SimulationResult | None,
) -> pandas.DataFrame:
    """The table of `RunResult`."""
    if scenario.family == "path":
        return _path_table(scenario, analysis, simulation)
    points = scenario.points()
    columns: dict[str, Any] = {
        path: [point.coordinates[path] for point in points] for path in points[0].coordinates
    }
    columns["method"] = [point.method for point in points]
    columns["replications"] = 0 if simulation is None else list(simulation.per_point)
    model = _Missing() if analysis is None else model_values(scenario, analysis)
    runs = _runs(simulation)
    columns |= {"exact": runs["exact"]} if "exact" in runs else {}
    columns |= _throughput(model, runs, simulation)
    for metric in metrics_of("slot", layout_of(points[0]).names):
        if metric != "throughput":
            columns[f"analysis_{metric}"] = model[metric]
            columns[f"simulation_{metric}"] = runs[metric]
            columns[f"simulation_{metric}_low"] = runs[f"{metric}_low"]
            columns[f"simulation_{metric}_high"] = runs[f"{metric}_high"]
            columns |= _carriers(metric, runs)
    columns["note"] = "" if analysis is None else analysis["note"]
    return pandas.DataFrame(columns, index=range(len(points)))


def covered(table: pandas.DataFrame) -> tuple[int, int]:
    """(points whose 95 % interval contains the analysis, points with an interval and an analysis).

    Points whose runs do not scatter have no interval.
    """
    if "z" not in table:
        return 0, 0
    compared, rounding = table["z"].notna(), 1e-12
    value = table["analysis_throughput"]
    above = table["simulation_low"] - rounding <= value
    below = value <= table["simulation_high"] + rounding
    return int((compared & above & below).sum()), int(compared.sum())


def shared_answers(result: RunResult) -> str:
    """A line where points differ in what they say to live runs only, and others answer as well."""
    others = [name for name in result.engines if name != "live"]
    points = result.scenario.points()
    first = points[0].coordinates
    varying = [
        path
        for path in first
        if path.startswith(SECTION) and any(one.coordinates[path] != first[path] for one in points)
    ]
    if not varying or not others:
        return ""
    who = f"{' and '.join(others)} {'does' if len(others) == 1 else 'do'}"
    return (
        f"{who[:1].upper()}{who[1:]} not depend on {' and '.join(varying)}: rows that differ in"
        " nothing else repeat one answer, under tcp.congestion."
    )


def _path_table(
    scenario: Scenario, analysis: pandas.DataFrame | None, simulation: SimulationResult | None
) -> pandas.DataFrame:
    """Packets on a path: the metrics of the simulation per point (and flow).

    `note`: why no model answers.
    """
    points = scenario.points()
    notes = [""] * len(points) if analysis is None else why_none(analysis, len(points))
    if simulation is None:
        coordinates = pandas.DataFrame([point.coordinates for point in points])
        return coordinates.assign(replications=0, note=notes)
    found = simulation.summary()
    head = list(found.columns[: found.columns.get_loc("replications") + 1])
    head += ["exact"] if "exact" in found else []
    columns: dict[str, Any] = {name: found[name] for name in head}
    for metric in metrics_of("path", layout_of(points[0]).names):
        for part in ("", "_low", "_high"):
            columns[f"simulation_{metric}{part}"] = found[f"{metric}{part}"]
        columns |= _carriers(metric, found)
    columns["note"] = np.repeat(notes, [flows_of(point) for point in points])
    return pandas.DataFrame(columns)


class _Missing(dict[str, Any]):
    """The columns of an engine that was not asked."""

    def __missing__(self, name: str) -> float:
        return np.nan


def model_values(scenario: Scenario, analysis: pandas.DataFrame) -> Any:
    """Of each metric on slots what the model says of each point; NaN of what it does not say."""
    names = ("throughput", "lower", "upper", *PER_SLOT)
    found = _Missing({name: analysis[name] for name in names})
    delivered = analysis["throughput"].where(analysis["throughput"] > 0)
    found["transmissions_per_delivery"] = analysis["transmissions_per_slot"] / delivered
    # In the long run as much is delivered in order as is delivered.
    scales = (units(point)[0] for point in scenario.points())
    rates = [bits / (seconds * fragments) for bits, seconds, fragments in scales]
    found["goodput_bps"] = analysis["throughput"] * rates
    found["in_order_throughput"] = analysis["throughput"]
    return found


def _runs(simulation: SimulationResult | None) -> Any:
    return _Missing() if simulation is None else simulation.summary()


def _throughput(model: Any, runs: Any, simulation: SimulationResult | None) -> dict[str, Any]:
    z: Any = np.nan
    if simulation is not None:
        n = independent_values(runs)
        error = runs["throughput_sd"] / np.sqrt(n)
        z = z_scores(runs["throughput"], model["throughput"], error, n)
    return {
        "analysis_throughput": model["throughput"],
        "analysis_lower": model["lower"],
        "analysis_upper": model["upper"],
        "simulation_throughput": runs["throughput"],
        "simulation_low": runs["throughput_low"],
        "simulation_high": runs["throughput_high"],
        **_carriers("throughput", runs),
        "z": z,
    }


def _carriers(metric: str, runs: Any) -> dict[str, Any]:
    """How few runs carry the scatter of means, where some hang on few."""
    name = f"{metric}_carriers"
    return {f"simulation_{name}": runs[name]} if name in runs else {}
