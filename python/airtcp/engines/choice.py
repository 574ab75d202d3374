"""Which engines a user asks for, by their names."""

from __future__ import annotations

from collections.abc import Iterable

from airtcp.errors import InputError, refusal, unknown_name

ENGINES = ("analysis", "simulation", "live")
SETS = {"both": ("analysis", "simulation"), "all": ENGINES}  # names of several
NOT_ON_SLOTS = ("live",)  # engines that a set leaves out there; asked by its name one refuses


def chosen(engine: object, family: str = "path") -> tuple[str, ...]:
    """The engines that `engine` means, in the order in which they answer.

    A name, a set of them ("both", "all"), several of these with commas between, or a sequence.
    `family` of the scenario: "slot" or "path". Raises `InputError`.
    """
    names = set[str]()
    for word in _words(engine):
        if word not in (*ENGINES, *SETS):
            raise unknown_name("engine", word, (*ENGINES, *SETS))
        left_out = NOT_ON_SLOTS if family == "slot" and word in SETS else ()
        names |= {name for name in SETS.get(word, (word,)) if name not in left_out}
    return tuple(name for name in ENGINES if name in names)


def _words(engine: object) -> list[str]:
    if isinstance(engine, str):
        return [word.strip() for word in engine.split(",")]
    words = list(engine) if isinstance(engine, Iterable) else []
    if not words or not all(isinstance(word, str) for word in words):
        allowed = f"names of engines: {', '.join((*ENGINES, *SETS))}"
        raise refusal("engine", engine, allowed)
    return words


def check_engine(engine: object, links: bool = False) -> None:
    """`InputError` unless `engine` names some, one of which simulates if `links` are asked for."""
    if "simulation" not in chosen(engine) and links:
        raise InputError(f"links: are counted by the simulation, which engine = {engine!r} is not")
