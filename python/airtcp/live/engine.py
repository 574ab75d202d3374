"""The third engine: real packets over the emulated path, for every point of a scenario."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airtcp._units import number_of
from airtcp.campaign.layout import flows_of
from airtcp.campaign.layout import tcp_of as transport_of
from airtcp.errors import InputError, count, known_name, whole_number
from airtcp.live.crew import Ended, carried_out
from airtcp.live.kept import Kept
from airtcp.live.transfer import flow_size, transfer
from airtcp.live.transfer_report import TransferReport

if TYPE_CHECKING:
    from pathlib import Path

    import pandas

    from airtcp._progress import Report
    from airtcp.scenario import Point, Scenario

METRICS: dict[str, Callable[[TransferReport], float]] = {
    "throughput_pps": lambda run: run.throughput_pps,
    "goodput_bps": lambda run: run.goodput_bps,
    "efficiency": lambda run: run.efficiency,
    "timeouts": lambda run: run.timeouts,
    "transfer_time": lambda run: run.transfer_time,
    "overhead": lambda run: run.overhead,
    "probes": lambda run: run.probes,
}
STACKS = ("auto", "kernel", "airtcp")
KERNEL_VARIANTS = ("newreno", "sack")  # the kernel's loss recovery without and with SACK
MOST_AT_ONCE = 64
USUAL_AT_ONCE = 8
TOGETHER_BPS = 32e6  # what the links of runs at once may carry: a small part of what one core can


@dataclass(frozen=True)
class LiveAsked:
    """What is to be run: `stack`, whose TCP answers; `at_once`: so many runs at the same time."""

    scenario: Scenario
    replications: int
    seed: int
    stack: str
    at_once: int

    @classmethod
    def of(
        cls, scenario: Scenario, *, replications: int, seed: int, stack: str, live_jobs: int | None
    ) -> LiveAsked:
        """Raises `InputError`. `live_jobs` None: as many as slow links allow."""
        if scenario.family != "path":
            raise InputError(
                f"engine = 'live': no kernel has the idealised TCP of profile {scenario.profile};"
                " `airtcp live` runs real ones over its link (docs/live.md)"
            )
        known_name("stack", stack, STACKS)
        at_once = _usual_at_once(scenario) if live_jobs is None else live_jobs
        at_once = whole_number("live_jobs", at_once, 1, MOST_AT_ONCE)
        return cls(scenario, replications, seed, stack, at_once)

    def tasks(self) -> list[tuple[Point, int]]:
        """Points and replications, point by point."""
        points = [point for point in self.scenario.points() if not missing(point, self.stack)]
        return [(point, number) for point in points for number in range(self.replications)]

    def announcement(self) -> str:
        """How many runs there are, and how long they take in real time."""
        runs = [seconds_of(point) for point, _ in self.tasks()]
        least = _together([least for least, _ in runs], self.at_once)
        exact = all(is_exact for _, is_exact in runs)
        at_once = f", {self.at_once} at once" if self.at_once > 1 else ""
        return (
            f"live: {count(len(runs), 'run')} in real time{at_once}:"
            f" {'' if exact else 'at least '}{duration(least)}"
        )


def answer(asked: LiveAsked, report: Report, folder: Path | None = None) -> pandas.DataFrame:
    """A row per point: `live_tcp`, `live_M` with `live_M_low`, `live_M_high` for every metric,
    `live_valid`, `live_note`.

    `live_tcp` is whose TCP answered, "kernel" or "airtcp"; `live_valid` the share of the runs with
    which the machine kept up; `live_note` says why there is no answer, or why a run failed. Every
    run is kept in `folder` when it ends, and taken from there by a later call. Raises `InputError`
    if no run succeeds, and on Ctrl-C `Ended` with the rows of what was finished.
    """
    import pandas  # noqa: PLC0415

    tasks = asked.tasks()
    kept = Kept(folder, asked.seed, METRICS)
    failed: dict[str, str] = {}

    def measure(point: Point, number: int) -> dict[str, Any] | str:
        try:
            return _measured(point, asked, number)
        except InputError as error:
            return str(error)

    def rows() -> pandas.DataFrame:
        points = asked.scenario.points()
        return pandas.DataFrame([_row(point, asked, kept, failed) for point in points])

    def is_kept(point: Point, number: int) -> bool:
        return kept.get(point, tcp_of(point, asked.stack), number) is not None

    todo = [task for task in tasks if not is_kept(*task)]
    done = len(tasks) - len(todo)
    report("live", done, len(tasks))
    try:
        with closing(carried_out(todo, measure, asked.at_once)) as runs:
            for (point, number), found in runs:
                if isinstance(found, str):
                    failed.setdefault(point.hash, found)
                else:
                    kept.add(point, tcp_of(point, asked.stack), number, found)
                done += 1
                report("live", done, len(tasks))
    except KeyboardInterrupt:
        raise Ended(done, len(tasks), rows()) from None
    table = rows()
    if failed and not table["live_runs"].any():
        raise InputError(next(iter(failed.values())))
    return table


def tcp_of(point: Point, stack: str) -> str:
    """Whose TCP answers for a point; "auto": the kernel's where it has the variant."""
    if stack != "auto":
        return stack
    return "kernel" if not _why_not_kernel(point) else "airtcp"


def missing(point: Point, stack: str) -> str:
    """Why nobody can answer for a point; empty if somebody can."""
    if flows_of(point) != 1:
        return "a live transfer has one flow"
    if not _from_end_to_end(point):
        return "a live transfer goes from end to end, without access delay"
    return _why_not_kernel(point) if tcp_of(point, stack) == "kernel" else ""


def _from_end_to_end(point: Point) -> bool:
    """Whether nothing but the hops, crossed forward, lies on the way of the one flow."""
    (flow,) = point.data.get("flow", [{}])
    return not {"sender", "receiver", "access_delay"} & flow.keys()


def _why_not_kernel(point: Point) -> str:
    variant = _variant(point)
    return "" if variant in KERNEL_VARIANTS else f"the kernel has no {variant}"


def _variant(point: Point) -> str:
    return str(transport_of(point.data)["variant"])


def seconds_of(point: Point) -> tuple[float, bool]:
    """How long a run takes: at least, and whether that is exact."""
    end = float(number_of(point.data["stop"]["time"]))
    size = flow_size(point)
    if not size:
        return end, True
    slowest = min(float(number_of(hop["rate"])) for hop in point.data["path"]["hop"])
    return min(8 * size / slowest, end), False


def _together(lengths: list[float], at_once: int) -> float:
    """How long runs of these lengths take, one after the other on `at_once` places."""
    places = [0.0] * at_once
    for length in lengths:
        heapq.heapreplace(places, places[0] + length)
    return max(places)


def duration(seconds: float) -> str:
    """As people say it."""
    whole = math.ceil(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s"


def _usual_at_once(scenario: Scenario) -> int:
    """Independent runs disturb each other on fast links only."""
    rates = [
        float(number_of(rate))
        for point in scenario.points()
        for hop in point.data["path"]["hop"]
        for rate in (hop["rate"], (hop.get("back") or {}).get("rate") or hop["rate"])
    ]
    return max(1, min(USUAL_AT_ONCE, int(TOGETHER_BPS / max(rates))))


def _measured(point: Point, asked: LiveAsked, replication: int) -> dict[str, Any]:
    """The metrics of a run, and whether it is valid."""
    is_own = tcp_of(point, asked.stack) == "airtcp"
    run = transfer(
        dict(point.data),
        seconds=float(number_of(point.data["stop"]["time"])),
        stack="scenario" if is_own else None,
        seed=asked.seed,
        replication=replication,
    )
    if run.report.signal is not None:
        raise InputError("live: a run was ended from outside")
    if run.cut:
        raise InputError(f"live: the transfer is incomplete: {run.ending}")
    if run.intact is False:
        raise InputError("live: what arrived is not what was sent")
    found = {name: float(metric(run)) for name, metric in METRICS.items()}
    return found | {"valid": run.report.valid}


def _row(point: Point, asked: LiveAsked, kept: Kept, failed: Mapping[str, str]) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415

    from airtcp.stats import grouped_means  # noqa: PLC0415

    note, tcp = missing(point, asked.stack), tcp_of(point, asked.stack)
    numbers = range(0 if note else asked.replications)
    all_runs = (kept.get(point, tcp, number) for number in numbers)
    runs: list[Mapping[str, Any]] = [run for run in all_runs if run is not None]
    row: dict[str, Any] = {"live_tcp": "" if note else tcp, "live_runs": len(runs)}
    for name in METRICS:
        values = np.array([run[name] for run in runs] or [math.nan])
        found = grouped_means(values, np.zeros(len(values), dtype=int))
        for part, column in (("", "mean"), ("_low", "low"), ("_high", "high")):
            row[f"live_{name}{part}"] = found[column][0]
    row["live_valid"] = sum(run["valid"] for run in runs) / len(runs) if runs else math.nan
    return row | {"live_note": note or failed.get(point.hash, "")}
