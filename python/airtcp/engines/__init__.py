"""The engines that answer a scenario: analysis, simulation, and live (real packets).

`airtcp.run` knows them only as `Engine`: what it answers of a point, how many runs that takes, and
its answer for all points, whose runs go into the store of the command.
"""

from airtcp.comparison.answer import Answer, Estimates
from airtcp.engines.choice import chosen_engines
from airtcp.engines.protocol import Coverage, Engine, EngineRequest
from airtcp.engines.registry import REGISTRY
from airtcp.support.earlier_names import earlier_module_names

__all__ = [
    "REGISTRY",
    "Answer",
    "Coverage",
    "Engine",
    "EngineRequest",
    "Estimates",
    "chosen_engines",
]

__getattr__ = earlier_module_names(
    __name__, {"Covered": "Coverage", "Order": "EngineRequest", "chosen": "chosen_engines"}
)
