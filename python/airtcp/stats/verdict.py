"""Verdicts on two estimates of one quantity: they agree, differ, or are too uncertain.

- agree: two one-sided t tests, each at 2 %, show that the relative difference is smaller than a
  margin that matters [Schuirmann 1987, J. Pharmacokinet. Biopharm. 15]. Equivalently, the 96 %
  interval of the difference lies within the margin;
- differ: they do not agree, and a two-sided t test at .4 % excludes that they are equal;
- undecided: neither. The verdict then has the number of runs that decides in about 9 of 10 cases.

The promise holds for a user who adds runs as advised until there is a verdict, and so looks at the
same runs again and again: correct engines are called different in 1 % of the cases, and engines
that differ by the margin are said to agree in 5 %. A single look may spend only two fifths of these
errors, since there are more looks (docs/explanation/statistics.md).

Relative differences are other / reference - 1, with the interval of a ratio of two means
[Fieller 1954, J. R. Stat. Soc. B 16]. Means of independent runs have Welch's degrees of freedom.
Where the runs are pairs, as for two engines on one sample path, their covariance counts, and n
pairs have n - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from airtcp.errors import refusal
from airtcp.stats._checks import Floats, open_probability
from airtcp.stats.decisive_runs import MeanContrasts, VerdictTests, decisive_runs
from airtcp.stats.differences import differences
from airtcp.stats.intervals import paired_signs
from airtcp.stats.ranking import holm

AGREE, DIFFER, UNDECIDED = "agree", "differ", "undecided"
NOT_COMPARABLE = "not comparable"
VERDICTS = (AGREE, DIFFER, UNDECIDED, NOT_COMPARABLE)
DEFAULT_MARGIN = 0.02  # a relative difference that matters
EQUIVALENCE = 0.05  # of means that differ by the margin, so many may be said to agree
DIFFERENCE = 0.01  # of means that are equal, so many may be said to differ
LEVEL_SHARE_OF_A_LOOK = 0.4  # share of these that one look spends
MOST_RUNS = 10**6  # more are as good as none that would decide
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """An engine's estimate of a quantity.

    - `value`: the estimate; `error`: its standard error, 0 if it is exact, NaN if unknown;
    - `runs`: number of independent runs of which it is the mean; 0 if it has none;
    - `low`, `high`: bounds of the exact value; NaN if the engine has none;
    - `telling`: number of runs on which a test can be based if few carry the error
      (`airtcp.stats.rare`), 0 if most are alike; NaN: all;
    - `borrowed`: true if the error is that of the other engine's runs.
    """

    value: float
    error: float = 0.0
    runs: int = 0
    low: float = math.nan
    high: float = math.nan
    telling: float = math.nan
    borrowed: bool = False

    @classmethod
    def of_runs(
        cls, mean: float, sd: float, runs: int, *, exact: bool = False, telling: float = math.nan
    ) -> Estimate:
        """A mean of runs; `exact`: nothing is random, so that one run is all there is.

        Random runs that do not scatter have an unknown error: the event by which they differ has
        not occurred.
        """
        if exact:
            return cls(float(mean))
        if runs > 1 and sd > 0.0:
            return cls(float(mean), float(sd) / math.sqrt(runs), runs, telling=telling)
        return cls(float(mean), math.nan, runs)

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of an exact value; without bounds, the value itself twice."""
        return (self.value, self.value) if math.isnan(self.low) else (self.low, self.high)

    def with_runs(self, factor: float) -> Estimate:
        """The estimate to expect from `factor` times as many runs."""
        if not self.runs:
            return self
        runs = round(factor * self.runs)
        return replace(self, error=self.error * math.sqrt(self.runs / runs), runs=runs)


@dataclass(frozen=True)
class Levels:
    """The margin that matters and the levels of the tests.

    `equivalence` and `difference` are levels for all looks together that the advice asks for.
    """

    margin: float = DEFAULT_MARGIN
    equivalence: float = EQUIVALENCE
    difference: float = DIFFERENCE

    def __post_init__(self) -> None:
        """Raises `InputError`."""
        for name in ("margin", "equivalence", "difference"):
            open_probability(name, getattr(self, name))

    @property
    def equivalence_at_a_look(self) -> float:
        """Level of each of the two one-sided tests."""
        return LEVEL_SHARE_OF_A_LOOK * self.equivalence

    @property
    def difference_at_a_look(self) -> float:
        """Level of the two-sided test."""
        return LEVEL_SHARE_OF_A_LOOK * self.difference


LEVELS = Levels()


@dataclass(frozen=True)
class Verdict:
    """The verdict on two estimates, with the numbers behind it.

    - `verdict`: one of `VERDICTS`; `why`: the reason for one of the last two;
    - `difference`: other / reference - 1, with the interval from `low` to `high` that decides, at
      `confidence`: 96 % where they agree, 99.6 % elsewhere. Infinite if only the reference is 0;
    - `p`: p value of the two-sided test of equality; NaN where no test can be made;
    - `runs_needed`: if undecided, the number of runs of `other` that decides in 9 of 10 cases (in 8
      of 10 if the means differ by half of the margin). The runs of the reference grow in
      proportion. NaN if no number is known.
    """

    verdict: str
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    confidence: float = math.nan
    p: float = math.nan
    runs_needed: float = math.nan
    why: str = ""


def judge(
    reference: Estimate,
    other: Estimate,
    levels: Levels = LEVELS,
    *,
    covariance: float | None = None,
) -> Verdict:
    """The verdict on two estimates of a quantity that is not negative.

    `covariance` is that of the two means if their runs are pairs; both then have equally many runs
    and known errors. None if the runs are independent.
    """
    if math.isnan(reference.value) or math.isnan(other.value):
        return Verdict(NOT_COMPARABLE, why="no value")
    if min(*reference.bounds, other.value) < 0.0:
        return Verdict(NOT_COMPARABLE, why="a negative value has no relative difference")
    reference, other = _with_scatter_of(reference, other), _with_scatter_of(other, reference)
    if math.isnan(reference.error + other.error):
        return _verdict_of_exact(reference, other, levels)
    found = _verdict_with_errors(reference, other, levels, covariance)
    if not _is_supported(found, reference, other, levels, covariance):
        return replace(
            found, verdict=UNDECIDED, p=math.nan, why="a few runs cause nearly all of the scatter"
        )
    if found.verdict != UNDECIDED:
        return found
    needed = _runs_needed(reference, other, levels, covariance)
    why = "the interval is too wide"
    if math.isnan(needed):
        why = (
            "the bounds are too wide"
            if _has_spread(reference)
            else "no usual number of runs decides"
        )
    return replace(found, runs_needed=needed, why=why)


def _is_supported(
    found: Verdict,
    reference: Estimate,
    other: Estimate,
    levels: Levels,
    covariance: float | None,
) -> bool:
    """True if a verdict on these runs may stand, although few of them carry the error.

    If most runs are alike, the decisive event may not have occurred, and nothing bounds its weight:
    no verdict stands. For skewed runs the verdict must also follow from as many runs as carry the
    error.
    """
    few = [engine.telling for engine in (reference, other) if not math.isnan(engine.telling)]
    if min(few, default=2.0) < 2.0:
        return False
    if not few or found.verdict == UNDECIDED:
        return True
    again = _verdict_with_errors(
        _with_carried_freedom(reference), _with_carried_freedom(other), levels, covariance
    )
    return again.verdict == found.verdict


def _with_carried_freedom(estimate: Estimate) -> Estimate:
    """The estimate with the degrees of freedom of the runs that carry its error, if few do."""
    return (
        estimate if math.isnan(estimate.telling) else replace(estimate, runs=int(estimate.telling))
    )


def is_rare(values: Floats) -> bool:
    """True if so many runs counted nothing that their mean is not normal enough for a t test.

    That is so if at least a quarter of the runs are zero and fewer than 25 are not. For Poisson
    counts with 3 to 25 events in total, a t test at 1 % finds a difference between equal means in
    up to 6 % of the cases; with more events, in at most 1.4 %.
    """
    zeros = int(np.count_nonzero(values == 0.0))
    return zeros > 0 and 4 * zeros >= len(values) and len(values) - zeros < _ENOUGH_EVENTS


_ENOUGH_EVENTS = 25


def _with_scatter_of(estimate: Estimate, other: Estimate) -> Estimate:
    """The estimate with the other's scatter, if it has one run or its runs happen to be equal.

    A borrowed error adds no degrees of freedom, as the error of one run adds none.
    """
    if math.isnan(estimate.error) and estimate.runs and other.runs and other.error > 0.0:
        return replace(
            estimate, error=other.error * math.sqrt(other.runs / estimate.runs), borrowed=True
        )
    return estimate


def _verdict_of_exact(reference: Estimate, other: Estimate, levels: Levels) -> Verdict:
    difference = _relative_difference(reference.value, other.value)
    runs = max(1, *(engine.runs for engine in (reference, other) if math.isnan(engine.error)))
    if runs == 1:
        return Verdict(UNDECIDED, difference, why="one run has no interval")
    if abs(difference) <= _ROUNDING:
        return Verdict(AGREE, 0.0, 0.0, 0.0, 1.0 - 2.0 * levels.equivalence_at_a_look, 1.0)
    return Verdict(UNDECIDED, difference, why="all runs are equal")


def _verdict_with_errors(
    reference: Estimate, other: Estimate, levels: Levels, covariance: float | None
) -> Verdict:
    """The verdict on estimates whose errors are known."""
    p = _equality_p_value(reference, other, covariance)
    difference = _relative_difference(reference.value, other.value)
    confidence = 1.0 - 2.0 * levels.equivalence_at_a_look
    low, high = _difference_interval(reference, other, covariance, confidence)
    if -levels.margin <= low and high <= levels.margin:
        return Verdict(AGREE, difference, low, high, confidence, p)
    verdict = DIFFER if p < levels.difference_at_a_look else UNDECIDED
    confidence = 1.0 - levels.difference_at_a_look
    low, high = _difference_interval(reference, other, covariance, confidence)
    return Verdict(verdict, difference, low, high, confidence, p)


def _relative_difference(reference: float, other: float) -> float:
    if reference == 0.0:
        return 0.0 if other == 0.0 else math.inf
    return other / reference - 1.0


def _freedom(reference: Estimate, other: Estimate, covariance: float | None) -> float:
    """The degrees of freedom of a difference, Welch's without pairs; infinite if neither is random.

    Estimates that have borrowed their error add no freedom.
    """
    if covariance is not None:
        return float(other.runs - 1)
    both = (reference, other)
    squares = [(mean.error**2, mean.runs) for mean in both if not mean.borrowed]
    below = sum(square**2 / (runs - 1) for square, runs in squares if square and runs > 1)
    return sum(square for square, _ in squares) ** 2 / below if below > 0.0 else math.inf


def _equality_p_value(reference: Estimate, other: Estimate, covariance: float | None) -> float:
    """The p value of the hypothesis that both estimate the same, or a value between the bounds."""
    low, high = reference.bounds
    away = max(low - other.value, other.value - high, 0.0)
    square = reference.error**2 + other.error**2 - 2.0 * (covariance or 0.0)
    if square <= _ROUNDING**2 * high**2:
        return 1.0 if away <= _ROUNDING * abs(high) else 0.0
    freedom = _freedom(reference, other, covariance)
    return float(2.0 * special.stdtr(freedom, -away / math.sqrt(square)))


def _quantile(freedom: float, p: float) -> float:
    """Quantile of Student's t; of the normal distribution for infinite degrees of freedom."""
    return float(special.ndtri(p) if math.isinf(freedom) else special.stdtrit(freedom, p))


def _difference_interval(
    reference: Estimate, other: Estimate, covariance: float | None, confidence: float
) -> tuple[float, float]:
    """Interval of the relative difference, over all values between the bounds of the reference."""
    freedom, c = _freedom(reference, other, covariance), covariance or 0.0
    t = _quantile(freedom, 0.5 + confidence / 2.0)
    below, above = reference.bounds
    return (
        _fieller(above, reference.error, other, c, t)[0] - 1.0,
        _fieller(below, reference.error, other, c, t)[1] - 1.0,
    )


def _fieller(
    reference: float, error: float, other: Estimate, covariance: float, t: float
) -> tuple[float, float]:
    """Ratios r, at least 0, with |other - r reference| <= t sqrt(V), V the variance of the left:
    other.error^2 - 2 r covariance + r^2 error^2.
    """
    square = reference**2 - (t * error) ** 2
    if reference == 0.0 == other.value and error == 0.0 == other.error:
        return 1.0, 1.0
    scatter = (reference * other.error) ** 2 + (other.value * error) ** 2
    scatter -= 2.0 * reference * other.value * covariance
    scatter -= t**2 * ((error * other.error) ** 2 - covariance**2)
    middle = reference * other.value - t**2 * covariance
    root = t * math.sqrt(max(scatter, 0.0))
    if square > 0.0:
        return max(middle - root, 0.0) / square, (middle + root) / square
    rest = other.value**2 - (t * other.error) ** 2
    if scatter < 0.0:
        return 0.0, math.inf
    return _ratios_outside(square, middle, rest, root, reference=reference, other=other.value)


def _ratios_outside(
    square: float, middle: float, rest: float, root: float, *, reference: float, other: float
) -> tuple[float, float]:
    """The ratios outside of two bounds, where the reference may be 0 (`square` <= 0).

    If 1 lies between the bounds, these are the ratios on the side of the estimate; otherwise all
    ratios, which have no upper end.
    """
    q = middle + math.copysign(root, middle)
    if q == 0.0:
        return (0.0 if rest <= 0.0 else math.inf), math.inf
    far = q / square if square else math.copysign(math.inf, -q)
    low, high = sorted((far, rest / q))
    if low > 0.0 and not low < 1.0 < high:
        return 0.0, math.inf
    if low <= 0.0 or other >= high * reference:
        return max(high, 0.0), math.inf
    return 0.0, low


def _has_spread(reference: Estimate) -> bool:
    low, high = reference.bounds
    return high > low


def _runs_needed(
    reference: Estimate, other: Estimate, levels: Levels, covariance: float | None
) -> float:
    """Number of runs of `other` that decide with the probability `POWER`."""
    now = other.runs or reference.runs
    if not now:
        return math.nan

    def tests(runs: int) -> VerdictTests:
        factor = runs / now
        both = (reference.with_runs(factor), other.with_runs(factor))
        c = None if covariance is None else covariance / factor
        errors = [
            _standard_error_of_difference(*both, c, 1.0 + side * levels.margin)
            for side in (-1.0, 0.0, 1.0)
        ]
        freedom = _freedom(*both, c)
        agree = _quantile(freedom, 1.0 - levels.equivalence_at_a_look)
        differ = _quantile(freedom, 1.0 - levels.difference_at_a_look / 2.0)
        return VerdictTests((errors[0], errors[2]), errors[1], agree, differ)

    freedom = _freedom(reference, other, covariance)
    return decisive_runs(_mean_contrasts(reference, other, levels), tests, now, freedom, MOST_RUNS)


def _mean_contrasts(reference: Estimate, other: Estimate, levels: Levels) -> MeanContrasts:
    low, high = reference.bounds
    inside = other.value - (1.0 - levels.margin) * high, (1.0 + levels.margin) * low - other.value
    return MeanContrasts(inside, (low - other.value, other.value - high), levels.margin * high)


def _standard_error_of_difference(
    reference: Estimate, other: Estimate, covariance: float | None, ratio: float
) -> float:
    """The standard error of other - ratio * reference."""
    square = other.error**2 + (ratio * reference.error) ** 2 - 2.0 * ratio * (covariance or 0.0)
    return math.sqrt(max(square, 0.0))


@dataclass(frozen=True)
class JointVerdict:
    """Joint verdict on all points of a table.

    - `counts`: number of points with each verdict;
    - `significant`: number of points that differ with a p value below the level, after Holm's
      correction over all points with a p value;
    - `common`: the verdict on the mean of the relative differences over the points;
    - `real`: true if the interval of that mean excludes 0, even if it is smaller than the margin.
    """

    counts: dict[str, int]
    significant: int
    common: Verdict
    real: bool


def joint_verdict(
    verdicts: Sequence[Verdict], common: Estimate | None = None, levels: Levels = LEVELS
) -> JointVerdict:
    """All verdicts of a table together.

    `common`: 1 plus the mean relative difference, as `common_difference` estimates it; None where
    there is none.
    """
    counts = {name: sum(verdict.verdict == name for verdict in verdicts) for name in VERDICTS}
    tested = [verdict for verdict in verdicts if not math.isnan(verdict.p)]
    adjusted = holm([verdict.p for verdict in tested]) if tested else ()
    pairs = zip(tested, adjusted, strict=True)
    significant = sum(
        verdict.verdict == DIFFER and p < levels.difference_at_a_look for verdict, p in pairs
    )
    if common is None or math.isnan(common.value):
        return JointVerdict(counts, significant, Verdict(NOT_COMPARABLE, why="no value"), False)
    together = judge(Estimate(1.0), common, levels)
    is_real = together.p < levels.difference_at_a_look  # false for NaN
    return JointVerdict(counts, significant, together, is_real)


def common_difference(ratios: ArrayLike) -> Estimate:
    """1 plus the mean relative difference over points, from ratios by point (row) and run (column).

    The ratios of one run are averaged over the points first: points that met the same random
    numbers miss together, runs are independent. Raises `InputError`.
    """
    rows = np.asarray(ratios, dtype=np.float64)
    if rows.ndim != 2 or rows.size == 0:
        raise refusal("ratios", ratios, "a table of points by runs")
    means: Floats = rows.mean(axis=0)
    runs = means.size
    sd = float(means.std(ddof=1)) if runs > 1 else 0.0
    telling = float(paired_signs(means[np.newaxis, :], np.ones((1, runs))).telling[0])
    if (rows == rows[:, :1]).all():  # nothing scatters at any point, rounding aside
        return Estimate.of_runs(float(means[0]), 0.0, runs)
    return Estimate.of_runs(float(means.mean()), sd, runs, telling=telling)


def ratios_of_pairs(reference: ArrayLike, other: ArrayLike) -> Floats:
    """1 plus the difference of each pair of runs as a share of the mean of the reference.

    Their mean is the ratio of the means. The t test of the differences shows if it is 1, however
    uncertain the mean of the reference is.
    """
    first, two = (np.asarray(runs, dtype=np.float64) for runs in (reference, other))
    found: Floats = 1.0 + differences(two, first) / first.mean()
    return found


def common_of_means(pairs: Sequence[tuple[Estimate, Estimate]]) -> Estimate:
    """1 plus the mean relative difference from means alone: as if all points missed together.

    This is cautious.
    """
    known = [(a, b) for a, b in pairs if a.value > 0.0 and not math.isnan(a.error + b.error)]
    if not known:
        return Estimate(math.nan)
    ratios = [b.value / a.value for a, b in known]
    errors = [
        math.hypot(b.error, ratio * a.error) / a.value
        for (a, b), ratio in zip(known, ratios, strict=True)
    ]
    runs = [mean.runs for pair in known for mean in pair if mean.runs]
    return Estimate(float(np.mean(ratios)), float(np.mean(errors)), min(runs, default=0))
