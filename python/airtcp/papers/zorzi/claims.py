"""What the paper says about Figs. 1 to 6, judged by the exact throughput of this run.

One scale for all: two throughputs are "the same" if they differ by at most 2 % (partly: 5 %); one
is "better" if it is above the other, and "significantly better" if by more than 2 %, at every loss
rate of the stated range (partly: at half of them, equally spaced in log P_E). Differences are
relative to the second of the two. Low loss rates are P_E <= 0.01, high ones P_E >= 0.05.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from airtcp.papers._base import (
    ALIKE,
    NEARLY,
    Claim,
    judge_alike,
    judge_better,
    judge_both,
    percent,
    whole_percent,
)
from airtcp.papers.zorzi.study import CORRELATED, LOSS_RATES, Case, Floats, Study, bounds

LOW, MEDIUM, HIGH = 0.01, 0.0317, 0.05  # P_E: where low and medium end, where high begins

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
class Gap:
    """The relative difference of two throughputs over a range of loss rates."""

    label: str
    rates: Floats
    values: Floats

    @classmethod
    def of(
        cls,
        study: Study,
        this: Case,
        other: Case,
        label: str = "",
        *,
        low: float = 0.0,
        high: float = 1.0,
    ) -> Gap:
        """(this - other) / other where low <= P_E <= high."""
        rates = study.sizes.loss_rates
        inside = (rates >= low) & (rates <= high)
        reference = study.throughput(other)
        values = (study.throughput(this) - reference) / reference
        return cls(label, rates[inside], values[inside])

    def words(self) -> str:
        """The extremes and where they are."""
        low, high = int(self.values.argmin()), int(self.values.argmax())
        head = f"{self.label}: " if self.label else ""
        return (
            f"{head}{percent(self.values[low])} at P_E {self.rates[low]:.3g}"
            f" to {percent(self.values[high])} at {self.rates[high]:.3g}"
        )

    def numbers(self) -> dict[str, float]:
        """The same extremes by name."""
        head = f"{self.label} " if self.label else ""
        return {
            f"{head}smallest": float(self.values.min()),
            f"{head}smallest at": float(self.rates[self.values.argmin()]),
            f"{head}largest": float(self.values.max()),
            f"{head}largest at": float(self.rates[self.values.argmax()]),
        }


def crossing(this: Case, other: Case) -> float | None:
    """The loss rate where two throughputs are equal (embedded analysis), if there is one."""

    def difference(log_rate: float) -> float:
        rate = [float(np.exp(log_rate))]
        return float((bounds(this, rate).throughput - bounds(other, rate).throughput).iloc[0])

    low, high = np.log(LOSS_RATES)
    if difference(low) * difference(high) > 0.0:
        return None
    return float(np.exp(brentq(difference, low, high, xtol=1e-6)))


def reno_small_window_low_loss(study: Study) -> Claim:
    """[zorzi V, Fig. 1]."""
    slow, iid = Case("reno", 6), Case("reno", 6, None)
    gap = Gap.of(study, iid, slow, high=LOW)
    equal = crossing(iid, slow)
    extra = f"; the curves cross at P_E {equal:.3g}" if equal else ""
    return Claim(
        name="reno-small-window-low-loss",
        text="With a window of 6, Reno does better on independent than on correlated losses when"
        " the loss rate is low.",
        where="V, Fig. 1",
        rule=f"P_E <= {LOW}: i.i.d. {BETTER_RULE}",
        verdict=judge_better(gap.values),
        finding=f"i.i.d. against f_dT 0.01: {gap.words()}{extra}.",
        numbers=gap.numbers() | ({"crossing": equal} if equal else {}),
    )


def small_window_high_loss(study: Study) -> Claim:
    """[zorzi V, Fig. 1]."""
    gaps = [_correlation_gain(study, variant, 6, low=HIGH) for variant in ("reno", "tahoe")]
    return _claim(
        gaps,
        name="small-window-high-loss",
        text="With a window of 6, correlated losses give a better throughput than independent ones"
        " when the loss rate is high.",
        where="V, Fig. 1",
        rule=f"P_E >= {HIGH}, Reno and Tahoe: f_dT 0.01 {BETTER_RULE}",
        by=0.0,
    )


def reno_equals_tahoe(study: Study) -> Claim:
    """[zorzi V, Fig. 1]."""
    gaps = [
        Gap.of(study, Case("reno", 6, doppler), Case("tahoe", 6, doppler), label, low=HIGH)
        for doppler, label in ((CORRELATED, "f_dT 0.01"), (None, "i.i.d."))
    ]
    apart = max(
        _apart(study, Case("reno", 6, doppler), Case("tahoe", 6, doppler), low=HIGH)
        for doppler in (CORRELATED, None)
    )
    return _claim(
        gaps,
        name="reno-equals-tahoe-high-loss",
        text="With a window of 6, Reno and Tahoe are almost identical at high loss rates.",
        where="V, Fig. 1",
        rule=f"P_E >= {HIGH}, both channels: {SAME_RULE}",
        more=f" Absolute difference at most {apart:.3f} packets per slot.",
        extra={"largest absolute": apart},
    )


def tahoe_gains(study: Study) -> Claim:
    """[zorzi V, Fig. 2]."""
    gap = _correlation_gain(study, "tahoe", 24)
    much, above = int((gap.values > ALIKE).sum()), int((gap.values > 0.0).sum())
    every = gap.values.size
    return Claim(
        name="tahoe-gains",
        text="With a window of 24, Tahoe does significantly better on correlated than on"
        " independent losses, at all loss rates.",
        where="V, Fig. 2",
        rule=f"above by more than {whole_percent(ALIKE)} at every loss rate (partly: above)",
        verdict="holds" if much == every else "partly" if above == every else "fails",
        finding=f"{gap.words()}; above at {above}, by more than {whole_percent(ALIKE)} at {much} of"
        f" {every} loss rates.",
        numbers=gap.numbers() | {"above": above, "by more than 2 %": much, "loss rates": every},
    )


def larger_window(study: Study) -> Claim:
    """[zorzi V, Figs. 1 and 2]."""
    gap = Gap.of(study, Case("tahoe", 24), Case("tahoe", 6), low=HIGH)
    return _claim(
        [gap],
        name="larger-window",
        text="A window longer than the mean burst (about 13 slots) is beneficial on the slow"
        " channel, as Tahoe shows.",
        where="V, Figs. 1 and 2",
        rule=f"P_E >= {HIGH}, f_dT 0.01: window 24 {MUCH_BETTER_RULE}",
        by=ALIKE,
    )


def reno_degraded(study: Study) -> Claim:
    """[zorzi V, Fig. 2]."""
    gap = Gap.of(study, Case("reno", 24, None), Case("reno", 24), high=LOW)
    return _claim(
        [gap],
        name="reno-degraded",
        text="With a window of 24, clustered losses degrade Reno severely at low loss rates.",
        where="V, Fig. 2",
        rule=f"P_E <= {LOW}: i.i.d. {MUCH_BETTER_RULE}",
        by=ALIKE,
    )


def reno_below_tahoe(study: Study) -> Claim:
    """[zorzi V, Fig. 2]."""
    gap = Gap.of(study, Case("tahoe", 24), Case("reno", 24))
    return _claim(
        [gap],
        name="reno-below-tahoe",
        text="On correlated losses Reno is significantly worse than Tahoe in general.",
        where="V, Fig. 2; VI",
        rule=f"f_dT 0.01, window 24: Tahoe {MUCH_BETTER_RULE}",
        by=ALIKE,
    )


def newreno_gains(study: Study) -> Claim:
    """[zorzi V, Fig. 3]."""
    gaps = [_correlation_gain(study, "newreno", window, label=f"W {window}") for window in (6, 24)]
    equal = crossing(Case("newreno", 6), Case("newreno", 6, None))
    more = f" At window 6 it is a loss below P_E {equal:.3g}." if equal else ""
    return _claim(
        gaps,
        name="newreno-gains",
        text="NewReno, like Tahoe, benefits from correlation in the losses.",
        where="V, Fig. 3",
        rule=f"windows 6 and 24: f_dT 0.01 {BETTER_RULE}",
        by=0.0,
        more=more,
        extra={"crossing at W 6": equal} if equal else {},
    )


def newreno_gains_more(study: Study) -> Claim:
    """[zorzi V, Fig. 3]."""
    small, large = (_absolute_gain(study, window) for window in (6, 24))
    gap = Gap("", study.sizes.loss_rates, large - small)
    relative = [_correlation_gain(study, "newreno", window).values for window in (6, 24)]
    also = int((relative[1] > relative[0]).sum())
    return Claim(
        name="newreno-gains-more",
        text="NewReno benefits from correlation more when the window is large.",
        where="V, Fig. 3",
        rule="gain in packets per slot at window 24 minus gain at window 6: positive at every loss"
        " rate (partly: at half of them)",
        verdict=judge_better(gap.values),
        finding=f"from {gap.values.min():+.4f} at P_E {gap.rates[gap.values.argmin()]:.3g} to"
        f" {gap.values.max():+.3f} packets per slot; the relative gain is the larger one too at"
        f" {also} of {gap.values.size} loss rates.".replace("-", "\N{MINUS SIGN}"),
        numbers=gap.numbers() | {"relative gain larger at": float(also)},
    )


def correlation_matters(study: Study) -> Claim:
    """[zorzi abstract, VI]."""
    gaps = [_correlation_gain(study, variant, 24) for variant in ("tahoe", "newreno")]
    somewhere = all(gap.values.max() > ALIKE for gap in gaps)
    unharmed = all(gap.values.min() >= -ALIKE for gap in gaps)
    return Claim(
        name="correlation-matters",
        text="Correlated losses may give Tahoe and NewReno a considerably better throughput.",
        where="Abstract; VI",
        rule=f"window 24: f_dT 0.01 above i.i.d. by more than {whole_percent(ALIKE)} at some loss"
        " rates and below by as much at none (partly: one of the two)",
        verdict=judge_both(somewhere, unharmed),
        finding="; ".join(gap.words() for gap in gaps) + ".",
        numbers={key: value for gap in gaps for key, value in gap.numbers().items()},
    )


def tahoe_equals_newreno(study: Study) -> Claim:
    """[zorzi abstract, V, Fig. 4]."""
    gap = Gap.of(study, Case("newreno", 24), Case("tahoe", 24))
    apart = _apart(study, Case("newreno", 24), Case("tahoe", 24))
    return _claim(
        [gap],
        name="tahoe-equals-newreno",
        text="On a slowly fading channel Tahoe performs as well as NewReno.",
        where="Abstract; V, Fig. 4; VI",
        rule=f"f_dT 0.01, window 24: {SAME_RULE}",
        more=f" Absolute difference at most {apart:.4f} packets per slot.",
        extra={"largest absolute": apart},
    )


def newreno_above_tahoe_fast(study: Study) -> Claim:
    """[zorzi V, Fig. 4]."""
    gaps = [
        Gap.of(study, Case("newreno", 24, fast), Case("tahoe", 24, fast), f"f_dT {fast:g}")
        for fast in (0.08, 0.64)
    ]
    return _claim(
        gaps,
        name="newreno-above-tahoe-fast",
        text="On faster fading (f_dT 0.08 and 0.64) NewReno does better than Tahoe.",
        where="V, Fig. 4",
        rule=f"window 24: NewReno {BETTER_RULE}",
        by=0.0,
    )


def newreno_iid_low_loss(study: Study) -> Claim:
    """[zorzi V, Fig. 4]."""
    gap = Gap.of(study, Case("newreno", 24, None), Case("tahoe", 24, None), high=MEDIUM)
    return _claim(
        [gap],
        name="newreno-iid-low-loss",
        text="On independent losses NewReno does better than Tahoe at low and medium loss rates.",
        where="V, Fig. 4",
        rule=f"window 24, P_E <= {MEDIUM}: NewReno {BETTER_RULE}",
        by=0.0,
    )


def newreno_iid_high_loss(study: Study) -> Claim:
    """[zorzi V, Fig. 4]."""
    newreno, tahoe = Case("newreno", 24, None), Case("tahoe", 24, None)
    apart = _apart(study, newreno, tahoe, low=HIGH)
    return _claim(
        [Gap.of(study, newreno, tahoe, low=HIGH)],
        name="newreno-iid-high-loss",
        text="On independent losses Tahoe and NewReno are similar at high loss rates.",
        where="V, Fig. 4",
        rule=f"window 24, P_E >= {HIGH}: {SAME_RULE}",
        more=f" Absolute difference at most {apart:.3f} packets per slot.",
        extra={"largest absolute": apart},
    )


def fast_fading_is_iid(study: Study) -> Claim:
    """[zorzi V]."""
    gaps = [
        Gap.of(
            study,
            Case(variant, 24, 0.64),
            Case(variant, 24, None),
            Case(variant, 24).variant_word,
        )
        for variant in ("tahoe", "newreno")
    ]
    return _claim(
        gaps,
        name="fast-fading-is-iid",
        text="At f_dT 0.64 the performance is virtually that of independent losses.",
        where="V, Fig. 4",
        rule=f"window 24: {SAME_RULE}",
    )


def tahoe_fewer_dupacks_iid(study: Study) -> Claim:
    """[zorzi V, Fig. 5]."""
    return _fewer_dupacks_iid(study, "tahoe", "V, Fig. 5")


def newreno_fewer_dupacks_iid(study: Study) -> Claim:
    """[zorzi V, Fig. 6]."""
    return _fewer_dupacks_iid(study, "newreno", "V, Fig. 6")


def tahoe_fewer_dupacks_correlated(study: Study) -> Claim:
    """[zorzi V, Fig. 5]."""
    return _fewer_dupacks_correlated(study, "tahoe", "V, Fig. 5; VI")


def newreno_fewer_dupacks_correlated(study: Study) -> Claim:
    """[zorzi V, Fig. 6]."""
    return _fewer_dupacks_correlated(study, "newreno", "V, Fig. 6; VI")


def _fewer_dupacks_iid(study: Study, variant: str, where: str) -> Claim:
    gap = Gap.of(study, Case(variant, 24, None, 1), Case(variant, 24, None, 3))
    word = Case(variant, 24).variant_word
    return _claim(
        [gap],
        name=f"{variant}-fewer-dupacks-iid",
        text=f"On independent losses {word} is better with K = 1 than with K = 3.",
        where=where,
        rule=f"window 24: K = 1 {BETTER_RULE}",
        by=0.0,
        more=f" It is above at {int((gap.values > 0).sum())} of {gap.values.size} loss rates.",
    )


def _fewer_dupacks_correlated(study: Study, variant: str, where: str) -> Claim:
    gap = Gap.of(study, Case(variant, 24, CORRELATED, 1), Case(variant, 24))
    word = Case(variant, 24).variant_word
    return Claim(
        name=f"{variant}-fewer-dupacks-correlated",
        text=f"At f_dT 0.01 {word} gains practically nothing from K = 1 instead of 3.",
        where=where,
        rule=f"window 24: the gain is at most {whole_percent(NEARLY)} at every loss rate"
        f" (partly: {whole_percent(2 * NEARLY)})",
        verdict=judge_alike(gap.values, NEARLY, 2 * NEARLY),
        finding=f"{gap.words()}.",
        numbers=gap.numbers(),
    )


def _correlation_gain(
    study: Study, variant: str, window: int, *, low: float = 0.0, label: str | None = None
) -> Gap:
    slow, iid = Case(variant, window), Case(variant, window, None)
    return Gap.of(study, slow, iid, slow.variant_word if label is None else label, low=low)


def _apart(study: Study, this: Case, other: Case, *, low: float = 0.0) -> float:
    """The largest absolute difference where P_E >= low, packets per slot."""
    difference = np.abs(study.throughput(this) - study.throughput(other))
    return float(difference[study.sizes.loss_rates >= low].max())


def _absolute_gain(study: Study, window: int) -> Floats:
    slow, iid = Case("newreno", window), Case("newreno", window, None)
    return study.throughput(slow) - study.throughput(iid)


def _claim(
    gaps: Iterable[Gap],
    *,
    name: str,
    text: str,
    where: str,
    rule: str,
    by: float | None = None,
    more: str = "",
    extra: Mapping[str, float] | None = None,
) -> Claim:
    """Judge all gaps as one: alike if `by` is None, else better by more than `by`."""
    found = list(gaps)
    values = np.concatenate([gap.values for gap in found])
    numbers = {key: value for gap in found for key, value in gap.numbers().items()}
    return Claim(
        name=name,
        text=text,
        where=where,
        rule=rule,
        verdict=judge_alike(values) if by is None else judge_better(values, by),
        finding="; ".join(gap.words() for gap in found) + "." + more,
        numbers=numbers | dict(extra or {}),
    )
