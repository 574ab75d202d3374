"""The engine of analytic models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from airtcp.comparison.answer import Answer, Estimates
from airtcp.comparison.side_by_side import model_values
from airtcp.engines.protocol import Covered, Order
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import metrics_of
from airtcp.models.analysis import analyse, why_not
from airtcp.models.path_analysis import analyse_path, why_none
from airtcp.stats.verdict import Estimate

if TYPE_CHECKING:
    import pandas

    from airtcp.campaign.loop import Rule
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point, Scenario


NAME = "analysis"


class Analysis:
    """Answers from models (`airtcp.analyse`): that of the profile, on a path all that cover it."""

    name = NAME
    families: ClassVar[tuple[str, ...]] = ("slot", "path")
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

    def answer(self, store: Store, *, progress: bool) -> Answer:
        """Its table is that of `airtcp.analyse`."""
        return answer_of(self._scenario, analyse(self._scenario, progress=progress))


def answer_of(scenario: Scenario, table: pandas.DataFrame) -> Answer:
    """The table of `airtcp.analyse` as an answer; on a path without estimates.

    Several models may answer there: `RunResult.models` has each of them beside the simulation.
    """
    return Answer(NAME, partial(_estimates, scenario, table), table)


def _estimates(scenario: Scenario, table: pandas.DataFrame) -> Estimates:
    points = scenario.points()
    if scenario.family == "path":
        return Estimates(NAME, {}, why_none(table, len(points)))
    values = model_values(scenario, table)
    throughput = table["throughput"].to_numpy()
    share = {end: table[end].to_numpy() / throughput for end in ("lower", "upper")}
    estimates: dict[str, list[Estimate]] = {}
    for name in metrics_of("slot", layout_of(points[0]).names):
        value = np.broadcast_to(np.asarray(values[name], dtype=float), len(table))
        low = high = np.full_like(value, np.nan)
        if name in ("throughput", "goodput_bps"):
            low, high = value * share["lower"], value * share["upper"]
        elif name == "transmissions_per_delivery":
            low, high = value / share["upper"], value / share["lower"]
        rows = zip(value.tolist(), low.tolist(), high.tolist(), strict=True)
        estimates[name] = [Estimate(one, low=a, high=b) for one, a, b in rows]
    return Estimates(NAME, estimates, table["note"].tolist())
