"""Statements of the paper on its tables and figures, judged by paired differences.

A difference is significant if its p value is at most 0.05 after Holm's correction over all cells of
the claim.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from airtcp.papers.base import Judgement, Statement, judge_both, judge_share, percent, statement
from airtcp.papers.lahanas.cells import PRINTED_RUNS, printed_entries
from airtcp.papers.lahanas.pairs import GRAFTED_PAIRS, paired_differences, span_in_words
from airtcp.papers.lahanas.study import (
    LOSSY_RATES,
    ON_LENGTHS,
    PROTOCOLS,
    QUANTITIES,
    RATES,
    STANDARD_PROTOCOLS,
    WORDS,
    LahanasStudy,
)
from airtcp.stats import mean_intervals

_HIGH_ERROR_RATES = (20, 33, 50, 99)  # %
_PRECISE_GAP = 0.1  # relative half-width of an interval that compares protocols


def printed_cells(on: int) -> Statement:
    """The numbers of the table with this On length, s, against means of 10 of our runs."""
    return Statement(
        name=f"cells-{on}s",
        text=f"The {len(QUANTITIES) * len(PROTOCOLS) * len(RATES)} numbers of this table.",
        where=f"Table {on}",
        rule="each is what a mean of 10 runs may be: two-sided probability of at least 5 %, for all"
        " but one in ten (partly: for at least half)",
        judge=_judge_cells,
    )


def _judge_cells(table: pd.DataFrame) -> Judgement:
    good = table["p"] >= 0.05
    by_rate = good.groupby(table["error_rate_pct"]).agg(["sum", "size"])
    counts = ", ".join(
        f"{rate} %: {row['sum']} of {row['size']}" for rate, row in by_rate.iterrows()
    )
    return Judgement(
        verdict=judge_share(good, 0.5, 0.9),
        finding=f"{good.sum()} of {len(good)} are; at error rates {counts}.",
        numbers={
            f"share at {rate} %": row["sum"] / row["size"] for rate, row in by_rate.iterrows()
        },
    )


@statement(
    name="without-errors",
    text="Without errors the transfer takes 12.7 to 13.0 s with an overhead of 1.41 %.",
    where="Tables 1 to 4",
    rule="the printed digits, and the same for all six (partly: one of the two)",
    of="study",
)
def judge_transfer_without_errors(study: LahanasStudy) -> Judgement:
    """Judge the transfer without errors, whose only noise is in the printed numbers."""
    cells_found = [
        float(study.values(quantity, name, on, 0).max())
        for quantity in QUANTITIES
        for name in PROTOCOLS
        for on in [1]
    ]
    time, overhead = cells_found[0], cells_found[len(PROTOCOLS)]
    same = bool(
        np.ptp(cells_found[: len(PROTOCOLS)]) == 0.0 == np.ptp(cells_found[len(PROTOCOLS) :])
    )
    right = f"{time:.1f}" in _printed_without_errors("time_s") and (
        f"{overhead:.2f}" in _printed_without_errors("overhead_pct")
    )
    return Judgement(
        verdict=judge_both(same, right),
        finding=f"{time:.3f} s and {overhead:.4f} %, {'the same' if same else 'not the same'} for"
        " all six. What scatters in the printed times is the machine.",
        numbers={"time, s": time, "overhead, %": overhead},
    )


def _printed_without_errors(quantity: str) -> set[str]:
    """The printed values where nothing is lost."""
    return {
        text
        for (what, *_, rate), text in printed_entries().items()
        if (what, rate) == (quantity, 0)
    }


def _statement_at_99(quantity: str, *, name: str, words: str, where: str) -> Statement:
    """A statement on probing against the protocol that got it, where nothing gets through."""
    return Statement(
        name=name,
        text=f"At 99 % probing reduces {words} of Tahoe and Reno at every On length.",
        where=where,
        rule="significantly, in all eight comparisons (partly: in half of them)",
        judge=lambda study: _judge_at_99(
            paired_differences(study, quantity, GRAFTED_PAIRS, ON_LENGTHS, [99])
        ),
        of="study",
    )


def _judge_at_99(differences_found: pd.DataFrame) -> Judgement:
    tahoe = differences_found[differences_found["other"] == "tahoe"]
    factors = ", ".join(f"{1.0 / (1.0 + gain):.2f}" for gain in tahoe["relative"])
    return Judgement(
        verdict=judge_share(differences_found["sign"] < 0, 0.5),
        finding=f"In {int((differences_found['sign'] < 0).sum())} of {len(differences_found)};"
        " Tahoe against Tahoe-Probing"
        f" {factors} times with On 1, 2, 3, 4 s, Reno alike.",
        numbers={
            f"{row.other}, {row.on_s} s": row.relative for row in differences_found.itertuples()
        },
    )


faster_at_99 = _statement_at_99(
    "time_s", name="faster-at-99", words="the time", where="4; Figs. 2 to 4"
)
less_overhead_at_99 = _statement_at_99(
    "overhead_pct", name="overhead-at-99", words="the overhead", where="4; Figs. 5 to 7"
)


@statement(
    name="faster-from-20",
    text="From error rates of 20 % on Tahoe-Probing and Reno-Probing are faster.",
    where="4; Figs. 2 to 4",
    rule="a lower mean in at least three quarters of the 32 cells (partly: in half)",
    of="study",
)
def judge_faster_from_20(study: LahanasStudy) -> Judgement:
    """Judge the error rate from which on probing saves time."""
    differences_found = paired_differences(
        study, "time_s", GRAFTED_PAIRS, ON_LENGTHS, _HIGH_ERROR_RATES
    )
    lower = differences_found["relative"] < 0.0
    slower = differences_found[differences_found["sign"] > 0]
    where = ", ".join(
        f"{WORDS[row.one]} {row.on_s} s {row.error_rate_pct} %" for row in slower.itertuples()
    )
    return Judgement(
        verdict=judge_share(lower, 0.5, 0.75),
        finding=f"In {int(lower.sum())}, significantly in"
        f" {int((differences_found['sign'] < 0).sum())};"
        f" significantly slower in {len(slower)}{f' ({where})' if where else ''}.",
        numbers={
            "lower": float(lower.mean()),
            "significantly": float((differences_found["sign"] < 0).mean()),
        },
    )


@statement(
    name="cost-at-1",
    text="At small error rates probing slightly increases time and overhead.",
    where="4",
    rule="at 1 % significantly in at least half of the eight cells, time and overhead (partly:"
    " one of them)",
    of="study",
)
def judge_cost_at_1(study: LahanasStudy) -> Judgement:
    """Judge the cost of probing where errors are rare."""
    time, overhead = (
        paired_differences(study, quantity, GRAFTED_PAIRS, ON_LENGTHS, [1])
        for quantity in QUANTITIES
    )
    return Judgement(
        verdict=judge_both(
            bool((time["sign"] > 0).mean() >= 0.5), bool((overhead["sign"] > 0).mean() >= 0.5)
        ),
        finding=f"Time {span_in_words(time)}, overhead {span_in_words(overhead)}.",
        numbers={"time": time["relative"].mean(), "overhead": overhead["relative"].mean()},
    )


@statement(
    name="overhead-3s",
    text="With On 3 s probing reduces overhead by 1 to 18 % (Tahoe) and 1 to 15 % (Reno).",
    where="4, Fig. 6",
    rule="a significant reduction at every error rate (partly: at half of them)",
    of="study",
)
def judge_overhead_3s(study: LahanasStudy) -> Judgement:
    """Judge the reduction of overhead with On 3 s."""
    differences_found = paired_differences(study, "overhead_pct", GRAFTED_PAIRS, [3], LOSSY_RATES)
    less = differences_found["sign"] < 0
    highest = differences_found.loc[differences_found["relative"].idxmax()]
    at_99 = differences_found[differences_found["error_rate_pct"] == 99]
    return Judgement(
        verdict=judge_share(less, 0.5),
        finding=f"In {int(less.sum())} of {len(less)} cells: at 99 % by {span_in_words(at_99)};"
        f" elsewhere probing has more overhead, up to {percent(highest['relative'])} at"
        f" {highest['error_rate_pct']} %, where it goes back N.",
        numbers={
            f"{row.other}, {row.error_rate_pct} %": row.relative
            for row in differences_found.itertuples()
        },
    )


@statement(
    name="same-gain-2-3-4-s",
    text="With On 2 and 4 s the gain of probing is almost the same as with 3 s.",
    where="4",
    rule="at every error rate within 5 percentage points of it (partly: in half of the cells)",
    of="study",
)
def judge_same_gain(study: LahanasStudy) -> Judgement:
    """Judge whether On 2 and 4 s gain as much as 3 s."""
    differences_found = paired_differences(study, "time_s", GRAFTED_PAIRS, (2, 3, 4), LOSSY_RATES)
    gains = differences_found.pivot_table(
        index=["other", "error_rate_pct"], columns="on_s", values="relative"
    )
    gaps = gains[[2, 4]].sub(gains[3], axis=0).abs()
    worst = gaps.stack().idxmax()
    return Judgement(
        verdict=judge_share(gaps <= 0.05, 0.5),
        finding=f"In {int((gaps <= 0.05).sum().sum())} of {gaps.size} cells; the largest gap is"
        f" {100.0 * gaps.max().max():.1f} points, {WORDS[worst[0]]}, {worst[1]} %, {worst[2]} s.",
        numbers={"largest gap": float(gaps.max().max())},
    )


@statement(
    name="longer-errors-hurt-more",
    text="Longer errors deteriorate Tahoe and Reno further; probing waits them out.",
    where="4",
    rule="at 99 % the gain of probing grows with each second of the On length, for both"
    " (partly: in half of the steps)",
    of="study",
)
def judge_longer_errors(study: LahanasStudy) -> Judgement:
    """Judge whether longer On phases hurt the standard protocols more."""
    differences_found = paired_differences(study, "time_s", GRAFTED_PAIRS, ON_LENGTHS, [99])
    gains = differences_found.pivot_table(index="other", columns="on_s", values="relative")
    growing = np.diff(gains, axis=1) < 0.0
    slower = {
        name: float(
            study.values("time_s", name, 4, 99).mean() / study.values("time_s", name, 1, 99).mean()
        )
        for name in (*STANDARD_PROTOCOLS, *(probing for probing, _ in GRAFTED_PAIRS))
    }
    factor_words = ", ".join(f"{WORDS[name]} {factor:.1f}" for name, factor in slower.items())
    return Judgement(
        verdict=judge_share(growing, 0.5),
        finding=f"In {int(growing.sum())} of {growing.size} steps. From On 1 to 4 s the time"
        f" grows by the factors: {factor_words}.",
        numbers=slower,
    )


@statement(
    name="ten-runs-enough",
    text="The experiments were repeated a sufficient number of times, 10, by their standard"
    " deviation.",
    where="3",
    rule="the 95 % interval of a mean of 10 times reaches no farther than 10 % in any cell"
    " (partly: in at most half of them)",
    of="study",
)
def judge_ten_runs(study: LahanasStudy) -> Judgement:
    """Judge the precision of a mean of 10 runs."""
    rows = [
        (on, rate, study.values("time_s", name, on, rate))
        for on in ON_LENGTHS
        for rate in LOSSY_RATES
        for name in PROTOCOLS
    ]
    intervals_found = mean_intervals(np.stack([values for *_, values in rows]))
    half = (
        2.262 * intervals_found["sd"] / np.sqrt(PRINTED_RUNS) / intervals_found["mean"]
    )  # Student's t, 9 degrees
    worst = int(half.argmax())
    return Judgement(
        verdict=judge_share(half <= _PRECISE_GAP, 0.5),
        finding=f"It reaches farther in {int((half > _PRECISE_GAP).sum())} of {half.size}; to"
        f" {100.0 * np.median(half):.0f} % in the median, to {100.0 * half[worst]:.0f} % with"
        f" On {rows[worst][0]} s at {rows[worst][1]} %.",
        numbers={"median": float(np.median(half)), "largest": float(half[worst])},
    )
