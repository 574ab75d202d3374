"""Intervals of means of what lies between 0 and 1."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from airtcp.metrics.ratios import jain_index
from airtcp.stats.bounded import bounded_means
from airtcp.stats.intervals import grouped_means

REPETITIONS = 4000


def jain(flows, size, seed):
    rates = np.random.default_rng(seed).normal(1.0, 0.05, (size, flows))
    return jain_index(rates)


def coverage(describe, values, truth, runs):
    groups = np.repeat(np.arange(REPETITIONS), runs)
    found = describe(values[: REPETITIONS * runs], groups)
    return int(((found["low"] <= truth) & (truth <= found["high"])).sum())


@pytest.mark.parametrize("flows", [2, 3, 5])
@pytest.mark.parametrize("runs", [3, 5, 10, 30])
def test_intervals_of_jains_index_cover_93_to_97_percent(flows, runs):
    # 4000 sets of runs: the bounds of 93 and 97 % are widened by 99 % binomial intervals.
    truth = jain(flows, 1_000_000, 1).mean()
    values = jain(flows, REPETITIONS * runs, 2)
    covered = coverage(bounded_means, values, truth, runs)
    least, _ = scipy_stats.binom.interval(0.99, REPETITIONS, 0.93)
    _, most = scipy_stats.binom.interval(0.99, REPETITIONS, 0.97)
    assert least <= covered <= most


def test_student_alone_would_not():
    truth = jain(2, 1_000_000, 1).mean()
    assert coverage(grouped_means, jain(2, REPETITIONS * 5, 2), truth, 5) < 0.86 * REPETITIONS


def test_an_interval_holds_the_mean_and_stays_within_its_bounds():
    values = [0.999, 0.5, 1.0, 1.0, 1.0, 0.3, 0.0, 0.0, 0.2]
    found = bounded_means(values, [0, 0, 0, 1, 1, 2, 3, 3, 3])
    assert (found["low"][[0, 3]] >= 0.0).all()
    assert (found["high"][[0, 3]] <= 1.0).all()
    assert (found["low"][[0, 3]] <= found["mean"][[0, 3]]).all()
    assert found["low"][1] == found["high"][1] == 1.0
    assert np.isnan(found["low"][2])
