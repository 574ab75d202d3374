"""Possible damage to a file: mutations by number, the same ones in every run.

AIRTCP_MUTATIONS says how many there are of each kind; `make fuzz` asks for many.
"""

from __future__ import annotations

import copy
import os
import random
from typing import Any

import numpy as np

COUNT = int(os.environ.get("AIRTCP_MUTATIONS", "200"))
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    255,
    256,
    2**31,
    2**53 + 1,
    2**62,
    2**63 - 1,
    2**63,
    2**64,
    -(2**63),
    10**400,
    0.0,
    -0.5,
    0.5,
    1e-320,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "1s",
    "0bps",
    "1e30bps",
    "\ud800",
    "a\nb",
    "\0",
    "delivered",
    "/dev/zero",
    "x" * 1000,
    [],
    [[]],
    [0, 1],
    {},
    {"x": 1},
    {"from": 1, "to": 2, "points": 2},
    {"kind": "iid", "loss_rate": 0.5},
    DEEP,
]
Place = tuple["str | int", ...]


def mutated(value: Any, number: int) -> Any:
    """`value`, plain data, with one to three places changed."""
    chance = random.Random(f"value {number}")
    changed = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        changed = _with_change(changed, chance)
    return changed


def mutated_text(text: bytes, number: int) -> bytes:
    """`text` cut, with bytes changed, left out, put in or repeated."""
    chance = random.Random(f"text {number}")
    changed = bytearray(text)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(changed) + 1)
        length = chance.choice((1, 1, 8, 80))
        kind = chance.randrange(5)
        if kind == 0:
            del changed[at:]
        elif kind == 1:
            del changed[at : at + length]
        elif kind == 2:
            changed[at:at] = chance.randbytes(length)
        elif kind == 3:
            changed[at:at] = changed[at : at + length]
        else:
            changed[at : at + length] = chance.randbytes(len(changed[at : at + length]))
    return bytes(changed)


def _with_change(value: Any, chance: random.Random) -> Any:
    places = _places(value) if isinstance(value, (dict, list)) else []
    if not places:
        return chance.choice(VALUES)
    *above, last = chance.choice(places)
    holder = value
    for step in above:
        holder = holder[step]
    kind = chance.randrange(8)
    if kind == 0:
        del holder[last]
    elif kind == 1 and isinstance(holder, dict):
        holder[chance.choice(("x", "", "report", f"{last}s", "\ud800"))] = holder[last]
    elif kind == 1:
        holder.append(copy.deepcopy(holder[last]))
    elif kind == 2:
        there = value
        for step in chance.choice(places):
            there = there[step]
        holder[last] = copy.deepcopy(there)
    elif kind == 3 and type(holder[last]) in (int, float):
        holder[last] = chance.choice((-1, 1, 2, 10**9)) * holder[last] + chance.choice((-1, 0, 1))
    else:
        holder[last] = copy.deepcopy(chance.choice(VALUES))
    return value


def _places(value: Any, above: Place = ()) -> list[Place]:
    """The paths to everything in tables and lists."""
    keys: Any = value if isinstance(value, dict) else range(len(value))
    found: list[Place] = []
    for key in keys:
        found.append((*above, key))
        if isinstance(value[key], (dict, list)) and len(above) < 20:
            found += _places(value[key], (*above, key))
    return found


WORDS = [-(2**63), -1, 0, 1, 2, 5, 7, 8, 255, 256, 257, 2**16, 2**31, 2**40, 2**62, 2**63 - 1]


def mutated_records(records: np.ndarray, number: int) -> bytes:
    """Records of whole numbers with words changed, or whole records doubled, moved or left out."""
    chance = random.Random(f"records {number}")
    changed = records.copy()
    for _ in range(chance.choice((1, 1, 1, 2, 10))):
        at, other = chance.randrange(len(changed)), chance.randrange(len(changed))
        field = chance.choice(changed.dtype.names)
        kind = chance.randrange(8)
        if kind == 0:
            changed = np.delete(changed, at)
        elif kind == 1:
            changed = np.insert(changed, at, changed[other])
        elif kind == 2:
            changed[[at, other]] = changed[[other, at]]
        elif kind == 3:
            with np.errstate(over="ignore"):
                changed[field][at] += np.int64(chance.choice((-1, 1, 1000)))
        elif kind == 4:
            changed[field][at] = changed[field][other]
        elif kind == 5:
            changed[field] = chance.choice(WORDS)
        else:
            changed[field][at] = chance.choice(WORDS)
        if not len(changed):
            break
    return changed.tobytes()
