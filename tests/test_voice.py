"""Calls: the delay of cross-traffic, and the rating that the E-model gives a call for it."""

import math
from typing import Any

import pytest

import airtcp as at
from airtcp.metrics import voice


def call(queue: object, flows: list[dict[str, object]], **stop: object) -> Any:
    """The means of a call's metrics, beside flows over a link of 10 Mbit/s and 20 ms."""
    return played(queue, flows, **stop).summary_of("traffic").iloc[0]


def played(queue: object, flows: list[dict[str, object]], **stop: object) -> Any:
    """The runs."""
    document = {
        "profile": "linux",
        "tcp": {"congestion": "cubic"},
        "path": {"hop": [{"rate": "10Mbps", "delay": "20ms", "queue": queue}]},
        "flow": flows,
        "traffic": [{"rate": "80kbps", "packet": "200B"}],
        "stop": {"time": "20s", "replications": 2} | stop,
    }
    return at.simulate(at.Scenario.from_dict(document), links=True)


@pytest.mark.parametrize(
    ("delay", "loss", "r"),
    # By hand: 94.2 - 2.4; - 0.024 d - 0.11 (d - 177.3); - 30 ln 2.5.
    [(0.1, 0.0, 91.8), (0.3, 0.0, 94.2 - 7.2 - 13.497), (0.0, 0.1, 94.2 - 30 * math.log(2.5))],
)
def test_the_rating_is_that_of_cole_and_rosenbluth(delay: float, loss: float, r: float) -> None:
    assert voice.e_model_rating(delay, loss) == pytest.approx(r)


def test_scores_are_those_of_annex_b() -> None:
    # Table B.1 of G.107.
    printed = [4.34, 4.03, 3.60, 3.10, 2.58]
    assert voice.mean_opinion_score([90, 80, 70, 60, 50]) == pytest.approx(printed, abs=0.01)


def test_delays_alone_on_a_link_are_airtime_and_propagation() -> None:
    late = {"packets": 1, "start": "19s"}
    table = call(100, [late])
    for name in ("delay_median", "delay_p95"):
        assert table[name] == pytest.approx(0.02 + 1600 / 10e6, rel=1 / 128)


def test_a_call_alone_loses_nothing() -> None:
    # The flow that keeps the run going has its data on the way back.
    runs = played(100, [{"packets": 1, "start": "19s", "sender": "1", "receiver": "0"}])
    assert (runs.traffic["late"] == 0).all()
    found = runs.summary_of("traffic").iloc[0]
    # By hand: 94.2 - 0.024 (20 ms of speech, 20 ms of way and 0.16 ms of airtime).
    assert found["voice_r"] == pytest.approx(94.2 - 0.024 * 40.16, abs=0.005)
    assert round(found["voice_r"], 1) == 93.2
    assert round(found["voice_mos"], 2) == 4.41


def test_what_comes_too_late_is_lost() -> None:
    # Of 1000 packets: 5 are late, 20 never come.
    rated = voice.rating_of_counts(0.1, 1000, 980, 5)
    assert rated == pytest.approx(voice.e_model_rating(0.12, 0.025))
    assert math.isnan(voice.rating_of_counts(math.nan, 0, 0, 0))


def test_at_most_one_packet_in_a_hundred_is_late() -> None:
    traffic = played({"kind": "fq-codel"}, [{}]).traffic
    assert (traffic["late"] > 0).any()
    assert (traffic["late"] <= 0.01 * traffic["arrivals"]).all()


@pytest.mark.parametrize("stop", [{}, {"warmup": "6s"}])
@pytest.mark.parametrize("queue", [{"kind": "drop-tail", "packets": 200}, {"kind": "fq-codel"}])
def test_parts_are_the_whole_in_every_metric(queue: object, stop: dict[str, object]) -> None:
    flows = [{}, {"packets": 1500, "start": "12s"}]
    whole = played(queue, flows, **stop).summary_of("traffic")
    metrics = whole.select_dtypes("number").columns
    assert {"voice_r", "voice_mos", "delay_p99", "lost_share"} <= set(metrics)
    for batches in (4, 20, 200):
        parts = played(queue, flows, batches=batches, **stop).summary_of("traffic")
        for name in metrics:
            assert parts[name].to_numpy() == pytest.approx(
                whole[name].to_numpy(), rel=1e-12, nan_ok=True
            ), (name, batches)


def test_a_call_beside_a_download_is_understood_behind_fq_codel() -> None:
    deep = call({"kind": "drop-tail", "packets": 200}, [{}], replications=4)
    fair = call({"kind": "fq-codel"}, [{}], replications=4)
    # 4.03 is where most users are satisfied; the deep queue alone costs 0.24 s.
    assert fair["voice_mos_low"] > 4.2
    assert deep["voice_mos_high"] < 4.03


def test_what_was_before_the_warm_up_does_not_count() -> None:
    jam = [{"packets": 150}, {"packets": 1, "start": "9s"}]
    found = call({"kind": "drop-tail", "packets": 200}, jam, warmup="5s", time="10s")
    assert found["delay_p99"] == pytest.approx(0.02016, rel=1 / 128)
    assert call(200, jam, time="10s")["delay_p99"] > 0.03
