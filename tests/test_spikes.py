"""Delay spikes: their laws against SciPy, what they do to a TCP, and the ns-2 values of the paper.

Statistical tests have fixed seeds and say their confidence.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from airtcp import Scenario, _native, simulate, spec, trace
from airtcp.errors import InputError

Law = dict[str, Any]
CONFIDENCE = 0.9999  # of each test of a law: a right one fails it once in 10 000 seeds
DRAWS = 20_000
SECOND: Law = {"kind": "fixed", "value": "1s"}


def spikes(interval: Law, duration: Law, **more: str) -> dict[str, Any]:
    return {"kind": "spikes", "interval": interval, "duration": duration, **more}


def document(gate: dict[str, Any], **tcp: object) -> dict[str, Any]:
    """The link of [kuusela2004, section 3.1]."""
    hop = {"rate": "40kbps", "delay": "100ms", "gate": gate}
    return {
        "profile": "ns2",
        "tcp": {"variant": "sack", "window": 6, "packet": "576B", **tcp},
        "path": {"hop": [hop]},
        "stop": {"time": "40s", "replications": 1},
    }


def once(at: str, length: str, **more: str) -> dict[str, Any]:
    """One spike."""
    interval = {"kind": "values", "values": [at], "repeat": False}
    return spikes(interval, {"kind": "fixed", "value": length}, **more)


def drawn(law: Law, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaps drawn by a law, and durations drawn by it, seconds."""
    gate = json.dumps(spikes(law, law, timing="gap"))
    edges = np.array(_native.outages(gate, seed, "hop0/gate", 0, DRAWS)) / 1e9
    ends = np.concatenate([[0.0], edges[:-1, 1]])
    return edges[:, 0] - ends, edges[:, 1] - edges[:, 0]


LAWS: list[tuple[Law, Any]] = [
    ({"kind": "uniform", "min": "10s", "max": "50s"}, stats.uniform(10.0, 40.0)),
    ({"kind": "exponential", "mean": "30s"}, stats.expon(scale=30.0)),
    ({"kind": "pareto", "shape": 1.5, "mean": "30s"}, stats.pareto(1.5, scale=10.0)),
    ({"kind": "pareto", "shape": 2.5, "min": "2s"}, stats.pareto(2.5, scale=2.0)),
    ({"kind": "lomax", "shape": 1.5, "mean": "30s"}, stats.lomax(1.5, scale=15.0)),
]


@pytest.mark.parametrize(("law", "expected"), LAWS)
def test_laws_are_those_of_scipy(law: Law, expected: Any) -> None:
    """Kolmogorov and Smirnov's test; intervals and durations do not depend on each other."""
    gaps, lengths = drawn(law, 8)
    for found in (gaps, lengths):
        assert stats.kstest(found, expected.cdf).pvalue > 1.0 - CONFIDENCE
        assert stats.spearmanr(found[:-1], found[1:]).pvalue > 1.0 - CONFIDENCE
    assert stats.spearmanr(gaps, lengths).pvalue > 1.0 - CONFIDENCE


def test_a_modulated_law_is_the_mixture_by_the_shares_of_the_chain() -> None:
    """A third of the draws are of the first law; a third at a time is nearly independent."""
    laws = [{"kind": "exponential", "mean": "1s"}, {"kind": "uniform", "min": "2s", "max": "3s"}]
    law = {"kind": "modulated", "laws": laws, "transition": [[0.5, 0.5], [0.25, 0.75]]}
    gaps, _ = drawn(law, 5)

    def mixture(x: np.ndarray) -> np.ndarray:
        below: np.ndarray = (stats.expon.cdf(x) + 2.0 * stats.uniform.cdf(x, 2.0, 1.0)) / 3.0
        return below

    assert stats.kstest(gaps[::10], mixture).pvalue > 1.0 - CONFIDENCE


def test_values_come_in_their_order_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text("value\n1.5\n4\n", encoding="utf-8")
    (tmp_path / "x.json").write_text(
        json.dumps(document(spikes({"kind": "values", "file": "gaps.csv"}, SECOND))),
        encoding="utf-8",
    )
    gate = Scenario.load(tmp_path / "x.json").to_dict()["path"]["hop"][0]["gate"]
    assert gate["interval"] == {"kind": "values", "values": ["1.5s", "4.0s"]}
    gaps, _ = drawn(gate["interval"], 1)
    np.testing.assert_allclose(gaps[:4], [1.5, 4.0, 1.5, 4.0], rtol=1e-9)


def test_a_law_may_be_an_axis_and_a_dataclass() -> None:
    gate = spec.DelaySpikes(
        interval=[spec.ExponentialLaw(mean="30s"), spec.ParetoLaw(shape=[1.5, 2.5], mean="30s")],
        duration=spec.FixedLaw(value="5s"),
        timing=["start", "gap"],
    )
    hop = spec.Hop(rate="40kbps", delay="100ms", gate=gate)
    sweep = Scenario(profile="ns2", tcp=spec.Ns2Tcp(variant="sack"), path=spec.Path(hop=[hop]))
    assert len(sweep.points()) == 6
    again = Scenario.from_dict(sweep.to_dict()).points()
    assert [point.hash for point in again] == [point.hash for point in sweep.points()]


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ({"kind": "parto"}, 'interval.kind: unknown kind "parto"; did you mean "pareto"?'),
        ({"kind": "lomax", "shape": 1, "mean": "1s"}, "interval.shape: 1 gives an infinite mean"),
        ({"kind": "uniform", "min": "2s"}, "interval.max: missing"),
        ({"kind": "fixed", "value": "-1s"}, "interval.value"),
        ({"kind": "fixed", "value": "5s"}, "duration: spikes of at least 5 s, one at least every"),
    ],
)
def test_refusals(law: Law, words: str) -> None:
    gate = spikes(law, {"kind": "fixed", "value": "5s"})
    with pytest.raises(InputError) as refused:
        Scenario.from_dict(document(gate)).points()
    assert str(refused.value).count("\n") == 0
    assert f"path.hop[0].gate.{words}" in str(refused.value)


# Effects of spikes


def test_packets_wait_and_keep_their_order_and_those_under_way_go_on() -> None:
    """From 10 to 12 s nothing begins; what had begun arrives by 10 s + an airtime + the delay."""
    events = trace(Scenario.from_dict(document(once("10s", "2s", direction="forward"))))
    begun = events.time[events.rows("arrive")] - 0.1 - 0.1152
    assert not ((begun > 10.0) & (begun < 11.999)).any()
    assert ((begun > 9.8) & (begun <= 10.0)).any()
    assert (begun > 12.0).any()
    packets = events.columns["packet"]
    first = dict.fromkeys(packets[events.rows("arrive")].tolist())
    assert list(first) == sorted(first)
    assert not len(events.rows("drop", "ack-drop"))


@pytest.mark.parametrize("window", [3, 6])
@pytest.mark.parametrize("direction", ["both", "forward", "back"])
def test_a_spike_that_times_out_costs_the_window_and_a_packet_per_further_timeout(
    window: int, direction: str
) -> None:
    scenario = Scenario.from_dict(document(once("20s", "7.5s", direction=direction)))
    run = simulate(scenario.replace("tcp.window", window), seed=1).to_pandas().iloc[0]
    assert run["timeouts"] == 3  # RTO 1, 2, 4 s
    assert run["resent"] == window + run["timeouts"] - 1
    assert run["spurious_timeouts"] == run["timeouts"]
    assert run["duplicates"] == run["resent"]


def test_spurious_timeouts_are_events_when_they_become_known() -> None:
    """At the expiry where only ACKs are held, at the arrival of the first copy else."""
    for direction, known in (("back", [21.09, 23.09, 27.09]), ("forward", [27.7] * 3)):
        events = trace(Scenario.from_dict(document(once("20s", "7.5s", direction=direction))))
        rows = events.rows("spurious")
        np.testing.assert_allclose(events.time[rows], known, atol=0.15)
        late = events.columns["packet"][events.rows("timeout")]
        assert events.columns["packet"][rows].tolist() == late.tolist()
        assert set(events.columns["node"][rows]) == {int(direction == "forward")}
        row = events.take(rows).to_pandas().iloc[0]
        assert row[["cwnd", "length", "size", "sack"]].isna().all()


def test_a_timeout_after_a_loss_is_genuine_also_in_a_spike() -> None:
    """The packet is lost; the first copy that a spike then holds is that of the timeout."""
    lossy = document(once("20s", "1us", direction="forward"), window=1)
    lossy["path"]["hop"][0]["drop"] = [[5, 1]]
    run = simulate(Scenario.from_dict(lossy), seed=1).to_pandas().iloc[0]
    assert (run["timeouts"], run["spurious_timeouts"]) == (1, 0)
    held = document(once("3s", "20s", direction="forward"), window=1)
    held["path"]["hop"][0]["drop"] = [[5, 1]]
    run = simulate(Scenario.from_dict(held), seed=1).to_pandas().iloc[0]
    assert run["spurious_timeouts"] == run["timeouts"] - 1


# Reference values [kuusela reading, section 10]

LONG, SHORT = ("5s", "10s"), ("1s", "5s")  # durations in Figs. 3 and 4
REFERENCE = [  # independent ns-2 runs: rate, durations, window, goodput at E(T) = 60 s
    ("40kbps", LONG, 6, 34490.0),
    ("40kbps", LONG, 20, 33623.0),
    ("100kbps", LONG, 6, 86644.0),
    ("100kbps", LONG, 20, 86071.0),
    ("40kbps", SHORT, 6, 37548.0),
    ("40kbps", SHORT, 20, 37189.0),
]


@pytest.mark.parametrize(("rate", "durations", "window", "expected"), REFERENCE)
def test_goodput_is_that_of_ns2(
    rate: str, durations: tuple[str, str], window: int, expected: float
) -> None:
    """Within 2 %, with 99.9 % confidence: the interval of the mean lies within."""
    interval = {"kind": "uniform", "min": "10s", "max": "110s"}
    duration = {"kind": "uniform", "min": durations[0], "max": durations[1]}
    scenario = Scenario.from_dict(document(spikes(interval, duration), window=window)).replace(
        {"path.hop[0].rate": rate, "stop.time": "40000s"}
    )
    goodput = simulate(scenario, replications=8, seed=1).to_pandas()["goodput_bps"]
    half = stats.t.ppf(0.9995, 7) * goodput.std() / np.sqrt(8.0)
    assert abs(goodput.mean() - expected) + half < 0.02 * expected
