"""Gates that hold packets: which the renewal model has, and its answers beside the simulator."""

import math
from typing import Any

import pytest
from scipy import stats

from airtcp import Scenario, run, simulate
from airtcp.models import kuusela
from airtcp.models.zoo import ZOO, Conditions, ModelAnswer
from airtcp.models.zoo.path import PathConditions, conditions_of_point
from airtcp.models.zoo.spikes import DelaySpikes

FIXED = {"kind": "fixed", "value": "2s"}
EXPONENTIAL = {"kind": "exponential", "mean": "20s"}


def scenario(gate: dict[str, Any], **hop: Any) -> Scenario:
    tcp = {"variant": "sack", "window": 24, "delayed_ack": "0s"}
    link = {"rate": "200kbps", "delay": "100ms", "queue": 50, "gate": gate, **hop}
    stop = {"time": "8000s", "warmup": "100s", "replications": 10}
    return Scenario.from_dict({"profile": "rfc", "tcp": tcp, "path": {"hop": [link]}, "stop": stop})


def spikes(interval: Any, duration: Any = None, **more: Any) -> dict[str, Any]:
    return {"kind": "spikes", "interval": interval, "duration": duration or FIXED, **more}


def conditions_or_refusal(given: Scenario) -> PathConditions | str:
    return conditions_of_point(given.points()[0])


def conditions_of(given: Scenario) -> Conditions:
    found = conditions_or_refusal(given)
    assert isinstance(found, PathConditions), found
    return found.conditions


def lengths(kind: str, **values: Any) -> dict[str, Any]:
    return {"kind": kind, **values}


LAWS = {
    "fixed": (lengths("fixed", value="20s"), 20.0, 20.0),
    "uniform": (lengths("uniform", min="10s", max="50s"), stats.uniform(10, 40), 30.0),
    "exponential": (EXPONENTIAL, stats.expon(scale=20.0), 20.0),
    "pareto": (lengths("pareto", shape=1.5, mean="30s"), stats.pareto(1.5, scale=10.0), 30.0),
    "pareto from": (lengths("pareto", shape=2.5, min="6s"), stats.pareto(2.5, scale=6.0), 10.0),
    "lomax": (lengths("lomax", shape=3.0, mean="30s"), stats.lomax(3.0, scale=60.0), 30.0),
}


@pytest.mark.parametrize(("law", "frozen", "mean"), LAWS.values(), ids=LAWS)
def test_the_answer_is_that_of_the_renewal_model(law: Any, frozen: Any, mean: float) -> None:
    """The laws of a scenario are the distributions of SciPy; to rounding (1e-9)."""
    found = conditions_of(scenario(spikes(law)))
    assert isinstance(found.spikes, DelaySpikes)
    assert (found.interval, found.spike) == (pytest.approx(mean), 2.0)
    link = {"rtt": found.rtt, "capacity": found.capacity, "initial_rate": 1.0 / found.rtt}
    expected = kuusela.renewal(frozen, spike=2.0, **link)
    assert ZOO["kuusela"].answer(found) == pytest.approx(expected, rel=1e-9)
    assert isinstance(ZOO["kuusela"].answer_or_refusals(found), ModelAnswer)


def test_a_chain_of_laws() -> None:
    chain = {
        "kind": "modulated",
        "laws": [lengths("exponential", mean="15s"), lengths("fixed", value="40s")],
        "transition": [[0.9, 0.1], [0.3, 0.7]],
    }
    found = conditions_of(scenario(spikes(chain)))
    assert found.interval == pytest.approx(0.75 * 15 + 0.25 * 40)
    link = {"rtt": found.rtt, "capacity": found.capacity, "initial_rate": 1.0 / found.rtt}
    laws = [stats.expon(scale=15.0), 40.0]
    expected = kuusela.markov_renewal(laws, chain["transition"], spike=2.0, **link)
    assert ZOO["kuusela"].answer(found) == pytest.approx(expected, rel=1e-9)


def test_gates_that_hold_are_spikes_after_gaps() -> None:
    on_off = conditions_of(
        scenario({"kind": "on-off", "up": "20s", "down": "3s", "loses": "nothing"})
    )
    assert (on_off.interval, on_off.spike, on_off.down) == (23.0, 3.0, 0.0)
    link = {"rtt": on_off.rtt, "capacity": on_off.capacity, "initial_rate": 1.0 / on_off.rtt}
    up, down = stats.expon(scale=20.0), stats.expon(scale=3.0)
    expected = kuusela.renewal(up, spike=down, reading="gap", **link)
    assert ZOO["kuusela"].answer(on_off) == pytest.approx(expected, rel=1e-9)
    periodic = conditions_of(
        scenario({"kind": "periodic", "up": "20s", "down": "3s", "loses": "nothing"})
    )
    expected = kuusela.renewal(20.0, spike=3.0, reading="gap", **link)
    assert ZOO["kuusela"].answer(periodic) == pytest.approx(expected, rel=1e-9)


def test_a_window_that_does_not_fill_the_link_is_the_capacity() -> None:
    short = conditions_of(scenario(spikes(EXPONENTIAL)).replace("tcp.window", 2))
    assert short.window / short.rtt < short.capacity
    assert ZOO["kuusela"].answer(short) < short.window / short.rtt


NOT_SPIKES = {
    "one way": (spikes(EXPONENTIAL, direction="forward"), "in one direction alone"),
    "listed": (spikes(lengths("values", values=["3s", "9s"])), "no spikes of such distributions"),
    "may meet": (
        spikes(lengths("uniform", min="1s", max="9s"), EXPONENTIAL),
        "no spikes of random length that may meet",
    ),
}


@pytest.mark.parametrize(("gate", "why"), NOT_SPIKES.values(), ids=NOT_SPIKES)
def test_spikes_that_the_model_has_not(gate: dict[str, Any], why: str) -> None:
    found = conditions_or_refusal(scenario(gate))
    assert isinstance(found, str)
    assert found.endswith(why)


def test_other_models_have_no_spikes() -> None:
    held = conditions_of(scenario(spikes(EXPONENTIAL)))
    lossy = conditions_of(scenario(spikes(EXPONENTIAL), channel={"kind": "iid", "loss_rate": 0.01}))
    assert ZOO["kuusela"].answer_or_refusals(lossy) == "the model does not cover other losses"
    assert ZOO["mathis"].answer_or_refusals(lossy) == "the model does not cover delay spikes"
    assert "the model does not cover delay spikes" in str(ZOO["outages"].answer_or_refusals(held))
    assert "the model needs delay spikes" in str(
        ZOO["kuusela"].answer_or_refusals(Conditions(rtt=0.1))
    )
    assert (Conditions(rtt=0.1).interval, Conditions(rtt=0.1).spike) == (math.inf, 0.0)


@pytest.mark.parametrize("length", [1.5, 5])
@pytest.mark.parametrize("kind", ["spikes", "on-off"])
def test_the_simulator_agrees(kind: str, length: float) -> None:
    """6 %: some 3 % for what the model leaves out, and three standard errors."""
    gate = {"kind": "on-off", "up": "20s", "down": f"{length}s", "loses": "nothing"}
    if kind == "spikes":
        gate = spikes(EXPONENTIAL, {"kind": "fixed", "value": f"{length}s"})
    given = scenario(gate)
    seen = simulate(given, seed=5).summary()["throughput_pps"].iloc[0]
    assert ZOO["kuusela"].answer(conditions_of(given)) == pytest.approx(seen, rel=0.06)


def test_runs_show_the_model_beside_the_simulation() -> None:
    given = scenario(spikes(EXPONENTIAL)).replace({"stop.time": "1000s", "stop.replications": 3})
    models = run(given).models
    assert models["model"].tolist() == ["kuusela"]
    assert models["throughput_pps"][0] == ZOO["kuusela"].answer(conditions_of(given))
    assert abs(models["error_percent"][0]) < 30.0
