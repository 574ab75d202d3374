"""Verdicts: engines that are right are not called different, one that is wrong is found."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import airtcp as at
from airtcp.comparison.verdicts import comparisons
from airtcp.engines import Answer
from airtcp.engines.analysis import answer_from_table as analysed
from airtcp.engines.live import answer_from_rows as measured
from airtcp.engines.run import RunResult
from airtcp.engines.simulation import answer_from_result as simulated
from airtcp.stats.verdict import (
    AGREE,
    DIFFER,
    LEVELS,
    NOT_COMPARABLE,
    UNDECIDED,
    Estimate,
    Levels,
    Verdict,
    common_difference,
    joint_verdict,
    judge,
    ratios_of_pairs,
)

POINTS = int(os.environ.get("AIRTCP_VERDICTS", "60"))  # simulated; 1000 in full
EXACT = Estimate(1.0)


def estimate(values: np.ndarray) -> Estimate:
    return Estimate.of_runs(values.mean(), values.std(ddof=1), len(values))


# One point


def test_each_verdict() -> None:
    near, far = Estimate(1.001, 0.001, 10), Estimate(1.05, 0.001, 10)
    assert judge(EXACT, near).verdict == AGREE
    assert judge(EXACT, far).verdict == DIFFER
    assert judge(EXACT, Estimate(1.01, 0.02, 10)).verdict == UNDECIDED
    assert judge(EXACT, Estimate(math.nan)).verdict == NOT_COMPARABLE


def test_intervals_are_those_of_the_t_tests() -> None:
    """Against an exact reference the interval of the ratio is the Student interval, shifted."""
    low, high = stats.t.interval(0.96, 9, 1.001, 0.001)
    found = judge(EXACT, Estimate(1.001, 0.001, 10))
    assert (found.low, found.high) == pytest.approx((low - 1.0, high - 1.0), abs=1e-12)
    low, high = stats.t.interval(0.996, 9, 1.05, 0.001)
    found = judge(EXACT, Estimate(1.05, 0.001, 10))
    assert (found.low, found.high) == pytest.approx((low - 1.0, high - 1.0), abs=1e-12)
    assert found.p == pytest.approx(2.0 * stats.t.sf(50.0, 9))


def test_the_interval_of_a_ratio_excludes_1_where_the_test_does() -> None:
    generator = np.random.default_rng(5)
    for _ in range(300):
        a = Estimate(1.0, *generator.uniform(0.001, 0.5, 1), 8)
        b = Estimate(generator.uniform(0.5, 3.0), *generator.uniform(0.001, 0.5, 1), 5)
        found = judge(a, b)
        if found.verdict != AGREE:
            excluded = found.low > 0.0 or found.high < 0.0
            assert excluded == (found.p < LEVELS.difference_at_a_look)


def pairs(
    generator: np.random.Generator, ratio: float, *shape: int, scatter: float, own: float
) -> tuple[np.ndarray, np.ndarray]:
    """Runs that scatter together, and less by themselves."""
    common = generator.lognormal(0.0, scatter, shape)
    first, second = (common * (1.0 + own * generator.standard_normal(shape)) for _ in range(2))
    return first, ratio * second


def of_pairs(first: np.ndarray, second: np.ndarray) -> Verdict:
    covariance = float(np.cov(first, second, ddof=1)[0, 1]) / len(first)
    return judge(estimate(first), estimate(second), covariance=covariance)


def test_the_test_of_pairs_is_that_of_their_differences() -> None:
    generator = np.random.default_rng(6)
    for runs in (2, 3, 4, 10):
        for scatter in (0.05, 0.5, 2.0):
            for _ in range(60):
                first, second = pairs(generator, 1.3, runs, scatter=scatter, own=0.1)
                found = of_pairs(first, second)
                assert found.p == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-6)
                if found.verdict != AGREE:
                    excluded = found.low > 0.0 or found.high < 0.0
                    assert excluded == (found.p < LEVELS.difference_at_a_look), (first, second)
                    assert found.low <= found.difference <= found.high


@pytest.fixture
def without_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody computes how many runs would decide, which takes longer than all the rest."""
    monkeypatch.setattr("airtcp.stats.verdict._runs_needed", lambda *_: math.nan)


@pytest.mark.usefixtures("without_advice")
@pytest.mark.parametrize("runs", [3, 10])
@pytest.mark.parametrize(("scatter", "own"), [(0.3, 0.003), (0.3, 0.05), (0.01, 0.01)])
def test_pairs_keep_the_stated_levels(runs: int, scatter: float, own: float) -> None:
    """Right ones differ in .4 % of 3000 cases, wrong ones by 2 % agree in at most 2 %: both bounds
    are exceeded with a probability of 10^-5."""
    generator, cases = np.random.default_rng(7), 3000
    for ratio, verdict, level in ((1.0, DIFFER, 0.004), (1.02, AGREE, 0.02), (0.98, AGREE, 0.02)):
        drawn = (pairs(generator, ratio, runs, scatter=scatter, own=own) for _ in range(cases))
        said = sum(of_pairs(*pair).verdict == verdict for pair in drawn)
        assert said <= stats.binom.isf(1e-5, cases, level)


def test_equal_differences_are_not_told_apart_by_rounding() -> None:
    # Each run of the other is one hundredth more, which rounding made scatter by 1e-15.
    values = np.array([0.1, 0.2, 0.3, 7.1, 90.3])
    found = common_difference(ratios_of_pairs(values, values + 0.01)[None])
    assert math.isnan(found.error)
    verdict = judge(Estimate(1.0), found)
    assert verdict.verdict == UNDECIDED


def test_pairs_decide_what_means_alone_do_not() -> None:
    first, second = pairs(np.random.default_rng(8), 1.0, 5, scatter=0.3, own=0.002)
    assert judge(estimate(first), estimate(second)).verdict == UNDECIDED
    assert of_pairs(first, second).verdict == AGREE
    found = of_pairs(*pairs(np.random.default_rng(9), 1.01, 4, scatter=0.3, own=0.02))
    assert found.verdict == UNDECIDED
    assert found.runs_needed < 400


@pytest.mark.usefixtures("without_advice")
@pytest.mark.parametrize(("runs", "scatter"), [(2, 1.0), (4, 0.3)])
def test_pairs_of_many_points_keep_the_stated_level(runs: int, scatter: float) -> None:
    """Points of one run share what the path does; 2000 tables of 5 right points each."""
    generator, tables, said = np.random.default_rng(10), 2000, 0
    for _ in range(tables):
        path = generator.lognormal(0.0, scatter, (1, runs))
        first, second = (path * generator.lognormal(0.0, 0.2, (5, runs)) for _ in range(2))
        ratios = [ratios_of_pairs(a, b) for a, b in zip(first, second, strict=True)]
        assert np.allclose(np.mean(ratios, axis=1), second.mean(axis=1) / first.mean(axis=1))
        said += joint_verdict([], common_difference(ratios)).real
    assert said <= stats.binom.isf(1e-5, tables, 0.01)


def test_advised_runs_grow_with_the_variance() -> None:
    """And decide, if mean and scatter stay as they are."""
    undecided = Estimate(1.004, 0.02, 10)
    needed = judge(EXACT, undecided).runs_needed
    more = judge(EXACT, Estimate(1.004, 0.03, 10)).runs_needed
    assert more / needed == pytest.approx(2.25, rel=0.25)
    assert judge(EXACT, undecided.with_runs(needed / 10)).verdict != UNDECIDED


def test_bounds_that_are_wide_leave_it_undecided_whatever_the_runs() -> None:
    wide = Estimate(1.0, low=0.93, high=1.0)
    found = judge(wide, Estimate(0.96, 0.0001, 10))
    assert (found.verdict, found.why) == (UNDECIDED, "the bounds are too wide")
    assert judge(wide, Estimate(0.90, 0.0001, 10)).verdict == DIFFER


def test_what_has_no_error() -> None:
    alone, still = Estimate.of_runs(1.5, math.nan, 1), Estimate.of_runs(0.97, 0.0, 4)
    assert (judge(EXACT, alone).verdict, judge(EXACT, alone).why) == (
        UNDECIDED,
        "one run has no interval",
    )
    assert (judge(EXACT, still).verdict, judge(EXACT, still).why) == (
        UNDECIDED,
        "all runs are equal",
    )
    assert judge(EXACT, Estimate.of_runs(1.0, 0.0, 4)).verdict == AGREE
    assert judge(EXACT, Estimate.of_runs(1.03, 0.0, 1, exact=True)).verdict == DIFFER
    # None in 4 runs beside 35 in each: the runs scatter like the others.
    assert judge(Estimate.of_runs(0.0, 0.0, 4), Estimate(35.0, 2.0, 4)).verdict == DIFFER
    found = judge(Estimate(0.0), Estimate(35.0, 2.0, 4))
    assert (found.verdict, found.difference) == (DIFFER, math.inf)


def test_a_borrowed_error_has_the_freedom_of_its_runs() -> None:
    """The error of four runs stands for both: three degrees of freedom, whoever borrows it."""
    scattering = Estimate(1.5, 0.05, 4)
    for runs in (1, 4):
        still = Estimate.of_runs(1.0, 0.0, runs)
        error = 0.05 * math.sqrt(1.0 + 4.0 / runs)
        for pair in ((still, scattering), (scattering, still)):
            assert judge(*pair).p == pytest.approx(2.0 * stats.t.sf(0.5 / error, 3))


def test_levels_are_checked() -> None:
    with pytest.raises(at.InputError, match=r"margin = 1\.5"):
        Levels(margin=1.5)


def test_runs_most_of_which_are_alike_decide_nothing() -> None:
    """Nine of ten runs see no loss: a burst in one of a hundred decides about their mean."""
    document = {
        "profile": "zorzi",
        "tcp": {"variant": "reno", "window": 8, "timeout": 1000},
        "channel": {"kind": "burst", "loss_rate": 5e-4, "mean_burst": 10},
        "stop": {"slots": 2000},
    }
    # Of these seeds the runs seemed to differ from the exact value, by up to p = 2e-23.
    for seed in (10, 25, 37, 48, 63):
        found = at.run(document, engine="both", replications=10, seed=seed).verdicts
        row = found[found["metric"] == "throughput"].iloc[0]
        assert (row["verdict"], row["why"]) == (
            UNDECIDED,
            "a few runs cause nearly all of the scatter",
        )
        assert math.isnan(row["p"])


def test_a_common_difference_of_runs_that_are_alike_is_not_real() -> None:
    rows = np.ones((3, 10)) + 0.04
    rows[:, 4] -= 0.001
    together = joint_verdict([], common_difference(rows))
    assert not together.real
    assert together.common.verdict == UNDECIDED


def test_skewed_runs_differ_by_those_that_carry_the_scatter() -> None:
    values = np.array([1.0, 1.01, 1.02, 0.99, 1.03, 0.98, 1.02, 1.0, 1.01, 1.4])
    few = Estimate.of_runs(values.mean(), values.std(ddof=1), 10, telling=3.0)
    assert judge(Estimate(0.85), replace(few, telling=math.nan)).verdict == DIFFER
    assert judge(Estimate(0.85), few).verdict == UNDECIDED
    assert judge(Estimate(0.1), few).verdict == DIFFER


# Many points


@pytest.mark.parametrize("runs", [2, 4, 10, 30])
@pytest.mark.parametrize("scatter", [0.01, 0.1])
def test_right_points_are_called_different_at_the_stated_level(runs: int, scatter: float) -> None:
    """1000 normal points: at most as many as have a probability of 99.99 % under .4 %."""
    generator = np.random.default_rng([runs, round(1000 * scatter)])
    found = [judge(EXACT, estimate(row)) for row in generator.normal(1.0, scatter, (1000, runs))]
    differ = sum(comparison.verdict == DIFFER for comparison in found)
    assert differ <= stats.binom.ppf(0.9999, 1000, 0.004)
    # All of them together: no difference is left for the number of points.
    assert joint_verdict(found).significant == 0


@pytest.mark.parametrize("difference", [-0.02, 0.02])
def test_points_on_the_margin_are_called_agreeing_at_the_stated_level(difference: float) -> None:
    generator = np.random.default_rng(3)
    rows = generator.normal(1.0 + difference, 0.01, (1000, 8))
    agree = sum(judge(EXACT, estimate(row)).verdict == AGREE for row in rows)
    assert stats.binom.ppf(1e-4, 1000, 0.02) <= agree <= stats.binom.ppf(0.9999, 1000, 0.02)


def test_a_small_common_error_is_found_though_no_point_shows_it() -> None:
    generator = np.random.default_rng(8)
    shared = generator.normal(0.0, 0.002, 10)  # the runs of all points met the same losses
    rows = generator.normal(1.01, 0.03, (40, 10)) + shared
    found = [judge(EXACT, estimate(row)) for row in rows]
    together = joint_verdict(found, common_difference(rows))
    assert together.significant == 0
    assert together.real
    right = joint_verdict(found, common_difference(rows - 0.01))
    assert not right.real
    assert right.common.verdict == AGREE


def test_points_that_miss_together_are_not_taken_for_independent() -> None:
    """200 tables of right points whose runs share their errors: real at 1 % of them."""
    generator = np.random.default_rng(4)
    real = 0
    for _ in range(200):
        rows = 1.0 + np.repeat(generator.normal(0.0, 0.01, (1, 6)), 30, axis=0)
        rows += generator.normal(0.0, 0.002, rows.shape)
        real += joint_verdict([Verdict(AGREE)], common_difference(rows)).real
    assert real <= stats.binom.ppf(0.9999, 200, 0.01)


# Engines

SLOTS = {
    "profile": "zorzi",
    "tcp": {"variant": "newreno", "window": 8, "timeout": 40},
    "channel": {"kind": "burst", "loss_rate": 0.05, "mean_burst": 3},
    "stop": {"slots": 20_000, "replications": 8},
    "analysis": {"method": "exact"},
}


def beside(table: pd.DataFrame, simulation: at.SimulationResult) -> RunResult:
    scenario = simulation.scenario
    return RunResult(scenario, (analysed(scenario, table), simulated(simulation)))


def test_right_simulations_are_called_different_at_most_at_1_percent() -> None:
    """Every point has a seed of its own; `AIRTCP_VERDICTS=1000` for all."""
    variants = ["oldtahoe", "tahoe", "reno", "newreno"]
    losses = [0.003, 0.01, 0.03, 0.1, 0.2]
    scenario = at.Scenario.from_dict(SLOTS).replace(
        {"tcp.variant": variants, "channel.loss_rate": losses}
    )
    analysis, differ, seen = at.analyse(scenario), 0, 0
    for seed in range(1, 1 + POINTS // len(scenario)):
        result = beside(analysis, at.simulate(scenario, seed=seed, jobs=2))
        verdicts = comparisons(result, "throughput")[0].verdicts
        differ += sum(verdict.verdict == DIFFER for verdict in verdicts if verdict is not None)
        seen += len(verdicts)
    assert seen == POINTS
    assert differ <= stats.binom.ppf(0.9999, POINTS, 0.01)


def test_a_simulator_that_loses_3_percent_is_found() -> None:
    """The analysis is asked about a link that is 3 % better than it is."""
    scenario = at.Scenario.from_dict(SLOTS).replace("channel.loss_rate", [0.01, 0.03, 0.1])
    simulation = at.simulate(scenario, replications=30)
    right = beside(at.analyse(scenario), simulation)
    analysis = at.analyse(scenario)
    for name in ("throughput", "lower", "upper"):
        analysis[name] *= 1.03
    wrong = beside(analysis, simulation)
    assert set(right.verdicts.query("metric == 'throughput'")["verdict"]) == {AGREE}
    found = wrong.joint_verdicts.set_index("metric").loc["throughput"]
    assert found["differ"] == 3
    assert found["high"] < 0.0
    assert "below analysis" in found["sentence"]


PATH = {
    "profile": "rfc",
    "tcp": {"variant": "newreno", "window": 100, "packet": "1000B"},
    "path": {
        "hop": [
            {"rate": "20Mbps", "delay": "50ms", "queue": 500}  # nothing is random
        ]
    },
    "stop": {"time": "30s", "warmup": "10s"},
}


def as_live(result: RunResult, **more: object) -> Answer:
    """The means of a simulation, as eight runs of real packets that scatter by 0.3 %."""
    assert result.simulation is not None
    summary = result.simulation.summary()
    scatter = np.random.default_rng(6).normal(1.0, 0.003, 8)
    rows: dict[str, object] = {"live_tcp": "kernel", "live_runs": 8, "live_valid": 1.0}
    values = {name: [summary[name][0] * scatter] for name in ("throughput_pps", "goodput_bps")}
    points = result.scenario.points()
    return measured(points, [rows | {"live_note": ""} | more], values, [range(8)])


def beside_live(simulated_as: dict, real: dict, **more: object) -> RunResult:
    live = as_live(at.run(real, engine="simulation"), **more)
    scenario = at.Scenario.from_dict(simulated_as)
    return RunResult(scenario, (simulated(at.simulate(scenario)), live))


def test_windows_that_are_3_percent_too_large_are_found_beside_synthetic_live_runs() -> None:
    larger = {**PATH, "tcp": {**PATH["tcp"], "window": 103}}
    wrong = beside_live(larger, PATH).joint_verdicts.set_index("metric").loc["throughput_pps"]
    right = beside_live(PATH, PATH).joint_verdicts.set_index("metric").loc["throughput_pps"]
    assert (wrong["engine_a"], wrong["engine_b"]) == ("simulation", "live")
    assert (wrong["differ"], wrong["differ_holm"]) == (1, 1)
    rates = [at.simulate(document).summary()["throughput_pps"][0] for document in (PATH, larger)]
    assert wrong["low"] < rates[0] / rates[1] - 1.0 < wrong["high"] < 0.0
    assert right["agree"] == 1


def test_runs_with_which_the_machine_did_not_keep_up_are_not_compared() -> None:
    verdicts = beside_live(PATH, PATH, live_valid=0.5).verdicts
    assert set(verdicts["verdict"]) == {NOT_COMPARABLE}
    assert set(verdicts["why"]) == {"the machine did not keep up with 4 of 8 live runs"}
    silent = beside_live(PATH, PATH, live_note="the kernel has no tahoe")
    assert set(silent.verdicts["why"]) == {"the kernel has no tahoe"}
    assert "1 not comparable (the kernel has no tahoe)" in silent.joint_verdicts["sentence"][0]


def test_what_the_model_does_not_cover_says_why(tmp_path: Path) -> None:
    scenario = at.Scenario.from_dict(SLOTS).replace("ack.delay", [0, 5])
    result = at.run(scenario, out=tmp_path)
    found = result.verdicts.query("metric == 'throughput'")
    assert found["verdict"].tolist()[1] == NOT_COMPARABLE
    assert found["why"].tolist()[1] == "the model does not cover ACK delay"
    assert len(pd.read_csv(tmp_path / "verdicts.csv")) == len(result.verdicts)
    assert "Do the engines agree?" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert at.run(scenario, engine="simulation").verdicts.empty
