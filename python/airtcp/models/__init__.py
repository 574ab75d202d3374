"""Analytic models, one paper per module. `MODELS` maps the name of a model to its module.

A model that bears the name of a profile and offers `covers` and `answers` (`ScenarioModel`) answers
for the scenarios of that profile in `airtcp.analyse`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from airtcp.models import zorzi

if TYPE_CHECKING:
    from airtcp.scenario import Point

MODELS: dict[str, ModuleType] = {
    "zorzi": zorzi,
}


class ScenarioModel(Protocol):
    """What a module in `MODELS` offers to answer scenarios."""

    def covers(self, point: Point) -> str:
        """Why the model has no answer for `point`; empty if it has one."""

    def answers(
        self, points: Sequence[Point], advance: Callable[[int], object]
    ) -> list[dict[str, Any]]:
        """The columns of `airtcp.analyse` of each point, or a `note` why there are none.

        `advance` is told how many points are finished.
        """


__all__ = ["MODELS", "ScenarioModel", "zorzi"]
