"""Comparison of throughputs of [zorzi]: the scale of its claims, and claims about differences.

One scale, unless a claim states a rule of its own with its reason: two throughputs are "the same"
if they differ by at most 2 % (partly: 5 %); one is "better" if it is above the other, and
"significantly better" if by more than 2 %, at every loss rate of the stated range (partly: at half
of them, equally spaced in log P_E). Differences are relative to the second of the two.

The paper gives no numbers for low, medium and high loss rates. Here low ones are P_E <= 0.01,
medium ones end at 10^-1.5, the middle of the decade up to 0.1, and high ones begin at 0.05.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from airtcp.papers.base import (
    ALIKE,
    NEARLY,
    Judgement,
    Statement,
    judge_alike,
    judge_better,
    percent,
    whole_percent,
)
from airtcp.papers.zorzi.study import LOSS_RATES, Case, Floats, ZorziStudy, bounds_table

# P_E: where low and medium end, where high begins.
LOW_LOSS_RATE, MEDIUM_LOSS_RATE, HIGH_LOSS_RATE = 0.01, 0.032, 0.05

SAME_RULE = (
    f"the relative difference is at most {whole_percent(ALIKE)} at every loss rate"
    f" (partly: {whole_percent(NEARLY)})"
)
BETTER_RULE = "above at every loss rate of the range (partly: at half of them)"
MUCH_BETTER_RULE = (
    f"above by more than {whole_percent(ALIKE)} at every loss rate of the range"
    " (partly: at half of them)"
)


@dataclass(frozen=True)
class ThroughputGap:
    """The relative difference of two throughputs over a range of loss rates."""

    label: str
    rates: Floats
    values: Floats
    difference_bound: float  # the largest absolute difference, packets per slot

    @classmethod
    def from_cases(
        cls,
        study: ZorziStudy,
        this: Case,
        other: Case,
        label: str = "",
        *,
        low: float = 0.0,
        high: float = 1.0,
    ) -> ThroughputGap:
        """(this - other) / other where low <= P_E <= high."""
        rates = study.sizes.loss_rates
        inside = (rates >= low) & (rates <= high)
        reference = study.throughput(other)[inside]
        difference = study.throughput(this)[inside] - reference
        apart = float(np.abs(difference).max())
        return cls(label, rates[inside], difference / reference, apart)

    def words(self) -> str:
        """The extremes and their places, in words."""
        low, high = int(self.values.argmin()), int(self.values.argmax())
        head = f"{self.label}: " if self.label else ""
        return (
            f"{head}{percent(self.values[low])} at P_E {self.rates[low]:.3g}"
            f" to {percent(self.values[high])} at {self.rates[high]:.3g}"
        )

    def numbers(self) -> dict[str, float]:
        """The extremes and their places, by name."""
        head = f"{self.label} " if self.label else ""
        return {
            f"{head}smallest": float(self.values.min()),
            f"{head}smallest at": float(self.rates[self.values.argmin()]),
            f"{head}largest": float(self.values.max()),
            f"{head}largest at": float(self.rates[self.values.argmax()]),
            f"{head}largest absolute": self.difference_bound,
        }


def extremes_of_gaps(gaps: Iterable[ThroughputGap]) -> dict[str, float]:
    """The numbers of all gaps."""
    return {key: value for gap in gaps for key, value in gap.numbers().items()}


@dataclass(frozen=True)
class CasePair:
    """`this` against `other` where low <= P_E <= high."""

    this: Case
    other: Case
    label: str = ""
    low: float = 0.0
    high: float = 1.0

    def gap(self, study: ZorziStudy) -> ThroughputGap:
        """The difference in a study."""
        return ThroughputGap.from_cases(
            study, self.this, self.other, self.label, low=self.low, high=self.high
        )


def comparison(
    *,
    name: str,
    text: str,
    where: str,
    scope: str,
    pairs: tuple[CasePair, ...],
    by: float | None = None,
    cross: CasePair | None = None,
) -> Statement:
    """A statement that compares throughputs on the common scale.

    `scope` begins the rule. All pairs are judged as one: the same if `by` is None, else better by
    more than `by`. `cross` is a pair whose curves are said to cross, if they do.
    """
    rule = SAME_RULE if by is None else MUCH_BETTER_RULE if by else BETTER_RULE
    return Statement(
        name=name,
        text=text,
        where=where,
        rule=f"{scope} {rule}",
        judge=lambda study: _judge([pair.gap(study) for pair in pairs], by, cross),
        of="study",
    )


def _judge(gaps: list[ThroughputGap], by: float | None, cross: CasePair | None) -> Judgement:
    values = np.concatenate([gap.values for gap in gaps])
    equal = cross and crossing(cross.this, cross.other)
    place = f" at {cross.label}" if cross and cross.label else ""
    finding = (
        "; ".join(gap.words() for gap in gaps) + "." + _exceeding_share_words(gaps, values, by)
    )
    if equal:
        finding += f" The curves{place} cross at P_E {equal:.3g}."
    return Judgement(
        verdict=judge_alike(values) if by is None else judge_better(values, by),
        finding=finding,
        numbers=extremes_of_gaps(gaps) | ({f"crossing{place}": equal} if equal else {}),
    )


def _exceeding_share_words(gaps: list[ThroughputGap], values: Floats, by: float | None) -> str:
    if by is None:
        apart = max(gap.difference_bound for gap in gaps)
        return f" Absolute difference at most {apart:.2g} packets per slot."
    met = int((values > by).sum())
    return "" if met == values.size else f" Above at {met} of {values.size} points."


def crossing(this: Case, other: Case) -> float | None:
    """The loss rate where two throughputs are equal (embedded analysis), if there is one."""

    def difference(log_rate: float) -> float:
        rate = [float(np.exp(log_rate))]
        return float(
            (bounds_table(this, rate).throughput - bounds_table(other, rate).throughput).iloc[0]
        )

    low, high = np.log(LOSS_RATES)
    if difference(low) * difference(high) > 0.0:
        return None
    return float(np.exp(brentq(difference, low, high, xtol=1e-6)))
