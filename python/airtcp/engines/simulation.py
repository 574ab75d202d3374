"""The engine of simulated packets."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from airtcp.campaign.executor import Threads
from airtcp.engines.protocol import Covered, Order
from airtcp.simulation.beside import Beside
from airtcp.simulation.replications import SimulationResult, carried_out, result_of
from airtcp.simulation.transient import transients
from airtcp.simulation.turned import turned
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
            beside = Beside(asked.seed, store.journal, executor, report)
            orders = turned(campaign, points, beside)
            begun = transients(points, campaign.used, beside)
        return replace(result_of(campaign, asked), turned=orders, transients=begun)
