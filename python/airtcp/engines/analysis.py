"""The engine of analytic models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas

from airtcp.campaign.manifest import SIMULATION
from airtcp.comparison.answer import Answer, EngineTraits, Estimates
from airtcp.engines.protocol import Coverage, EngineRequest
from airtcp.errors import InputError
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import metrics_of, units_of_point
from airtcp.models.analysis import analyse, model_of, reason_without_answer
from airtcp.models.path_analysis import analyse_path, reasons_without_answer
from airtcp.stats.verdict import Estimate

if TYPE_CHECKING:
    from airtcp.campaign.loop import Rule, RunFormat
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point, Scenario


ENGINE_NAME = "analysis"
TRAITS = EngineTraits(
    is_default=True,
    is_drawn_as_line=True,
    answers_by_method=True,
    has_interval_columns=False,
    throughput_interval_names=("lower", "upper"),
    sentence_alone="Analysis ({method}) of a scenario",
    sentence_beside="and analysis ({method}) of it",
    values_words="the analysis ({method})",
)
PATH_TRAITS = replace(
    TRAITS,
    sentence_alone="What models say of a scenario that was not simulated",
    sentence_beside="and what models say of it",
)


class Analysis:
    """Answers from models (`airtcp.analyse`): the profile's, or on a path all that cover it."""

    name = ENGINE_NAME
    families: ClassVar[tuple[str, ...]] = ("slot", "path")
    run_format: ClassVar[RunFormat | None] = None
    traits = TRAITS

    def __init__(self, order: EngineRequest) -> None:
        """Make the engine for one scenario.

        Raises `InputError` if it alone is asked and has no answer.
        """
        self._scenario = order.simulation_request.scenario
        on_slots = self._scenario.family == "slot"
        if order.is_alone and on_slots and model_of(self._scenario.points()[0]) is None:
            raise InputError(
                f"no model answers for profile {self._scenario.profile}; use --engine {SIMULATION}"
            )

    def coverage(self, point: Point) -> Coverage | str:
        """The model is named after the profile; on a path those that answer by their names."""
        if point.family == "slot":
            return reason_without_answer(point) or Coverage(str(point.data["profile"]))

        table_of_models = analyse_path([point])
        names = table_of_models["model"][table_of_models["note"] == ""]
        return (
            Coverage(", ".join(names))
            if len(names)
            else reasons_without_answer(table_of_models, 1)[0]
        )

    def runs_needed(self, point: Point, rule: Rule) -> int:
        """A model runs nothing."""
        return 0

    def announcement(self) -> str:
        """Empty, since an analysis takes seconds."""
        return ""

    def answer(self, store: Store, *, progress: bool) -> Answer:
        """Answer with the table of `airtcp.analyse`."""
        return answer_from_table(self._scenario, analyse(self._scenario, progress=progress))


def answer_from_table(scenario: Scenario, table: pandas.DataFrame) -> Answer:
    """The table of `airtcp.analyse` as an answer; on a path without estimates.

    Several models may answer there: `RunResult.models` has each of them beside the simulation.
    """
    if scenario.family == "path":
        reasons = reasons_without_answer(table, len(scenario))
        make_estimates = partial(Estimates, ENGINE_NAME, {}, reasons)
        return Answer(
            ENGINE_NAME, make_estimates, table, reasons=reasons, models=table, traits=PATH_TRAITS
        )
    make_estimates = partial(_estimates, scenario, table)
    reasons = table["note"].tolist()
    return SlotAnswer(
        ENGINE_NAME, make_estimates, table, reasons=reasons, traits=TRAITS, scenario=scenario
    )


@dataclass(frozen=True, eq=False)
class SlotAnswer(Answer):
    """Answers of a model for points on slots; tables show its bounds as the model gives them."""

    scenario: Scenario | None = None

    def own_columns(self) -> pandas.DataFrame:
        """A column per metric, and the bounds of the throughput."""
        assert self.scenario is not None
        assert isinstance(self.table, pandas.DataFrame)
        values = _model_values(self.scenario, self.table)
        ends = {name: values[name] for name in TRAITS.throughput_interval_names}
        names = metrics_of("slot", layout_of(self.scenario.points()[0]).names)
        of = {name: values.get(name, np.nan) for name in names} | ends
        return pandas.DataFrame({f"{ENGINE_NAME}_{name}": value for name, value in of.items()})


_PER_SLOT_METRICS = ("transmissions_per_slot", "timeouts_per_slot", "fast_retransmits_per_slot")


def _model_values(scenario: Scenario, analysis: pandas.DataFrame) -> Any:
    """Values of the model for each metric on slots and each point; NaN where it has none."""
    names = ("throughput", "lower", "upper", *_PER_SLOT_METRICS)
    columns = {name: analysis[name] for name in names}
    delivered = analysis["throughput"].where(analysis["throughput"] > 0)
    columns["transmissions_per_delivery"] = analysis["transmissions_per_slot"] / delivered
    # In the long run as much is delivered in order as is delivered.
    scales = (units_of_point(point)[0] for point in scenario.points())
    rates = [bits / (seconds * fragments) for bits, seconds, fragments in scales]
    columns["goodput_bps"] = analysis["throughput"] * rates
    columns["in_order_throughput"] = analysis["throughput"]
    return columns


def _estimates(scenario: Scenario, table: pandas.DataFrame) -> Estimates:
    points = scenario.points()
    values = _model_values(scenario, table)
    throughput = table["throughput"].to_numpy()
    share = {end: table[end].to_numpy() / throughput for end in ("lower", "upper")}
    estimates: dict[str, list[Estimate]] = {}
    for name in metrics_of("slot", layout_of(points[0]).names):
        value = np.broadcast_to(np.asarray(values.get(name, np.nan), dtype=float), len(table))
        low = high = np.full_like(value, np.nan)
        if name in ("throughput", "goodput_bps"):
            low, high = value * share["lower"], value * share["upper"]
        elif name == "transmissions_per_delivery":
            low, high = value / share["upper"], value / share["lower"]
        rows = zip(value.tolist(), low.tolist(), high.tolist(), strict=True)
        estimates[name] = [Estimate(value, low=a, high=b) for value, a, b in rows]
    return Estimates(ENGINE_NAME, estimates, table["note"].tolist())
