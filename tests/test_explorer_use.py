"""The page of `airtcp explore` as people use it, in a browser."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

import airtcp as at
import explorer_cases as cases
from airtcp import Scenario
from airtcp.export.pcapng import write_pcapng
from explorer_page import WEB, address_of_page, needs_page, node


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with address_of_page() as found:
        yield found


HOSTILE = [
    "<img src=x onerror='globalThis.injected = 1'>",
    "<script>globalThis.injected = 1</script>",
    "wide" * 3000,
    "\u202eright to left \x00\x1b[31m",
]


def hostile(slots: dict[str, Any]) -> list[dict[str, Any]]:
    """Documents with hostile texts, each with the place where the page shows it."""
    found = [
        {"document": slots | {"title": hostile_text}, "place": "h1", "text": hostile_text}
        for hostile_text in HOSTILE
    ]
    for text in HOSTILE[:2]:
        named = {"case": [{"name": text, "tcp.dupacks": 2}, {"name": "b", "tcp.dupacks": 3}]}
        shown = {"place": "tbody th", "text": text}
        found.append({"document": slots | named, **shown})
        for wrong in ({text: 1}, {"tcp": slots["tcp"] | {"variant": text}}):
            found.append({"document": slots | wrong, "place": "[role=alert]", "text": text})
    return found


@pytest.fixture(scope="module")
def seen(address: str) -> dict[str, Any]:
    """Observations of a browser on the page."""
    slots = json.loads(
        next(example.document for example in cases.EXAMPLES if example.name == "window")
    )
    asked = {
        "address": address,
        "toml": (WEB.parent / "examples" / "linux.toml").read_text(encoding="utf-8"),
        "hostile": hostile(slots),
    }
    found: dict[str, Any] = node("page.mjs", asked)
    return found


@pytest.fixture(scope="module")
def looked(address: str) -> dict[str, Any]:
    """Faults of both views, and the requests that they make."""
    found: dict[str, Any] = node("views.mjs", {"address": address})
    return found


@needs_page
def test_nothing_is_asked_of_others(looked: dict[str, Any], address: str) -> None:
    asked = looked["requests"]
    assert len(asked) > 16
    assert {text for text in asked if not text.startswith((address, "data:,"))} == set()


@needs_page
def test_everybody_can_use_the_page(looked: dict[str, Any]) -> None:
    """No serious violation of what axe-core checks, in light and dark, and nothing too wide."""
    assert looked["violations"] == []
    assert looked["overflow"] == []
    assert looked["cut"] == []


@needs_page
def test_the_keyboard_moves_sliders_and_the_point(seen: dict[str, Any]) -> None:
    assert int(seen["window"]) == 25
    assert "channel loss rate = 0.1." in seen["caption"]


@needs_page
def test_controls_are_not_printed(seen: dict[str, Any]) -> None:
    assert {tuple(element) for element in seen["printed"]} == {
        ("div", "none"),
        ("nav", "none"),
        ("form", "none"),
        ("table", "table"),
    }


@needs_page
def test_the_address_and_the_copy_are_the_scenario(seen: dict[str, Any]) -> None:
    document = tomllib.loads(seen["toml"])
    assert document["title"] == seen["first"]
    assert document["tcp"]["window"] == 25
    assert seen["again"] == seen["toml"]
    assert Scenario.from_dict(document).points()


@needs_page
def test_a_file_is_opened_or_refused(seen: dict[str, Any]) -> None:
    assert all(name in seen["linux"] for name in ("reno", "cubic", "bbr"))
    assert "x.toml: not valid TOML, in line 2: " in seen["wrong"]
    assert "tcp.congestion[1]: " in seen["refused"]
    assert 'did you mean "cubic"?' in seen["refused"]
    assert "read by the program: airtcp explore FILE" in seen["named"]
    assert seen["pair"] == ["A: cubic", "B: bbr"]


@needs_page
def test_a_file_that_is_read_late_does_not_replace_a_later_address(seen: dict[str, Any]) -> None:
    assert seen["overtaken"] == seen["first"]


@needs_page
def test_part_of_an_address_is_said_to_be_none(seen: dict[str, Any]) -> None:
    assert "only part of one; what is shown is an example" in seen["part"]


@needs_page
def test_hostile_text_is_text(seen: dict[str, Any]) -> None:
    """In titles, names of cases, keys and refusals of values; the page has one script, its own."""
    assert [texts[0] for texts in seen["hostile"][: len(HOSTILE)]] == HOSTILE
    assert len(seen["hostile"]) == len(HOSTILE) + 6
    assert {tuple(counts) for counts in seen["injected"]} == {(None, 1)}


@needs_page
def test_the_policy_of_the_page_refuses_inline_scripts(seen: dict[str, Any]) -> None:
    assert seen["policy"] == ["script-src-elem", "inline"]


# Two TCPs over each other.


@pytest.fixture(scope="module")
def compared(address: str) -> dict[str, Any]:
    """Observations of a browser on the view that compares."""
    found: dict[str, Any] = node("compare.mjs", {"address": address})
    return found


@needs_page
def test_two_controls_are_compared_from_the_first_page_on(compared: dict[str, Any]) -> None:
    assert compared["heads"] == ["A: reno", "B: cubic"]


@needs_page
def test_a_packet_is_dropped_by_keyboard_by_click_and_by_number(compared: dict[str, Any]) -> None:
    heads = ["A: reno", "without drops", "B: bbr3", "without drops"]
    [dropped], found = compared["dropped"]
    assert found == heads
    assert f"{dropped[:-2]}, sent at " in compared["pointed"]
    assert compared["said"] == f"Dropped: {dropped[:-2]}."
    assert compared["without"] == []
    assert len(compared["clicked"]) == 1
    assert compared["both"] == ["packet 40 ×", *compared["clicked"]]


@needs_page
def test_the_mark_of_a_loss_takes_a_drop_back_or_names_the_loss(compared: dict[str, Any]) -> None:
    for [dropped], mark, said in compared["marks"]:
        packet = dropped[:-2]
        assert said == f"The drop of {packet} is taken back."
        assert re.search(rf": {packet}, lost at [0-9.]+ s, dropped by you$", mark)
    lost = re.search(r": (packet \d+), (lost on the way from node 0 \(.+\)) at ", compared["lost"])
    assert lost is not None
    assert compared["stays"] == (
        f"P{lost[1][1:]} is {lost[2]}: only drops of yours can be taken back."
    )


@needs_page
def test_a_drop_of_a_packet_that_is_never_sent_is_remarked(compared: dict[str, Any]) -> None:
    assert compared["unsent"] == "Dropped: packet 1000000. Neither run sends it."


@needs_page
def test_the_address_of_a_drop_shows_the_same_to_others(compared: dict[str, Any]) -> None:
    assert compared["again"] == [*compared["dropped"], compared["toml"]]


@needs_page
def test_slots_have_no_packets_to_compare(compared: dict[str, Any]) -> None:
    assert compared["slots"].startswith("These rules have slots, and no packets")


@needs_page
def test_reading_a_document_ends_no_runs(compared: dict[str, Any]) -> None:
    assert compared["undisturbed"] == ["long", True, ["A: reno", "B: cubic"]]


@needs_page
def test_drawings_are_saved(compared: dict[str, Any]) -> None:
    name, kind, length = compared["png"]
    assert (name, kind) == ("compare.png", "PNG")
    assert length > 10_000
    assert compared["parsed"] == "svg"
    assert 'width="1000"' in compared["svg"]


@needs_page
def test_the_packets_of_both_are_saved_for_wireshark(compared: dict[str, Any]) -> None:
    """With the drop, as the program writes the copied scenario."""
    scenario = Scenario.from_dict(tomllib.loads(compared["toml"]))
    names = []
    for point, (name, found) in zip(scenario.points(), compared["captures"], strict=True):
        file = io.BytesIO()
        write_pcapng(at.trace(scenario, point=point), file)
        assert base64.b64decode(found) == file.getvalue()
        names.append(name)
    assert names == ["compare-A.pcapng", "compare-B.pcapng"]


@needs_page
def test_what_is_drawn_are_the_events_of_both_futures(compared: dict[str, Any]) -> None:
    """Packets, windows, queues and waits, as Python has them of the copied scenario."""
    document = tomllib.loads(compared["toml"])
    [[packet, copy]] = document["path"]["hop"][0].pop("drop")
    assert (document["tcp"]["congestion"], copy) == (["reno", "bbr3"], 1)
    rows = list(csv.DictReader(io.StringIO(compared["csv"])))
    for drops in ({"drop": [[packet, copy]]}, {}):
        hop = document["path"]["hop"][0] | drops
        scenario = Scenario.from_dict(document | {"path": {"hop": [hop]}})
        for side, point in zip("AB", scenario.points(), strict=True):
            part = [row for row in rows if (row["side"], row["drops"]) == (side, word(drops))]
            assert {row["tcp"] for row in part} == {point.data["tcp"]["congestion"]}
            for kind, expected in drawn(scenario, point).items():
                found = [
                    (float(row["time"]), float(row["value"])) for row in part if row["kind"] == kind
                ]
                assert found == expected, (side, drops, kind)
                assert found or kind in ("resend", "drop", "timeout")


def word(drops: dict[str, Any]) -> str:
    return "with" if drops else "without"


def drawn(scenario: Scenario, point: at.Point) -> dict[str, list[tuple[float, float]]]:
    """Time and value of what is drawn of a point, from 3 s to 3.5 s."""
    events = at.trace(scenario, point=point, links=True)
    table = events.to_pandas()
    table = table[(table.time >= 3) & (table.time <= 3.5)]
    found = {}
    for kind in ("send", "resend", "drop", "timeout"):
        of_kind = table[table.event == kind]
        found[kind] = list(zip(of_kind.time, of_kind.packet.astype(float), strict=True))
    states = table[table.cwnd.notna()]
    found["cwnd"] = list(zip(states.time, states.cwnd, strict=True))
    queue = events.to_pandas("queue").query("direction == 'forward' and 3 <= time <= 3.5")
    found["queue"] = list(zip(queue.time, queue.packets.astype(float), strict=True))
    return found


@pytest.fixture(scope="module")
def lacks(address: str) -> dict[str, Any]:
    """Observations of a browser without a clipboard and images, and of runs that are not made."""
    hop = {"rate": "10Gbps", "delay": "20ms", "queue": 100}
    long = {"profile": "linux", "tcp": {"congestion": ["reno", "cubic"]}, "path": {"hop": [hop]}}
    asked = {"address": address, "long": long | {"stop": {"time": "1h"}}}
    found: dict[str, Any] = node("lacks.mjs", asked)
    return found


@needs_page
def test_a_browser_that_refuses_is_named(lacks: dict[str, Any]) -> None:
    """The text that it does not copy is there to be copied by hand."""
    assert lacks["refused"] == "The browser refuses the clipboard: copy the text from the field."
    assert Scenario.from_dict(tomllib.loads(lacks["field"])).points()
    assert lacks["selected"] == lacks["field"]
    assert lacks["png"].startswith("The browser makes no PNG: ")


@needs_page
def test_runs_of_the_scenario_before_are_named_as_such(lacks: dict[str, Any]) -> None:
    """They are not saved, and their packets are not dropped."""
    assert lacks["question"].startswith("This may take ")
    assert lacks["before"] == lacks["slots"] == "There is no drawing yet."
    assert lacks["picked"] == "Drawing and table are those of the scenario before."
    assert lacks["drops"] == 0
