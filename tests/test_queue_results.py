"""Known results of queues that manage delay, each with a queue for which it must not hold."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import airtcp

CODEL: dict[str, Any] = {"kind": "codel"}
TARGET = 0.005
PACKET = 1500 * 8


def simulated(rate: float, queue: Any, **keys: Any) -> pd.DataFrame:
    """Runs of CUBIC over one hop of this rate in Mbit/s, 40 ms away."""
    hop = {"rate": f"{rate}Mbps", "delay": "40ms", "queue": queue}
    scenario = {
        "profile": "linux",
        "tcp": {"congestion": "cubic"},
        "path": {"hop": [hop]},
        "stop": {"time": "40s", "warmup": "10s"},
    } | keys
    point = airtcp.Scenario.from_dict(scenario)
    return airtcp.simulate(point, replications=3, seed=1).to_pandas()


def queueing(runs: pd.DataFrame, rate: float) -> float:
    """Median seconds in the queue, the mean over runs and flows."""
    return float(runs["delay_median"].mean()) - 0.04 - PACKET / (rate * 1e6)


@pytest.mark.parametrize("rate", [4, 40, 400])
def test_codel_keeps_its_queue_near_the_target_at_any_rate(rate: float) -> None:
    """Two flows: at most 10 ms of queue where drop-tail has 50 ms and more, for 7 % of the rate."""
    flows = [{"count": 2}]
    codel, tail = (simulated(rate, queue, flow=flows) for queue in (CODEL, 4000))
    assert queueing(codel, rate) < 2 * TARGET
    assert queueing(tail, rate) > 10 * TARGET
    assert codel["goodput_bps"].sum() > 0.93 * tail["goodput_bps"].sum()


def test_a_sparse_flow_does_not_wait_for_a_bulk_flow_where_each_has_a_queue() -> None:
    """It waits for one packet of the other flow, .6 ms; in a common queue for all of them."""
    flows = [{}, {"window": "3000B"}]
    sparse = {
        name: queueing(runs[runs["flow"] == 1], 20)
        for name, queue in {
            "fq": {"kind": "fq-codel"},
            "drr": {"kind": "drr"},
            "tail": 1000,
        }.items()
        for runs in [simulated(20, queue, flow=flows)]
    }
    assert 0 <= sparse["fq"] < 0.0007
    assert 0 <= sparse["drr"] < 0.0007
    assert sparse["tail"] > 0.1


@pytest.mark.parametrize("profile", ["rfc", "linux"])
def test_marks_take_the_place_of_losses(profile: str) -> None:
    """With ECN nothing is sent again, at the same throughput; without, losses are."""
    tcp = (
        {"variant": "sack", "congestion": "cubic"} if profile == "rfc" else {"congestion": "cubic"}
    )
    plain, marked = (
        simulated(20, CODEL, profile=profile, tcp=tcp | {"ecn": ecn}) for ecn in (False, True)
    )
    assert plain["resent_share"].min() > 0
    assert marked["resent_share"].max() == 0
    ratio = marked["goodput_bps"].mean() / plain["goodput_bps"].mean()
    assert ratio == pytest.approx(1, abs=0.05)
