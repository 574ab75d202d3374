"""Outages of any law, and laws of measured delays, in scenarios: runs, refusals, and formulas."""

from typing import Any

import pytest

from airtcp import InputError, Scenario, simulate
from airtcp.models.zoo.path import PathConditions, conditions_of_point

DOWN = {"kind": "hyper-exponential", "weights": [0.9, 0.1], "means": ["0.1s", "3s"]}
JITTER = {
    "kind": "autoregressive",
    "marginal": {"kind": "gamma", "shape": 2.5, "mean": "8ms"},
    "correlation": 0.9,
}


def scenario(gate: dict[str, Any], **hop: Any) -> Scenario:
    link = {"rate": "8Mbps", "delay": "20ms", "queue": 50, "gate": gate, **hop}
    return Scenario.from_dict(
        {
            "profile": "rfc",
            "tcp": {"variant": "newreno", "window": 64},
            "path": {"hop": [link]},
            "stop": {"time": "60s", "replications": 8},
        }
    )


def throughput(made: Scenario) -> list[float]:
    return simulate(made, seed=3).to_pandas()["throughput_pps"].tolist()


def test_a_mean_is_the_exponential_law_of_that_mean() -> None:
    """Draws differ, so the law of the throughput is compared: five standard errors of 8 runs."""
    mean = throughput(scenario({"kind": "on-off", "up": "2s", "down": "0.3s"}))
    down = {"kind": "exponential", "mean": "0.3s"}
    by_law = throughput(scenario({"kind": "on-off", "up": "2s", "down": down}))
    assert mean != by_law
    a, b = sum(mean) / 8, sum(by_law) / 8
    spread = (sum((x - a) ** 2 for x in mean) + sum((x - b) ** 2 for x in by_law)) / 7
    assert abs(a - b) < 5.0 * (spread / 8) ** 0.5


def test_outages_and_delays_of_fitted_laws_run() -> None:
    up = {"kind": "log-normal", "median": "5s", "sigma": 1.2}
    runs = throughput(scenario({"kind": "on-off", "up": up, "down": DOWN}, jitter=JITTER))
    assert len(set(runs)) == 8
    assert min(runs) > 0.0


@pytest.mark.parametrize(
    ("down", "message"),
    [
        ({**DOWN, "means": ["0.1s"]}, "gate.down.means"),
        ({"kind": "log-normal", "sigma": 1.0}, "gate.down.mean"),
        ({"kind": "gama", "shape": 1, "mean": "1s"}, "gamma"),
        ({"kind": "fixed", "value": "10ns"}, "gate.down: a mean of"),
        ("10ns", "gate.down: 10ns is too short"),
        (3, "gate.down"),
    ],
)
def test_faults_are_named_where_they_are(down: Any, message: str) -> None:
    with pytest.raises(InputError) as refused:
        scenario({"kind": "on-off", "up": "2s", "down": down})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def formulas(gate: dict[str, Any]) -> PathConditions | str:
    return conditions_of_point(scenario(gate).points()[0])


def test_formulas_have_outages_of_exponential_laws_alone() -> None:
    assert isinstance(formulas({"kind": "on-off", "up": "2s", "down": "0.3s"}), PathConditions)
    refused = formulas({"kind": "on-off", "up": "2s", "down": DOWN})
    assert "cover only outages with exponential lengths and intervals" in str(refused)


def test_formulas_have_the_spikes_of_a_gate_that_loses_nothing_by_its_law() -> None:
    held = {"kind": "on-off", "up": "2s", "loses": "nothing"}
    by_mean = formulas({**held, "down": "0.3s"})
    assert isinstance(by_mean, PathConditions)
    assert formulas({**held, "down": {"kind": "exponential", "mean": "0.3s"}}) == by_mean
    assert "no spikes of such distributions" in str(formulas({**held, "down": DOWN}))
