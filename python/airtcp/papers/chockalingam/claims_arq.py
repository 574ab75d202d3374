"""Statements of the paper on Figs. 2, 5 and 6: no link layer, attempts, sizes of fragments."""

from __future__ import annotations

import numpy as np
import pandas as pd

from airtcp.papers.base import (
    ALIKE,
    Judgement,
    Statement,
    judge_better,
    judge_both,
    statement,
    whole_percent,
)
from airtcp.papers.chockalingam.curves import select_rows
from airtcp.papers.chockalingam.judging import (
    BOTH_CONDITIONS,
    FADING_COLUMN,
    FIT_COLUMN,
    MOSTLY_RULE,
    difference_on_both,
    extremes,
    judge_mostly,
    range_in_words,
    reference,
    relative_difference,
    series_in_words,
)


@statement(
    name="correlation-benefits",
    text="Correlated errors benefit TCP: 1 Hz is significantly better than 100 Hz.",
    where="IV, Fig. 2",
    rule=f"more than {whole_percent(ALIKE)} better {BOTH_CONDITIONS}, for both sizes (partly: at"
    " half of"
    " them)",
)
def _judge_correlation(table: pd.DataFrame) -> Judgement:
    gaps_found: dict[str, pd.Series] = {}
    for size in (1024, 512):
        slow, fast = ({"packet_bytes": size, "doppler": shift} for shift in (1.0, 100.0))
        gaps_found |= difference_on_both(table, slow, fast, f"{size} bytes, ")
    return Judgement(
        verdict=judge_better(np.concatenate(list(gaps_found.values())), ALIKE),
        finding=series_in_words(gaps_found),
        numbers=extremes(gaps_found),
    )


def _gains_by_size(table: pd.DataFrame, doppler: float) -> dict[str, pd.Series]:
    short, long = ({"packet_bytes": size, "doppler": doppler} for size in (512, 1024))
    return difference_on_both(table, short, long)


@statement(
    name="short-packets-fast",
    text="At 100 Hz short TCP packets give more throughput than large ones.",
    where="IV, Fig. 2",
    rule=f"512 bytes more than {whole_percent(ALIKE)} above 1024, {BOTH_CONDITIONS} (partly: at"
    " half)",
)
def _judge_short_fast(table: pd.DataFrame) -> Judgement:
    gaps_found = _gains_by_size(table, 100.0)
    return Judgement(
        verdict=judge_better(np.concatenate(list(gaps_found.values())), ALIKE),
        finding=series_in_words(gaps_found),
        numbers=extremes(gaps_found),
    )


@statement(
    name="packet-size-slow",
    text="At 1 Hz the size of TCP packets has a negligible effect.",
    where="IV, Fig. 2",
    rule=f"512 bytes against 1024, on the fit and on the fading: {MOSTLY_RULE}",
)
def _judge_short_slow(table: pd.DataFrame) -> Judgement:
    gaps_found = _gains_by_size(table, 1.0)
    return Judgement(
        verdict=judge_mostly(gaps_found),
        finding=series_in_words(gaps_found),
        numbers=extremes(gaps_found),
    )


def _gains_over_no_arq(table: pd.DataFrame, attempts: int, name: str) -> pd.Series:
    return relative_difference(table, {"attempts": attempts}, {"attempts": 0}, name)


@statement(
    name="one-attempt-worse",
    text="With n_l = 1 TCP over ARQ is worse than TCP without ARQ.",
    where="IV, Fig. 5",
    rule=f"lower {BOTH_CONDITIONS} (partly: at half of them)",
)
def _judge_worse_than_no_arq(table: pd.DataFrame) -> Judgement:
    gaps_found = {
        "on the fit": _gains_over_no_arq(table, 1, FIT_COLUMN),
        "on the fading": _gains_over_no_arq(table, 1, FADING_COLUMN),
    }
    return Judgement(
        verdict=judge_better(-np.concatenate(list(gaps_found.values()))),
        finding=f"n_l = 1 against no ARQ, {series_in_words(gaps_found)}",
        numbers=extremes(gaps_found),
    )


def _sixteen_attempts_statement(name: str) -> Statement:
    place, word = (
        ("on the fit", "fit") if name == FIT_COLUMN else ("on the fading itself", "fading")
    )

    def judge(table: pd.DataFrame) -> Judgement:
        eight, sixteen = (_gains_over_no_arq(table, attempts, name) for attempts in (8, 16))
        below, above = bool((eight < 0.0).all()), bool((sixteen > 0.0).all())
        half = above and bool((eight < 0.0).mean() >= 0.5)
        return Judgement(
            verdict="holds" if below and above else "partly" if half else "fails",
            finding=f"Against no ARQ, n_l = 8: {range_in_words(eight)}; n_l = 16:"
            f" {range_in_words(sixteen)}.",
            numbers=extremes({"n_l 8": eight, "n_l 16": sixteen}),
        )

    return Statement(
        name=f"sixteen-needed-{word}",
        text="At 10 Hz n_l = 16 is required for ARQ to do better than no ARQ: 8 is too few"
        f" ({place}).",
        where="Abstract; IV, Fig. 5; V",
        rule=f"{place}, n_l = 8 is below no ARQ and 16 above at every SNR (partly: 16 above, and 8"
        " below at half of them)",
        judge=judge,
    )


@statement(
    name="persistence-pays",
    text="At 10 dB n_l = 128 gives about 0.7, and n_l <= 16 much less than 0.1.",
    where="IV, Fig. 5",
    rule="0.65 to 0.75, and below 0.1, on the fit and on the fading (partly: on one of them)",
)
def _judge_very_good(table: pd.DataFrame) -> Judgement:
    throughputs_found: dict[str, float] = {}
    for name, word in ((FIT_COLUMN, "fit"), (FADING_COLUMN, "fading")):
        at = {n: float(select_rows(table, attempts=n)[name][10.0]) for n in (16, 128)}
        throughputs_found |= {f"{word}, n_l {n}": value for n, value in at.items()}
    on_fit = (
        abs(throughputs_found["fit, n_l 128"] - 0.7) <= 0.05
        and throughputs_found["fit, n_l 16"] < 0.1
    )
    on_fading = (
        abs(throughputs_found["fading, n_l 128"] - 0.7) <= 0.05
        and throughputs_found["fading, n_l 16"] < 0.1
    )
    words = ", ".join(f"{name}: {value:.3f}" for name, value in throughputs_found.items())
    return Judgement(
        verdict=judge_both(on_fit, on_fading), finding=f"{words}.", numbers=throughputs_found
    )


def _larger_packet_gains(table: pd.DataFrame, attempts: int) -> dict[str, pd.Series]:
    gaps_found: dict[str, pd.Series] = {}
    for size in (64, 128):
        by, to = ({"ll_bytes": size_given, "attempts": attempts} for size_given in (size, 32))
        gaps_found |= difference_on_both(table, by, to, f"{size} bytes, ")
    return gaps_found


@statement(
    name="larger-fragments",
    text="With n_l = 16 larger link-layer packets improve the throughput.",
    where="IV, Fig. 6",
    rule=f"64 and 128 bytes above 32 {BOTH_CONDITIONS} (partly: at half of them)",
)
def _judge_larger_packets(table: pd.DataFrame) -> Judgement:
    gaps_found = _larger_packet_gains(table, 16)
    return Judgement(
        verdict=judge_better(np.concatenate(list(gaps_found.values()))),
        finding=f"Against 32 bytes, {series_in_words(gaps_found)}",
        numbers=extremes(gaps_found),
    )


@statement(
    name="fragments-alike",
    text="With n_l = 128 the size of link-layer packets makes very little difference.",
    where="IV, Fig. 6",
    rule=f"64 and 128 bytes against 32, on the fit and on the fading: {MOSTLY_RULE}",
)
def _judge_size_alike(table: pd.DataFrame) -> Judgement:
    gaps_found = _larger_packet_gains(table, 128)
    return Judgement(
        verdict=judge_mostly(gaps_found),
        finding=f"Against 32 bytes, {series_in_words(gaps_found)}",
        numbers=extremes(gaps_found),
    )


FIG2 = (reference("fig2"), _judge_correlation, _judge_short_fast, _judge_short_slow)
FIG5 = (
    reference("fig5"),
    _judge_worse_than_no_arq,
    _sixteen_attempts_statement(FIT_COLUMN),
    _sixteen_attempts_statement(FADING_COLUMN),
    _judge_very_good,
)
FIG6 = (reference("fig6"), _judge_larger_packets, _judge_size_alike)
