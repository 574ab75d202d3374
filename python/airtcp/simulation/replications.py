"""Simulation: independent replications of every point of a scenario, as a tidy table.

Every run has its own random streams, named by (seed, component, replication): results are the same
bits for any number of jobs, and two variants under one seed meet the same losses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp import _native
from airtcp.campaign.executor import Executor, ThreadExecutor
from airtcp.campaign.journal import Journal, open_journal, open_journal_in_memory
from airtcp.campaign.loop import Campaign
from airtcp.campaign.record_table import RecordTables
from airtcp.campaign.run_table import RunTables
from airtcp.campaign.stop_rule import StopCondition, stop_rule
from airtcp.errors import InputError, count, known_name, refusal
from airtcp.metrics.layout import layout_of
from airtcp.metrics.records import RECORD_KEYS, check_rows
from airtcp.metrics.table import DEFAULT_METRICS
from airtcp.reading import summaries
from airtcp.reading.point_summary import fairness, metric_values, summary
from airtcp.reading.records import record_rows
from airtcp.reading.sources import MemoryTable
from airtcp.scenario.chance import exact_points_line
from airtcp.scenario.order import any_has_ties
from airtcp.scenario.scenario import scenario_of
from airtcp.simulation.reverse_order import SAME_START_NOTE, BothOrders, order_text
from airtcp.simulation.transient import (
    Transient,
    distinguishing_keys,
    sample_transients,
    spread_points,
    transient_text,
)
from airtcp.stats import CONFIDENCE
from airtcp.stats.batches import neighbour_test, neighbour_text
from airtcp.support.cores import threads_in
from airtcp.support.frame import Frame
from airtcp.support.html import text_above_table
from airtcp.support.progress import progress_report
from airtcp.support.seeds import check_seed

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from airtcp.comparison.answer import Answer
    from airtcp.engines.run import RunResult
    from airtcp.scenario.scenario import Given, Scenario


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation.

    Attributes
    ----------
    done : int
        Runs that are finished, and kept in the journal if there is one.
    total : int
        Runs that were asked for.
    partial : RunResult or None
        The answers that were complete.
    """

    def __init__(self, done: int, total: int) -> None:
        """Keep the counts."""
        super().__init__(f"{done} of {total} runs are finished")
        self.done = done
        self.total = total
        self.partial: RunResult | None = None
        self.answer: Answer | None = None  # of the engine that was interrupted


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult:
    """The runs of a scenario.

    The runs are sorted by point and replication. Each has `scenario` (hash of the point), its
    coordinates, `model` (version of the simulator's rules), `seed`, `replication`, the counts, and
    the metrics that follow from them, as docs/reference/metrics.md says. On slots there is a row
    per run, on a path a row per run and `flow` (from 0). Metrics are NaN where there is nothing to
    divide by.

    Attributes
    ----------
    scenario : Scenario
        The scenario.
    seed : int
        Seed of all random streams.
    per_point : tuple of int
        Number of runs of each point. A point in which nothing is random is run once (`exact`).
    stop : Stop
        The rule that gave these numbers.
    both_orders
        Points in which flows start together, also run with the flows in reverse; None where they
        were not.
    """

    _rows: Frame
    scenario: Scenario
    seed: int
    per_point: tuple[int, ...]
    stop: StopCondition
    _records: Mapping[str, Frame] | None = None
    both_orders: tuple[BothOrders, ...] | None = None
    _transients: tuple[Transient, ...] | None = None
    _threads: int | None = None
    _progress: bool = False

    @cached_property
    def runs(self) -> pyarrow.Table:
        """The runs as an Arrow table; versions, seed and scenario are in its metadata.

        Raises `InputError` where pyarrow is not installed.
        """
        return self._rows.to_arrow("runs")

    @property
    def replications(self) -> int:
        """Runs per point; the most of any, if a stop rule found their numbers."""
        return max(self.per_point)

    @property
    def exact(self) -> tuple[bool, ...]:
        """For each point, true if nothing in it is random: it has only one run."""
        return tuple((~self.scenario.points().random()).tolist())

    @property
    def chance(self) -> str:
        """A line about the points in which nothing is random; empty where there are none."""
        asked = self.stop.to_dict()["replications"]
        ordered = bool(self.order()) and any(self.exact)
        return exact_points_line(sum(self.exact), len(self.scenario), asked, self.parts, ordered)

    def order(self, metric: str = "") -> str:
        """Tell the effect of the order of flows that start at the same instant.

        Parameters
        ----------
        metric : str, optional
            Where nothing is random and `airtcp.run` has run the reverse order too, tell how much
            that changes this metric.

        Returns
        -------
        str
            A sentence; empty if order has no effect.
        """
        points = self.scenario.points()
        random = [point for point, exact in zip(points, self.exact, strict=True) if not exact]
        if self.both_orders is None or any_has_ties(random):
            return SAME_START_NOTE if any_has_ties(points) else ""
        return order_text(
            self.both_orders,
            metric or DEFAULT_METRICS["path"][0],
            distinguishing_keys(self.scenario),
        )

    @cached_property
    def transients(self) -> tuple[Transient, ...]:
        """The points whose beginning weighs in their means, as slow start in runs that are short.

        `airtcp.run` has looked for it at every point. Otherwise some runs of a few points are made
        once more for it, in parts, when somebody asks, by as many threads as the simulation had.
        """
        if self._transients is not None:
            return self._transients
        with closing(ThreadExecutor(threads_in(self._threads))) as executor:
            return sample_transients(
                self.scenario, self.seed, self.per_point, executor, progress=self._progress
            )

    @property
    def transient(self) -> str:
        """A warning where the beginning of runs weighs in their means; empty where it does not."""
        points = len(self.scenario)
        looked_at = points if self._transients is not None else len(spread_points(points))
        return transient_text(self.transients, self.scenario, looked_at)

    @property
    def parts(self) -> int:
        """Number of parts that a run is counted in (stop.batches); the largest of any point."""
        return max(layout_of(point).batches for point in self.scenario.points())

    @property
    def each(self) -> str:
        """Number of runs of each point: "20 replications", "30 to 120 replications"."""
        least, most = min(self.per_point), self.replications
        few = "" if least == most else f"{least} to "
        return few + count(most, "replication")

    def to_pandas(self) -> pandas.DataFrame:
        """The runs as a pandas DataFrame."""
        return self._rows.to_pandas()

    def summary(self) -> pandas.DataFrame:
        """One row per point: coordinates, replications, and mean, sd, 95 % Student t interval.

        The mean of each metric has its name; `_sd`, `_low` and `_high` are appended for the rest.
        On slots the metrics are `throughput`, `transmissions_per_slot`,
        `transmissions_per_delivery`, `timeouts_per_slot`, `fast_retransmits_per_slot`,
        `goodput_bps`; on a path `throughput_pps` and the others that docs/reference/metrics.md
        lists. Where a run has several flows there is a row per point and `flow`, and where their
        TCP differs `flow_tcp` says how ("sack, cubic"). A mean is NaN if the metric is NaN in one
        of its runs. Where nothing is random at some point there is a column `exact`: there sd is 0,
        and both ends of the interval are the value.
        """

        return summary(self.scenario.points(), self.per_point, self._rows)

    def neighbours(self, metric: str) -> str:
        """Judge if the parts of single runs (`stop.batches`) are independent in time.

        Parameters
        ----------
        metric : str
            The metric.

        Returns
        -------
        str
            A sentence, by the von Neumann ratio of neighbouring parts; empty where points have
            several runs.
        """
        if self.parts == 1 or self.replications > 1:
            return ""
        all_values, groups = metric_values(self.scenario.points(), self.per_point, self._rows)
        return neighbour_text(neighbour_test(all_values[metric], groups))

    def fairness(self) -> pandas.DataFrame:
        """Jain's index over the flows of a run: coordinates, replications, mean, sd, interval.

        `fairness` is (sum x)^2 / (n sum x^2) over the `throughput_pps` x of the n flows; over their
        `throughput_bps` where some have packets of another length.
        Raises `InputError` for a scenario on slots, which has one flow.
        """

        return fairness(self.scenario.points(), self.per_point, self._rows)

    @property
    def with_links(self) -> bool:
        """True if links and cross-traffic were counted."""
        return self._records is not None

    @cached_property
    def links(self) -> pandas.DataFrame:
        """Counts of each direction of each hop: a row per run, part, `hop` and `direction`.

        `hop` is numbered from 0, `direction` is "forward" or "back", `near` and `far` are the nodes
        at its ends; then counts and metrics as docs/reference/metrics.md says. Raises `InputError`
        unless the simulation was asked for them (`links=True`).
        """
        return self._record("links").to_pandas()

    @cached_property
    def traffic(self) -> pandas.DataFrame:
        """Counts of cross-traffic: a row per run, part and `source`, from `sender` to `receiver`.

        Sources are numbered from 0, in the order of the scenario. Empty where there are none.
        """
        return self._record("traffic").to_pandas()

    def summary_of(self, kind: str) -> pandas.DataFrame:
        """Summarise links or cross-traffic: a row per point and link or source.

        Parameters
        ----------
        kind : {"links", "traffic"}
            The things to summarise.

        Returns
        -------
        pandas.DataFrame
            `n`, and mean, sd and interval of each metric, in columns as of `Results.summary`.

        Raises
        ------
        InputError
            For runs without `links`.
        """

        frame = self._record(kind)
        if not len(frame):
            return frame.to_pandas()
        coordinates = tuple(self.scenario.points()[0].coordinates)
        rows = record_rows(
            kind, MemoryTable(frame), coordinates, lambda: self.scenario, any(self.exact)
        )
        return summaries.summary(
            rows, list(rows.metrics), by=None, where=None, confidence=CONFIDENCE, estimate="mean"
        )

    def _record(self, kind: str) -> Frame:
        known_name("kind", kind, RECORD_KEYS)
        if self._records is None:
            raise InputError(f"{kind}: were not counted; simulate with links=True")
        return self._records[kind]

    def __repr__(self) -> str:
        """Numbers of runs and points."""
        return (
            f"SimulationResult({count(sum(self.per_point), 'run')}:"
            f" {count(len(self.scenario), 'point')} x {self.each}, seed {self.seed})"
        )

    def _repr_html_(self) -> str:
        html: str = self.summary()._repr_html_()
        return text_above_table(repr(self), html)


def simulate(
    scenario: Given,
    *,
    replications: int | None = None,
    precision: float | None = None,
    metric: str | None = None,
    seed: int = 1,
    jobs: int | None = None,
    links: bool = False,
    progress: bool = False,
    journal: str | Path | None = None,
) -> SimulationResult:
    """Simulate every point of a scenario.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        The scenario, its content as dictionaries, or the name of its file.
    replications : int, optional
        Runs per point; None: as the scenario says. Replication r is the same run whatever their
        number. A point in which nothing is random is run once.
    precision : float, optional
        In place of `replications`: go on until the 95 % interval of the mean of `metric` reaches no
        farther than this share of it to either side.
    metric : str, optional
        The metric of `precision`; None: throughput on slots, goodput on a path.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    jobs : int, optional
        Threads; None: one per usable core. The results do not depend on it.
    links : bool, default False
        Also count the packets on each hop (sent, queued, lost) and those of cross-traffic. The
        runs do not change.
    progress : bool, default False
        Show a bar with the time left on stderr.
    journal : str or Path, optional
        An SQLite file in which runs are kept as they end. Runs that it has are not repeated, so
        that an interrupted simulation resumes.

    Returns
    -------
    SimulationResult
        The runs, and summaries of them.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.
    OSError
        If the disk is full.
    Interrupted
        On Ctrl-C, a `KeyboardInterrupt`.

    Examples
    --------
    >>> import airtcp as at
    >>> channel = {"kind": "iid", "loss_rate": 0.01}
    >>> link = {"profile": "zorzi", "tcp": {"variant": ["tahoe", "reno"]}, "channel": channel}
    >>> result = at.simulate(link | {"stop": {"slots": 10000}}, replications=4)
    >>> result.summary()[["tcp.variant", "replications"]].to_dict("list")
    {'tcp.variant': ['tahoe', 'reno'], 'replications': [4, 4]}
    """
    asked = SimulationRequest.of(
        scenario_of(scenario),
        replications=replications,
        precision=precision,
        metric=metric,
        seed=seed,
        jobs=jobs,
        links=links,
    )
    return run_simulation(asked, progress=progress, journal=journal)


@dataclass(frozen=True)
class SimulationRequest:
    """A campaign that a user asks for, with all options checked."""

    scenario: Scenario
    stop: StopCondition
    seed: int
    threads: int
    links: bool = False

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        *,
        replications: int | None,
        precision: float | None,
        metric: str | None,
        seed: int,
        jobs: int | None,
        links: bool = False,
    ) -> SimulationRequest:
        """Check the options of `simulate`. Raises `InputError`."""
        stop = stop_rule(scenario, replications, precision, metric)
        seed = check_seed(seed)
        threads = threads_in(jobs)
        if not isinstance(links, bool):
            raise refusal("links", links, "True or False")
        if links and scenario.family == "slot":
            raise InputError(
                f"links: profile {scenario.profile} has slots and no path whose hops could count;"
                f" profiles with a path are {', '.join(_native.profiles_with_path())}"
            )
        if links:
            check_rows(scenario.to_dict())
        return cls(scenario, stop, seed, threads, links)

    def campaign(self, journal: Journal) -> Campaign:
        """The campaign, with the runs that the journal has."""
        points = self.scenario.points()
        rule, metric = self.stop.rule, self.stop.metric
        return Campaign(points, self.seed, rule, journal, metric, links=self.links)


def run_simulation(
    asked: SimulationRequest, *, progress: bool, journal: str | Path | None = None
) -> SimulationResult:
    """The result of a campaign whose journal is a file of the caller, or in memory."""
    with (
        open_journal_in_memory() if journal is None else open_journal(journal) as open_journal_file
    ):
        result = result_of(run_campaign(asked, open_journal_file, progress), asked)
    return replace(result, _progress=progress)


def run_campaign(asked: SimulationRequest, journal: Journal, progress: bool) -> Campaign:
    """Carry out a campaign by threads of this process, with all its runs in the journal."""
    campaign = asked.campaign(journal)
    with closing(ThreadExecutor(asked.threads)) as executor:
        execute_campaign(campaign, executor, progress)
    return campaign


def execute_campaign(
    campaign: Campaign, executor: Executor, progress: bool, label: str = "simulating"
) -> None:
    """Compute the missing runs of a campaign, with a bar on stderr if `progress`.

    Raises `Interrupted` on Ctrl-C.
    """
    with progress_report(progress) as report:
        try:
            campaign.run(executor, lambda done, total: report(label, done, total))
        except KeyboardInterrupt:
            raise Interrupted(campaign.done, campaign.total) from None


def result_of(campaign: Campaign, asked: SimulationRequest) -> SimulationResult:
    """The result of a finished campaign."""

    points = asked.scenario.points()
    used = campaign.runs_per_point
    runs = RunTables(points, asked.seed, campaign.finished, used).all_rows()
    metadata = {
        "airtcp": _native.__version__,
        "model": str(_native.MODEL_VERSION),
        "seed": str(asked.seed),
        "replications": str(max(used)),
        "scenario": json.dumps(asked.scenario.to_dict(), ensure_ascii=False),
    }
    rows, records = Frame(runs.columns, metadata), None
    if asked.links:
        records = {
            kind: RecordTables(kind, points, asked.seed, campaign.finished_records, used).all_rows()
            for kind in RECORD_KEYS
        }
    return SimulationResult(
        rows, asked.scenario, asked.seed, used, asked.stop, records, _threads=asked.threads
    )
