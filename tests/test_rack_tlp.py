"""RACK-TLP in profile `rfc`, over links that lose packets at random."""

from __future__ import annotations

from typing import Any

import pytest

import airtcp as at


def timeouts(detection: str, reduction: str) -> int:
    """Of eight runs of SACK with CUBIC on a link that loses a packet in twenty."""
    document: dict[str, Any] = {
        "profile": "rfc",
        "tcp": {
            "variant": "sack",
            "congestion": "cubic",
            "window": 200,
            "detection": detection,
            "reduction": reduction,
        },
        "path": {
            "hop": [
                {
                    "rate": "10Mbps",
                    "delay": "20ms",
                    "queue": 50,
                    "channel": {"kind": "iid", "loss_rate": 0.05},
                }
            ]
        },
        "stop": {"time": "60s", "replications": 8},
    }
    return int(at.simulate(document, seed=1).to_pandas()["timeouts"].sum())


@pytest.mark.parametrize("reduction", ["at-once", "prr"])
def test_lost_retransmissions_cost_fewer_timeouts_than_by_counting(reduction: str) -> None:
    counted = timeouts("rfc6675", reduction)
    assert counted > 80
    assert timeouts("rack-tlp", reduction) < counted / 5


def test_the_last_packet_of_a_transfer_costs_no_timeout() -> None:
    document: dict[str, Any] = {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "path": {"hop": [{"rate": "10Mbps", "delay": "20ms", "drop": [[99, 1]]}]},
        "flow": [{"packets": 100}],
        "stop": {"time": "60s"},
    }
    counted = at.simulate(document, seed=1).to_pandas().iloc[0]
    document["tcp"]["detection"] = "rack-tlp"
    timed = at.simulate(document, seed=1).to_pandas().iloc[0]
    assert (counted["timeouts"], timed["timeouts"]) == (1, 0)
    # The probe leaves two round trips of 42 ms after the ACK before the last, at 231 ms; the timer
    # sends again a second after the last one, at 333 ms.
    assert counted["transfer_time"] - timed["transfer_time"] == pytest.approx(1.017, abs=0.002)


@pytest.mark.parametrize("rate", ["1Gbps", "25Gbps", "100Gbps", "400Gbps"])
def test_one_loss_costs_one_retransmission_however_fast_the_link(rate: str) -> None:
    """At 25 Gbit/s two packets leave within a microsecond."""
    hop: dict[str, Any] = {"rate": rate, "delay": "50us", "queue": 1000}
    counted = []
    for lost in (20, 50, 99, 150, 300, 500, 700, 900):
        document: dict[str, Any] = {
            "profile": "rfc",
            "tcp": {"variant": "sack", "detection": "rack-tlp", "window": 400},
            "path": {"hop": [hop | {"drop": [[lost, 1]]}]},
            "flow": [{"packets": 1000}],
            "stop": {"time": "60s", "replications": 1},
        }
        run = at.simulate(document, seed=1).to_pandas().iloc[0]
        counted.append((run["resent"], run["duplicates"], run["timeouts"]))
    assert counted == [(1, 0, 0)] * 8
