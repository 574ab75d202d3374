"""Paths that are links on slots: which ones are, and the idealised models on them."""

from typing import Any

import pytest

from airtcp import Scenario, TwoState, run, simulate
from airtcp.models import chockalingam, zorzi
from airtcp.models.zoo import ZOO, Conditions, ModelAnswer
from airtcp.models.zoo.path import PathConditions, conditions_of_point
from airtcp.models.zoo.slots import SlottedHop

BURST = {"kind": "burst", "loss_rate": 0.05, "mean_burst": 3.0}
IID = {"kind": "iid", "loss_rate": 0.01}
BACK = {"rate": "100Gbps", "delay": "0s"}
HOP: dict[str, Any] = {"rate": "1.2Mbps", "delay": "0s", "slotted": True, "back": BACK}  # 10 ms


def scenario(hop: dict[str, Any], window: int = 24, variant: str = "newreno") -> Scenario:
    tcp = {"variant": variant, "window": window, "delayed_ack": "0s"}
    path = {"hop": [{**HOP, **hop}]}
    stop = {"time": "4000s", "warmup": "100s", "replications": 10}
    return Scenario.from_dict({"profile": "rfc", "tcp": tcp, "path": path, "stop": stop})


def conditions_of(given: Scenario) -> Conditions:
    said = conditions_of_point(given.points()[0])
    assert isinstance(said, PathConditions), said
    return said.conditions


def test_a_slotted_hop_is_a_link_on_slots() -> None:
    found = conditions_of(scenario({"channel": BURST}))
    channel = TwoState.from_burst(loss_rate=0.05, mean_burst=3.0)
    assert isinstance(found.slots, SlottedHop)
    assert found.slots == SlottedHop(
        slot_seconds=pytest.approx(0.01, rel=1e-9), channel=found.slots.channel
    )
    assert found.slots.channel.p_gb == pytest.approx(channel.p_gb)
    assert (found.slots.channel.p_bg, found.burst) == (channel.p_bg, pytest.approx(3.0))
    assert found.loss_rate == pytest.approx(0.05)
    assert found.feedback == pytest.approx(0.0, abs=1e-4)
    assert found.timer == pytest.approx(100.0)
    back = {**BACK, "delay": "20ms"}
    assert conditions_of(scenario({"channel": BURST, "back": back})).feedback == pytest.approx(
        2.0, abs=1e-4
    )


def test_transmissions_start_at_any_time_where_losses_are_independent() -> None:
    found = conditions_of(scenario({"channel": IID, "slotted": False}))
    assert found.slots is not None
    assert not found.slots.slotted
    assert isinstance(ZOO["zorzi"].answer_or_refusals(found), ModelAnswer)
    on_time = conditions_of(scenario({"channel": BURST, "slotted": False}))
    assert on_time.slots is None
    said = "the model needs losses on the slots of a single hop"
    assert ZOO["zorzi"].answer_or_refusals(on_time) == said


NOT_ON_SLOTS = {
    "lost ACKs": ({"back": {**BACK, "channel": IID}}, "do not cover losses of ACKs"),
    "queue": ({"queue": 20}, "do not cover a queue that overflows"),
    "node": ({"exit": IID}, "do not cover losses at a node"),
    "packet clock": ({"channel": {**BURST, "clock": "packet"}}, "a two-state chain on slots"),
    "hidden": (
        {"channel": {"kind": "gilbert-elliott", "p": 0.1, "r": 0.2, "h": 0.5}},
        "a two-state chain on slots",
    ),
    "late NAKs": (
        {"arq": {"fragment": "300B", "attempts": 2, "feedback_delay": "5ms"}},
        "no link layer whose feedback is late or lost",
    ),
}


@pytest.mark.parametrize(("hop", "why"), NOT_ON_SLOTS.values(), ids=NOT_ON_SLOTS)
def test_what_links_on_slots_have_not(hop: dict[str, Any], why: str) -> None:
    said = conditions_of_point(scenario({"channel": BURST, **hop}).points()[0])
    assert isinstance(said, str)
    assert "the formulas on slots " in said
    assert said.endswith(why)


@pytest.mark.parametrize("variant", ["tahoe", "reno", "newreno", "sack"])
def test_the_answer_is_that_of_the_slots(variant: str) -> None:
    """To rounding: the rates of the path are those of the model per slot, times slots per s."""
    found = conditions_of(scenario({"channel": BURST}, variant=variant))
    channel = TwoState.from_burst(loss_rate=0.05, mean_burst=3.0)
    method = "exact" if variant == "sack" else "embedded"
    expected = zorzi.solve(variant, channel, window=24, timeout=100, method=method).throughput
    assert ZOO["zorzi"].answer(found) == pytest.approx(expected / 0.01, rel=1e-9)
    assert isinstance(ZOO["zorzi"].answer_or_refusals(found), ModelAnswer)
    assert ZOO["zorzi"].missing_aspect(found) == ""


def test_over_a_link_layer_that_retransmits() -> None:
    """The losses that are left are those of packets sent one after the other.

    A sender that waits after a loss meets fewer: the simulator counts 5 % less; 8 %.
    """
    arq = {"fragment": "300B", "attempts": 1, "count": "retransmissions"}
    given = scenario({"channel": BURST, "arq": arq}, window=12)
    found = conditions_of(given)
    assert found.slots is not None
    assert (found.slots.fragments, found.slots.attempts) == (5, 2)
    assert found.timer == pytest.approx(100.0)
    channel = TwoState.from_burst(loss_rate=0.05, mean_burst=3.0)
    case = {"window": 12, "fragments": 5, "attempts": 2, "timeout": 500}
    expected = chockalingam.solve("newreno", channel, **case).throughput / 0.01
    assert ZOO["chockalingam"].answer(found) == pytest.approx(expected, rel=1e-9)
    assert "the model does not cover link layer that retransmits" in str(
        ZOO["zorzi"].answer_or_refusals(found)
    )
    assert "the model does not cover link layer that retransmits" in str(
        ZOO["pftk"].answer_or_refusals(found)
    )
    seen = simulate(given, seed=3).summary()["lost_share"].iloc[0]
    assert found.loss_rate == pytest.approx(seen, rel=0.08)


@pytest.mark.parametrize(
    ("hop", "variant"),
    [
        ({"channel": {**BURST, "loss_rate": 0.01}}, "tahoe"),
        ({"channel": {**BURST, "loss_rate": 0.01}}, "sack"),
        ({"channel": IID, "slotted": False}, "newreno"),
    ],
)
def test_a_sender_by_the_rfcs_does_nearly_as_well(hop: dict[str, Any], variant: str) -> None:
    """5 %: the models leave out backoff, one timer for all, and new packets in recovery."""
    given = scenario(hop, variant=variant)
    seen = simulate(given, seed=5).summary()["throughput_pps"].iloc[0]
    assert ZOO["zorzi"].answer(conditions_of(given)) == pytest.approx(seen, rel=0.05)


REFUSED = {
    "window": ({"channel": IID}, 500, "newreno", "windows up to 128, for SACK up to 24"),
    "sack": ({"channel": IID}, 25, "sack", "windows up to 128, for SACK up to 24"),
    "timer": ({"channel": IID}, 110, "newreno", "the model needs a timer that outlasts the window"),
    "long": (
        {"channel": IID, "back": {**BACK, "delay": "70ms"}},
        6,
        "newreno",
        "needs a window that fills",
    ),
    "late": ({"channel": IID, "back": {**BACK, "delay": "110ms"}}, 24, "newreno", "ACKs within"),
    "no losses": ({"channel": {**IID, "loss_rate": 0.0}}, 6, "reno", "needs random losses"),
}


@pytest.mark.parametrize(("hop", "window", "variant", "why"), REFUSED.values(), ids=REFUSED)
def test_what_the_model_refuses(hop: dict[str, Any], window: int, variant: str, why: str) -> None:
    given = scenario(hop, window, variant)
    if "timer" in why:
        given = given.replace("tcp.min_rto", "1s").replace("path.hop[0].rate", "1.19Mbps")
        given = given.replace("tcp.window", 120)
    said = ZOO["zorzi"].answer_or_refusals(conditions_of(given))
    assert isinstance(said, str)
    assert why in said


def test_runs_show_the_models_of_the_papers_beside_the_simulation() -> None:
    """The link layer decides between the two answers; the error is that of the answer."""
    arq = {"fragment": "500B", "attempts": 2}
    for hop, name in (
        ({"channel": BURST}, "zorzi"),
        ({"channel": BURST, "arq": arq}, "chockalingam"),
    ):
        given = scenario(hop, window=12).replace({"stop.time": "300s", "stop.replications": 3})
        models = run(given).models
        assert models["model"].tolist() == [name]
        answer, seen = models["throughput_pps"][0], models["simulation_throughput_pps"][0]
        assert answer == ZOO[name].answer(conditions_of(given))
        assert models["error_percent"][0] == pytest.approx(100.0 * (answer / seen - 1.0))
        assert abs(models["error_percent"][0]) < 50.0
