"""A look for beginnings of runs that weigh in their means, as slow start and empty queues do.

A mean over runs says nothing of that, however many they are: all of them begin alike. So a few runs
of a point are counted in parts too, and MSER-5 finds where their mean over time has forgotten how
it began (`airtcp.stats.mser`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airtcp.campaign.executor import Executor
from airtcp.campaign.journal import open_journal_in_memory
from airtcp.errors import InputError
from airtcp.metrics.labels import readable_unit
from airtcp.metrics.layout import KEYS_OF_ONE_TRANSFER, layout_of, shape_counts
from airtcp.metrics.ratios import Floats, ratios, units_of_point, units_of_rows
from airtcp.metrics.table import DEFAULT_METRICS
from airtcp.scenario.axes import TableAxes
from airtcp.scenario.scenario import Point, Scenario
from airtcp.simulation.side_runs import SideRunner
from airtcp.stats.intervals import mean_intervals, t_test
from airtcp.stats.warmup import mser
from airtcp.support.progress import progress_report
from airtcp.support.units import nanoseconds

PARTS_OF_RUN = 100
SAMPLE_RUNS = 8  # whose mean is looked at: in it the beginning stands out from the noise
SURE_LEVEL = 0.01  # p below which the beginning is separated from noise
LEAST_BIAS = 0.05  # of the mean without the beginning
MOST_POINTS = 8  # points that are looked at where nobody asks for all


@dataclass(frozen=True)
class Transient:
    """A point whose beginning weighs in its mean.

    - `metric`: summed over flows; `mean` over the whole time that counts, and `rest` without the
      first `length` (s, or slots) of it;
    - `enough`: whether the rest is longer than the part left out: if not, the runs are too short to
      show where the beginning ends.
    """

    point: Point
    metric: str
    mean: float
    rest: float
    length: float
    enough: bool


def transients(
    points: Sequence[Point], per_point: Sequence[int], side_runs: SideRunner
) -> tuple[Transient, ...]:
    """The points whose beginning weighs; `per_point`: how many runs each has.

    A single random run cannot show this: its noise looks like a beginning too often.
    """
    looked_at = [
        (point, in_parts, min(SAMPLE_RUNS, runs))
        for point, runs in zip(points, per_point, strict=True)
        if runs > 1 or not point.is_random
        if (in_parts := _point_in_parts(point)) is not None
    ]
    transients_found = []
    for number in sorted({runs for *_, runs in looked_at}):
        mine = [look for look in looked_at if look[2] == number]
        campaign = side_runs.run(
            [place_and_point[1] for place_and_point in mine], number, "looking for transients"
        )
        for place, (point, in_parts, _) in enumerate(mine):
            used = campaign.runs_per_point[place]
            counts = [run for _, run in campaign.finished(place, 0, used)]
            transients_found.append(_judge_point(point, in_parts, counts))
    return tuple(transient for transient in transients_found if transient is not None)


def spread_points(points: int) -> list[int]:
    """Numbers of points, spread evenly, the first and the last one among them."""
    return sorted({round(place) for place in np.linspace(0, points - 1, min(points, MOST_POINTS))})


def sample_transients(
    scenario: Scenario,
    seed: int,
    per_point: Sequence[int],
    executor: Executor,
    *,
    progress: bool = False,
) -> tuple[Transient, ...]:
    """Transients at a few points of a scenario, by runs of the executor that nobody keeps."""
    points, places = scenario.points(), spread_points(len(scenario))
    with open_journal_in_memory() as journal, progress_report(progress) as report:
        side_runs = SideRunner(seed, journal, executor, report)
        chosen = [points[place] for place in places]
        return transients(chosen, [per_point[place] for place in places], side_runs)


def _point_in_parts(point: Point) -> Point | None:
    """The point, counted in parts; None where flows end, or there would be too many parts."""
    flows = point.data.get("flow", [])
    if any({*KEYS_OF_ONE_TRANSFER, "sizes", "video"} & flow.keys() for flow in flows):
        return None
    stop = {key: value for key, value in point.data["stop"].items() if key != "precision"}
    try:
        document = {**point.data, "stop": stop | {"batches": PARTS_OF_RUN}}
        return Scenario.from_dict(document).points()[0]
    except InputError:
        return None


def _judge_point(point: Point, in_parts: Point, counts: list[bytes]) -> Transient | None:
    layout, metric = layout_of(in_parts), DEFAULT_METRICS[point.family][0]
    rows = shape_counts(layout, counts).reshape(-1, len(layout.names))
    scales = units_of_rows([units_of_point(in_parts)], [len(rows)])
    values = ratios(dict(zip(layout.names, rows.T, strict=True)), layout.family, *scales)[metric]
    series = np.nan_to_num(values.reshape(len(counts), PARTS_OF_RUN, layout.flows)).sum(axis=2)
    warm_up, mean = mser(series), float(series.mean())
    if not warm_up.observations or abs(mean - warm_up.mean) <= LEAST_BIAS * abs(warm_up.mean):
        return None
    if not _stands_out(series, warm_up.observations):
        return None
    length = warm_up.observations / PARTS_OF_RUN * _counted_time(point)
    return Transient(point, metric, mean, warm_up.mean, length, warm_up.enough)


def _stands_out(series: Floats, begin: int) -> bool:
    """True if the first parts differ from the rest by more than runs do.

    Any difference is real where nothing is random, and there is one run.
    """
    if len(series) == 1:
        return True
    difference = mean_intervals(
        (series[:, :begin].mean(axis=1) - series[:, begin:].mean(axis=1))[None]
    )
    p = t_test(difference["mean"], difference["sd"], len(series))
    return not p[0] >= SURE_LEVEL  # differences that do not scatter have no p


def _counted_time(point: Point) -> float:
    """Length of the time that counts: seconds, or slots."""
    stop = point.data["stop"]
    if point.family == "slot":
        return float(stop["slots"] - stop.get("warmup", 0))
    return (nanoseconds(stop["time"]) - nanoseconds(stop.get("warmup", "0s"))) / 1e9


def distinguishing_keys(scenario: Scenario) -> list[str]:
    """The coordinates that identify the points of a scenario."""
    first, *others = (point.coordinates for point in scenario.points().representative_points())
    return [key for key in first if any(coordinates[key] != first[key] for coordinates in others)]


def transient_text(
    transients_found: Sequence[Transient], scenario: Scenario, looked_at: int | None = None
) -> str:
    """A warning about the point whose beginning weighs most; empty for none.

    `looked_at`: how many points of the scenario were looked at; None: all.
    """
    if not transients_found:
        return ""
    worst = max(
        transients_found,
        key=lambda transient: (
            abs(transient.mean / transient.rest - 1.0) if transient.rest else np.inf
        ),
    )
    unit, scale = readable_unit(worst.metric, max(worst.mean, worst.rest))
    coordinates_told = {key: worst.point.coordinates[key] for key in distinguishing_keys(scenario)}
    at = ", ".join(
        f"{key} = {said}"
        for key, said in TableAxes.from_scenario(scenario).row(coordinates_told).items()
    )
    points = len(scenario)
    of = f"{points} points" if looked_at in (None, points) else f"{looked_at} points looked at"
    where = f" at {len(transients_found)} of {of}, most at {at}" if at else ""
    on_slots = worst.point.family == "slot"
    length = f"{worst.length:.0f} slots" if on_slots else f"{worst.length:.3g} s"
    begun = worst.point.data["stop"].get("warmup", 0 if on_slots else "0s")
    before = float(begun) if on_slots else nanoseconds(str(begun)) / 1e9
    end = before + worst.length
    warmup = f"{end:.0f}" if on_slots else f'"{end:.3g}s"'
    advice = (
        f"stop.warmup = {warmup} leaves it out"
        if worst.enough
        else "these runs are too short to show where it ends; make them longer"
    )
    return (
        f"Warning: the initial transient biases the means{where}: {worst.metric} of all flows"
        f" is {worst.mean / scale:.4g}{f' {unit}' if unit else ''} with the first {length} and"
        f" {worst.rest / scale:.4g} without (MSER-5); {advice}."
    )
