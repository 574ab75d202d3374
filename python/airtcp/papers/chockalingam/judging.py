"""Common ground of claims on figures: differences of curves by SNR, on the fit and the fading."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from airtcp.papers.base import (
    ALIKE,
    NEARLY,
    Judgement,
    Statement,
    Verdict,
    judge_alike,
    percent,
    whole_percent,
)
from airtcp.papers.chockalingam.curves import REFERENCE_TOLERANCE, select_rows, with_reference

FIT_COLUMN, FADING_COLUMN = "throughput", "fading"
BOTH_CONDITIONS = "on the fit and on the fading, at every SNR"
MOSTLY_RULE = (
    f"within {whole_percent(ALIKE)} at every SNR (partly: within {whole_percent(NEARLY)} at half of"
    " them)"
)


# The reference of Fig. 8 is simulated [chockalingam reading, section 10].
_WITHIN_WORDS = {"fig8": 0.01}


def reference(figure: str) -> Statement:
    """A statement that compares the model with reference values."""
    within = _WITHIN_WORDS.get(figure, REFERENCE_TOLERANCE)

    def judge(table: pd.DataFrame) -> Judgement:
        known = with_reference(table, figure)
        gaps = (known["throughput"] - known["reference"]).abs()
        beyond = (gaps - known["rounded"]).clip(lower=0.0)
        return Judgement(
            verdict=judge_alike(beyond, within, 2 * within),
            finding=f"{len(known)} values, the farthest off by {gaps.max():.2g},"
            f" {beyond.max():.2g} of it beyond rounding.",
            numbers={"values": float(len(known)), "farthest": float(gaps.max())},
        )

    return Statement(
        name=f"{figure[3:]}-reference",
        text="Throughput on the fit, as an independent derivation has it"
        " (docs/papers/chockalingam.md, section 10).",
        where=f"Fig. {figure[3:]}",
        rule=f"every value is within {within:g} of it and its rounding (partly: {2 * within:g})",
        judge=judge,
    )


def relative_difference(
    table: pd.DataFrame, by: Mapping[str, object], to: Mapping[str, object], name: str
) -> pd.Series:
    """Relative difference of a column between two curves of a table, by SNR."""
    ratio: pd.Series = select_rows(table, **by)[name] / select_rows(table, **to)[name] - 1.0
    return ratio.dropna()


def range_in_words(gaps: pd.Series) -> str:
    """The range from the least to the most, each with its SNR, in words."""
    low, high = gaps.idxmin(), gaps.idxmax()
    return f"{gain_in_words(gaps.min())} ({low:g} dB) to {gain_in_words(gaps.max())} ({high:g} dB)"


def gain_in_words(share: float) -> str:
    """A relative difference as `percent`; a large one as a factor."""
    return f"{1.0 + share:.0f} times" if share > 9.0 else percent(share)


def extremes(gaps_by_name: dict[str, pd.Series]) -> dict[str, float]:
    """The least and the largest value of each series, by name."""
    least = {
        f"{name}, least": float(gaps_of_series.min())
        for name, gaps_of_series in gaps_by_name.items()
    }
    return least | {
        f"{name}, most": float(gaps_of_series.max())
        for name, gaps_of_series in gaps_by_name.items()
    }


def series_in_words(gaps_by_name: dict[str, pd.Series]) -> str:
    """The series in words."""
    return (
        "; ".join(
            f"{name}: {range_in_words(gaps_of_series)}"
            for name, gaps_of_series in gaps_by_name.items()
        )
        + "."
    )


def judge_mostly(gaps_by_name: dict[str, pd.Series]) -> Verdict:
    """Holds if all values are alike, partly if half of them are nearly."""
    gaps = np.concatenate([gaps_of_series.abs() for gaps_of_series in gaps_by_name.values()])
    if (gaps <= ALIKE).all():
        return "holds"
    return "partly" if (gaps <= NEARLY).mean() >= 0.5 else "fails"


def difference_on_both(
    table: pd.DataFrame, by: Mapping[str, object], to: Mapping[str, object], label: str = ""
) -> dict[str, pd.Series]:
    """The difference of two curves on the fit and on the fading."""
    words = {f"{label}on the fit": FIT_COLUMN, f"{label}on the fading": FADING_COLUMN}
    return {word: relative_difference(table, by, to, name) for word, name in words.items()}
