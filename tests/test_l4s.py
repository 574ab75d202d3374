"""Low latency beside classic traffic [RFC 9332]: DualPI2 keeps delays apart and rates alike.

Nothing is random here: three starts of one of the flows stand for repetitions. The control is a PIE
queue for both, in which the sender that answers marks one by one starves the other.
"""

from typing import Any

import pytest

import airtcp as at

STARTS = ("100ms", "530ms", "1310ms")


def played(queue: dict[str, Any], delay: str, start: str, growth: str = "prague") -> Any:
    """The means of a scalable flow and of a CUBIC flow, both with ECN, over 40 Mbit/s."""
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "packet": "1500B", "window": "4MB", "ecn": True},
        "path": {"hop": [{"rate": "40Mbps", "delay": delay, "queue": queue}]},
        "flow": [{"tcp": {"congestion": growth}, "start": start}, {"tcp": {"congestion": "cubic"}}],
        "stop": {"warmup": "10s", "time": "30s"},
    }
    return at.simulate(at.Scenario.from_dict(document)).summary()


@pytest.mark.parametrize("delay", ["5ms", "10ms", "40ms"])
@pytest.mark.parametrize("start", STARTS)
def test_prague_waits_briefly_and_shares(delay: str, start: str) -> None:
    scalable, classic = (row for _, row in played({"kind": "dualpi2"}, delay, start).iterrows())
    # The ramp of the queue of low latency begins at 0.8 ms [Figure 2]; the other's target is 15 ms.
    assert scalable["queueing_p95"] < 0.001
    assert 0.011 < classic["queueing_median"] < 0.019
    # k = 2 makes the rates equal for equal round trips; those differ by what the classic one waits.
    assert 0.4 < scalable["goodput_bps"] / classic["goodput_bps"] < 2.5
    assert scalable["goodput_bps"] + classic["goodput_bps"] > 0.9 * 40e6


@pytest.mark.parametrize("delay", ["5ms", "10ms"])
@pytest.mark.parametrize("start", STARTS)
def test_in_one_queue_for_both_it_waits_and_starves_the_other(delay: str, start: str) -> None:
    scalable, classic = (row for _, row in played({"kind": "pie"}, delay, start).iterrows())
    assert scalable["queueing_p95"] > 10e-3
    assert scalable["goodput_bps"] / classic["goodput_bps"] > 5


def test_dctcp_stays_at_a_step_where_a_classic_sender_empties_the_queue() -> None:
    marks = {"ecn": True, "mark_p": 2, "gentle": False, "wait": False, "weight": 1}
    step = {"kind": "ns-red", "min": 20, "max": 20, "packets": 500} | marks
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "packet": "1500B", "window": "1MB", "ecn": True},
        "path": {"hop": [{"rate": "40Mbps", "delay": "10ms", "queue": step}]},
        "stop": {"warmup": "5s", "time": "20s"},
    }

    def utilisation(growth: str) -> float:
        flow = {"flow": [{"tcp": {"congestion": growth}}]}
        found = at.simulate(at.Scenario.from_dict(document | flow), links=True)
        return float(found.summary_of("links").iloc[0]["utilisation"])

    # 20 packets are a third of what the path holds: halving leaves it idle [RFC 8257, section 1].
    assert utilisation("dctcp") > 0.97
    assert utilisation("reno") < 0.93
