"""Scenarios whose runs must be equal in the page and natively: the examples, and random ones.

A random one is a mutated example (tests/scenario_fuzz.py) that is valid and short: its number says
which, so that the list is always the same.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import scenario_fuzz
from airtcp import InputError, Scenario, _native

ROOM = 2**24  # bytes of the events of a run
TRIES = 20_000
PORTION = 400
SHORT = {"slot": {"slots": 3000}, "path": {"time": "2s"}}
KINDS = ("events", "states", "steady", "sacks", "stamps", "probes", "marks", "traffic")
OF_LINKS = ("queue", "sojourns", "busy", "marked")


class Case(NamedTuple):
    """A document, and the points of it that are run."""

    name: str
    document: str
    points: Sequence[int]
    is_path: bool


def examples() -> list[Case]:
    """A point of each example at least, those that show what varies."""
    found = []
    for file in scenario_fuzz.EXAMPLES:
        scenario = Scenario.load(file)
        found.append(case(file.stem, scenario.to_dict(), scenario.family == "path"))
    return found


def case(name: str, document: dict[str, Any], is_path: bool) -> Case:
    """The case of a valid document."""
    text = json.dumps(document)
    return Case(name, text, _native.Points(text).telling()[:3], is_path)


def randomised(number: int) -> list[Case]:
    """So many mutants that are valid, short, and differ from each other."""
    found: dict[str, Case] = {}
    # Most mutants are refused, and each takes milliseconds to refuse.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for first in range(0, TRIES, PORTION):
            for mutant in pool.map(short, range(first, first + PORTION), chunksize=PORTION // 16):
                if mutant is not None and len(found) < number:
                    found.setdefault(mutant.document, mutant)
            if len(found) == number:
                return list(found.values())
    raise AssertionError(f"{len(found)} of {number} scenarios in {TRIES} tries")


def short(seed: int) -> Case | None:
    """The mutant of a number with short runs; None if it is refused or has too many events."""
    draw = random.Random(seed)
    documents = [json.loads(example.document) for example in EXAMPLES]
    document = scenario_fuzz.mutated(draw, draw.choice(documents), documents)
    try:
        scenario = Scenario.from_dict(document)
        if len(scenario.points()) > 200:
            return None
        cut = {**scenario.to_dict(), "stop": SHORT[scenario.family]}
        mutant = case(str(seed), Scenario.from_dict(cut).to_dict(), scenario.family == "path")
        points = _native.Points(mutant.document)
        for index in mutant.points if mutant.is_path else ():
            _native.trace(points[index], 1, 0, ROOM)
    except (InputError, _native.ScenarioError):
        return None
    return mutant


EXAMPLES = examples()


def digests(compared: Case, seed: int) -> list[str]:
    """Digests of the counts of each point, and of the events of the first point of a path."""
    points = _native.Points(compared.document)
    found = [digest([("counts", counts(points[index], seed))]) for index in compared.points]
    if compared.is_path:
        found.append(traced(points[compared.points[0]], seed))
    return found


def counts(point: _native.Point, seed: int) -> bytes:
    """The counts of the first replication."""
    runner = _native.Runner(1)
    runner.submit(0, point, seed, [0], False)
    return runner.wait()[0][2]


def traced(point: _native.Point, seed: int) -> str:
    """A digest of all records of the first replication, or of the refusal."""
    try:
        tables = _native.trace(point, seed, 0, ROOM, True)
    except _native.ScenarioError as error:
        return digest([(": ".join(error.args), b"")])
    return digest(records(tables))


def records(tables: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The records by kind, those of links link by link."""
    for kind in (*KINDS, "drops"):
        yield kind, bytes(tables[kind][1])
    links = [tables[kind][1] for kind in OF_LINKS]
    for number, of_link in enumerate(zip(*links, strict=True)):
        for kind, words in zip(OF_LINKS, of_link, strict=True):
            yield f"{kind}[{number}]", bytes(words)


def digest(columns: Iterator[tuple[str, bytes]] | list[tuple[str, bytes]]) -> str:
    """SHA-256 over the name, the length and the bytes of each column."""
    found = hashlib.sha256()
    for name, content in columns:
        found.update(name.encode() + b"\0" + struct.pack("<Q", len(content)))
        found.update(content)
    return found.hexdigest()
