"""Comparisons of alternatives: paired differences and rankings with Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from airtcp.errors import InputError
from airtcp.stats import (
    holm,
    mean_intervals,
    paired_difference,
    rank,
    rank_points,
    ratio_of_means,
    too_many_misses,
)

NAMES = ("tahoe", "reno", "newreno", "sack")


def runs(means: tuple[float, ...], replications: int, seed: int) -> np.ndarray:
    """Alternatives that share most of their scatter, as variants on the same losses do."""
    generator = np.random.default_rng(seed)
    channel = generator.normal(0.0, 1.0, replications)
    own = generator.normal(0.0, 0.2, (len(means), replications))
    return np.array(means)[:, np.newaxis] + channel + own


def test_the_paired_test_is_scipys() -> None:
    first, second = runs((5.0, 4.9), 20, 1)
    found, expected = paired_difference(first, second, 0.9), reference.ttest_rel(first, second)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval(0.9)))
    assert found.mean == pytest.approx(first.mean() - second.mean())
    assert found.n == 20


def test_relative_differences_are_those_of_the_ratio() -> None:
    first, second = runs((5.0, 4.9), 20, 1)
    found, ratio = paired_difference(first, second), ratio_of_means(first, second)
    assert found.relative == pytest.approx(found.mean / second.mean())
    assert (found.relative_low, found.relative_high) == (ratio.low - 1.0, ratio.high - 1.0)
    assert np.isnan(paired_difference([1.0, 2.0], [-1.0, 1.0]).relative)


def test_common_random_numbers_reduce_the_variance() -> None:
    first, second = runs((5.0, 4.9), 4000, 2)
    expected = (1.04 + 1.04) / 0.08
    assert paired_difference(first, second).variance_reduction == pytest.approx(expected, rel=0.1)
    unpaired = paired_difference(first, second[::-1]).variance_reduction
    assert unpaired == pytest.approx(1.0, rel=0.1)


def test_differences_without_scatter() -> None:
    same = paired_difference([1.0, 2.0], [1.0, 2.0])
    apart = paired_difference([2.0, 3.0], [1.0, 2.0])
    assert (same.mean, same.low, same.high) == (0.0, 0.0, 0.0)
    assert (apart.mean, apart.low, apart.high) == (1.0, 1.0, 1.0)
    assert np.isnan([same.p, apart.p]).all()
    assert apart.variance_reduction == np.inf
    assert np.isnan(paired_difference([2.0, 2.0], [1.0, 1.0]).variance_reduction)


def test_one_pair_has_a_difference_and_nothing_else() -> None:
    found = paired_difference([3.0], [2.0])
    assert (found.mean, found.relative) == (1.0, 0.5)
    rest = (found.sd, found.low, found.high, found.p, found.relative_low, found.variance_reduction)
    assert np.isnan(rest).all()


def test_an_unknown_run_leaves_nothing_known() -> None:
    found = paired_difference([3.0, np.nan, 2.0], [2.0, 1.0, 1.0])
    assert np.isnan([found.mean, found.low, found.high, found.p, found.relative]).all()


def test_holm_by_hand() -> None:
    # The smallest times 4, the next times 3, ...; never below the one before; at most 1.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.5]).tolist() == [1.0, 1.0]


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20), st.randoms(use_true_random=False))
@settings(derandomize=True, deadline=None)
def test_holm_lies_between_uncorrected_and_bonferroni(p: list[float], shuffle: object) -> None:
    raw = np.array(p)
    adjusted = holm(raw)
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(raw * raw.size, 1.0)).all()
    assert (np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0.0).all()
    order = list(range(raw.size))
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    assert holm(raw[order]) == pytest.approx(adjusted[order])


@pytest.mark.parametrize("better", ["high", "low"])
def test_a_ranking_orders_means_and_tests_all_pairs(better: str) -> None:
    values = runs((3.0, 4.0, 5.0, 5.02), 12, 3)
    found = rank(values, NAMES, better=better)
    expected = ("sack", "newreno", "reno", "tahoe")
    assert found.names == (expected if better == "high" else expected[::-1])
    assert found.winners == (("sack", "newreno") if better == "high" else ("tahoe",))
    rows = dict(zip(NAMES, values, strict=True))
    for pair, difference, p in zip(found.pairs, found.difference, found.p, strict=True):
        test = reference.ttest_rel(rows[pair[0]], rows[pair[1]])
        assert p == pytest.approx(test.pvalue, rel=1e-9)
        assert difference == pytest.approx(rows[pair[0]].mean() - rows[pair[1]].mean())
    assert found.adjusted == pytest.approx(holm(found.p))
    own = mean_intervals(np.stack([rows[name] for name in found.names]))
    assert found.low == pytest.approx(own["low"])


def test_tables_of_a_ranking() -> None:
    found = rank(runs((3.0, 4.0, 5.0, 5.02), 12, 3), NAMES)
    assert found.to_pandas()["best"].tolist() == [True, True, False, False]
    pairs = found.pairs_to_pandas()
    assert pairs[["better", "worse"]].to_numpy().tolist()[0] == ["sack", "newreno"]
    assert len(pairs) == 6
    assert ((pairs["low"] <= pairs["difference"]) & (pairs["difference"] <= pairs["high"])).all()


def test_equal_alternatives_are_told_apart_once_in_twenty() -> None:
    studies = 1000
    points = [runs((1.0,) * 4, 10, seed) for seed in range(studies)]
    found = rank_points(points, NAMES)
    wrong = sum(bool((ranking.adjusted <= 0.05).any()) for ranking in found)
    assert not too_many_misses(wrong, studies)
    assert wrong > 20  # nor is the correction so strong that nothing is ever found
    left_out = sum("reno" not in ranking.winners for ranking in found)
    assert left_out <= wrong


def test_the_family_of_all_points_errs_once_in_twenty_as_a_whole() -> None:
    studies, points = 300, 8
    wrong = 0
    for study in range(studies):
        values = [runs((1.0,) * 4, 10, 1000 * study + point) for point in range(points)]
        found = rank_points(values, NAMES, families="all")
        wrong += any(bool((ranking.adjusted <= 0.05).any()) for ranking in found)
    assert not too_many_misses(wrong, studies)


def test_real_differences_are_found() -> None:
    # 0.5 between means, sd of a difference 0.28, 10 runs: t is about 5.6.
    found = rank_points([runs((1.0, 1.0, 1.0, 1.5), 10, seed) for seed in range(200)], NAMES)
    assert sum(ranking.winners == ("sack",) for ranking in found) > 190


def test_the_correction_over_all_points_is_stricter() -> None:
    values = [runs((1.0, 1.0, 1.2, 1.3), 10, seed) for seed in range(5)]
    alone, together = (
        rank_points(values, NAMES, families=families) for families in ("point", "all")
    )
    expected = holm(np.concatenate([ranking.p for ranking in alone]))
    assert np.concatenate([ranking.adjusted for ranking in together]) == pytest.approx(expected)
    assert all((a.adjusted <= b.adjusted).all() for a, b in zip(alone, together, strict=True))
    assert rank_points([], NAMES) == []


def test_rows_are_compared_on_what_all_have() -> None:
    values = runs((1.0, 2.0), 12, 4)
    found = rank([values[0], values[1, :7]], ("a", "b"))
    assert found.replications == 7
    assert found.mean == pytest.approx(values[::-1, :7].mean(axis=1))


def test_alternatives_without_scatter() -> None:
    values = [[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]
    found = rank(values, ("a", "b", "c"))
    assert found.names == found.winners == ("b", "c", "a")
    assert np.isnan(found.adjusted).all()
    (sure,) = rank_points([values], ("a", "b", "c"), exact=[True])
    assert sure.winners == ("b", "c")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: rank([[1.0], [2.0]], ("a", "b")), "replications of a = 1: must be at least 2"),
        (lambda: rank([[1.0, 2.0]], ("a",)), "names = ['a']: must be at least two different names"),
        (lambda: rank([[1.0, 2.0]] * 2, ("a", "a")), "at least two different names"),
        (lambda: rank([[1.0, 2.0]] * 3, ("a", "b")), "a list of replications for each of 2 names"),
        (
            lambda: rank([[1.0, 2.0], [1.0, np.nan]], ("a", "b")),
            "values of b: replication 1 is nan; only known values can be ranked",
        ),
        (lambda: rank([[1.0, 2.0]] * 2, ("a", "b"), better="more"), "better = 'more': must be one"),
        (lambda: rank([[1.0, 2.0]] * 2, ("a", "b"), 2.0), "confidence = 2.0"),
        (
            lambda: rank_points([], NAMES, families="each"),
            "families = 'each': must be one of point",
        ),
        (lambda: paired_difference([1.0, 2.0], [1.0]), "length of b = 1: must be 2, that of a"),
        (lambda: paired_difference([], []), "a = []: must be a list of at least 1 numbers"),
        (lambda: paired_difference([1.0], ["x"]), "b = ['x']: must be a list"),
    ],
)
def test_nonsense_is_refused(call: object, says: str) -> None:
    with pytest.raises(InputError) as caught:
        call()  # type: ignore[operator]
    assert says in str(caught.value)
