"""BBR on random losses: the model by hand, and beside the simulator of Linux."""

import math

import pytest

from airtcp import Scenario, analyse, simulate
from airtcp.models.zoo import ZOO, Conditions, ModelAnswer, bbr


def conditions_at(loss_rate: float, pipe: float, rtt: float, **more: object) -> Conditions:
    rate = pipe / rtt * 8 * 1448
    words = {"growth": "bbr", "profile": "linux", "mss": 1448, **more}
    return Conditions(rtt=rtt, loss_rate=loss_rate, rate=rate, **words)  # type: ignore[arg-type]


def test_probing_for_the_round_trip_by_hand() -> None:
    """RTT 0.1 s, 100 packets: 96 of 100 are missing for 0.3 of 10.3 s; never with 4 packets."""
    assert bbr.share_left_by_probing(0.1, 100) == pytest.approx(1 - 0.96 * 0.3 / 10.3)
    assert bbr.share_left_by_probing(0.5, 100) == pytest.approx(1 - 0.96 * 1.0 / 11.0)
    assert bbr.share_left_by_probing(0.1, 4) == bbr.share_left_by_probing(0.1, 2) == 1.0


def test_the_link_is_busy_by_hand() -> None:
    """A tenth lost, 100 packets a round: .99 (.9 + 1.5388 x .03) = .9367; 10 packets: all of it."""
    assert bbr.busy_share(0.1, 100) == pytest.approx(0.99 * (0.9 + 1.5388 * 0.03))
    assert bbr.busy_share(0.1, 10) == 1.0


def test_where_probing_does_not_fill_the_link_there_is_no_answer() -> None:
    """1.25 x .99 (1 - p) = 1 at p = .1919."""
    model = ZOO["bbr"]
    assert isinstance(model.answer_or_refusals(conditions_at(0.19, 100, 0.1)), ModelAnswer)
    assert "loss rates up to .19" in str(model.answer_or_refusals(conditions_at(0.193, 100, 0.1)))
    assert "BBR only" in str(
        model.answer_or_refusals(conditions_at(0.01, 100, 0.1, growth="cubic"))
    )
    assert "a link with a rate" in str(model.answer_or_refusals(Conditions(rtt=0.1, growth="bbr")))


def scenario(congestion: str, loss_rate: float) -> Scenario:
    hop = {"rate": "20Mbps", "delay": "20ms", "queue": 70}
    channel = {"kind": "iid", "loss_rate": loss_rate}
    document = {
        "profile": "linux",
        "tcp": {"congestion": congestion},
        "path": {"hop": [{**hop, "channel": channel}]},
        "stop": {"time": "100s", "warmup": "10s", "replications": 4},
    }
    return Scenario.from_dict(document)


@pytest.mark.parametrize("loss_rate", [0.0003, 0.003, 0.02, 0.07])
def test_bbr_in_its_range(loss_rate: float) -> None:
    """5 %, and 1 % for four runs; a formula without the share delivered would be 7 % off."""
    answers = analyse(scenario("bbr", loss_rate)).set_index("model")
    assert answers["note"].eq("").sum() == 1
    said = answers.loc["bbr"]
    runs = simulate(scenario("bbr", loss_rate), seed=5).to_pandas()
    assert said["throughput_pps"] == pytest.approx(runs["throughput_pps"].mean(), rel=0.06)


@pytest.mark.parametrize(
    ("congestion", "models"),
    [("reno", ["mathis", "pftk", "pftk-approximate"]), ("cubic", ["rfc9438", "cubic-chain"])],
)
def test_formulas_of_reno_and_cubic_answer_for_linux_and_know_their_range_there(
    congestion: str, models: list[str]
) -> None:
    """25 % at a loss rate of 0.002, the bound of their ranges (20 %) and the difference of TCPs."""
    answers = analyse(scenario(congestion, 0.002))
    answers = answers[answers["note"] == ""]
    assert list(answers["model"]) == models
    outside = answers["remark"].str.fullmatch("rtt = 40.6 ms is outside 100 to 500 ms")
    assert outside.tolist() == [name in ("pftk", "cubic-chain") for name in models]
    assert (answers["within_range"] == ~outside).all()
    assert (answers["remark"][~outside] == "").all()
    runs = simulate(scenario(congestion, 0.002), seed=5).to_pandas()
    for answer in answers["throughput_pps"]:
        assert answer == pytest.approx(runs["throughput_pps"].mean(), rel=0.25)


def test_formulas_with_timers_of_their_own_do_not_answer_for_linux() -> None:
    hop = {"rate": "2Mbps", "delay": "20ms", "queue": 50}
    gate = {"kind": "on-off", "up": "3s", "down": "500ms"}
    document = {"profile": "linux", "path": {"hop": [{**hop, "gate": gate}]}}
    said = analyse(Scenario.from_dict(document)).set_index("model")
    assert "the timer of RFC 6298, not that of Linux" in said.loc["outages", "note"]
    assert math.isnan(said.loc["outages", "throughput_pps"])
