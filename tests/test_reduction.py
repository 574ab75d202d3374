"""Proportional rate reduction and HyStart++, from documents to what is sent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airtcp as at
from airtcp import spec
from airtcp.errors import ScenarioError


def scenario(hop: dict[str, Any] | None = None, **tcp: Any) -> at.Scenario:
    """A hundred packets of SACK over 4 Mbit/s and 50 ms, one of which is lost in avoidance."""
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": 64, "delayed_ack": "0s", "ssthresh": 20} | tcp,
        "path": {"hop": [{"rate": "4Mbps", "delay": "25ms", "queue": 200} | (hop or {})]},
        "flow": [{"packets": 300}],
        "stop": {"time": "60s"},
    }
    return at.Scenario.from_dict(document)


def first_gap(**tcp: Any) -> float:
    """Longest silence of the sender in the round trip after its fast retransmit."""
    events = at.trace(scenario({"drop": [[150, 1]]}, **tcp)).to_pandas()
    sends = events[events["event"].isin(["send", "resend"])]["time"].to_numpy()
    resent = events[events["event"] == "resend"]["time"].iloc[0]
    after = sends[(sends >= resent) & (sends <= resent + 0.06)]
    return float(np.diff(after).max())


def test_prr_goes_on_sending_where_the_window_falls_at_once_into_silence() -> None:
    silence, paced = first_gap(), first_gap(reduction="prr")
    assert silence > 0.02
    assert paced < 0.5 * silence


def test_a_dataclass_a_table_and_a_name_say_the_same() -> None:
    table = scenario(reduction={"kind": "prr"}).points()[0]
    assert table.data["tcp"]["reduction"] == "prr"
    assert scenario(reduction=spec.Prr()).points()[0].hash == table.hash
    assert scenario(reduction="prr").points()[0].hash == table.hash
    window = scenario(reduction=spec.Prr(base="window"))
    assert window.points()[0].hash != table.hash
    assert window.tcp.reduction == spec.Prr(base="window")


def test_the_base_is_an_axis() -> None:
    points = scenario(reduction={"kind": "prr", "base": ["flight", "window"]}).points()
    said = [point.data["tcp"]["reduction"] for point in points]
    assert said == ["prr", {"kind": "prr", "base": "window"}]


@pytest.mark.parametrize("growth", ["reno", "cubic"])
def test_hystart_leaves_slow_start_before_most_is_lost(growth: str) -> None:
    """Fifty packets fit on the path, a hundred into its queue."""
    document = scenario({"rate": "10Mbps", "delay": "30ms", "queue": 100}).to_dict()
    document |= {"flow": [{"packets": 600}]}

    def lost(start: str) -> int:
        own = {"congestion": growth, "window": 1000, "ssthresh": 1000, "slow_start": start}
        changed = document | {"tcp": document["tcp"] | own}
        return int(at.simulate(changed, replications=1).runs.to_pylist()[0]["resent"])

    assert lost("standard") > 100
    assert lost("hystart++") < 50


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"reduction.*needs SACK blocks"):
        scenario(variant="newreno", reduction="prr").points()
    with pytest.raises(ScenarioError, match=r"abc_limit.*cannot be combined with slow_start"):
        scenario(slow_start="hystart++", abc_limit=2).points()


def test_they_are_cited() -> None:
    point = scenario(reduction="prr", slow_start="hystart++")
    assert all(key in at.cite(point) for key in ("rfc9937", "rfc9406"))
