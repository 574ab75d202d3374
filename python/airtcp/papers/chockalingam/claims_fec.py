"""Statements of the paper on Figs. 7 and 8: codes, and NewReno above them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from airtcp.papers.base import ALIKE, Judgement, judge_better, statement, whole_percent
from airtcp.papers.chockalingam.judging import (
    BOTH_CONDITIONS,
    MOSTLY_RULE,
    difference_on_both,
    extremes,
    judge_mostly,
    reference,
    series_in_words,
)
from airtcp.papers.chockalingam.study import HALF_RATE_CODE, THIRD_RATE_CODE


def _gains_of_codes(table: pd.DataFrame, by: str, to: str) -> dict[str, pd.Series]:
    gaps_found: dict[str, pd.Series] = {}
    for doppler in (1.0, 100.0):
        first, other = ({"code": code, "doppler": doppler} for code in (by, to))
        gaps_found |= difference_on_both(table, first, other, f"{doppler:g} Hz, ")
    return gaps_found


@statement(
    name="fec-improves",
    text="FEC improves the throughput (parity not charged).",
    where="IV, Fig. 7",
    rule=f"either code above no code {BOTH_CONDITIONS}, at 1 and 100 Hz (partly: at half of them)",
)
def _judge_fec_improves(table: pd.DataFrame) -> Judgement:
    half = _gains_of_codes(table, HALF_RATE_CODE, "none")
    gains = np.concatenate(
        [*half.values(), *_gains_of_codes(table, THIRD_RATE_CODE, "none").values()]
    )
    return Judgement(
        verdict=judge_better(gains),
        finding=f"Rate 1/2 against no code, {series_in_words(half)}",
        numbers=extremes(half),
    )


@statement(
    name="third-against-half",
    text="Rate 1/3 does not improve much on rate 1/2.",
    where="IV, Fig. 7",
    rule=f"rate 1/3 against rate 1/2, 1 and 100 Hz, on the fit and on the fading: {MOSTLY_RULE}",
)
def _judge_third_code(table: pd.DataFrame) -> Judgement:
    gaps_found = _gains_of_codes(table, THIRD_RATE_CODE, HALF_RATE_CODE)
    return Judgement(
        verdict=judge_mostly(gaps_found),
        finding=series_in_words(gaps_found),
        numbers=extremes(gaps_found),
    )


@statement(
    name="tahoe-as-good",
    text="With FEC and ARQ below, Tahoe is as good as NewReno.",
    where="Abstract; IV, Fig. 8; V",
    rule=f"NewReno against Tahoe, 1 and 100 Hz, on the fit and on the fading: {MOSTLY_RULE}",
)
def _judge_tahoe_as_good(table: pd.DataFrame) -> Judgement:
    gaps_found: dict[str, pd.Series] = {}
    for doppler in (1.0, 100.0):
        new, old = ({"variant": variant, "doppler": doppler} for variant in ("newreno", "tahoe"))
        gaps_found |= difference_on_both(table, new, old, f"{doppler:g} Hz, ")
    equal = {word: _least_snr_of_equality(gaps) for word, gaps in gaps_found.items()}
    words = "; ".join(f"{word} from {snr:g} dB" for word, snr in equal.items())
    return Judgement(
        verdict=judge_mostly(gaps_found),
        finding=f"NewReno against Tahoe, {series_in_words(gaps_found)} Within"
        f" {whole_percent(ALIKE)}:"
        f" {words}.",
        numbers=extremes(gaps_found),
    )


def _least_snr_of_equality(gaps: pd.Series) -> float:
    """The SNR from which on all gaps are small; infinite if there is none."""
    apart = gaps[gaps.abs() > ALIKE]
    above = gaps.index[gaps.index > (apart.index.max() if len(apart) else -np.inf)]
    return float(above.min()) if len(above) else np.inf


FIG7 = (reference("fig7"), _judge_fec_improves, _judge_third_code)
FIG8 = (reference("fig8"), _judge_tahoe_as_good)
