"""Reno on a link that goes up and down: the tries, and the simulator."""

import math

import numpy as np
import pytest

from airtcp import Scenario, simulate
from airtcp.models.zoo import ZOO, Conditions, ModelAnswer, outages


def test_tries_are_those_of_a_simulated_link() -> None:
    """20 000 outages: four standard errors."""
    up, down, rtt, timeout = 3.0, 2.0, 0.1, 1.0
    random, silences, tries = np.random.default_rng(1), [], []
    for _ in range(20_000):
        changes, number, at = random.exponential(down), 1, timeout
        is_up = False
        while True:
            while changes <= at:
                is_up = not is_up
                changes += random.exponential(up if is_up else down)
            if is_up and changes > at + rtt:
                break
            number += 1
            at += timeout * min(2 ** (number - 1), 64)
        silences.append(at)
        tries.append(number)
    found = outages.restart_after_outage(up, down, rtt, timeout)
    for values, mean in ((silences, found.silence), (tries, found.tries)):
        error = np.std(values) / math.sqrt(len(values))
        # After a try that the link cut short, the model takes it to be down at that very try.
        assert abs(np.mean(values) - mean) < 4.0 * error + 0.005 * mean


def test_short_outages_cost_one_timeout() -> None:
    """An outage far shorter than T0, and up for long: the first try gets through (1e-3)."""
    found = outages.restart_after_outage(up=1e5, down=1e-3, rtt=0.1, timeout=1.0)
    assert (found.silence, found.tries) == pytest.approx((1.0, 1.0), rel=1e-3)


def throughput(up: float, down: float, rtt: float, window: int, seconds: float) -> float:
    hop = {"rate": "1Gbps", "delay": f"{rtt / 2}s", "queue": 5000}
    document = {
        "profile": "rfc",
        "tcp": {"variant": "newreno", "window": window, "delayed_ack": "0s"},
        "path": {"hop": [{**hop, "gate": {"kind": "on-off", "up": f"{up}s", "down": f"{down}s"}}]},
        "stop": {"time": f"{seconds}s", "replications": 20},
    }
    return float(
        simulate(Scenario.from_dict(document), seed=3).to_pandas()["throughput_pps"].mean()
    )


@pytest.mark.parametrize(
    ("up", "down", "rtt", "window"),
    [(10, 1, 0.1, 20), (10, 5, 0.1, 20), (20, 0.5, 0.2, 100), (30, 10, 0.1, 60)],
)
def test_the_simulator_agrees_where_times_up_are_long(
    up: float, down: float, rtt: float, window: int
) -> None:
    """6 %: three standard errors, and 1 or 2 % for what the model leaves out."""
    conditions = Conditions(rtt=rtt, up=up, down=down, window=window, rate=1e9)
    assert isinstance(ZOO["outages"].answer_or_refusals(conditions), ModelAnswer)
    found = ZOO["outages"].answer(conditions)
    assert found == pytest.approx(throughput(up, down, rtt, window, 2000.0), rel=0.06)


def test_short_times_up_are_outside_its_range() -> None:
    """There a timer that is backed off outlasts them, and the model promises too much."""
    conditions = Conditions(rtt=0.1, up=1.0, down=1.0, window=10, rate=1e9)
    covered = ZOO["outages"].answer_or_refusals(conditions)
    assert isinstance(covered, ModelAnswer)
    assert any(text.startswith("up = 1 s is outside") for text in covered.outside)
    assert ZOO["outages"].answer(conditions) > 1.2 * throughput(1, 1, 0.1, 10, 1000.0)


def test_it_needs_outages_and_a_window() -> None:
    assert ZOO["outages"].answer_or_refusals(Conditions(rtt=0.1)) == (
        "the model needs outages; the model needs a largest window, up to 10000"
    )
