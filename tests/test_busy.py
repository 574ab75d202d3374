"""Load of links with recorded opportunities, and the bottleneck among them."""

from typing import Any

import pytest

import airtcp as at


def recorded(packet: int, millis: list[int], rate: str, load: float) -> Any:
    """A source that offers so many times what the link can carry; no flow in the time."""
    hop = {"rate": rate, "delay": "1ms", "queue": 2000, "opportunities": millis}
    capacity = 1504 * 8 * len(millis) / (millis[-1] / 1000)
    source = {"rate": f"{load * capacity:.0f}bps", "packet": f"{packet}B"}
    document = {
        "profile": "rfc",
        "tcp": {"variant": "reno"},
        "path": {"hop": [hop]},
        "flow": [{"start": "1e6s"}],
        "traffic": [source],
        "stop": {"time": "20s"},
    }
    links = at.simulate(document, links=True).summary_of("links")
    return links[links["direction"] == "forward"].iloc[0]


@pytest.mark.parametrize("packet", [200, 752, 1500, 1504])
@pytest.mark.parametrize(
    ("millis", "rate"),
    [([1], "12.032Mbps"), ([3, 3, 7, 10], "4.8128Mbps"), ([1] * 83, "998.656Mbps")],
    ids=["even", "uneven", "fast"],
)
def test_a_saturated_link_is_always_busy(packet: int, millis: list[int], rate: str) -> None:
    """Twice the load; what is lost is one interval of opportunities at each end."""
    assert recorded(packet, millis, rate, 2.0)["utilisation"] == pytest.approx(1.0, abs=0.002)


def test_a_link_that_is_not_is_busy_for_what_it_carries() -> None:
    """A quarter of the load in packets that fill an opportunity uses a quarter of the time."""
    assert recorded(1504, [1], "12.032Mbps", 0.25)["utilisation"] == pytest.approx(0.25, abs=0.002)


BUCKET = {"kind": "token-bucket", "rate": "2Mbps", "burst": "3000B", "packets": 100}
HOLDS = {
    "token bucket": {"queue": BUCKET},
    "gate": {
        "gate": {"kind": "periodic", "up": "100ms", "down": "900ms", "loses": "nothing"},
        "queue": 400,
    },
}


@pytest.mark.parametrize("held", HOLDS.values(), ids=HOLDS)
def test_the_bottleneck_is_where_packets_wait(held: dict[str, Any]) -> None:
    """The shaper of a fast link, and a link that is up for a tenth of the time."""
    hops = [
        {"rate": "20Mbps", "delay": "1ms", "queue": 100},
        {"rate": "50Mbps", "delay": "5ms", **held},
    ]
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": 400},
        "path": {"hop": hops},
        "stop": {"time": "20s"},
    }
    series = at.timeseries(document, width=5.0, replications=2)
    assert series.busiest == (1, "forward")
    assert series.of_link(1, "forward")["mean_sojourn"].mean() > 0.1
    contest = at.contest(document, ["reno", "cubic"], replications=2)
    shown = contest.table["utilisation"].iloc[0]
    links = at.simulate(document, links=True, replications=2).summary_of("links")
    at_the_hold = links[(links["hop"] == 1) & (links["direction"] == "forward")].iloc[0]
    assert shown == pytest.approx(at_the_hold["utilisation"], rel=0.3)
