"""Captures that the page of `airtcp explore` saves, byte for byte those of the program."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest

import airtcp as at
from airtcp import InputError, Scenario
from airtcp.cli.explore import PAGE_FOLDER
from airtcp.export.pcapng import write_pcapng
from explorer_page import needs_page, node

LOSS = {"kind": "iid", "loss_rate": 0.03}
HOP = {"rate": "5Mbps", "delay": "10ms", "queue": 15, "channel": LOSS}
BACK = {"channel": {"kind": "iid", "loss_rate": 0.1}}
SHORT = {"time": "3s"}


def scenario(tcp: dict[str, Any], profile: str = "rfc", **others: Any) -> dict[str, Any]:
    return {"profile": profile, "tcp": tcp, "path": {"hop": [HOP]}, "stop": SHORT} | others


CASES = {
    "variants": scenario({"variant": ["tahoe", "reno", "newreno", "sack"]}),
    "linux": scenario({"congestion": ["reno", "cubic", "bbr"]}, "linux"),
    "linux without SACK": scenario({"congestion": "cubic", "sack": False}, "linux"),
    "linux without timestamps": scenario({"congestion": "cubic", "timestamps": False}, "linux"),
    "ns2": scenario({"variant": ["tahoe", "sack"], "window": 90}, "ns2"),
    "bsd": scenario({"variant": "reno"}, "bsd"),
    "probes": scenario({"variant": ["reno-probing", "skip-probing"]}),
    "timestamps": scenario({"variant": "sack", "spurious": "eifel"}),
    "a large window": scenario({"variant": "sack", "window": 2000}),
    "two hops": scenario({"variant": "sack"}, path={"hop": [HOP, HOP | {"back": BACK}]}),
    "several flows": scenario(
        {"variant": "sack"},
        flow=[{"count": 2}, {"start": "0.5s", "tcp": {"variant": "reno", "packet": "576B"}}],
    ),
    "drops": scenario({"variant": "newreno"}, path={"hop": [HOP | {"drop": [[40, 1], [40, 2]]}]}),
    "nothing": scenario({"variant": "reno"}, flow=[{"start": "2.9999s"}]),
    "too long": scenario({"variant": "reno", "packet": "70000B"}),
}


@pytest.fixture(scope="module")
def saved() -> dict[str, list[str | dict[str, str]]]:
    """Answers of the page, by the name of the case."""
    cases = [{"document": document, "seed": 3} for document in CASES.values()]
    module = str(PAGE_FOLDER / "airtcp.wasm")
    found = node("captures.mjs", {"module": module, "cases": cases})
    return dict(zip(CASES, found, strict=True))


@needs_page
@pytest.mark.parametrize("name", CASES)
def test_a_capture_of_the_page_is_that_of_the_program(
    saved: dict[str, list[str | dict[str, str]]], name: str
) -> None:
    points = Scenario.from_dict(CASES[name]).points()
    for point, found in zip(points, saved[name], strict=True):
        assert found == written(CASES[name], point)


def written(document: dict[str, Any], point: at.Point) -> str | dict[str, str]:
    """Capture of the program, in base64, or the refusal."""
    file = io.BytesIO()
    try:
        write_pcapng(at.trace(document, point=point, seed=3), file)
    except InputError as error:
        return {"refused": str(error)}
    return base64.b64encode(file.getvalue()).decode()


@needs_page
def test_captures_have_packets_and_one_is_refused(
    saved: dict[str, list[str | dict[str, str]]],
) -> None:
    refused = [name for name, found in saved.items() if not isinstance(found[0], str)]
    assert refused == ["too long"]
    assert all(len(found[0]) > 1000 for found in saved.values() if isinstance(found[0], str))
