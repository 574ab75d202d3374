"""The engines by name; a new one is a file and a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from airtcp.engines.analysis import Analysis
from airtcp.engines.live import Live
from airtcp.engines.protocol import Engine, Order
from airtcp.engines.simulation import Simulation
from airtcp.errors import InputError
from airtcp.models.analysis import model_of

REGISTRY: dict[str, Callable[[Order], Engine]] = {
    "analysis": Analysis,
    "simulation": Simulation,
    "live": Live,
}


def engines_of(names: Iterable[str], order: Order) -> list[Engine]:
    """The engines of these names. Raises `InputError` where they can have no answer at all."""
    found = [REGISTRY[name](order) for name in names]
    scenario = order.asked.scenario
    on_slots = scenario.family == "slot"
    alone = [one.name for one in found] == ["analysis"]
    if alone and on_slots and model_of(scenario.points()[0]) is None:
        raise InputError(
            f"no model answers for profile {scenario.profile}; use --engine simulation"
        )
    return found
