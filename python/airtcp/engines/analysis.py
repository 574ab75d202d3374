"""The engine of analytic models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.engines.protocol import Covered, Order
from airtcp.models.analysis import analyse, why_not
from airtcp.models.path_analysis import analyse_path, why_none

if TYPE_CHECKING:
    import pandas

    from airtcp.campaign.loop import Rule
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point


class Analysis:
    """Answers from models (`airtcp.analyse`): that of the profile, on a path all that cover it."""

    name = "analysis"
    keeps_runs = False

    def __init__(self, order: Order) -> None:
        """For one scenario."""
        self._scenario = order.asked.scenario

    def covers(self, point: Point) -> Covered | str:
        """The model is named after the profile; on a path those that answer by their names."""
        if point.family == "slot":
            return why_not(point) or Covered(str(point.data["profile"]))

        said = analyse_path([point])
        names = said["model"][said["note"] == ""]
        return Covered(", ".join(names)) if len(names) else why_none(said, 1)[0]

    def tasks(self, point: Point, rule: Rule) -> int:
        """A model runs nothing."""
        return 0

    def announcement(self) -> str:
        """It takes seconds."""
        return ""

    def answer(self, store: Store, *, progress: bool) -> pandas.DataFrame:
        """The table of `airtcp.analyse`."""
        return analyse(self._scenario, progress=progress)
