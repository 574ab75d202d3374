"""The engine of simulated packets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas

from airtcp.campaign.executor import ThreadExecutor
from airtcp.campaign.loop import CountFormat
from airtcp.campaign.manifest import SIMULATION
from airtcp.comparison.answer import Answer, EngineTraits, Estimates, RunMetadata
from airtcp.engines.protocol import Coverage, EngineRequest
from airtcp.errors import count
from airtcp.metrics.absent import reason_without_values
from airtcp.metrics.layout import layout_of
from airtcp.metrics.parts import parts_are_values
from airtcp.metrics.ratios import Floats, metrics_of
from airtcp.metrics.records import RECORD_KEYS
from airtcp.plot.marks import OPEN_MARKS
from airtcp.reading.point_summary import independent_values, metric_values
from airtcp.simulation.replications import SimulationResult, result_of, run_campaign
from airtcp.simulation.reverse_order import both_orders
from airtcp.simulation.side_runs import SideRunner
from airtcp.simulation.transient import transients
from airtcp.stats.rare import grouped_signs
from airtcp.stats.verdict import Estimate
from airtcp.support.format import few_mark_lines, mean_interval_line, normality_line
from airtcp.support.progress import progress_report

if TYPE_CHECKING:
    from airtcp.campaign.loop import Rule, RunFormat
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


ENGINE_NAME = SIMULATION
TRAITS = EngineTraits(
    is_default=True,
    is_leading=True,
    marks=OPEN_MARKS,
    throughput_interval_names=("low", "high"),
    sentence_alone="Simulation of a scenario",
    sentence_beside="and its simulation",
    values_words="the simulation",
)


class Simulation:
    """Answers by replications (`airtcp.simulate`); it covers every point of every scenario."""

    name = ENGINE_NAME
    families: ClassVar[tuple[str, ...]] = ("slot", "path")
    run_format: ClassVar[RunFormat | None] = CountFormat()
    traits = TRAITS
    options = ("links",)

    def __init__(self, order: EngineRequest) -> None:
        """Make the engine for one campaign."""
        self._asked = order.simulation_request

    def coverage(self, point: Point) -> Coverage | str:
        """All that a scenario can say."""
        return Coverage("simulator")

    def runs_needed(self, point: Point, rule: Rule) -> int:
        """One where nothing is random."""
        return rule.least if point.is_random else 1

    def announcement(self) -> str:
        """`airtcp plan` says how long a simulation takes."""
        return ""

    def answer(self, store: Store, *, progress: bool) -> Answer:
        """Answer with the result of `airtcp.simulate` as its table."""
        asked = self._asked
        campaign = run_campaign(asked, store.journal, progress)
        points = asked.scenario.points()
        store.put_simulated(campaign, points, asked.seed)
        with (
            closing(ThreadExecutor(asked.threads)) as executor,
            progress_report(progress) as report,
        ):
            side_runs = SideRunner(asked.seed, store.journal, executor, report)
            orders = both_orders(campaign, points, side_runs)
            begun = transients(points, campaign.runs_per_point, side_runs)
        simulated = result_of(campaign, asked)
        return answer_from_result(replace(simulated, both_orders=orders, _transients=begun))


def answer_from_result(simulation: SimulationResult) -> Answer:
    """The result of `airtcp.simulate` as an answer."""
    make_estimates = partial(_estimates, simulation)
    return SimulationAnswer(
        ENGINE_NAME, make_estimates, simulation, runs=simulation.per_point, traits=TRAITS
    )


@dataclass(frozen=True, eq=False)
class SimulationAnswer(Answer):
    """The answer of simulated runs, which knows flows, links and what chance decides."""

    @property
    def result(self) -> SimulationResult:
        """All runs."""
        return cast("SimulationResult", self.table)

    def leading_columns(self) -> pandas.DataFrame:
        """Coordinates and flows, how many runs there are, and where nothing is random."""
        summary = self._summary
        last = summary.columns.get_loc("replications") + 1
        names = [*summary.columns[:last], *(["exact"] if "exact" in summary else [])]
        return summary[names]

    def own_columns(self) -> pandas.DataFrame:
        """Mean of each metric, its interval, and the number of runs that carry its scatter."""
        summary = self._summary
        family = self.result.scenario.family
        columns: dict[str, Any] = {}
        for metric in metrics_of(family, layout_of(self.result.scenario.points()[0]).names):
            parts = (metric, f"{metric}_low", f"{metric}_high")
            columns |= {
                name: summary[part]
                for name, part in zip(self.column_names(metric), parts, strict=True)
            }
            carriers = f"{metric}_carriers"
            columns |= (
                {f"{ENGINE_NAME}_{carriers}": summary[carriers]} if carriers in summary else {}
            )
        return pandas.DataFrame(columns)

    @cached_property
    def _summary(self) -> pandas.DataFrame:
        return self.result.summary()

    def heading_lines(self) -> list[str]:
        """Number and length of the runs, and their seed, in words."""
        scenario, stop = self.result.scenario, self.result.scenario.points()[0].data["stop"]
        length = count(stop["slots"], "slot") if scenario.family == "slot" else stop["time"]
        return [f"{self.result.each} of {length}", f"seed {self.result.seed}"]

    def run_metadata(self, metric: str) -> RunMetadata:
        """Seed, numbers of runs, and remarks on chance, order and transients."""
        simulated = self.result
        return RunMetadata(
            simulated.seed,
            simulated.replications,
            sum(simulated.exact),
            simulated.chance,
            simulated.order(metric),
            simulated.transient,
        )

    def remarks(self, metric: str) -> list[str]:
        """Remarks on chance, on flows that start together, and on beginnings that weigh."""
        simulated = self.result
        return [
            line
            for line in (simulated.chance, simulated.order(metric), simulated.transient)
            if line
        ]

    def interval_lines(self, shown: Sequence[str], metric: str, cells: Sequence[str]) -> list[str]:
        """Lines that explain the intervals, and name points without any since nothing is random."""
        simulated, remarks = self.result, self.remarks(metric)
        if all(simulated.exact) and simulated.parts == 1:
            return remarks
        values = simulated.replications if simulated.replications > 1 else simulated.parts
        rows = self.own_columns().to_dict("records")
        few = few_mark_lines(cells, rows, [f"{ENGINE_NAME}_{name}" for name in shown], values)
        return [_interval_line(simulated, metric), *normality_line(values), *few, *remarks]

    def reason_without_value(self, metric: str) -> str:
        """Reason why runs have no value of a metric, or the number in which a flow did not end."""
        simulated = self.result
        return reason_without_values(
            metric, simulated.scenario.points()[0].data
        ) + _unfinished_words(simulated, metric)

    def record_summaries(self) -> Mapping[str, pandas.DataFrame]:
        """Links and, where there is some, cross-traffic, if they were asked for."""
        if not self.result.with_links:
            return {}
        summaries = {kind: self.result.summary_of(kind) for kind in RECORD_KEYS}
        return {kind: table for kind, table in summaries.items() if len(table)}

    def command_options(self, stack: str, *, led: bool) -> list[str]:
        """Links, seed, and the rule that ended the runs."""
        links = ["--links"] if self.result.with_links else []
        return [*links, "--seed", str(self.result.seed), *self.result.stop.options]


def _unfinished_words(result: SimulationResult, metric: str) -> str:
    if metric != "transfer_time":
        return ""
    times = result.to_pandas()[metric]
    left = int(times.isna().sum())
    if left == len(times):
        return ""
    return (
        f" ({left} of {len(times)} times are unknown; medians count them as longer than all:"
        " airtcp results DIR --estimate median)"
    )


def _interval_line(result: SimulationResult, metric: str) -> str:
    if result.replications == result.parts == 1:
        return "One run per point, so no interval; use --replications 2 or more."
    over = result.each if result.replications > 1 else f"{result.parts} parts of one run"
    words = mean_interval_line(over)
    if result.replications > 1:
        return words
    return f"{words} {result.neighbours(metric)}".rstrip()


def _estimates(simulation: SimulationResult) -> Estimates:
    """Means of runs, or of parts of runs."""
    points = simulation.scenario.points()
    summary = simulation.summary()
    runs = independent_values(summary).tolist()
    exact = summary["exact"].tolist() if "exact" in summary else [False] * len(summary)
    names = metrics_of(points[0].family, layout_of(points[0]).names)
    all_values, groups = metric_values(points, simulation.per_point, simulation._rows)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    per_run = _values_by_row(all_values, names, starts)
    estimates = {
        name: [
            Estimate.of_runs(mean, sd, n, exact=sure, telling=few)
            for mean, sd, n, sure, few in zip(
                summary[name].tolist(),
                summary[f"{name}_sd"].tolist(),
                runs,
                exact,
                grouped_signs(all_values[name], starts).telling.tolist(),
                strict=True,
            )
        ]
        for name in names
    }
    is_whole = "batches" not in summary or not parts_are_values(summary["replications"].tolist())
    why = [""] * len(summary)
    if not is_whole:
        return Estimates(ENGINE_NAME, estimates, why, per_run)
    numbers = [range(n) for n in summary["replications"].tolist()]
    alone, _ = metric_values(points, simulation.per_point, simulation._rows, averaged=False)
    pooled = [
        name for name in names if not np.array_equal(alone[name], all_values[name], equal_nan=True)
    ]
    return Estimates(
        ENGINE_NAME, estimates, why, per_run, numbers, _values_by_row(alone, pooled, starts)
    )


def _values_by_row(
    all_values: Mapping[str, Any], names: Iterable[str], starts: Any
) -> dict[str, Sequence[Floats]]:
    """Values of the runs of each row."""
    return {name: np.split(all_values[name], starts[1:]) for name in names}
