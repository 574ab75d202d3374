"""Runs in the page of `airtcp explore` equal native ones bit by bit, in counts and in events."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import explorer_cases as cases
from explorer_page import address_of_page, needs_page, node

RANDOM = 200


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with address_of_page() as found:
        yield found


def in_page(address: str, some: list[cases.Case], seed: int) -> list[list[str]]:
    asked = {"address": address, "seed": seed, "room": cases.ROOM}
    found: list[list[str]] = node(
        "digests.mjs", asked | {"cases": [case._asdict() for case in some]}
    )
    return found


@needs_page
def test_runs_in_the_page_equal_native_ones(address: str) -> None:
    every = [*cases.EXAMPLES, *cases.randomised(RANDOM)]
    found = in_page(address, every, 1)
    differ = [
        case.name for case, of in zip(every, found, strict=True) if of != cases.digests(case, 1)
    ]
    assert differ == []
    assert sum(map(len, found)) > 2 * RANDOM


@needs_page
def test_another_seed_is_seen(address: str) -> None:
    some = [
        example
        for example in cases.EXAMPLES
        if example.name in ("window", "linux", "cross_traffic")
    ]
    found = in_page(address, some, 2)
    for case, of in zip(some, found, strict=True):
        assert not set(of) & set(cases.digests(case, 1))
