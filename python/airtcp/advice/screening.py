"""Judgement of models on alternatives, before anything is simulated.

An exact model decides alone. A formula only drops alternatives that it puts far behind: within its
range it is taken to be right to 20 % (docs/explanation/formulas.md). So if it promises less than
half as much for one alternative as for another, the first is not the better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airtcp.advice.goals import GoalMetric
from airtcp.engines import analysis
from airtcp.engines.run import run
from airtcp.models.path_analysis import analyse_path
from airtcp.scenario.scenario import Scenario

if TYPE_CHECKING:
    import pandas

FAR_BEHIND_SHARE = 0.5  # of the best promise


@dataclass(frozen=True)
class Screening:
    """Judgement of the models.

    - `exact_values`: the value of each alternative, where one exact model answers for all;
    - `reasons_dropped`: places of the alternatives that a formula puts far behind, with the
      sentence why.
    """

    exact_values: tuple[float, ...] = ()
    reasons_dropped: dict[int, str] = field(default_factory=dict)


def screen_alternatives(scenarios: Sequence[Scenario], goal_metric: GoalMetric) -> Screening:
    """Ask the models about alternatives, each a scenario of one point."""
    if scenarios[0].family == "slot":
        return _screen_slot_scenarios(scenarios, goal_metric)
    if goal_metric.metric == "goodput_bps" and len(scenarios[0].points()[0].data["flow"]) == 1:
        return _screen_path_scenarios(scenarios)
    return Screening()


def _screen_slot_scenarios(scenarios: Sequence[Scenario], goal_metric: GoalMetric) -> Screening:
    column, values = f"{analysis.ENGINE_NAME}_{goal_metric.metric}", []
    for scenario in scenarios:
        row = run(scenario, engine=analysis.ENGINE_NAME).table.iloc[0]
        if row["method"] != "exact" or column not in row:
            return Screening()
        values.append(float(row[column]))
    return Screening(exact_values=tuple(values))


def _screen_path_scenarios(scenarios: Sequence[Scenario]) -> Screening:
    tables = [analyse_path([scenario.points()[0]]) for scenario in scenarios]
    dropped: dict[int, str] = {}
    for model in tables[0]["model"]:
        promised = {place: _formula_goodput(table, model) for place, table in enumerate(tables)}
        within = {place: value for place, value in promised.items() if value is not None}
        best = max(within.values(), default=0.0)
        for place, value in within.items():
            if value < FAR_BEHIND_SHARE * best:
                dropped[place] = f"{model} predicts {value / best:.0%} of its value for the best"
    return Screening(reasons_dropped=dropped)


def _formula_goodput(table: pandas.DataFrame, model: str) -> float | None:
    """The goodput by a formula within its range; None outside, and where it omits something."""
    row: Any = table[table["model"] == model].iloc[0]
    return float(row["goodput_bps"]) if row["within_range"] and not row["remark"] else None
