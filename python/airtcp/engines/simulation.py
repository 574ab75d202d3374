"""The engine of simulated packets."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from airtcp.campaign.executor import Threads
from airtcp.engines.protocol import Covered, Order
from airtcp.simulation.replications import SimulationResult, carried_out, result_of
from airtcp.simulation.reverse_order import both_orders
from airtcp.simulation.side_runs import SideRuns
from airtcp.simulation.transient import transients
from airtcp.support.progress import progress_report

if TYPE_CHECKING:
    from airtcp.campaign.loop import Rule
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


class Simulation:
    """Answers by replications (`airtcp.simulate`), as the scenario is: it covers every point."""

    name = "simulation"
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

    def answer(self, store: Store, *, progress: bool) -> SimulationResult:
        """The result of `airtcp.simulate`."""
        asked = self._asked
        campaign = carried_out(asked, store.journal, progress)
        points = asked.scenario.points()
        store.put_simulated(campaign, points, asked.seed)
        with closing(Threads(asked.threads)) as executor, progress_report(progress) as report:
            side_runs = SideRuns(asked.seed, store.journal, executor, report)
            orders = both_orders(campaign, points, side_runs)
            begun = transients(points, campaign.used, side_runs)
        return replace(result_of(campaign, asked), both_orders=orders, transients=begun)
