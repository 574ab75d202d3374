"""Fragments and files with slips do not break the page of `airtcp explore`.

AIRTCP_FUZZ says how many fragments there are; a third as many files go with them.
"""

from __future__ import annotations

import base64
import json
import os
import random
from typing import Any

import explorer_cases as cases
import scenario_fuzz
from explorer_page import address_of_page, needs_page, node

NUMBER = int(os.environ.get("AIRTCP_FUZZ", "90"))
HOSTILE = "<img src=x onerror='globalThis.injected = 1'>"


def fragments(number: int) -> list[str]:
    """States of documents with slips, and fragments of states with slips."""
    draw = random.Random(7)
    documents = [json.loads(example.document) for example in cases.EXAMPLES]
    return [slipped(draw, encoded(state(draw, documents))) for _ in range(number)]


def state(draw: random.Random, documents: list[Any]) -> dict[str, Any]:
    document = json.loads(json.dumps(draw.choice(documents)))
    document = scenario_fuzz.mutated(draw, document, documents)
    pair = [{"tcp.congestion": draw.choice(["cubic", "", HOSTILE])}, {HOSTILE: 1, "x[0]": {}}]
    return {
        "view": draw.choice(["compare", "explore", "explore", HOSTILE]),
        "document": document,
        "metric": draw.choice(["goodput_bps", "timeouts", "constructor", HOSTILE]),
        "seed": draw.choice([1, 0, 2**53 - 1, 2**53, -1, 0.5, "1", None]),
        "pair": draw.choice([pair, [{}, {}], [{}], [1, 2], None]),
        "span": draw.choice([None, [0, 1], [3, 2], [0, 1e300], ["0", 1], [1e-9, 2e-9]]),
    }


def encoded(page_state: dict[str, Any]) -> str:
    content = json.dumps(page_state, default=repr).encode("utf-8", "replace")
    return "#1" + base64.urlsafe_b64encode(content).decode().rstrip("=")


def slipped(draw: random.Random, fragment: str) -> str:
    if draw.random() < 0.6:
        return fragment
    place = draw.randrange(len(fragment))
    return (
        fragment[:place] + draw.choice(["", "A", "%", "\0", "é", "-", "#"]) + fragment[place + 1 :]
    )


def files(number: int) -> list[str]:
    draw = random.Random(8)
    texts = [example.read_text(encoding="utf-8") for example in scenario_fuzz.EXAMPLES]
    return [scenario_fuzz.miswritten(draw, draw.choice(texts)) for _ in range(number)]


@needs_page
def test_the_page_lives_on() -> None:
    with address_of_page() as address:
        given = {"fragments": fragments(NUMBER), "files": files(NUMBER // 3)}
        found = node("fuzz.mjs", given | {"address": address})
    assert found == {"dead": [], "injected": [None, 1], "elsewhere": []}
