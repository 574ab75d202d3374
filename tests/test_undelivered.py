"""Flows that deliver nothing: a line says why; and the share of packets that were lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airtcp as at
from airtcp.comparison.side_by_side import rows_of_answer
from airtcp.comparison.undelivered import undelivered_lines

HOP = {"rate": "10Mbps", "delay": "20ms", "queue": 500}


def scenario(profile: str, hops: list[dict[str, Any]], **rest: Any) -> at.Scenario:
    tcp = {} if profile == "linux" else {"variant": "reno"}
    path = {"hop": hops}
    document = {"profile": profile, "tcp": tcp, "path": path, "stop": {"time": "5s"}}
    return at.Scenario.from_dict(document | rest)


@pytest.mark.parametrize("profile", ["ns2", "rfc", "bsd", "linux"])
def test_a_flow_that_starts_after_the_end_says_so(profile: str) -> None:
    flows = [{"start": "0s"}, {"start": "10s"}]
    found = at.run(scenario(profile, [HOP], flow=flows), engine="simulation")
    assert found.leading_answer is not None
    (line,) = undelivered_lines(rows_of_answer(found, found.leading_answer), {}, profile)
    assert line.startswith("flow 1: nothing was delivered: the flow had not started")


def test_many_silent_rows_share_a_line_with_what_they_have_in_common() -> None:
    rows = [
        {"goodput_bps": 0.0 if delay == "9s" else 1.0, "efficiency": 1.0, "d": delay, "q": queue}
        for delay in ("1ms", "9s")
        for queue in range(5)
    ]
    (line,) = undelivered_lines(rows, {"d": "delay", "q": "queue"}, "linux")
    assert line.startswith("In 5 of 10 rows, all at delay 9s, nothing was delivered: no packet")
    assert len(undelivered_lines(rows[:7], {"d": "delay", "q": "queue"}, "linux")) == 2


def lost(found: at.SimulationResult) -> dict[str, Any]:
    runs = found.runs
    return {name: np.asarray(runs[name], float) for name in ("lost", "sent", "probes", "copies")}


@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_lost_handshakes_are_no_lost_data(rate: float) -> None:
    """Each transfer of a packet needs a SYN and an ACK first, which `sent` does not count."""
    hop = HOP | {"channel": {"kind": "iid", "loss_rate": rate}}
    arrivals = {"kind": "exponential", "mean": "100ms"}
    flow = {"arrivals": arrivals, "sizes": {"kind": "fixed", "value": "1000B"}}
    stop = {"time": "60s"}
    found = at.simulate(scenario("linux", [hop], flow=[flow], stop=stop), seed=1, replications=6)
    counts = lost(found)
    sent, gone = counts["sent"].sum(), counts["lost"].sum()
    assert abs(gone / sent - rate) < 4 * (rate * (1 - rate) / sent) ** 0.5 + 1 / sent


def test_lost_copies_are_beside_the_copies() -> None:
    """Of copies that two hops make a third one loses as many as of the rest."""
    copied = HOP | {"rate": "100Mbps", "duplicate": 0.9}
    hops = [copied, copied, HOP | {"channel": {"kind": "iid", "loss_rate": 0.3}}]
    calls = {"rate": "100kbps", "packet": "200B"}
    stop = {"time": "20s"}
    asked = scenario("rfc", hops, flow=[{}], traffic=[calls], stop=stop)
    found = at.simulate(asked, seed=1, replications=4, links=True)
    counts = lost(found)
    assert (counts["copies"] > counts["sent"]).all()
    whole = counts["sent"] + counts["probes"] + counts["copies"]
    assert (counts["lost"] / whole).mean() == pytest.approx(0.3, abs=0.05)
    shares = found.traffic["lost_share"]
    assert shares.mean() == pytest.approx(0.3, abs=0.02)
