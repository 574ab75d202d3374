"""The engine of simulated packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.engines.protocol import Covered, Order
from airtcp.simulation.replications import SimulationResult, carried_out, result_of

if TYPE_CHECKING:
    from airtcp.campaign.loop import Rule
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


class Simulation:
    """Answers by replications (`airtcp.simulate`), as the scenario is: it covers every point."""

    name = "simulation"
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
        store.put_simulated(campaign, asked.scenario.points(), asked.seed)
        return result_of(campaign, asked)
