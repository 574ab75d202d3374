"""The engines by name; a new one is a file and a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from airtcp.campaign.kept_runs import Kept
from airtcp.comparison.answer import About, marks_apart
from airtcp.engines.analysis import Analysis
from airtcp.engines.live import Live
from airtcp.engines.protocol import Engine, Order
from airtcp.engines.simulation import Simulation
from airtcp.errors import InputError
from airtcp.simulation.results import EngineRuns

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


def kept_by(engine: type[Engine] | Engine) -> object:
    """The form in which an engine keeps runs; None: it makes none. Raises `InputError` without."""
    try:
        return engine.kept
    except AttributeError:
        raise InputError(
            f"engine {engine.name}: has no attribute kept, as engines of earlier versions: must be"
            " None, or a Kept for an engine that makes runs"
        ) from None


def kept() -> dict[str, Kept]:
    """The engines that measure runs and keep them, with how they do."""
    found = {name: kept_by(engine) for name, engine in REGISTRY.items()}
    return {name: kept_form for name, kept_form in found.items() if isinstance(kept_form, Kept)}


def measuring() -> dict[str, EngineRuns]:
    """Readings of the engines in `kept`, with their marks, for results."""
    abouts = {name: about(name).of(name) for name in REGISTRY}
    marks = marks_apart(abouts)
    return {
        name: EngineRuns(kept_form, abouts[name].hears, marks[name])
        for name, kept_form in kept().items()
    }


def keeping() -> list[str]:
    """The engines that make runs, which a results folder keeps."""
    return [name for name, engine in REGISTRY.items() if kept_by(engine) is not None]


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
    return [name for name, engine in REGISTRY.items() if option in getattr(engine, "options", ())]
