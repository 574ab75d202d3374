"""The models of random losses beside the simulator, at the ends of the ranges that they state."""

import itertools
import math

import pytest

from airtcp import Scenario, simulate
from airtcp.models.zoo import ZOO, Conditions, Covered


def throughput(variant: str, growth: str, loss_rate: float) -> float:
    hop = {"rate": "10Gbps", "delay": "50ms", "queue": 20_000}
    document = {
        "profile": "rfc",
        "tcp": {"variant": variant, "growth": growth, "window": 3000, "delayed_ack": "0s"},
        "path": {"hop": [{**hop, "channel": {"kind": "iid", "loss_rate": loss_rate}}]},
        "stop": {"time": "400s", "replications": 10},
    }
    return float(
        simulate(Scenario.from_dict(document), seed=3).to_pandas()["throughput_pps"].mean()
    )


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
@pytest.mark.parametrize("end", [False, True])
def test_models_hold_in_their_ranges(name: str, variant: str, growth: str, end: bool) -> None:
    """20 %, as `Model.range` says, and 3 % for the standard error of the simulation."""
    model = ZOO[name]
    loss_rate = model.range["loss_rate"][1] if end else 0.001
    conditions = Conditions(rtt=0.1, loss_rate=loss_rate, variant=variant, growth=growth)
    assert model.covers(conditions) == Covered()
    found = throughput(variant, growth, loss_rate)
    assert model.answer(conditions) == pytest.approx(found, rel=0.23)


@pytest.mark.parametrize("name", ZOO)
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
        if not isinstance(model.covers(at), str):
            answered += 1
            most = window / rtt if model.knows_window else math.inf
            assert 0.0 < model.answer(at) <= min(most, at.capacity) * (1 + 1e-9), at
    assert (answered > 0) == ((growth == "cubic") == (name in ("rfc9438", "cubic-chain")))
