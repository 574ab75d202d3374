"""Number of runs that carry the scatter of a mean: few, where something rare decides.

Student's interval of few values misses too often where most runs are alike and a few deviate far:
runs without the rare event look precise. An example is a transfer that meets a timeout in one run
of fifty. Two signs reveal such values:

- more than half of the runs have one value in common, and fewer than `ENOUGH_CARRIERS` deviate from
  it. Deviations differ in kind, and the rarest kind may weigh most. A kind with a share of one in
  twenty is missing among 50 deviations with a probability of 8 %, among ten with 60 %;
- the sample's skewness G1 asks for more values than there are, n < 25 G1^2 [Cochran 1977, 2.15],
  and is more than normal values show in 1 % of the cases [D'Agostino 1970]. This sign needs at
  least ten values.

With normal values the signs appear for 1.2 % of the means of 10 to 60 runs, and never with fewer
than ten or more than a hundred runs (`tests/test_rare.py`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from airtcp.stats._checks import Floats, series

ENOUGH_CARRIERS = 50  # runs that deviate from what the others have in common
_COCHRAN_FACTOR = 25.0
_LEAST_VALUES = 10  # values whose skewness is judged
_SIGNIFICANCE_LEVEL = 0.01

Groups = NDArray[np.integer]


def carrier_count(values: ArrayLike) -> float:
    """Approximate number of these random values that carry their scatter, where few do.

    0 if the values are equal. NaN if enough of them carry it, for a single value, and if a value is
    not finite. Sums are rounded once (`math.fsum`). Raises `InputError`.
    """
    found = series("values", values, 0)
    if found.size < 2 or not np.isfinite(found).all():
        return math.nan
    _, counts = np.unique(found, return_counts=True)
    away = found - math.fsum(found.tolist()) / found.size
    moments = [math.fsum((away**power).tolist()) for power in (2, 3, 4)]
    judged = _signs_from_moments(
        np.array([found.size]), counts.max(keepdims=True), *np.array(moments)[:, None]
    )
    return float(judged.carriers[0])


def grouped_carriers(values: Floats, starts: NDArray[np.intp]) -> Floats:
    """Numbers of values that carry the scatter, per group; the groups begin at `starts`."""
    return grouped_signs(values, starts).carriers


def testable_count(values: ArrayLike) -> float:
    """Number of these values on which a test can be based (`Signs.telling`); NaN: all."""
    found = np.asarray(values, dtype=np.float64)
    if not found.size:
        return math.nan
    return float(grouped_signs(found, np.zeros(1, dtype=np.intp)).telling[0])


class CarrierSigns(NamedTuple):
    """The signs of each group of values.

    - `alike`: true if most are equal, and too few deviate; `skewed`: true if they are more skewed
      than normal values are, and too few for that skewness;
    - `skewness`: the third standardised moment;
    - `carriers`: number of values that carry the scatter, by either sign; NaN if that is enough.
    """

    alike: NDArray[np.bool_]
    skewed: NDArray[np.bool_]
    skewness: Floats
    carriers: Floats

    @property
    def telling(self) -> Floats:
        """Number of values on which a test can be based: 0 if most are alike; NaN: all."""
        return np.where(self.alike, 0.0, np.where(self.skewed, self.carriers, np.nan))


def grouped_signs(values: Floats, starts: NDArray[np.intp]) -> CarrierSigns:
    """Both signs of each group; a group of one value, or with a non-finite one, has none."""
    n = np.diff(starts, append=values.size)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = np.add.reduceat(values, starts) / n
        away = values - np.repeat(mean, n)
        moments = [np.add.reduceat(away**power, starts) for power in (2, 3, 4)]
    found = _signs_from_moments(n, _highest_multiplicity(values, starts, n), *moments)
    known = np.isfinite(mean) & (n > 1)
    return CarrierSigns(
        found.alike & known,
        found.skewed & known,
        found.skewness,
        np.where(known, found.carriers, np.nan),
    )


def _highest_multiplicity(values: Floats, starts: NDArray[np.intp], n: Groups) -> Groups:
    """Number of times that the commonest value of each group occurs."""
    group = np.repeat(np.arange(n.size), n)
    ordered = values[np.lexsort((values, group))]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    new[starts] = True
    first = np.flatnonzero(new)
    lengths = np.diff(first, append=values.size)
    found: Groups = np.maximum.reduceat(lengths, np.searchsorted(first, starts))
    return found


def _signs_from_moments(
    n: Groups, common: Groups, second: Floats, third: Floats, fourth: Floats
) -> CarrierSigns:
    """The signs, from the size, the commonest value's count and sums of powers of deviations."""
    deviating = n - common
    alike = (2 * common > n) & (deviating < ENOUGH_CARRIERS)
    with np.errstate(all="ignore"):
        carrying = np.maximum(np.round(second**2 / fourth), 1.0)
        skewness = third / second**1.5 * np.sqrt(n)
        skewed = (n < _COCHRAN_FACTOR * skewness**2) & _is_significant(skewness, n)
    few = np.where(skewed, np.where(alike, np.minimum(carrying, deviating), carrying), np.nan)
    return CarrierSigns(alike, skewed, skewness, np.where(alike & ~skewed, deviating, few))


def _is_significant(skewness: Floats, n: Groups) -> NDArray[np.bool_]:
    """True if normal values show so much skewness in fewer than 1 % of the cases."""
    many = np.maximum(n, _LEAST_VALUES).astype(float)
    y = skewness * np.sqrt((many + 1.0) * (many + 3.0) / (6.0 * (many - 2.0)))
    beta = 3.0 * (many**2 + 27.0 * many - 70.0) * (many + 1.0) * (many + 3.0)
    beta /= (many - 2.0) * (many + 5.0) * (many + 7.0) * (many + 9.0)
    w2 = np.sqrt(2.0 * (beta - 1.0)) - 1.0
    scale = np.sqrt(2.0 / (w2 - 1.0))
    z = np.arcsinh(y / scale) / np.sqrt(0.5 * np.log(w2))
    found: NDArray[np.bool_] = (n >= _LEAST_VALUES) & (
        2.0 * special.ndtr(-np.abs(z)) < _SIGNIFICANCE_LEVEL
    )
    return found
