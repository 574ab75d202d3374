"""The stop rule: its stages, what ends it, and how often its intervals cover the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

import airtcp
from airtcp.errors import InputError
from airtcp.stats import Precision, mean_intervals, relative_half_width

REPETITIONS = 1000
# An interval that covers with probability 0.95 lies in this range but for 4 in 1000 studies of
# 1000 repetitions (2.9 standard deviations of the binomial law); the seeds are fixed.
COVERED = (0.93, 0.97)


def stops(rule: Precision, values: np.ndarray) -> int:
    """Where a search ends that draws what the rule asks for; -1 if `values` is too short."""
    runs = 0
    while (needed := rule.next_runs(values[:runs])) > runs:
        if needed > values.size:
            return -1
        runs = needed
    return runs


def coverage(rule: Precision, mean: float, values: np.ndarray) -> float:
    """The share of searches, one after the other on `values`, whose interval has the mean."""
    covered = 0
    begin = 0
    for _ in range(REPETITIONS):
        runs = stops(rule, values[begin : begin + 4000])
        assert runs > 0
        found = mean_intervals(values[np.newaxis, begin : begin + runs], rule.confidence)
        covered += bool(found["low"][0] <= mean <= found["high"][0])
        begin += runs
    return covered / REPETITIONS


@pytest.mark.parametrize(
    ("law", "mean", "relative"),
    [
        (lambda g, n: g.normal(1.0, 0.1, n), 1.0, 0.05),
        (lambda g, n: g.normal(1.0, 0.4, n), 1.0, 0.1),
        (lambda g, n: g.random(n), 0.5, 0.2),
        (lambda g, n: g.exponential(1.0, n), 1.0, 0.2),
        (lambda g, n: 1.0 * (g.random(n) < 0.3), 0.3, 0.3),
        (lambda g, n: 1.0 * (g.random(n) < 0.5), 0.5, 0.2),
        (lambda g, n: 1.0 * (g.random(n) < 0.7), 0.7, 0.2),
    ],
    ids=[
        "normal, soon",
        "normal",
        "uniform",
        "exponential",
        "0 or 1, 0.3",
        "0 or 1, 0.5",
        "0 or 1, 0.7",
    ],
)
def test_the_interval_after_stopping_covers_the_mean(
    law: Callable[[np.random.Generator, int], np.ndarray], mean: float, relative: float
) -> None:
    values = law(np.random.default_rng(1), 400_000)
    assert COVERED[0] <= coverage(Precision(relative), mean, values) <= COVERED[1]


def test_simulations_that_stopped_cover_the_exact_throughput() -> None:
    tcp = {"variant": "newreno", "window": 8, "dupacks": 3, "timeout": 20}
    scenario = airtcp.Scenario.from_dict(
        {
            "profile": "zorzi",
            "tcp": tcp,
            "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 10.0},
            "stop": {"slots": 400},
        }
    )
    channel = airtcp.TwoState.from_burst(loss_rate=0.1, mean_burst=10.0)
    exact = airtcp.models.zorzi.solve(
        "newreno", channel, window=8, dupacks=3, timeout=20, method="exact"
    )
    # The start from an empty window shifts a run by 0.004 of its standard deviation: not a
    # fiftieth of the interval of forty runs.
    runs = airtcp.simulate(scenario, replications=REPETITIONS * 48, seed=1).runs
    assert exact.throughput is not None
    found = coverage(Precision(0.05, least=15), exact.throughput, runs["throughput"].to_numpy())
    assert COVERED[0] <= found <= COVERED[1]


def test_the_width_is_students() -> None:
    values = np.random.default_rng(3).normal(2.0, 0.3, 25)
    low, high = reference.t.interval(0.9, 24, values.mean(), reference.sem(values))
    assert relative_half_width(values, 0.9) == pytest.approx((high - low) / 2.0 / values.mean())
    assert relative_half_width(-values, 0.9) == relative_half_width(values, 0.9)


def test_widths_without_scatter_or_mean() -> None:
    assert relative_half_width([0.1, 0.1, 0.1]) == 0.0
    assert relative_half_width([0.0, 0.0]) == np.inf
    assert relative_half_width([-1.0, 1.0]) == np.inf
    assert all(np.isnan(relative_half_width(values)) for values in ([], [1.0], [1.0, np.nan]))


def test_it_begins_with_the_least() -> None:
    assert Precision(0.1, least=12).next_runs([]) == 12
    assert Precision(0.1, least=12).next_runs([1.0, 2.0]) == 12


def test_a_constant_of_something_random_is_no_precision() -> None:
    rule = Precision(1e-6, least=12, most=60)
    assert [rule.next_runs([0.3] * n) for n in (12, 24, 60)] == [24, 48, 60]
    assert not rule.reached([0.3] * 60)


def test_a_good_look_is_confirmed_by_one_more_stage() -> None:
    values = np.tile([0.99, 1.01], 50)
    rule = Precision(0.1, least=10)
    assert rule.next_runs(values[:10]) == 20
    assert rule.next_runs(values[:20]) == 20


def test_a_late_confirming_stage_is_a_tenth() -> None:
    values = np.tile([0.99, 1.01], 1000)
    rule, asked = Precision(0.001, least=10), [0]
    while (needed := rule.next_runs(values[: asked[-1]])) > asked[-1]:
        asked.append(needed)
    assert asked[-2] > 300
    assert asked[1] == 10
    assert asked[-1] - asked[-2] == np.ceil(asked[-2] / 10)


def test_a_confirming_stage_that_scatters_goes_on() -> None:
    calm = [1.0, 1.001] * 5
    assert Precision(0.1, least=10).next_runs([*calm, *calm]) == 20
    assert Precision(0.1, least=10).next_runs([*calm, *[9.0] * 10]) == 40


def test_a_mean_of_zero_doubles_until_the_most() -> None:
    rule = Precision(0.1, least=10, most=35)
    assert [rule.next_runs([0.0] * n) for n in (10, 20, 35)] == [20, 35, 35]
    assert not rule.reached([0.0] * 35)


@pytest.mark.parametrize("unknown", [np.nan, np.inf])
def test_an_unknown_mean_ends_the_search(unknown: float) -> None:
    values = [1.0, 2.0] * 5
    values[3] = unknown
    assert Precision(0.01, least=10).next_runs(values) == 10
    assert not Precision(0.01, least=10).reached(values)


def test_a_stage_grows_by_a_tenth_at_least_and_twofold_at_most() -> None:
    generator = np.random.default_rng(5)
    wide, rule = generator.normal(1.0, 1.0, 30), Precision(0.01, least=30)
    assert rule.next_runs(wide) == 60
    values = np.tile([0.5, 1.5], 50)
    just = relative_half_width(values) / 1.01
    assert Precision(just / (1.0 - just), least=100).next_runs(values) == 110


law = st.floats(0.0, 2.0).flatmap(lambda sd: st.tuples(st.just(sd), st.integers(0, 2**32)))


@given(
    law, st.floats(0.01, 0.9), st.integers(2, 40), st.integers(0, 400), st.sampled_from([0.8, 0.99])
)
@settings(derandomize=True, deadline=None, max_examples=150)
def test_laws_of_the_rule(
    sd_and_seed: tuple[float, int], relative: float, least: int, more: int, confidence: float
) -> None:
    sd, seed = sd_and_seed
    rule = Precision(relative, confidence, least, least + more)
    values = np.random.default_rng(seed).normal(1.0, sd, least + more + 10)
    runs = stops(rule, values)
    assert least <= runs <= rule.most
    # Knowing more than was asked for changes nothing: a campaign may resume with too many runs.
    assert rule.next_runs(values) == runs
    assert rule.next_runs(values[:runs]) == runs
    assert all(rule.next_runs(values[:n]) > n for n in range(max(0, runs - 5), runs))
    assert runs == rule.most or rule.reached(values[:runs])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"relative": 0.0}, "relative = 0.0: must be a share in (0, 1)"),
        ({"relative": 1}, "relative = 1: must be"),
        ({"relative": "1%"}, "relative = '1%': must be"),
        ({"relative": 0.1, "confidence": 95}, "confidence = 95: must be a probability"),
        ({"relative": 0.1, "least": 1}, "least = 1: must be a whole number from 2"),
        ({"relative": 0.1, "least": 50, "most": 40}, "most = 40: must be a whole number from 50"),
    ],
)
def test_nonsense_is_refused(options: dict[str, float], says: str) -> None:
    with pytest.raises(InputError) as caught:
        Precision(**options)  # type: ignore[arg-type]
    assert says in str(caught.value)


def test_the_defaults_are_those_of_scenarios() -> None:
    document = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe"},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"precision": {"relative": 0.1}},
    }
    said = airtcp.Scenario.from_dict(document).points()[0].data["stop"]["precision"]
    rule = Precision(relative=0.1)
    assert said == {name: getattr(rule, name) for name in said}
