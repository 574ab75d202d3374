"""The round trip of link profiles through emulator and fit: its verdicts, without its traffic."""

from types import SimpleNamespace
from typing import Any

import pytest

from airtcp import Scenario, _native
from modules import module

study = module("link_round_trip")


def fitted(**hop: str) -> Any:
    document = {"path": {"hop": [hop]}}
    return SimpleNamespace(scenario=SimpleNamespace(to_dict=lambda: document))


def test_cases_are_of_profiles() -> None:
    for case in study.CASES:
        assert _native.link_profile(case.link)
        own = {key: study.OTHERS[key] for key in case.own}
        assert Scenario.from_dict(study.document({"link": case.link, **own})).points()


@pytest.mark.parametrize(("found", "holds"), [("10Mbps", True), ("9Mbps", False)])
def test_another_rate_is_outside(found: str, holds: bool) -> None:
    assert study.rate({"rate": "10Mbps"}, fitted(rate=found)).holds is holds


@pytest.mark.parametrize(("found", "holds"), [("50ms", True), ("55ms", False)])
def test_another_round_trip_is_outside(found: str, holds: bool) -> None:
    hop = {"delay": "80ms", "back": {"delay": "20ms"}}
    assert study.round_trip(hop, fitted(delay=found)).holds is holds


def test_an_unknown_name_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study.sys, "argv", ["link_round_trip.py", "geo-satellite", "wifi-nose"])
    assert study.main() == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert "wifi-nose" in line
    assert "did you mean 'wifi-noise'?" in line
