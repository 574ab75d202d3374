"""The engines by name; a new one is a file and a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from airtcp.comparison.answer import About
from airtcp.engines.analysis import Analysis
from airtcp.engines.live import Live
from airtcp.engines.protocol import Engine, Order
from airtcp.engines.simulation import Simulation

ENGINES: tuple[type[Engine], ...] = (
    Analysis,
    Simulation,
    Live,
)  # in the order in which they answer
REGISTRY: dict[str, type[Engine]] = {str(one.name): one for one in ENGINES}


def engines_of(names: Iterable[str], order: Order) -> list[Engine]:
    """The engines of these names. Raises `InputError` where they can have no answer at all."""
    names = tuple(names)
    order = replace(order, alone=len(names) == 1)
    return [REGISTRY[name](order) for name in names]


def about(name: str) -> About:
    """Properties of an engine of this name."""
    found: About = getattr(REGISTRY[name], "about", About())
    return found


def heard() -> tuple[str, ...]:
    """Beginnings of the paths that say something to one engine alone."""
    return tuple(filter(None, (about(name).hears for name in REGISTRY)))


def usual() -> tuple[str, ...]:
    """The engines that are asked where the user chooses none."""
    return tuple(name for name in REGISTRY if about(name).usual)


def leading() -> str:
    """The engine beside which others stand."""
    return next(name for name in REGISTRY if about(name).leads)


def with_option(option: str) -> Sequence[str]:
    """The engines that an option of `airtcp.run` is about."""
    return [name for name, one in REGISTRY.items() if option in getattr(one, "options", ())]
