"""The fate of each copy of a packet, as the page of `airtcp explore` finds it in events."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

import airtcp as at
from airtcp import Scenario
from airtcp.cli.explore import PAGE_FOLDER
from explorer_page import needs_page, node

# A full queue that waits for its link loses copies that are sent again before the first ones leave.
WAITING = {
    "kind": "on-off",
    "up": {"kind": "exponential", "mean": "3s"},
    "down": {"kind": "exponential", "mean": "2s"},
    "loses": "nothing",
}
HOP: dict[str, Any] = {"rate": "2Mbps", "delay": "20ms", "queue": 15, "gate": WAITING}
LOSSY = {"kind": "iid", "loss_rate": 0.02}
ARRIVED, QUEUE, FORCED, UNKNOWN = 0, 1, 4, -1
SENT = (0, 1)
LOST = 2
CAUSES = {"queue": QUEUE, "channel": 2, "gate": 3, "forced": FORCED}


def document(tcp: dict[str, Any], access: str, **hop: Any) -> dict[str, Any]:
    flow = [{"access_delay": access}]
    return tcp | {"flow": flow, "path": {"hop": [HOP | hop]}, "stop": {"time": "60s"}}


RENO: dict[str, Any] = {"profile": "rfc", "tcp": {"variant": "reno"}}
DOCUMENTS = [
    document(RENO, "0s"),
    document(RENO, "5ms"),
    document(RENO, "0s", channel=LOSSY),
    document({"profile": "linux", "tcp": {"congestion": "cubic"}}, "0s"),
]


def copies_of(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Copies of packets in the order in which they were sent: packet, when, fate, number.

    A drop-tail queue loses a copy at the instant at which it comes, and no other; the rest leave in
    order.
    """
    scenario = Scenario.from_dict(asked)
    [point] = scenario.points()
    events = at.trace(scenario, point=point, seed=1, links=True).to_pandas()
    access = round(
        1e6 * float(asked["flow"][0]["access_delay"].removesuffix("ms").removesuffix("s"))
    )
    copies: list[dict[str, Any]] = []
    on_way: dict[int, list[dict[str, Any]]] = defaultdict(list)
    arrived: Counter[int] = Counter()
    for row in events.itertuples():
        packet = row.packet
        if row.event in ("send", "resend"):
            copies.append({"packet": packet, "at": row.time_ns, "fate": UNKNOWN, "number": 0})
            on_way[packet].append(copies[-1])
        elif (row.event, row.node) == ("arrive", 1) or row.event == "drop":
            fate = ARRIVED if row.event == "arrive" else CAUSES[row.cause]
            comes = [copy for copy in on_way[packet] if copy["at"] + access == row.time_ns]
            copy = comes[0] if fate == QUEUE else on_way[packet][0]
            on_way[packet].remove(copy)
            copy["fate"] = fate
            if fate in (ARRIVED, FORCED):
                arrived[packet] += 1
                copy["number"] = arrived[packet]
    return copies


def overtaken(copies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Copies that arrived although a later one was lost at the queue."""
    lost = {copy["packet"]: copy["at"] for copy in copies if copy["fate"] == QUEUE}
    return [
        copy
        for copy in copies
        if copy["fate"] in (ARRIVED, FORCED) and copy["at"] < lost.get(copy["packet"], 0)
    ]


@pytest.fixture(scope="module")
def page_copies() -> list[dict[str, Any]]:
    """Copies as the page has them, of each document and of one with a drop by order."""
    asked = {"wasm": str(PAGE_FOLDER / "airtcp.wasm"), "asked": [*DOCUMENTS, with_drop()]}
    answer: list[dict[str, Any]] = node("fates.mjs", asked)
    return answer


def with_drop() -> dict[str, Any]:
    """The first document, in which such a copy is dropped by its number."""
    first = overtaken(copies_of(DOCUMENTS[0]))[0]
    return document(RENO, "0s", drop=[[first["packet"], first["number"]]])


@needs_page
def test_fates_and_numbers_are_those_of_each_copy(page_copies: list[dict[str, Any]]) -> None:
    for asked, packets in zip([*DOCUMENTS, with_drop()], page_copies, strict=True):
        copies = copies_of(asked)
        for name, column in (("ys", "packet"), ("fates", "fate"), ("copies", "number")):
            of_kind = zip(packets[name], packets["kinds"], strict=True)
            sent = [value for value, kind in of_kind if kind in SENT]
            assert sent == [copy[column] for copy in copies], (asked, name)
    assert all(overtaken(copies_of(asked)) for asked in DOCUMENTS[:2])


@needs_page
def test_the_copy_that_is_picked_is_the_one_that_is_dropped(
    page_copies: list[dict[str, Any]],
) -> None:
    """The events up to the drop are those without it, so that the copy is at the same place."""
    picked = overtaken(copies_of(DOCUMENTS[0]))[0]
    plain, dropped = page_copies[0], page_copies[-1]
    place = next(i for i, at in enumerate(plain["xs"]) if round(at * 1e9) == picked["at"])
    place += plain["ys"][place:].index(picked["packet"])
    assert (plain["fates"][place], plain["copies"][place]) == (ARRIVED, 1)
    assert (dropped["ys"][place], dropped["fates"][place]) == (picked["packet"], FORCED)


@needs_page
def test_each_loss_has_the_packet_the_cause_and_the_number_of_its_copy(
    page_copies: list[dict[str, Any]],
) -> None:
    for asked, packets in zip([*DOCUMENTS, with_drop()], page_copies, strict=True):
        columns = (packets[name] for name in ("ys", "fates", "copies", "kinds"))
        losses = [tuple(rest) for *rest, kind in zip(*columns, strict=True) if kind == LOST]
        lost = [
            (copy["packet"], copy["fate"], copy["number"])
            for copy in copies_of(asked)
            if copy["fate"] not in (ARRIVED, UNKNOWN)
        ]
        assert sorted(losses) == sorted(lost)
        assert lost
