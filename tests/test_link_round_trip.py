"""The round trip of link profiles through emulator and fit: its verdicts, without its traffic."""

from types import SimpleNamespace
from typing import Any

import pytest

from airtcp import Scenario, _native
from modules import module

study = module("link_round_trip")


def fitted(*, is_probing: bool = False, **hop: str) -> Any:
    document = {"path": {"hop": [hop]}}
    return SimpleNamespace(
        scenario=SimpleNamespace(to_dict=lambda: document),
        chosen=[SimpleNamespace(is_probing=is_probing)],
        facts=[SimpleNamespace(duration=60.0)],
    )


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


def test_a_ping_on_a_slow_link_takes_its_airtimes() -> None:
    hop = {"rate": "40kbps", "delay": "100ms"}
    assert study.round_trip(hop, fitted(is_probing=True, delay="116.8ms")).holds
    assert not study.round_trip(hop, fitted(is_probing=True, delay="100ms")).holds


def test_a_delay_that_changes_has_its_least_of_the_record() -> None:
    later = [{"at": "10s", "delay": "60ms"}, {"at": "70s", "delay": "20ms"}]
    hop = {"delay": "80ms", "delays": later, "back": {"delay": "40ms"}}
    assert study.round_trip(hop, fitted(delay="50ms")).asked == pytest.approx(0.1)


def test_a_code_makes_the_rate_of_packets_less() -> None:
    """256 bits in three words of 255 that carry 87 each."""
    channel = {"kind": "rayleigh", "code": "bch(255,87)"}
    hop = {"rate": "1.5Mbps", "channel": channel, "arq": {"fragment": "32B"}}
    assert study.number(study.told_rate(hop)) == pytest.approx(1.5e6 * 256 / 765)
    assert study.told_rate({"rate": "2Mbps"}) == "2Mbps"


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
