"""Quantities that a path implies, worked out by hand, and beside the simulation."""

from __future__ import annotations

from typing import Any

import pytest

import airtcp
from airtcp import _native

HOPS: list[dict[str, Any]] = [
    {"rate": "10Mbps", "delay": "10ms"},
    {"rate": "2Mbps", "delay": "30ms", "back": {"rate": "1Mbps", "delay": "5ms"}},
]


def implied(**document: Any) -> dict[str, Any]:
    """Of the first table of flows over two hops."""
    base: dict[str, Any] = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": HOPS}}
    point = airtcp.Scenario.from_dict(base | document).points()[0]
    return _native.implied(point.compiled)[0]


def test_lengths_and_windows_are_in_bytes_of_payload() -> None:
    tcp = {"variant": "sack", "packet": "1000B", "header": "52B", "ack": "60B", "window": 20}
    found = implied(tcp=tcp, flow=[{"packets": 7}])
    assert (found["packet"], found["header"], found["payload"]) == (1000, 52, 948)
    assert (found["ack"], found["window"], found["size"]) == (60, 20 * 948, 7 * 948)
    assert implied(tcp=tcp | {"window": "64kB"})["window"] == 64_000
    assert implied(flow=[{"size": "1MB"}])["size"] == 1_000_000
    assert implied()["size"] is None


def test_packets_of_ns_have_no_headers() -> None:
    tcp = {"variant": "sack", "packet": "1024B", "window": 20}
    found = implied(profile="ns2", tcp=tcp)
    assert (found["header"], found["payload"], found["window"]) == (None, 1024, 20 * 1024)


def test_each_table_of_flows_has_its_own() -> None:
    flows = [{"count": 2}, {"tcp": {"packet": "500B"}}]
    document = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": HOPS}, "flow": flows}
    (point,) = airtcp.Scenario.from_dict(document).points()
    assert [row["packet"] for row in _native.implied(point.compiled)] == [1500, 500]


def test_round_trip_and_rates_of_the_way_that_data_takes() -> None:
    tcp = {"variant": "sack", "packet": "1000B", "ack": "50B"}
    found = implied(tcp=tcp, flow=[{"access_delay": "2ms"}])
    there, back = 8e3 / 10e6 + 0.010 + 8e3 / 2e6 + 0.030, 400 / 1e6 + 0.005 + 400 / 10e6 + 0.010
    assert found["round_trip"] == pytest.approx(there + back + 0.004, rel=1e-12)
    assert (found["bottleneck"], found["packet_rate"], found["ack_rate"]) == (2e6, 250.0, 2500.0)
    turned = implied(tcp=tcp, flow=[{"sender": "2", "receiver": "0"}])
    assert (turned["bottleneck"], turned["packet_rate"]) == (1e6, 125.0)


@pytest.mark.parametrize("profile", ["rfc", "ns2", "bsd"])
def test_a_single_packet_takes_that_round_trip(profile: str) -> None:
    document = {
        "profile": profile,
        "tcp": {"variant": "reno"},
        "path": {"hop": HOPS},
        "flow": [{"packets": 1, "access_delay": "3ms"}],
        "stop": {"time": "10s", "replications": 1},
    }
    scenario = airtcp.Scenario.from_dict(document)
    (point,) = scenario.points()
    run = airtcp.simulate(scenario).to_pandas().iloc[0]
    taken = _native.implied(point.compiled)[0]["round_trip"]
    held = 0.1 if profile == "rfc" else 0.0  # a delayed ACK
    assert run["transfer_time"] - held == pytest.approx(taken, abs=1e-6)
