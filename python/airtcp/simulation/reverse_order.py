"""Effect of the order of flows in the file, where nothing is random: the reverse order, run.

Results without chance are exact for one order of the flows. If several start at the same instant,
another order may give them other shares, and no interval says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.campaign.loop import Campaign
from airtcp.metrics.labels import readable_unit
from airtcp.metrics.layout import layout_of, shape_counts, tables_of_flows
from airtcp.metrics.ratios import metric_of_whole_runs
from airtcp.scenario.order import has_ties, reversed_flows
from airtcp.scenario.scenario import Point
from airtcp.simulation.side_runs import SideRunner

Floats = NDArray[np.float64]
SAME_START_NOTE = (
    "Flows that start at the same instant are served in the order of the file; different start"
    " times (flow.start) avoid this."
)


@dataclass(frozen=True)
class BothOrders:
    """One point as it is and with its flows reversed: its counts, in one run of each."""

    point: Point
    reverse: Point
    counts: bytes
    counts_reversed: bytes

    def differs(self) -> bool:
        """True if some flow counted something else."""
        counts = shape_counts(layout_of(self.point), [self.counts])
        other = shape_counts(layout_of(self.reverse), [self.counts_reversed])
        return not np.array_equal(counts, other[:, :, ::-1])

    def values(self, metric: str) -> dict[str, tuple[float, float]]:
        """A metric of each table of flows, in the mean over its flows: as it is, and reversed.

        Of each flow, where there is one table: all of its flows are alike.
        """
        first = metric_of_whole_runs(self.point, layout_of(self.point), [self.counts], metric)[:, 0]
        other = metric_of_whole_runs(
            self.reverse, layout_of(self.reverse), [self.counts_reversed], metric
        )[::-1, 0]
        table = np.array(tables_of_flows(self.point.data))
        if not table.any():
            return {
                f"flow {flow}": both for flow, both in enumerate(zip(first, other, strict=True))
            }
        mine = [(place, table == place) for place in range(int(table.max()) + 1)]
        return {f"flow[{place}]": (first[it].mean(), other[it].mean()) for place, it in mine}


def both_orders(
    campaign: Campaign, points: Sequence[Point], side_runs: SideRunner
) -> tuple[BothOrders, ...]:
    """The points without chance at which flows tie, each run also in the reverse order.

    `campaign`: the finished campaign of these points.
    """
    tied = [
        (place, point, reverse)
        for place, point in enumerate(points)
        if not point.is_random and has_ties(point.data)
        if (reverse := reversed_flows(point)) is not None
    ]
    if not tied:
        return ()
    other = side_runs.run([reverse for *_, reverse in tied], 1, "reverse order of flows")
    return tuple(
        BothOrders(point, reverse, *(run.finished(at, 0, 1)[0][1] for run, at in pair))
        for number, (place, point, reverse) in enumerate(tied)
        for pair in [((campaign, place), (other, number))]
    )


def order_text(orders_found: Sequence[BothOrders], metric: str, varying: Sequence[str]) -> str:
    """A sentence on the largest change of a metric between the two orders; empty for none.

    `varying`: the coordinates that tell points apart.
    """
    differing = [pair for pair in orders_found if pair.differs()]
    changes = [
        (abs(turned - as_it_is), as_it_is, turned, flow, orders.point)
        for orders in differing
        for flow, (as_it_is, turned) in orders.values(metric).items()
        if np.isfinite(turned - as_it_is)
    ]
    if not changes:
        return SAME_START_NOTE if differing else ""
    _, here, there, flow, point = max(changes, key=lambda change: change[0])
    unit, scale = readable_unit(metric, max(here, there))
    change_words = f"{there / scale:.4g} instead of {here / scale:.4g}{f' {unit}' if unit else ''}"
    at = ", ".join(f"{key} = {point.coordinates[key]}" for key in varying)
    place = f" at {at}" if at else ""
    return f"{SAME_START_NOTE} In the reverse order {metric} of {flow} is {change_words}{place}."
