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
from airtcp._journal import Counts, Journal, Key, open_journal
from airtcp._progress import Advance, progress_bar
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

METRICS = {
    "throughput": ("deliveries", "slots"),
    "transmissions_per_slot": ("transmissions", "slots"),
    "transmissions_per_delivery": ("transmissions", "deliveries"),
    "timeouts_per_slot": ("timeouts", "slots"),
    "fast_retransmits_per_slot": ("fast_retransmits", "slots"),
}
RUN_METRICS = ("throughput", "transmissions_per_slot", "transmissions_per_delivery")


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

    - `runs`: an Arrow table, one row per run, sorted by point and replication: `scenario` (hash of
      the point), its coordinates, `model` (version of the simulator's rules), `seed`,
      `replication`; counted `slots`, `transmissions`, `deliveries` (distinct packets),
      `duplicates`, `in_order`, `timeouts`, `fast_retransmits`; `throughput` = deliveries/slots,
      `transmissions_per_slot`, `transmissions_per_delivery` (NaN if nothing was delivered).
      Versions, seed and scenario are in the metadata of its schema.
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

        For `throughput`, `transmissions_per_slot`, `transmissions_per_delivery`,
        `timeouts_per_slot`, `fast_retransmits_per_slot`: the mean under that name, and with
        `_sd`, `_low`, `_high`.
        """
        return _summary(self)

    def __repr__(self) -> str:
        """How much was run."""
        return (
            f"SimulationResult({count(self.runs.num_rows, 'run')}:"
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
    points = scenario.points()
    work = _Work(points, seed, runs)
    with nullcontext() if journal is None else open_journal(journal, work.slots) as opened:
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
        self.finished: dict[Key, Counts] = {}

    @property
    def slots(self) -> dict[str, int]:
        """The length of the runs of each point."""
        return {point.hash: point.data["stop"]["slots"] for point in self.points}

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

    def take(self, known: dict[Key, Counts]) -> None:
        self.finished = {key: known[key] for key in self.keys() if key in known}

    def run(self, threads: int, journal: Journal | None, advance: Advance) -> None:
        names = list(self.unique)
        index = {name: i for i, name in enumerate(names)}
        tasks = [
            (index[key.scenario], key.seed, key.replication)
            for key in self.keys()
            if key not in self.finished
        ]

        def on_row(point: int, seed: int, replication: int, *counts: int) -> None:
            key, counted = self.key(names[point], replication), Counts(*counts)
            if journal is not None:
                journal.add(key, counted)
            self.finished[key] = counted
            advance(1)

        try:
            _native.simulate(list(self.unique.values()), tasks, threads, on_row)
        except KeyboardInterrupt:
            if journal is not None:
                self.take(journal.reread())  # the signal may have come between two lines
            raise Interrupted(self.done, self.total) from None
        except _native.ScenarioError as error:
            raise InputError(": ".join(error.args)) from None

    def rows(self) -> Iterator[tuple[Point, Key, Counts]]:
        """In the order of points and replications."""
        for point in self.points:
            for replication in range(self.replications):
                key = self.key(point.hash, replication)
                yield point, key, self.finished[key]


def _table(work: _Work, scenario: Scenario) -> pyarrow.Table:
    import numpy as np  # noqa: PLC0415  (slow to import)
    import pyarrow as pa  # noqa: PLC0415

    rows = list(work.rows())
    columns: dict[str, Any] = {"scenario": pa.array([key.scenario for _, key, _ in rows])}
    for path in work.points[0].coordinates:
        columns[path] = pa.array([point.coordinates[path] for point, _, _ in rows])
    columns["model"] = _integers(key.model for _, key, _ in rows)
    columns["seed"] = pa.array([key.seed for _, key, _ in rows], pa.uint64())
    columns["replication"] = _integers(key.replication for _, key, _ in rows)
    counted = {
        name: np.array([counts[i] for _, _, counts in rows], dtype=np.int64)
        for i, name in enumerate(Counts._fields)
    }
    columns |= counted
    for name in RUN_METRICS:
        columns[name] = _ratio(counted, name)
    return pa.table(columns, metadata=_metadata(work, scenario))


def _integers(values: Iterable[int]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.array(list(values), pa.int64())


def _ratio(counted: Any, metric: str) -> Any:
    """A metric of each run; NaN where its denominator is 0."""
    import numpy as np  # noqa: PLC0415

    above, below = (np.asarray(counted[name], dtype=float) for name in METRICS[metric])
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)


def _metadata(work: _Work, scenario: Scenario) -> dict[str, str]:
    return {
        "airtcp": _native.__version__,
        "model": str(_native.MODEL_VERSION),
        "seed": str(work.seed),
        "replications": str(work.replications),
        "scenario": json.dumps(scenario.to_dict(), ensure_ascii=False),
    }


def _summary(result: SimulationResult) -> pandas.DataFrame:
    import pandas  # noqa: PLC0415

    from airtcp.stats import mean_intervals  # noqa: PLC0415

    points, shape = result.scenario.points(), (len(result.scenario), result.replications)
    columns: dict[str, Any] = {
        path: [point.coordinates[path] for point in points] for path in points[0].coordinates
    }
    columns["replications"] = [result.replications] * len(points)
    for metric in METRICS:
        found = mean_intervals(_ratio(result.runs, metric).reshape(shape))
        columns[metric] = found.pop("mean")
        columns |= {f"{metric}_{part}": values for part, values in found.items()}
    return pandas.DataFrame(columns)
