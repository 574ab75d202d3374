"""RACK-TLP in profile `rfc`, over links that lose packets at random."""

from __future__ import annotations

from typing import Any

import pandas as pd

import airtcp as at


def runs(stop: str = "60s", hop: dict[str, Any] | None = None, **tcp: Any) -> pd.DataFrame:
    """Runs of SACK with CUBIC on a link of 10 Mbit/s that loses a packet in a hundred."""
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "growth": "cubic", "window": 200} | tcp,
        "path": {
            "hop": [
                {"rate": "10Mbps", "delay": "20ms", "queue": 50}
                | {"channel": {"kind": "iid", "loss_rate": 0.01}}
                | (hop or {})
            ]
        },
        "stop": {"time": stop, "replications": 8},
    }
    return at.simulate(at.Scenario.from_dict(document)).to_pandas()


def test_lost_retransmissions_cost_fewer_timeouts_than_by_counting() -> None:
    counted, timed = runs(), runs(detection="rack-tlp")
    assert counted["timeouts"].sum() > 20
    assert timed["timeouts"].sum() < counted["timeouts"].sum() / 4
