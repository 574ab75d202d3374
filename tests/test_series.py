"""Warm-up removal and batch means, on processes whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as reference
from scipy.signal import lfilter

from airtcp.errors import InputError
from airtcp.stats import batch_means, mean_intervals, mser


def autoregressive(generator: np.random.Generator, shape: tuple[int, int], memory: float):
    """Rows of a stationary process with mean 1 and correlation `memory` between neighbours."""
    noise = generator.normal(0.0, 1.0, shape)
    noise[:, 0] /= np.sqrt(1.0 - memory**2)
    return 1.0 + lfilter([1.0], [1.0, -memory], noise, axis=1)


def plain_mser(series: np.ndarray) -> int:
    """The definition, one sum after the other."""
    means = series[: series.size // 5 * 5].reshape(-1, 5).mean(axis=1)
    errors = [means[d:].var() / (means.size - d) for d in range(means.size // 2 + 1)]
    return 5 * int(np.argmin(errors))


@pytest.mark.parametrize("seed", range(20))
def test_mser_is_its_definition(seed: int) -> None:
    generator = np.random.default_rng(seed)
    size = int(generator.integers(20, 300))
    series = 1e3 * np.exp(-np.arange(size) / 10.0) + generator.normal(5.0, 1.0, size)
    assert mser(series).observations == plain_mser(series)


def test_the_start_is_found_over_replications() -> None:
    rows = autoregressive(np.random.default_rng(1), (20, 1000), 0.5)
    rows[:, :100] += np.linspace(5.0, 0.0, 100)
    found = mser(rows)
    assert found.enough
    assert 80 <= found.observations <= 130
    assert found.mean == pytest.approx(rows[:, found.observations :].mean())
    # The start adds 0.25 to the mean; after removal some 0.02 of noise are left.
    assert rows.mean() - 1.0 > 0.2
    assert abs(found.mean - 1.0) < 0.05


def test_a_series_that_still_rises_is_too_short() -> None:
    assert not mser(np.arange(100.0)).enough


def test_a_constant_series_loses_nothing() -> None:
    found = mser(np.full(50, 0.1))
    assert (found.observations, found.enough) == (0, True)
    assert found.mean == pytest.approx(0.1)


def test_batches_give_an_honest_interval_where_single_values_do_not() -> None:
    rows = autoregressive(np.random.default_rng(2), (400, 4000), 0.9)
    found = [batch_means(row) for row in rows]
    covered = np.mean([interval.low <= 1.0 <= interval.high for interval in found])
    naive = mean_intervals(rows)
    assert 0.91 < covered < 0.975  # sd 1.1 %
    assert ((naive["low"] <= 1.0) & (naive["high"] >= 1.0)).mean() < 0.5


def test_short_batches_are_told_by_their_correlation() -> None:
    rows = autoregressive(np.random.default_rng(3), (200, 400), 0.9)
    short = np.array([batch_means(row, batches=40).p for row in rows])
    assert (short < 0.1).mean() > 0.9


def test_the_test_of_independence_errs_as_often_as_it_says() -> None:
    rows = np.random.default_rng(4).normal(0.0, 1.0, (2000, 200))
    p = np.array([batch_means(row).p for row in rows])
    assert reference.kstest(p, "uniform").pvalue > 0.01
    assert abs((p < 0.1).mean() - 0.1) < 0.02  # 3 sd


def test_a_cut_by_hand() -> None:
    found = batch_means([9.0, 1.0, 3.0, 2.0, 6.0], batches=2)
    assert (found.dropped, found.size, found.batches) == (1, 2, 2)
    assert found.mean == 3.0
    assert found.sd == pytest.approx(np.std([2.0, 4.0], ddof=1))
    assert found.correlation == 0.0  # 1 - 2^2 / (2 (1 + 1))
    assert np.isnan(found.p)


def test_batches_that_are_batches_already() -> None:
    means = np.random.default_rng(5).normal(1.0, 0.1, 12)
    found = batch_means(means, batches=12)
    expected = mean_intervals(means[np.newaxis, :])
    assert (found.low, found.high) == (expected["low"][0], expected["high"][0])
    constant = batch_means([0.1] * 12, batches=12)
    assert (constant.mean, constant.low, constant.high) == (0.1, 0.1, 0.1)
    assert np.isnan([constant.correlation, constant.p]).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mser(np.zeros(19)), "one or more rows of at least 20 values"),
        (lambda: mser(np.zeros((2, 2, 30))), "one or more rows"),
        (lambda: mser([np.nan] * 20), "finite values throughout"),
        (lambda: mser(np.zeros(40), batch=0), "batch = 0"),
        (lambda: batch_means([1.0, 2.0], batches=3), "batches = 3: must be at most 2"),
        (lambda: batch_means([1.0, 2.0], batches=1), "batches = 1"),
        (lambda: batch_means([1.0]), "series = [1.0]: must be a list of at least 2"),
    ],
)
def test_nonsense_is_refused(call: object, says: str) -> None:
    with pytest.raises(InputError) as caught:
        call()  # type: ignore[operator]
    assert says in str(caught.value)
