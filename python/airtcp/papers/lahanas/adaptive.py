"""Statements of the paper on the adaptive and the selective protocol, by paired differences."""

from __future__ import annotations

from airtcp.papers.base import Judgement, judge_both, judge_share, percent, statement
from airtcp.papers.lahanas.pairs import paired_differences, span_in_words
from airtcp.papers.lahanas.study import (
    LOSSY_RATES,
    ON_LENGTHS,
    PROBING_PROTOCOLS,
    WORDS,
    LahanasStudy,
)

_LOW_ERROR_RATES = (1, 10, 20, 33)  # %


@statement(
    name="adaptive-between",
    text="The time of Adaptive lies between those of Tahoe-Probing and Reno-Probing.",
    where="4.1, Figs. 9, 10, 12",
    rule="in no cell with On 1 to 3 s significantly below or above both (partly: in at most one"
    " in ten)",
    of="study",
)
def judge_adaptive_between(study: LahanasStudy) -> Judgement:
    """Judge whether Adaptive lies between the two protocols it is made of."""
    pairs = (("adaptive", "tahoe-probing"), ("adaptive", "reno-probing"))
    differences_found = paired_differences(study, "time_s", pairs, (1, 2, 3), LOSSY_RATES)
    signs = differences_found.pivot_table(
        index=["on_s", "error_rate_pct"], columns="other", values="sign"
    )
    outside = signs.prod(axis=1) > 0.0
    return Judgement(
        verdict=judge_share(~outside, 0.9),
        finding=f"{int(outside.sum())} of {len(outside)} cells are outside; the three differ by"
        f" {100.0 * differences_found['relative'].abs().max():.1f} % at most.",
        numbers={"largest difference": float(differences_found["relative"].abs().max())},
    )


@statement(
    name="adaptive-best-99-1s",
    text="At 99 % with On 1 s Adaptive is the fastest of those that probe.",
    where="4.1, Fig. 9; Table 1",
    rule="significantly faster than each of the three others (partly: than one, and slower than"
    " none)",
    of="study",
)
def judge_adaptive_best(study: LahanasStudy) -> Judgement:
    """Judge whether Adaptive is the fastest that probes where errors are short and heavy."""
    others = [name for name in PROBING_PROTOCOLS if name != "adaptive"]
    differences_found = paired_differences(
        study, "time_s", [("adaptive", other_name) for other_name in others], [1], [99]
    )
    gain_words = ", ".join(
        f"{WORDS[row.other]} {percent(row.relative)}" for row in differences_found.itertuples()
    )
    return Judgement(
        verdict="fails"
        if (differences_found["sign"] > 0).any()
        else judge_share(differences_found["sign"] < 0, 0.3),
        finding=f"Against {gain_words}: less than a tick of their timers.",
        numbers={row.other: row.relative for row in differences_found.itertuples()},
    )


@statement(
    name="skip-faster-at-low-rates",
    text="Skip is faster than Adaptive at low error rates.",
    where="4.2, Figs. 18 to 21",
    rule="at 1 to 33 % significantly slower in no cell and a lower mean in at least three"
    " quarters of the 16 (partly: one of the two)",
    of="study",
)
def judge_skip_not_slower(study: LahanasStudy) -> Judgement:
    """Judge skipping cycles where duplicate ACKs are frequent."""
    differences_found = paired_differences(
        study, "time_s", [("skip", "adaptive")], ON_LENGTHS, _LOW_ERROR_RATES
    )
    lower = differences_found["relative"] < 0.0
    return Judgement(
        verdict=judge_both(
            bool((differences_found["sign"] <= 0).all()), bool(lower.mean() >= 0.75)
        ),
        finding=f"Lower in {int(lower.sum())} of {len(lower)}, significantly in"
        f" {int((differences_found['sign'] < 0).sum())}, significantly higher in"
        f" {int((differences_found['sign'] > 0).sum())};"
        f" {span_in_words(differences_found)}.",
        numbers={
            f"{row.on_s} s, {row.error_rate_pct} %": row.relative
            for row in differences_found.itertuples()
        },
    )


@statement(
    name="skip-slower-at-high-rates",
    text="With short errors at 50 and 99 % Skip is slower than Adaptive.",
    where="4.2, Fig. 18",
    rule="significantly at both rates with On 1 s (partly: at one)",
    of="study",
)
def judge_skip_degraded(study: LahanasStudy) -> Judgement:
    """Judge Skip where errors are short and heavy."""
    differences_found = paired_differences(study, "time_s", [("skip", "adaptive")], [1], (50, 99))
    worse = (differences_found["sign"] > 0).tolist()
    gain_words = ", ".join(
        f"{percent(row.relative)} at {row.error_rate_pct} %"
        for row in differences_found.itertuples()
    )
    return Judgement(
        verdict=judge_both(*worse),
        finding=f"{gain_words}.",
        numbers={f"{row.error_rate_pct} %": row.relative for row in differences_found.itertuples()},
    )
