"""Exact intervals of shares."""

import pytest
from scipy.stats import binom, binomtest

from airtcp.stats.exact import exact_share_interval


@pytest.mark.parametrize(("hits", "cases"), [(0, 1), (1, 1), (0, 7), (3, 7), (7, 7), (20, 1000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_interval_of_whole_numbers_is_that_of_scipy(
    hits: int, cases: int, confidence: float
) -> None:
    expected = binomtest(hits, cases).proportion_ci(confidence, "exact")
    assert exact_share_interval(hits, cases, confidence) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("share", [0.001, 0.03, 0.5, 0.98])
def test_it_covers_at_least_as_often_as_it_says(share: float) -> None:
    found = [exact_share_interval(hits, 40) for hits in range(41)]
    covers = [low <= share <= high for low, high in found]
    assert binom.pmf(range(41), 40, share) @ covers >= 0.95


def test_numbers_need_not_be_whole() -> None:
    between = exact_share_interval(2.5, 10.0)
    assert exact_share_interval(2, 10) < between < exact_share_interval(3, 10)
    assert exact_share_interval(2, 10)[1] < between[1] < exact_share_interval(3, 10)[1]
    assert exact_share_interval(0.0, 4.5)[0] == 0.0
    assert exact_share_interval(4.5, 4.5)[1] == 1.0
