"""Simulation: independent replications of every point of a scenario, as a tidy table.

Every run has its own random streams, named by (seed, component, replication): results are the same
bits for any number of jobs, and two variants under one seed meet the same losses.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp._journal import LAYOUTS, Counts, Expected, Journal, Key, Run, open_journal
from airtcp._progress import Advance, progress_bar
from airtcp._units import nanoseconds
from airtcp.errors import InputError, count, whole_number
from airtcp.scenario import scenario_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from airtcp.run import RunResult
    from airtcp.scenario import Given, Point, Scenario

MOST_SEEDS = 2**64 - 1
MOST_JOBS = 1024
MOST_REPLICATIONS = 1_000_000


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation: `done` of `total` runs are finished (in the journal, if any)."""

    def __init__(self, done: int, total: int) -> None:
        """Keep the counts."""
        super().__init__(f"{done} of {total} runs are finished")
        self.done = done
        self.total = total
        self.partial: RunResult | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult:
    """The runs of a scenario.

    - `runs`: an Arrow table sorted by point and replication: `scenario` (hash of the point), its
      coordinates, `model` (version of the simulator's rules), `seed`, `replication`, what was
      counted, and the metrics that follow from it, all as docs/metrics.md says. On slots one row
      per run; on a path one per run and `flow` (from 0). Metrics are NaN where there is nothing to
      divide by. Versions, seed and scenario are in the metadata of its schema.
    - `scenario`, `seed`, `replications`: what was run.
    """

    runs: pyarrow.Table
    scenario: Scenario
    seed: int
    replications: int

    def to_pandas(self) -> pandas.DataFrame:
        """The runs as a pandas DataFrame."""
        return self.runs.to_pandas()

    def summary(self) -> pandas.DataFrame:
        """One row per point: coordinates, replications, and mean, sd, 95 % Student t interval.

        Of each metric the mean under its name, and with `_sd`, `_low`, `_high`. On slots those are
        `throughput`, `transmissions_per_slot`, `transmissions_per_delivery`, `timeouts_per_slot`,
        `fast_retransmits_per_slot`, `goodput_bps`; on a path `throughput_pps` and what else
        docs/metrics.md lists.
        Where a run has several flows there is a row per point and `flow`. A mean is NaN if the
        metric is NaN in one of its runs.
        """
        return _summary(self)

    def fairness(self) -> pandas.DataFrame:
        """Jain's index over the flows of a run: coordinates, replications, mean, sd, interval.

        `fairness` is (sum x)^2 / (n sum x^2) over the `throughput_pps` x of the n flows.
        Raises `InputError` for a scenario on slots, which has one flow.
        """
        return _fairness(self)

    def __repr__(self) -> str:
        """How much was run."""
        return (
            f"SimulationResult({count(len(self.scenario) * self.replications, 'run')}:"
            f" {count(len(self.scenario), 'point')} x {count(self.replications, 'replication')},"
            f" seed {self.seed})"
        )

    def _repr_html_(self) -> str:
        html: str = self.summary()._repr_html_()
        return f"<p>{self!r}</p>{html}"


def simulate(
    scenario: Given,
    *,
    replications: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    progress: bool = False,
    journal: str | Path | None = None,
) -> SimulationResult:
    """Run every point of `scenario`: a `Scenario`, a dictionary, or the name of a file.

    - `replications`: runs per point; None: the scenario's. Replication r is the same run whatever
      their number;
    - `seed`: 0 to 2^64 - 1; `jobs`: threads, None: one per usable core. The results do not depend
      on it;
    - `progress`: a bar with the time left on stderr;
    - `journal`: a CSV file to which runs are written as they end. Runs that are there already are
      not run again, so that an interrupted or killed simulation resumes.

    Raises `InputError`, `OSError` if the disk is full, and `Interrupted` (a KeyboardInterrupt) on
    Ctrl-C.
    """
    scenario = scenario_of(scenario)
    runs = _replications(scenario, replications)
    seed = whole_number("seed", seed, 0, MOST_SEEDS)
    threads = usable_cores() if jobs is None else whole_number("jobs", jobs, 1, MOST_JOBS)
    work = _Work(scenario.points(), seed, runs)
    kept = nullcontext() if journal is None else open_journal(journal, work.layout, work.expected)
    with kept as opened:
        if opened is not None:
            work.take(opened.runs)
        with progress_bar(progress, "simulating", work.total, work.done) as advance:
            work.run(threads, opened, advance)
    return SimulationResult(_table(work, scenario), scenario, seed, runs)


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST_JOBS, max(1, len(os.sched_getaffinity(0))))
    return min(MOST_JOBS, os.cpu_count() or 1)


def _replications(scenario: Scenario, asked: int | None) -> int:
    if asked is None:
        return scenario.replications
    return whole_number("replications", asked, 1, MOST_REPLICATIONS)


class _Work:
    """The runs of a simulation: those that are finished, and those still to do.

    Points that are equal share their runs.
    """

    def __init__(self, points: list[Point], seed: int, replications: int) -> None:
        self.points, self.seed, self.replications = points, seed, replications
        self.unique = {point.hash: point.json for point in points}
        self.expected = {point.hash: expected(point) for point in points}
        self.layout = LAYOUTS[points[0].family]
        self.finished: dict[Key, Run] = {}

    @property
    def total(self) -> int:
        return len(self.unique) * self.replications

    @property
    def done(self) -> int:
        return len(self.finished)

    def key(self, name: str, replication: int) -> Key:
        return Key(name, _native.MODEL_VERSION, self.seed, replication)

    def keys(self) -> Iterator[Key]:
        """Replication by replication, so that an early end leaves some of every point."""
        for replication in range(self.replications):
            for name in self.unique:
                yield self.key(name, replication)

    def take(self, known: dict[Key, Run]) -> None:
        self.finished = {key: known[key] for key in self.keys() if key in known}

    def run(self, threads: int, journal: Journal | None, advance: Advance) -> None:
        names = list(self.unique)
        index = {name: i for i, name in enumerate(names)}
        tasks = [
            (index[key.scenario], key.seed, key.replication)
            for key in self.keys()
            if key not in self.finished
        ]

        begun: list[Counts] = []  # the flows of a run follow each other

        def on_row(point: int, seed: int, replication: int, flow: int, *counts: int) -> None:
            name = names[point]
            begun.append(self.layout.counts(*counts))
            if len(begun) < self.expected[name].flows:
                return
            key, run = self.key(name, replication), tuple(begun)
            begun.clear()
            if journal is not None:
                journal.add(key, run)
            self.finished[key] = run
            advance(1)

        try:
            _native.simulate(list(self.unique.values()), tasks, threads, on_row)
        except KeyboardInterrupt:
            if journal is not None:
                self.take(journal.reread())  # the signal may have come between two lines
            raise Interrupted(self.done, self.total) from None
        except _native.ScenarioError as error:
            raise InputError(": ".join(error.args)) from None

    def rows(self) -> Iterator[tuple[Point, Key, int, Counts]]:
        """In the order of points, replications and flows."""
        for point in self.points:
            for replication in range(self.replications):
                key = self.key(point.hash, replication)
                for flow, counts in enumerate(self.finished[key]):
                    yield point, key, flow, counts


def expected(point: Point) -> Expected:
    """How long the runs of a point are, and how many flows they have."""
    if point.family == "slot":
        return Expected(point.data["stop"]["slots"])
    return Expected(nanoseconds(point.data["stop"]["time"]), flows_of(point))


def flows_of(point: Point) -> int:
    """How many flows there are; on slots one."""
    return sum(flow["count"] for flow in point.data.get("flow", [{"count": 1}]))


def _table(work: _Work, scenario: Scenario) -> pyarrow.Table:
    import numpy as np  # noqa: PLC0415  (slow to import)
    import pyarrow as pa  # noqa: PLC0415

    from airtcp._arrow import column  # noqa: PLC0415
    from airtcp._metrics import OF_A_RUN, ratios, units  # noqa: PLC0415

    family, names = scenario.family, work.layout.counts._fields
    rows = list(work.rows())
    columns: dict[str, Any] = {"scenario": pa.array([key.scenario for _, key, _, _ in rows])}
    for path in work.points[0].coordinates:
        columns[path] = column([point.coordinates[path] for point, _, _, _ in rows])
    columns["model"] = _integers(key.model for _, key, _, _ in rows)
    columns["seed"] = pa.array([key.seed for _, key, _, _ in rows], pa.uint64())
    columns["replication"] = _integers(key.replication for _, key, _, _ in rows)
    if work.layout.per_flow:
        columns["flow"] = _integers(flow for _, _, flow, _ in rows)
    of_point = {point.hash: units(point) for point in work.points}
    scales = np.array([of_point[key.scenario] for _, key, _, _ in rows]).T
    counted = np.array([counts for _, _, _, counts in rows], dtype=np.int64).T
    counts_by_name = dict(zip(names, counted, strict=True))
    metrics = ratios(counts_by_name, family, *scales)
    columns |= counts_by_name | {name: metrics[name] for name in OF_A_RUN[family]}
    return pa.table(columns, metadata=_metadata(work, scenario))


def _integers(values: Iterable[int]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.array(list(values), pa.int64())


def _metadata(work: _Work, scenario: Scenario) -> dict[str, str]:
    return {
        "airtcp": _native.__version__,
        "model": str(_native.MODEL_VERSION),
        "seed": str(work.seed),
        "replications": str(work.replications),
        "scenario": json.dumps(scenario.to_dict(), ensure_ascii=False),
    }


def _summary(result: SimulationResult) -> pandas.DataFrame:
    import numpy as np  # noqa: PLC0415
    import pandas  # noqa: PLC0415

    from airtcp._metrics import METRICS, ratios, units  # noqa: PLC0415

    points, runs = result.scenario.points(), result.replications
    flows = [flows_of(point) for point in points]
    columns: dict[str, Any] = _coordinates(points, flows)
    if max(flows) > 1:
        columns["flow"] = [flow for number in flows for flow in range(number)]
    columns["replications"] = runs
    family = result.scenario.family
    scales = np.repeat([units(point) for point in points], np.multiply(flows, runs), axis=0).T
    counted = {name: result.runs[name].to_numpy() for name in LAYOUTS[family].counts._fields}
    metrics = ratios(counted, family, *scales)
    for metric in METRICS[family]:
        columns |= _described(metric, _by_flow(metrics[metric], flows, runs))
    return pandas.DataFrame(columns)


def _fairness(result: SimulationResult) -> pandas.DataFrame:
    import numpy as np  # noqa: PLC0415
    import pandas  # noqa: PLC0415

    from airtcp._metrics import fairness  # noqa: PLC0415

    if result.scenario.family == "slot":
        raise InputError("fairness: a scenario on slots has one flow")
    points = result.scenario.points()
    flows = [flows_of(point) for point in points]
    shares, begin, indices = result.runs["throughput_pps"].to_numpy(), 0, []
    for number in flows:
        end = begin + number * result.replications
        indices.append(fairness(shares[begin:end].reshape(-1, number)))
        begin = end
    columns = _coordinates(points, [1] * len(points))
    columns["replications"] = result.replications
    return pandas.DataFrame(columns | _described("fairness", np.array(indices)))


def _coordinates(points: list[Point], repeats: list[int]) -> dict[str, Any]:
    """The coordinates of each point, so many times."""
    return {
        path: [
            point.coordinates[path]
            for point, times in zip(points, repeats, strict=True)
            for _ in range(times)
        ]
        for path in points[0].coordinates
    }


def _by_flow(values: Any, flows: list[int], runs: int) -> Any:
    """Rows of runs, one row per point and flow, from values by point, run and flow."""
    import numpy as np  # noqa: PLC0415

    ends = np.cumsum(np.multiply(flows, runs))[:-1]
    blocks = np.split(values, ends)
    return np.concatenate(
        [block.reshape(runs, number).T for block, number in zip(blocks, flows, strict=True)]
    )


def _described(metric: str, rows: Any) -> dict[str, Any]:
    """Mean, sd and interval of each row under the names of a summary."""
    from airtcp.stats import mean_intervals  # noqa: PLC0415

    found = mean_intervals(rows)
    mean = found.pop("mean")
    return {metric: mean} | {f"{metric}_{part}": values for part, values in found.items()}
