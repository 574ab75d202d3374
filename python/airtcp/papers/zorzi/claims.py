"""Statements of the paper on Figs. 1 to 6, judged by the exact throughput of this run.

Most claims compare throughputs on the common scale of `gaps`; those below the tables have rules of
their own, with their reasons.
"""

from __future__ import annotations

from airtcp.papers.base import (
    ALIKE,
    NEARLY,
    Judgement,
    Statement,
    judge_alike,
    judge_better,
    judge_both,
    percent,
    statement,
    whole_percent,
)
from airtcp.papers.zorzi.gaps import (
    HIGH_LOSS_RATE,
    LOW_LOSS_RATE,
    MEDIUM_LOSS_RATE,
    CasePair,
    comparison,
    extremes_of_gaps,
)
from airtcp.papers.zorzi.study import CORRELATED_DOPPLER, Case, ZorziStudy


def _correlation_pair(
    variant: str, window: int, *, low: float = 0.0, label: str | None = None
) -> CasePair:
    """A pair of cases: slow fading against independent losses."""
    slow, iid = Case(variant, window), Case(variant, window, None)
    return CasePair(slow, iid, slow.variant_word if label is None else label, low=low)


def _newreno_tahoe(
    doppler: float | None, label: str = "", *, low: float = 0.0, high: float = 1.0
) -> CasePair:
    return CasePair(Case("newreno", 24, doppler), Case("tahoe", 24, doppler), label, low, high)


FIG1: tuple[Statement, ...] = (
    comparison(
        name="reno-small-window-low-loss",
        text="With a window of 6, Reno does better on independent than on correlated losses when"
        " the loss rate is low.",
        where="V, Fig. 1",
        scope=f"P_E <= {LOW_LOSS_RATE}: i.i.d.",
        pairs=(CasePair(Case("reno", 6, None), Case("reno", 6), high=LOW_LOSS_RATE),),
        by=0.0,
        cross=CasePair(Case("reno", 6, None), Case("reno", 6)),
    ),
    comparison(
        name="small-window-high-loss",
        text="With a window of 6, correlated losses give a better throughput than independent ones"
        " when the loss rate is high.",
        where="V, Fig. 1",
        scope=f"P_E >= {HIGH_LOSS_RATE}, Reno and Tahoe: f_dT 0.01",
        pairs=tuple(
            _correlation_pair(variant, 6, low=HIGH_LOSS_RATE) for variant in ("reno", "tahoe")
        ),
        by=0.0,
    ),
    comparison(
        name="reno-equals-tahoe-high-loss",
        text="With a window of 6, Reno and Tahoe are almost identical at high loss rates.",
        where="V, Fig. 1",
        scope=f"P_E >= {HIGH_LOSS_RATE}, both channels:",
        pairs=tuple(
            CasePair(Case("reno", 6, doppler), Case("tahoe", 6, doppler), label, low=HIGH_LOSS_RATE)
            for doppler, label in ((CORRELATED_DOPPLER, "f_dT 0.01"), (None, "i.i.d."))
        ),
    ),
)

LARGER_WINDOW = comparison(
    name="larger-window",
    text="A window longer than the mean burst (about 13 slots) is beneficial on the slow channel,"
    " as Tahoe shows.",
    where="V, Figs. 1 and 2",
    scope=f"P_E >= {HIGH_LOSS_RATE}, f_dT 0.01: window 24",
    pairs=(CasePair(Case("tahoe", 24), Case("tahoe", 6), low=HIGH_LOSS_RATE),),
    by=ALIKE,
)
RENO_DEGRADED = comparison(
    name="reno-degraded",
    text="With a window of 24, clustered losses degrade Reno severely at low loss rates.",
    where="V, Fig. 2",
    scope=f"P_E <= {LOW_LOSS_RATE}: i.i.d.",
    pairs=(CasePair(Case("reno", 24, None), Case("reno", 24), high=LOW_LOSS_RATE),),
    by=ALIKE,
)
RENO_BELOW_TAHOE = comparison(
    name="reno-below-tahoe",
    text="On correlated losses Reno is significantly worse than Tahoe in general.",
    where="V, Fig. 2; VI",
    scope="f_dT 0.01, window 24: Tahoe",
    pairs=(CasePair(Case("tahoe", 24), Case("reno", 24)),),
    by=ALIKE,
)
NEWRENO_GAINS = comparison(
    name="newreno-gains",
    text="NewReno, like Tahoe, benefits from correlation in the losses.",
    where="V, Fig. 3",
    scope="windows 6 and 24: f_dT 0.01",
    pairs=tuple(_correlation_pair("newreno", window, label=f"W {window}") for window in (6, 24)),
    by=0.0,
    cross=_correlation_pair("newreno", 6, label="W 6"),
)
SPEEDS: tuple[Statement, ...] = (
    comparison(
        name="tahoe-equals-newreno",
        text="On a slowly fading channel Tahoe performs as well as NewReno.",
        where="Abstract; V, Fig. 4; VI",
        scope="f_dT 0.01, window 24:",
        pairs=(_newreno_tahoe(CORRELATED_DOPPLER),),
    ),
    comparison(
        name="newreno-above-tahoe-fast",
        text="On faster fading (f_dT 0.08 and 0.64) NewReno does better than Tahoe.",
        where="V, Fig. 4",
        scope="window 24: NewReno",
        pairs=tuple(_newreno_tahoe(fast, f"f_dT {fast:g}") for fast in (0.08, 0.64)),
        by=0.0,
    ),
    comparison(
        name="newreno-iid-low-loss",
        text="On independent losses NewReno does better than Tahoe at low and medium loss rates.",
        where="V, Fig. 4",
        scope=f"window 24, P_E <= {MEDIUM_LOSS_RATE} (low and medium taken as up to 10^-1.5):"
        " NewReno",
        pairs=(_newreno_tahoe(None, high=MEDIUM_LOSS_RATE),),
        by=0.0,
    ),
    comparison(
        name="newreno-iid-high-loss",
        text="On independent losses Tahoe and NewReno are similar at high loss rates.",
        where="V, Fig. 4",
        scope=f"window 24, P_E >= {HIGH_LOSS_RATE}:",
        pairs=(_newreno_tahoe(None, low=HIGH_LOSS_RATE),),
    ),
    comparison(
        name="fast-fading-is-iid",
        text="At f_dT 0.64 the performance is virtually that of independent losses.",
        where="V, Fig. 4",
        scope="window 24:",
        pairs=tuple(
            CasePair(
                Case(variant, 24, 0.64), Case(variant, 24, None), Case(variant, 24).variant_word
            )
            for variant in ("tahoe", "newreno")
        ),
    ),
)


@statement(
    name="tahoe-gains",
    text="With a window of 24, Tahoe does significantly better on correlated than on"
    " independent losses, at all loss rates.",
    where="V, Fig. 2",
    rule=f"above by more than {whole_percent(ALIKE)} at every loss rate (partly: above at every"
    " loss rate, since the paper says all of them)",
    of="study",
)
def judge_tahoe_gains(study: ZorziStudy) -> Judgement:
    """Judge the gains of Tahoe [zorzi V, Fig. 2]."""
    gap = _correlation_pair("tahoe", 24).gap(study)
    much, above = int((gap.values > ALIKE).sum()), int((gap.values > 0.0).sum())
    every = gap.values.size
    return Judgement(
        verdict="holds" if much == every else "partly" if above == every else "fails",
        finding=f"{gap.words()}; above at {above}, by more than {whole_percent(ALIKE)} at {much} of"
        f" {every} loss rates.",
        numbers=gap.numbers() | {"above": above, "significantly": much, "loss rates": every},
    )


@statement(
    name="newreno-gains-more",
    text="NewReno benefits from correlation more when the window is large.",
    where="V, Fig. 3",
    rule="gain in packets per slot at window 24 minus gain at window 6: positive at every loss"
    " rate (partly: at half of them); absolute, since gains relative to different throughputs"
    " say little about each other",
    of="study",
)
def judge_newreno_gains_more(study: ZorziStudy) -> Judgement:
    """Judge whether NewReno gains more [zorzi V, Fig. 3]."""
    rates = study.sizes.loss_rates
    gaps = [
        _correlation_pair("newreno", window, label=f"W {window}").gap(study) for window in (6, 24)
    ]
    small, large = (
        study.throughput(Case("newreno", window)) - study.throughput(Case("newreno", window, None))
        for window in (6, 24)
    )
    more = large - small
    also = int((gaps[1].values > gaps[0].values).sum())
    return Judgement(
        verdict=judge_better(more),
        finding=f"From {more.min():+.4f} at P_E {rates[more.argmin()]:.3g} to {more.max():+.3f}"
        f" packets per slot; the relative gain is the larger one too at {also} of {more.size} loss"
        " rates.".replace("-", "\N{MINUS SIGN}"),
        numbers={
            "smallest": float(more.min()),
            "largest": float(more.max()),
            "relative gain larger at": float(also),
        },
    )


@statement(
    name="correlation-matters",
    text="Correlated losses may give Tahoe and NewReno a considerably better throughput.",
    where="Abstract; VI",
    rule=f"window 24: f_dT 0.01 above i.i.d. by more than {whole_percent(ALIKE)} at some loss"
    " rates, since the paper says may, and below by as much at none (partly: one of the two)",
    of="study",
)
def judge_correlation_matters(study: ZorziStudy) -> Judgement:
    """Judge the effect of correlation [zorzi abstract, VI]."""
    gaps = [_correlation_pair(variant, 24).gap(study) for variant in ("tahoe", "newreno")]
    somewhere = all(gap.values.max() > ALIKE for gap in gaps)
    unharmed = all(gap.values.min() >= -ALIKE for gap in gaps)
    return Judgement(
        verdict=judge_both(somewhere, unharmed),
        finding="; ".join(gap.words() for gap in gaps) + ".",
        numbers=extremes_of_gaps(gaps),
    )


def fewer_dupacks(variant: str, figure: str) -> tuple[Statement, Statement]:
    """Statements on K = 1 against 3, independent and correlated losses [zorzi V, Figs. 5, 6]."""
    word = Case(variant, 24).variant_word
    iid = comparison(
        name=f"{variant}-fewer-dupacks-iid",
        text=f"On independent losses {word} is better with K = 1 than with K = 3.",
        where=f"V, {figure}",
        scope="window 24: K = 1",
        pairs=(_fewer_dupacks_pair(variant, None),),
        by=0.0,
    )
    return iid, _fewer_dupacks_correlated(variant, f"V, {figure}; VI")


def _fewer_dupacks_pair(variant: str, doppler: float | None) -> CasePair:
    return CasePair(Case(variant, 24, doppler, 1), Case(variant, 24, doppler, 3))


def _fewer_dupacks_correlated(variant: str, where: str) -> Statement:
    slow, iid = (_fewer_dupacks_pair(variant, doppler) for doppler in (CORRELATED_DOPPLER, None))

    def judge(study: ZorziStudy) -> Judgement:
        gap = slow.gap(study)
        return Judgement(
            verdict=judge_alike(gap.values, NEARLY, 2 * NEARLY),
            finding=f"{gap.words()}.",
            numbers=gap.numbers() | {"largest, i.i.d.": float(iid.gap(study).values.max())},
        )

    return Statement(
        name=f"{variant}-fewer-dupacks-correlated",
        text=f"At f_dT 0.01 {Case(variant, 24).variant_word} gains practically nothing from K = 1"
        " instead of 3.",
        where=where,
        rule=lambda study: (
            f"window 24: the relative difference is at most {whole_percent(NEARLY)} at every loss"
            f" rate (partly: {whole_percent(2 * NEARLY)}), for it is practically nothing beside the"
            f" up to {percent(iid.gap(study).values.max())} that K = 1 brings on independent losses"
        ),
        judge=judge,
        of="study",
    )
