"""Choice of engines by the names that a user gives."""

from __future__ import annotations

from collections.abc import Iterable

from airtcp.engines.registry import REGISTRY, default_engines, engines_with_option
from airtcp.errors import InputError, refusal, unknown_name


def engine_sets() -> dict[str, tuple[str, ...]]:
    """The names that mean several engines."""
    return {"both": default_engines(), "all": tuple(REGISTRY)}


def engine_names() -> list[str]:
    """Everything that a user may call for."""
    return [*REGISTRY, *engine_sets()]


def chosen_engines(engine: object, family: str = "path") -> tuple[str, ...]:
    """The engines that `engine` means, in the order in which they answer.

    A name, a set of them ("both", "all"), several of these with commas between, or a sequence.
    `family` of the scenario: "slot" or "path". A set includes only the engines that support the
    family; an engine that is asked by its name refuses another family. Raises `InputError`.
    """
    asked, several = set[str](), engine_sets()
    for word in _engine_names_in(engine):
        if word in several:
            asked |= {name for name in several[word] if family in REGISTRY[name].families}
        elif word in REGISTRY:
            asked.add(word)
        else:
            raise unknown_name("engine", word, engine_names())
    return tuple(name for name in REGISTRY if name in asked)


def check_options(engine: object, stack: object, live_jobs: object) -> None:
    """Raise `InputError` for options of runs if no engine that is asked makes runs."""
    options_said = {"stack": stack != "auto", "live_jobs": live_jobs is not None}
    for name, given in options_said.items():
        heard = engines_with_option(name)
        if given and not {*heard} & {*chosen_engines(engine)}:
            runs = " or ".join(heard)
            raise InputError(f"{name}: needs {runs} runs, and engine = {engine!r} makes none")


def _engine_names_in(engine: object) -> list[str]:
    if isinstance(engine, str):
        return [word.strip() for word in engine.split(",")]
    words = list(engine) if isinstance(engine, Iterable) else []
    if not words or not all(isinstance(word, str) for word in words):
        allowed = f"names of engines: {', '.join(engine_names())}"
        raise refusal("engine", engine, allowed)
    return words


def check_engine(engine: object, links: bool = False) -> None:
    """`InputError` unless `engine` names some, one of which simulates if `links` are asked for."""
    counting = engines_with_option("links")
    if links and not {*counting} & {*chosen_engines(engine)}:
        by = " or ".join(counting)
        raise InputError(f"links: only {by} counts them; add it to engine = {engine!r}")
