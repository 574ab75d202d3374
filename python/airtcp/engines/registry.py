"""The engines by name; a new one is a file and a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from airtcp.campaign.kept_runs import RunStorage
from airtcp.comparison.answer import EngineTraits, marks_by_engine
from airtcp.engines.analysis import Analysis
from airtcp.engines.live import Live
from airtcp.engines.protocol import Engine, EngineRequest
from airtcp.engines.simulation import Simulation
from airtcp.errors import InputError
from airtcp.simulation.results import EngineRuns

ENGINES: tuple[type[Engine], ...] = (
    Analysis,
    Simulation,
    Live,
)  # in the order in which they answer
REGISTRY: dict[str, type[Engine]] = {str(engine.name): engine for engine in ENGINES}


def create_engines(names: Iterable[str], order: EngineRequest) -> list[Engine]:
    """The engines of these names. Raises `InputError` where they can have no answer at all."""
    names = tuple(names)
    order = replace(order, is_alone=len(names) == 1)
    return [REGISTRY[name](order) for name in names]


def traits_of(name: str) -> EngineTraits:
    """Properties of an engine of this name."""
    traits: EngineTraits = getattr(REGISTRY[name], "traits", EngineTraits())
    return traits


def run_format_of(engine: type[Engine] | Engine) -> object:
    """The format in which an engine keeps runs; None if it makes none.

    Raises `InputError` if the engine does not say.
    """
    try:
        return engine.run_format
    except AttributeError:
        raise InputError(
            f"engine {engine.name}: has no attribute run_format, as engines of earlier versions:"
            " must be None, or a RunStorage for an engine that makes runs"
        ) from None


def run_storages() -> dict[str, RunStorage]:
    """The engines that measure runs and keep them, with how they do."""
    storages = {name: run_format_of(engine) for name, engine in REGISTRY.items()}
    return {
        name: kept_form for name, kept_form in storages.items() if isinstance(kept_form, RunStorage)
    }


def measured_engines() -> dict[str, EngineRuns]:
    """Readings of the engines in `run_storages`, with their marks, for results."""
    abouts = {name: traits_of(name).with_defaults(name) for name in REGISTRY}
    marks = marks_by_engine(abouts)
    return {
        name: EngineRuns(kept_form, abouts[name].own_path_prefix, marks[name])
        for name, kept_form in run_storages().items()
    }


def engines_with_runs() -> list[str]:
    """The engines that make runs, which a results folder keeps."""
    return [name for name, engine in REGISTRY.items() if run_format_of(engine) is not None]


def engine_specific_prefixes() -> tuple[str, ...]:
    """Beginnings of the paths that say something to one engine alone."""
    return tuple(filter(None, (traits_of(name).own_path_prefix for name in REGISTRY)))


def default_engines() -> tuple[str, ...]:
    """The engines that are asked where the user chooses none."""
    return tuple(name for name in REGISTRY if traits_of(name).is_default)


def leading_engine() -> str:
    """The engine beside which others stand."""
    return next(name for name in REGISTRY if traits_of(name).is_leading)


def engines_with_option(option: str) -> Sequence[str]:
    """The engines that an option of `airtcp.run` is about."""
    return [name for name, engine in REGISTRY.items() if option in getattr(engine, "options", ())]
