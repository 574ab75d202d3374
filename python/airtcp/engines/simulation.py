"""The engine of simulated packets."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from airtcp.campaign.executor import Threads
from airtcp.comparison.answer import Answer, Estimates
from airtcp.engines.protocol import Covered, Order
from airtcp.metrics.layout import layout_of
from airtcp.metrics.parts import are_values
from airtcp.metrics.ratios import metrics_of
from airtcp.reading.point_summary import independent_values, values
from airtcp.simulation.replications import SimulationResult, carried_out, result_of
from airtcp.simulation.reverse_order import both_orders
from airtcp.simulation.side_runs import SideRuns
from airtcp.simulation.transient import transients
from airtcp.stats.rare import grouped_signs
from airtcp.stats.verdict import Estimate
from airtcp.support.progress import progress_report

if TYPE_CHECKING:
    from airtcp.campaign.loop import Rule
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


NAME = "simulation"


class Simulation:
    """Answers by replications (`airtcp.simulate`), as the scenario is: it covers every point."""

    name = NAME
    families: ClassVar[tuple[str, ...]] = ("slot", "path")
    keeps_runs = True

    def __init__(self, order: Order) -> None:
        """For one campaign."""
        self._asked = order.asked

    def covers(self, point: Point) -> Covered | str:
        """All that a scenario can say."""
        return Covered("simulator")

    def tasks(self, point: Point, rule: Rule) -> int:
        """One where nothing is random."""
        return rule.least if point.is_random else 1

    def announcement(self) -> str:
        """`airtcp plan` says how long a simulation takes."""
        return ""

    def answer(self, store: Store, *, progress: bool) -> Answer:
        """Its table is the result of `airtcp.simulate`."""
        asked = self._asked
        campaign = carried_out(asked, store.journal, progress)
        points = asked.scenario.points()
        store.put_simulated(campaign, points, asked.seed)
        with closing(Threads(asked.threads)) as executor, progress_report(progress) as report:
            side_runs = SideRuns(asked.seed, store.journal, executor, report)
            orders = both_orders(campaign, points, side_runs)
            begun = transients(points, campaign.used, side_runs)
        found = result_of(campaign, asked)
        return answer_of(replace(found, both_orders=orders, transients=begun))


def answer_of(simulation: SimulationResult) -> Answer:
    """The result of `airtcp.simulate` as an answer."""
    return Answer(NAME, partial(_estimates, simulation), simulation)


def _estimates(simulation: SimulationResult) -> Estimates:
    """Means of runs, or of parts of runs."""
    points = simulation.scenario.points()
    summary = simulation.summary()
    runs = independent_values(summary).tolist()
    exact = summary["exact"].tolist() if "exact" in summary else [False] * len(summary)
    names = metrics_of(points[0].family, layout_of(points[0]).names)
    every, groups = values(points, simulation.per_point, simulation._rows)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    per_run = {name: np.split(every[name], starts[1:]) for name in names}
    estimates = {
        name: [
            Estimate.of_runs(mean, sd, n, exact=sure, telling=few)
            for mean, sd, n, sure, few in zip(
                summary[name].tolist(),
                summary[f"{name}_sd"].tolist(),
                runs,
                exact,
                grouped_signs(every[name], starts).telling.tolist(),
                strict=True,
            )
        ]
        for name in names
    }
    is_whole = "batches" not in summary or not are_values(summary["replications"].tolist())
    numbers = [range(n) for n in summary["replications"].tolist()] if is_whole else None
    return Estimates(NAME, estimates, [""] * len(summary), per_run, numbers)
