"""The models of random losses beside the simulator, at the ends of the ranges that they state."""

import itertools
import math
from dataclasses import replace
from typing import Any

import pytest

from airtcp import Scenario, simulate
from airtcp.models.zoo import ZOO, Conditions, ModelAnswer
from airtcp.models.zoo.path import PathConditions, conditions_of_point

PAPERS = ("kuusela", "zorzi", "chockalingam", "bbr")  # of paths that the conditions below are not


def throughput(at: Conditions) -> float:
    """Of the simulator, on a link that is never the limit."""
    hop = {"rate": "10Gbps", "delay": f"{at.rtt / 2}s", "queue": 20_000}
    channel = {"kind": "iid", "loss_rate": at.loss_rate}
    tcp = {"variant": at.variant, "congestion": at.growth, "window": 3000}
    seconds = 4000 * at.rtt
    document = {
        "profile": "rfc",
        "tcp": {**tcp, "delayed_ack": f"{at.delayed_ack}s"},
        "path": {"hop": [{**hop, "channel": channel}]},
        "stop": {"time": f"{seconds}s", "warmup": f"{seconds / 10}s", "replications": 10},
    }
    runs = simulate(Scenario.from_dict(document), seed=3).to_pandas()
    return float(runs["throughput_pps"].mean())


@pytest.mark.parametrize(
    ("name", "variant", "growth"),
    [
        ("mathis", "reno", "reno"),
        ("mathis", "sack", "reno"),
        ("pftk", "reno", "reno"),
        ("pftk", "sack", "reno"),
        ("pftk-approximate", "sack", "reno"),
        ("rfc9438", "sack", "cubic"),
        ("cubic-chain", "sack", "cubic"),
    ],
)
@pytest.mark.parametrize("place", [0.35, 0.6, 0.9])
def test_models_hold_in_their_ranges(name: str, variant: str, growth: str, place: float) -> None:
    """Between the points of the grids: 20 %, as `Model.ranges` says, and 3 % for the simulation.

    So far up the ranges of loss rate and round trip, in logarithms, with the ACKs most delayed.
    """
    model = ZOO[name]
    box = model.ranges["rfc"]
    loss_rate, rtt = (between(*box[key], place) for key in ("loss_rate", "rtt"))
    late = box["delayed_ack"][1]
    at = Conditions(rtt=rtt, loss_rate=loss_rate, delayed_ack=late, variant=variant, growth=growth)
    assert model.answer_or_refusals(at) == ModelAnswer()
    assert model.answer(at) == pytest.approx(throughput(at), rel=0.23)


@pytest.mark.parametrize(
    ("name", "control"),
    [
        ("mathis", "reno"),
        ("pftk", "reno"),
        ("pftk-approximate", "reno"),
        ("rfc9438", "cubic"),
        ("cubic-chain", "cubic"),
    ],
)
@pytest.mark.parametrize("place", [0.35, 0.6, 0.9])
def test_models_hold_in_their_ranges_with_linux(name: str, control: str, place: float) -> None:
    """Between the points of the grids, as above, on a link of twice the rate that a model says."""
    box = ZOO[name].ranges["linux"]
    loss_rate, rtt = (between(*box[key], place) for key in ("loss_rate", "rtt"))
    channel = {"kind": "iid", "loss_rate": loss_rate}
    seconds = max(20.0, 2000 * rtt)
    document: dict[str, Any] = {
        "profile": "linux",
        "tcp": {"congestion": control},
        "path": {"hop": [{"rate": "1Gbps", "delay": f"{rtt / 2}s", "channel": channel}]},
        "stop": {"time": f"{seconds}s", "warmup": f"{seconds / 10}s", "replications": 10},
    }
    hop = document["path"]["hop"][0]
    found = conditions_of_point(Scenario.from_dict(document).points()[0])
    assert isinstance(found, PathConditions)
    pipe = 2.0 * ZOO[name].answer(found.conditions) * rtt
    hop |= {"rate": f"{12_000 * pipe / rtt:.0f}bps", "queue": max(10, round(pipe))}
    point = Scenario.from_dict(document).points()[0]
    found = conditions_of_point(point)
    assert isinstance(found, PathConditions)
    assert ZOO[name].answer_or_refusals(found.conditions) == ModelAnswer()
    runs = simulate(Scenario.from_dict(document), seed=3).to_pandas()
    said = ZOO[name].answer(found.conditions)
    assert said == pytest.approx(float(runs["throughput_pps"].mean()), rel=0.23)


def test_a_profile_without_a_range_is_out_and_says_why() -> None:
    at = Conditions(rtt=0.1, loss_rate=0.01, profile="rfc", growth="bbr", variant="bbr")
    assert ZOO["bbr"].ranges.keys() == {"linux"}
    assert ZOO["mathis"].ranges.keys() == {"rfc", "linux"}
    covered = ZOO["mathis"].answer_or_refusals(
        replace(at, growth="reno", variant="sack", profile="bsd")
    )
    assert covered == ModelAnswer(("the range was found with profile rfc and linux",))


def between(low: float, high: float, place: float) -> float:
    return low * (high / low) ** place


@pytest.mark.parametrize("name", [name for name in ZOO if name not in PAPERS])
@pytest.mark.parametrize("growth", ["reno", "cubic"])
def test_answers_are_possible_wherever_there_are_any(name: str, growth: str) -> None:
    """Positive, at most a window per round trip where the model knows one, and at most the rate."""
    model, answered = ZOO[name], 0
    links = itertools.product(
        [0.0, 1e-8, 0.99],
        [1e-3, 1.0],
        [1, 9999, math.inf],
        [1e5, 1e12],
        [0.0, 0.5, 1e4],
    )
    for p, rtt, window, rate, down in links:
        at = Conditions(
            loss_rate=p, rtt=rtt, window=window, rate=rate, growth=growth, down=down, up=20.0
        )
        if not isinstance(model.answer_or_refusals(at), str):
            answered += 1
            most = window / rtt if model.knows_window else math.inf
            assert 0.0 < model.answer(at) <= min(most, at.capacity) * (1 + 1e-9), at
    assert (answered > 0) == ((growth == "cubic") == (name in ("rfc9438", "cubic-chain")))
