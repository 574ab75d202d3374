"""The third engine: real packets over the emulated path, for every point of a scenario."""

from __future__ import annotations

import heapq
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import InputError, count, known_name, whole_number
from airtcp.links.rates import fastest
from airtcp.live.controls import refuse_unknown
from airtcp.live.linux import require_linux
from airtcp.live.points import reason_without_live_run, value_for_live
from airtcp.live.transfer import flow_size, transfer
from airtcp.live.transfer_report import TransferReport
from airtcp.support.units import base_units_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point, Scenario

METRIC_FUNCTIONS: dict[str, Callable[[TransferReport], float]] = {
    name: operator.attrgetter(name)
    for name in (
        "efficiency",
        "goodput_bps",
        "overhead",
        "probes",
        "throughput_pps",
        "timeouts",
        "transfer_time",
    )
}
VALID_METRIC = "valid"  # 1 where the machine kept up, else 0: its mean is the share of such runs
STACKS = ("auto", "kernel", "airtcp")
MOST_PARALLEL_RUNS = 64
DEFAULT_PARALLEL_RUNS = 8
SLOW_LINKS_BPS = 32e6  # what the links of runs at once may carry: a small part of what one core can


@dataclass(frozen=True)
class LiveRequest:
    """Runs to do: `stack` is the TCP that answers, `parallel_runs` how many run at once."""

    scenario: Scenario
    replications: int
    seed: int
    stack: str
    parallel_runs: int

    @classmethod
    def from_options(
        cls, scenario: Scenario, *, replications: int, seed: int, stack: str, live_jobs: int | None
    ) -> LiveRequest:
        """Check the options. Raises `InputError`. `live_jobs` None: as many as slow links allow."""
        require_linux()
        known_name("stack", stack, STACKS)
        points = scenario.points()
        if stack != "auto" and any(value_for_live(point.data, "stack") for point in points):
            raise InputError(
                f"stack = {stack!r}: the scenario sets live.stack already; remove one of the two"
            )
        at_once = _default_parallel_runs(scenario) if live_jobs is None else live_jobs
        at_once = whole_number("live_jobs", at_once, 1, MOST_PARALLEL_RUNS)
        refuse_unknown(
            (point for point in points if not reason_without_live_run(point, stack)), stack
        )
        return cls(scenario, replications, seed, stack, at_once)

    def points(self) -> list[Point]:
        """The points that some TCP can answer for."""
        return [
            point
            for point in self.scenario.points()
            if not reason_without_live_run(point, self.stack)
        ]

    def points_and_replications(self) -> list[tuple[Point, int]]:
        """Points and replications, point by point."""
        return [(point, number) for point in self.points() for number in range(self.replications)]

    def announcement(self) -> str:
        """The number of runs, and their duration in real time."""
        runs = [run_seconds(point) for point, _ in self.points_and_replications()]
        least = _duration_in_parallel([least for least, _ in runs], self.parallel_runs)
        exact = all(is_exact for _, is_exact in runs)
        at_once = f", {self.parallel_runs} at once" if self.parallel_runs > 1 else ""
        return (
            f"live: {count(len(runs), 'run')} in real time{at_once}:"
            f" {'' if exact else 'at least '}{duration_text(least)}"
        )


def run_seconds(point: Point) -> tuple[float, bool]:
    """The least duration of a run, and true if it is exact."""
    end = float(base_units_of(point.data["stop"]["time"]))
    size = flow_size(point)
    if not size:
        return end, True
    return min(8 * size / _native.implied(point.compiled)[0]["bottleneck"], end), False


def _duration_in_parallel(lengths: list[float], at_once: int) -> float:
    """Duration of runs of these lengths, one after the other in `at_once` places."""
    places = [0.0] * at_once
    for length in lengths:
        heapq.heapreplace(places, places[0] + length)
    return max(places)


def duration_text(seconds: float) -> str:
    """A duration as people write it."""
    full_seconds = math.ceil(seconds)
    hours, minutes = full_seconds // 3600, full_seconds % 3600 // 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {full_seconds % 60} s"


def _default_parallel_runs(scenario: Scenario) -> int:
    """The usual number of simultaneous runs: they disturb each other on fast links only."""
    rates = [fastest(hop) for point in scenario.points() for hop in point.data["path"]["hop"]]
    return max(1, min(DEFAULT_PARALLEL_RUNS, int(SLOW_LINKS_BPS / max(rates))))


def metrics_of_run(
    data: Mapping[str, Any], *, own: bool, seed: int, replication: int
) -> dict[str, Any]:
    """The metrics of a run of a point, and its validity; `own`: by our TCP.

    Raises `InputError` for a run that failed.
    """
    run = transfer(
        dict(data),
        seconds=float(base_units_of(data["stop"]["time"])),
        stack="scenario" if own else None,
        seed=seed,
        replication=replication,
    )
    if run.report.signal is not None:
        raise InputError("live: another process ended a run")
    if run.cut:
        raise InputError(f"live: the transfer is incomplete: {run.ending}")
    if run.intact is False:
        raise InputError("live: the data arrived changed")
    metrics_found = {name: float(metric(run)) for name, metric in METRIC_FUNCTIONS.items()}
    return metrics_found | {VALID_METRIC: run.report.valid}
