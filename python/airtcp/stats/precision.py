"""Number of replications that a stated precision takes: a sequential rule in stages.

The rule looks at the first `least` values, then at more of them: as many as the scatter so far
predicts, at least a tenth more and at most twice as many each time. It holds where the half-width
of the Student t interval is at most r / (1 + r) of the mean, so that r, the asked precision, also
bounds the half-width relative to the true mean [Law 2015, 9.4.1]. Stopping there would favour
moments at which the scatter happens to look small, and such intervals miss too often. So a
confirming stage follows, of at least `least` further values and at least a tenth of those before.
The interval of all values must then still be narrow enough.

The search also goes on where few values carry the scatter, or where random values are all equal
(`airtcp.stats.rare`): a rare event has not happened yet, or too seldom to tell its share.

The sizes were chosen by experiment (docs/evidence/promises.md measures them): with 10 for `least`
the 95 % intervals of values with a long tail below cover the mean in 90 % of the searches, with 30
in 92 % or more, and those of normal, uniform and exponential values in 94 to 96 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from airtcp.errors import real_number, refusal, whole_number
from airtcp.stats._checks import CONFIDENCE, Floats, open_probability, series
from airtcp.stats.rare import carrier_count
from airtcp.support.seeds import MOST_REPLICATIONS

LEAST, MOST = 30, 10_000  # replications


@dataclass(frozen=True)
class Precision:
    """Precision that is required of a mean over replications.

    - `relative`: largest half-width of the interval, as a share of the mean, in (0, 1);
    - `confidence`: confidence level of the Student t interval;
    - `least`: number of replications before the first check, 2 to 1 000 000. Values that vary need
      at least twice as many; normal values allow a smaller `least` than skewed ones;
    - `most`: number of replications after which the search ends, whatever the precision; up to 1
      000 000.

    Raises `InputError`.
    """

    relative: float
    confidence: float = CONFIDENCE
    least: int = LEAST
    most: int = MOST

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        relative = real_number("relative", self.relative, "a share in (0, 1)")
        if not 0.0 < relative < 1.0:
            raise refusal("relative", self.relative, "a share in (0, 1)")
        open_probability("confidence", self.confidence)
        whole_number("least", self.least, 2, MOST_REPLICATIONS)
        whole_number("most", self.most, self.least, MOST_REPLICATIONS)

    def next_runs(self, values: ArrayLike) -> int:
        """Number of replications needed in all, estimated from the first ones.

        `values` are those of replications 0, 1, ... in this order. A result above their number asks
        for more; otherwise it is the number that suffices, and values beyond it are not needed. The
        result is a function of the values in their order, whoever computed them and when.

        The search goes on to `most` if the values are equal, if few of them carry their scatter, or
        if their mean is 0, which has no relative precision. A NaN or an infinite value ends the
        search where it occurs: the mean stays unknown however many runs follow. `reached` tells if
        the precision is reached.
        """
        values = series("values", values, 0)
        stage = self.least
        while stage <= values.size:
            share = self._share(values, stage)
            if share > 1.0 and stage < self.most:
                stage = min(_next_stage(stage, share), self.most)
                continue
            if stage >= self.most or math.isnan(share):
                return stage
            if not math.isnan(carrier_count(values[:stage])):
                stage = min(2 * stage, self.most)
                continue
            stage = min(stage + self._values_to_confirm(stage), self.most)
            if stage <= values.size and self._is_settled(values, stage):
                return stage
        return stage

    def expected_runs(self, scatter: float) -> int:
        """Number of replications that the search takes if sd / |mean| is `scatter`.

        It is `most` for an infinite scatter, which is that of a mean of 0, and for a scatter of 0.
        With NaN the search ends at the first look.
        """
        if scatter == 0.0:
            return self.most
        if math.isnan(scatter):
            return self.least
        target = self.relative / (1.0 + self.relative)
        low, high = self.least, self.most
        while low < high:  # the half-width falls with the number of replications
            middle = (low + high) // 2
            if half_width(scatter, middle, self.confidence) <= target:
                high = middle
            else:
                low = middle + 1
        return min(low + self._values_to_confirm(low), self.most)

    def reached(self, values: ArrayLike) -> bool:
        """True if the interval of these values is as narrow as asked, and not carried by few."""
        values = series("values", values, 0)
        narrow = bool(relative_half_width(values, self.confidence) <= self.relative)
        return narrow and math.isnan(carrier_count(values))

    def _share(self, values: Floats, stage: int) -> float:
        """The width of the first values as a share of the one at which the rule holds."""
        width = relative_half_width(values[:stage], self.confidence)
        return width * (1.0 + self.relative) / self.relative

    def _values_to_confirm(self, stage: int) -> int:
        """Number of values that follow a stage at which the rule holds."""
        return max(self.least, math.ceil(stage / 10))

    def _is_settled(self, values: Floats, stage: int) -> bool:
        """True if the stage that follows a good look leaves nothing to do."""
        width = relative_half_width(values[:stage], self.confidence)
        if stage >= self.most or math.isnan(width):  # NaN: no further run helps
            return True
        return width <= self.relative and math.isnan(carrier_count(values[:stage]))


def half_width(scatter: float, runs: int, confidence: float = CONFIDENCE) -> float:
    """Half of the Student t interval over `runs` values as a share of their mean.

    `scatter` is sd / |mean|. NaN for fewer than two values.
    """
    if runs < 2:
        return math.nan
    quantile = float(special.stdtrit(runs - 1, 0.5 + confidence / 2.0))
    return quantile * scatter / math.sqrt(runs)


def relative_half_width(values: ArrayLike, confidence: float = CONFIDENCE) -> float:
    """Compute the half-width of the Student interval of a mean, as a share of the mean.

    Sums are rounded once (`math.fsum`), so that decisions that depend on them are the same on every
    machine.

    Parameters
    ----------
    values : array_like
        Independent values.
    confidence : float, default 0.95
        Confidence level of the interval.

    Returns
    -------
    float
        0 if all values are equal, infinity if the mean is 0, NaN if a value is not finite or there
        are fewer than two.

    Raises
    ------
    InputError
        If the confidence is out of range.

    Examples
    --------
    >>> from airtcp import stats
    >>> round(stats.relative_half_width([9, 10, 11]), 3)
    0.248
    """
    confidence = open_probability("confidence", confidence)
    found = series("values", values, 0)
    n = found.size
    if n < 2 or not np.isfinite(found).all():
        return math.nan
    constant = bool((found == found[0]).all())
    mean = float(found[0]) if constant else math.fsum(found.tolist()) / n
    if mean == 0.0:
        return math.inf
    if constant:
        return 0.0
    variance = math.fsum(((found - mean) ** 2).tolist()) / (n - 1)
    quantile = float(special.stdtrit(n - 1, 0.5 + confidence / 2.0))
    return quantile * math.sqrt(variance / n) / abs(mean)


def _next_stage(stage: int, share: float) -> int:
    """The next stage as the scatter predicts it: a tenth more at least, twice as many at most."""
    return math.ceil(min(max(stage * share * share, 11 * stage / 10), 2 * stage))
