"""Ratios of means and bootstrap intervals, against their meaning and against each other."""

from __future__ import annotations

import numpy as np
import pytest

from airtcp.errors import InputError
from airtcp.stats import Interval, bootstrap_median, bootstrap_ratio, ratio_of_means


def cycles(number: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Deliveries and lengths of cycles: 1 + geometric deliveries, then a timeout of 3 slots."""
    deliveries = generator.geometric(0.1, number).astype(float)
    return deliveries, deliveries + 3.0


EXACT = 10.0 / 13.0  # deliveries per slot


@pytest.mark.parametrize("method", ["classical", "jackknife"])
def test_ratios_of_cycles_cover_the_throughput(method: str) -> None:
    generator = np.random.default_rng(1)
    found = [ratio_of_means(*cycles(60, generator), method=method) for _ in range(1000)]
    covered = np.mean([interval.low <= EXACT <= interval.high for interval in found])
    assert 0.92 < covered < 0.965  # skewed cycles cover a little less than 95 %; sd 0.7 %


def test_the_jackknife_is_less_biased() -> None:
    generator = np.random.default_rng(2)
    samples = [cycles(5, generator) for _ in range(2000)]
    bias = {
        method: np.mean([ratio_of_means(*sample, method=method).value for sample in samples])
        - EXACT
        for method in ("classical", "jackknife")
    }
    assert bias["classical"] < -0.012  # sd of the mean: 0.0019
    assert abs(bias["jackknife"]) < 0.006


def test_both_methods_agree_for_many_cycles() -> None:
    above, below = cycles(5000, np.random.default_rng(3))
    classical, jackknife = (
        ratio_of_means(above, below, 0.9, m) for m in ("classical", "jackknife")
    )
    assert jackknife == pytest.approx(classical, rel=1e-3)
    assert classical.value == above.mean() / below.mean()


def test_one_pair_is_a_ratio_without_bounds() -> None:
    for method in ("classical", "jackknife"):
        found = ratio_of_means([1.0], [2.0], method=method)
        assert found.value == 0.5
        assert np.isnan([found.low, found.high]).all()


def test_the_interval_of_a_median_covers_it() -> None:
    generator = np.random.default_rng(4)
    found = [bootstrap_median(generator.exponential(1.0, 41), resamples=499) for _ in range(250)]
    covered = np.mean([interval.low <= np.log(2.0) <= interval.high for interval in found])
    assert 0.91 < covered < 0.99  # sd 1.4 %


def test_the_interval_of_a_ratio_covers_it() -> None:
    generator = np.random.default_rng(5)
    found = [bootstrap_ratio(*cycles(60, generator), resamples=499) for _ in range(200)]
    covered = np.mean([interval.low <= EXACT <= interval.high for interval in found])
    assert 0.90 < covered < 0.99  # sd 1.5 %


def test_the_seed_settles_the_resampling() -> None:
    values = np.random.default_rng(6).exponential(1.0, 30)
    assert bootstrap_median(values) == bootstrap_median(values)
    ratios = [bootstrap_ratio(values, values**2, seed=seed) for seed in (1, 1, 2)]
    assert ratios[0] == ratios[1] != ratios[2]
    assert ratios[0].value == ratios[2].value


def test_nothing_to_resample() -> None:
    assert bootstrap_median([2.0, 2.0]) == Interval(2.0, 2.0, 2.0)
    assert bootstrap_ratio([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]) == Interval(0.5, 0.5, 0.5)
    for found in (bootstrap_median([2.0]), bootstrap_ratio([4.0], [2.0])):
        assert found.value == 2.0
        assert np.isnan(found[1:]).all()
    assert np.isnan(bootstrap_median([2.0, np.nan])).all()
    assert np.isnan(bootstrap_ratio([2.0, np.nan], [1.0, 2.0])).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ratio_of_means([1.0, 2.0], [1.0, -1.0]), "mean of below = 0.0"),
        (
            lambda: ratio_of_means([1.0, 2.0], [0.0, 1.0], method="jackknife"),
            "mean of below without one pair = 0.0",
        ),
        (lambda: ratio_of_means([1.0], [1.0], method="delta"), "method = 'delta': must be one of"),
        (lambda: ratio_of_means([], []), "above = []"),
        (lambda: bootstrap_ratio([1.0, 1.0], [1.0, 0.0]), "below = 0.0: must be positive"),
        (lambda: bootstrap_median([1.0, 2.0], resamples=10), "resamples = 10"),
        (lambda: bootstrap_median([1.0, 2.0], seed=-1), "seed = -1"),
        (lambda: bootstrap_median([]), "values = []"),
        (lambda: bootstrap_median([1.0], 1.5), "confidence = 1.5"),
    ],
)
def test_nonsense_is_refused(call: object, says: str) -> None:
    with pytest.raises(InputError) as caught:
        call()  # type: ignore[operator]
    assert says in str(caught.value)
