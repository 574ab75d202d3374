"""Analytic models, one paper per module. `MODELS` maps the name of a model to its module.

A model in it is `airtcp.models.<name>`. One that bears the name of a profile and offers
`reason_not_covered` and `answers` (`ScenarioModel`) answers for the scenarios of that profile in
`airtcp.analyse`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point


class Modules(Mapping[str, ModuleType]):
    """Modules by name, imported at first use; `homes` has the full name of each."""

    def __init__(self, homes: dict[str, str]) -> None:
        """Keep the places; this imports nothing."""
        self.homes = homes

    def __getitem__(self, name: str) -> ModuleType:
        """Import the module."""
        return import_module(self.homes[name])

    def __iter__(self) -> Iterator[str]:
        """The names of the models."""
        return iter(self.homes)

    def __len__(self) -> int:
        """Number of models."""
        return len(self.homes)


MODELS = Modules(
    {
        "chockalingam": "airtcp.models.chockalingam",
        "fading": "airtcp.models.fading",
        "kuusela": "airtcp.models.kuusela",
        "zorzi": "airtcp.models.zorzi",
    }
)


class ScenarioModel(Protocol):
    """Interface of a module in `MODELS` that answers scenarios."""

    def reason_not_covered(self, point: Point) -> str:
        """The reason why the model has no answer for `point`; empty if it has one."""

    def answers(
        self, points: Sequence[Point], advance: Callable[[int], object]
    ) -> list[dict[str, Any]]:
        """The columns of `airtcp.analyse` for each point, or a `note` that says why there are none.

        The answers report to `advance` how many points are finished.
        """


def __getattr__(name: str) -> ModuleType:
    """A model by its name: `airtcp.models.zorzi`."""
    if name not in MODELS.homes:
        raise AttributeError(f"module 'airtcp.models' has no attribute {name!r}")
    return MODELS[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *MODELS])


__all__ = ["MODELS", "Modules", "ScenarioModel"]
