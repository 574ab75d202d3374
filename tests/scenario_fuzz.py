"""Mutated scenarios: each is a scenario that can be written and read again, or refused in a line.

`python tests/scenario_fuzz.py FIRST NUMBER` tries so many, with limits on memory and time, and says
how many were scenarios. What breaks the law ends it with the number of the mutant.
"""

from __future__ import annotations

import datetime
import json
import math
import random
import resource
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from airtcp import InputError, Scenario

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))
MEMORY = 2**31  # bytes of addresses beyond those of the imports
SECONDS = 10  # of the processor for a mutant, at most
MOST = 200  # points that are compared
Document = dict[str, Any]
Place = tuple[Any, Any]  # a table or list, and a key or number in it

NUMBERS = [0, 1, -1, 2, 7, 0.5, -0.0, 1e-300, 1e300, 2**31, 2**63 - 1, 2**63, 10**30, -(10**400)]
FLOATS = [math.nan, math.inf, -math.inf]
TEXTS = [
    "",
    "x",
    "reno",
    "sack",
    "rayleigh",
    "0s",
    "10ms",
    "1e400s",
    "-5ms",
    "1.5Mbps",
    "0B",
    "64kB",
]
TEXTS += [
    "NaN",
    "\n",
    "\t\x7f",
    "é\U0001f4f6",
    "1packets",
    "8bits",
    "a" * 5000,
    '"',
    "\\",
    "{}",
    "%s",
]
ODD = [True, False, None, [], {}, [[]], [{}], [[1]], [1, "x"], datetime.date(2026, 1, 1), b"bytes"]
KEYS = [
    "case",
    "path.hop[0].queue",
    "kind",
    "variant",
    "window",
    "hop",
    "flow",
    "gate",
    "back",
    "x",
    "",
    "a.b",
    "tcp",
    "from",
]


# Mutations


def places(value: Any) -> Iterator[Place]:
    """All places in a document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inside:
        yield value, key
        if isinstance(item, (dict, list)):
            yield from places(item)


def spaced(draw: random.Random) -> Document:
    found = {
        "from": draw.choice([0, 1, 0.001, -1, 2**40]),
        "to": draw.choice([5, 10, 1, 1e300, 0.5]),
        "points": draw.choice([2, 3, 11, 100, 999_999, 10**7, 1, 0, -1, 2.5]),
        "scale": draw.choice(["linear", "log", "cubic"]),
    }
    if draw.random() < 0.1:
        del found[draw.choice(list(found))]
    return found


def value(draw: random.Random) -> Any:
    some: Callable[[], Any] = draw.choice(
        [
            lambda: draw.choice(NUMBERS),
            lambda: draw.choice(TEXTS),
            lambda: draw.choice(FLOATS),
            lambda: draw.choice(ODD),
            lambda: spaced(draw),
            lambda: [draw.choice(NUMBERS) for _ in range(draw.choice([1, 2, 50, 3000]))],
            lambda: [draw.choice(TEXTS) for _ in range(3)],
            lambda: nested(draw.choice([3, 40])),
        ]
    )
    return some()


def nested(depth: int) -> Any:
    found: Any = 1
    for level in range(depth):
        found = [found] if level % 2 else {"kind": found}
    return found


def mutated(draw: random.Random, document: Document, others: list[Document]) -> Document:
    for _ in range(draw.choice([1, 1, 2, 3])):
        everywhere = list(places(document))
        if not everywhere:
            return document
        holder, key = draw.choice(everywhere)
        other, place = draw.choice(list(places(draw.choice(others))))
        change = draw.randrange(8)
        if change == 0:
            holder[key] = value(draw)
        elif change == 1:
            del holder[key]
        elif change == 2:  # an axis
            near = holder[key] * 2 if isinstance(holder[key], (int, float)) else value(draw)
            holder[key] = [holder[key], near]
        elif change == 3:
            holder[key] = [holder[key]]
        elif change == 4:
            holder[key] = other[place]
        elif change == 5 and isinstance(holder, dict):
            holder[draw.choice(KEYS)] = value(draw)
        elif change == 6 and isinstance(holder, dict):  # a slip of the pen
            content, at = holder.pop(key), draw.randrange(len(key) + 1)
            holder[key[:at] + draw.choice("abk_ .") + key[at:]] = content
        elif change == 7 and isinstance(holder, dict):  # another order
            content = holder.pop(key)
            holder[key] = content
        document = (
            json.loads(json.dumps(document, default=repr)) if draw.random() < 0.1 else document
        )
    return document


def miswritten(draw: random.Random, text: str) -> str:
    for _ in range(draw.choice([1, 1, 2, 5])):
        lines = text.splitlines(keepends=True)
        at, place = draw.randrange(len(lines) or 1), draw.randrange(len(text) + 1)
        change = draw.randrange(5)
        if change == 0:
            text = text[:place] + draw.choice("[]{}\"'=,.#\n 0-e\\\x00é") + text[place:]
        elif change == 1:
            text = text[:place] + text[place + draw.choice([1, 1, 5, 100]) :]
        elif change == 2:
            text = "".join(lines[:at] + lines[at + 1 :])
        elif change == 3:
            text = "".join(lines[:at] + lines[at : at + 1] * 2 + lines[at + 1 :])
        else:
            draw.shuffle(lines)
            text = "".join(lines)
    return text


# The law


def sample(scenario: Scenario) -> list[Any]:
    points = scenario.points()
    some = range(0, len(points), -(-len(points) // MOST))
    return [len(points), *(points[place].json for place in some)]


def check(make: Callable[[], Scenario]) -> bool:
    """True if the call makes a scenario, which then can be written and read."""
    try:
        scenario = make()
    except InputError as error:
        line = str(error)
    else:
        keeps_its_points(scenario)
        return True
    assert len(line.splitlines()) == 1, line
    assert len(line) < 1200, line
    return False


def keeps_its_points(scenario: Scenario) -> None:
    expected = sample(scenario)
    again = [
        Scenario.from_dict(tomllib.loads(scenario.to_toml())),
        Scenario.from_dict(json.loads(json.dumps(scenario.to_dict()))),
    ]
    assert all(copy == scenario and sample(copy) == expected for copy in again)
    first, last = scenario.points()[0], scenario.points()[-1]
    assert first.coordinates.keys() == last.coordinates.keys()
    assert len(first.hash) == len(last.hash) == 16
    assert len(repr(scenario)) < 100_000


def mutant(number: int, folder: Path) -> Callable[[], Scenario]:
    """The call that makes the scenario of a number, or refuses it."""
    draw = random.Random(number)
    text = draw.choice(EXAMPLES).read_text(encoding="utf-8")
    if draw.random() < 0.3:
        file = folder / draw.choice(["x.toml", "x.json"])
        if file.suffix == ".json":
            text = json.dumps(tomllib.loads(text), indent=1)
        file.write_text(miswritten(draw, text), encoding="utf-8")
        return lambda: Scenario.load(file)
    others = [tomllib.loads(example.read_text(encoding="utf-8")) for example in EXAMPLES]
    document = mutated(draw, tomllib.loads(text), others)
    return lambda: Scenario.from_dict(document)


def limit() -> None:
    """End the process where it takes more memory than any scenario may."""
    there = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (there + MEMORY, there + MEMORY))


def more_time() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def main(first: int, number: int) -> None:
    valid = 0
    with tempfile.TemporaryDirectory() as name:
        limit()
        for case in range(first, first + number):
            more_time()
            try:
                valid += check(mutant(case, Path(name)))
            except BaseException:
                print(f"mutant {case}", file=sys.stderr)
                raise
    print(valid)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
