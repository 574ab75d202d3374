"""Goals that a user may have for a link, as metrics: a new goal is one entry of `GOALS`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.errors import InputError, known_name
from airtcp.metrics.layout import flows_that_end, layout_of
from airtcp.metrics.ratios import metrics_of
from airtcp.metrics.table import TABLE
from airtcp.scenario.scenario import Point


@dataclass(frozen=True)
class Goal:
    """A goal: the first of `metrics` that all alternatives have.

    `sums_flows`: true if values are summed over flows; otherwise they are averaged over flows with
    a value.
    """

    metrics: tuple[str, ...]
    sums_flows: bool = False


GOALS = {
    "goodput": Goal(("goodput_bps",), sums_flows=True),
    "delay": Goal(("delay_p95",)),
    "completion": Goal(("completion_mean", "transfer_time")),
    "energy": Goal(("ll_bits_per_bit", "transmissions_per_delivery")),
}


@dataclass(frozen=True)
class GoalMetric:
    """A goal with its metric; `high`: true if high values are better; `sums_flows` as in `Goal`."""

    goal: str
    metric: str
    high: bool
    sums_flows: bool


def choose_goal_metric(goal: object, points: Sequence[Point]) -> GoalMetric:
    """Choose the metric that stands for a goal with these alternatives. Raises `InputError`."""
    known_name("goal", goal, list(GOALS))
    name = str(goal)
    everywhere = set.intersection(*(_metric_names(point) for point in points))
    for metric in GOALS[name].metrics:
        if metric in everywhere and _is_comparable(metric, points):
            return GoalMetric(name, metric, TABLE[metric].better == "high", GOALS[name].sums_flows)
    raise InputError(f"goal = {name!r}: {_reason_without_metric(name, points)}")


def _metric_names(point: Point) -> set[str]:
    return set(metrics_of(point.family, layout_of(point).names))


def _is_comparable(metric: str, points: Sequence[Point]) -> bool:
    """True if the values of all alternatives mean the same thing."""
    if metric == "completion_mean":
        return all(map(_has_transfers, points))
    if metric == "transfer_time":
        return all(any(flows_that_end(point.data)) for point in points)
    return not (metric == "transmissions_per_delivery" and _retransmits_somewhere(points))


def _has_transfers(point: Point) -> bool:
    return any("sizes" in flow or "video" in flow for flow in point.data.get("flow", []))


def _retransmits_somewhere(points: Sequence[Point]) -> bool:
    return any("ll_bits_per_bit" in _metric_names(point) for point in points)


def _reason_without_metric(goal: str, points: Sequence[Point]) -> str:
    if goal == "energy":
        return (
            "some alternatives have a link layer that retransmits and others have none, so bits on"
            " the air cannot be compared with packets sent; compare the two groups separately"
        )
    if goal == "completion" and points[0].family == "path":
        return "no flow has transfers (flow.sizes, flow.video) or an end (flow.size, flow.packets)"
    asked = " or ".join(GOALS[goal].metrics)
    family = "slots" if points[0].family == "slot" else "a path"
    return f"a scenario on {family} does not count {asked}"
