"""Columns of numbers with even digits: equally many decimals, as many as the intervals allow.

A mean that would vanish by that (0.0000 for a small number that is not 0) has digits of its own; an
interval that would vanish is one of the last decimal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from airtcp.support.format import EXACT_WORD, FEW_MARK, few_mark, mean_with_interval

FIGURE_SPACE = "\N{FIGURE SPACE}"  # as wide as a digit
MINUS = "\N{MINUS SIGN}"
_MOST_HALF_DIGITS = 4  # significant digits of the widest interval
_MOST_MEAN_DIGITS = 7
_FEW_MARK = f" {FEW_MARK}"
_UNKNOWN_HALF_TEXT = f" \N{PLUS-MINUS SIGN} {FEW_MARK}"
_BLANK_WIDTHS = {" ": "\N{NO-BREAK SPACE}", ".": "\N{PUNCTUATION SPACE}"}  # as wide as these


def estimate_cells(
    means: Sequence[float],
    halves: Sequence[float],
    exact: Sequence[bool] | None = None,
    carriers: Sequence[float] | None = None,
) -> list[str]:
    """Means with half of their intervals: "0.551 ± 0.003"; "-" for no mean.

    Where nothing is random a word stands for the interval; a mark where it is unknown, or where few
    runs are the `carriers` of the scatter (NaN: enough are).
    """
    sure = list(exact) if exact is not None else [False] * len(means)
    few = (
        [False] * len(means)
        if carriers is None
        else [not math.isnan(carrier_count) for carrier_count in carriers]
    )
    places = interval_decimals(means, halves)
    rows = [
        _mean_and_tail(*row, places)
        for row in zip(map(float, means), map(float, halves), sure, few, strict=True)
    ]
    widest = max((tail.removesuffix(_FEW_MARK) for _, tail in rows), key=len, default="")
    has_marks = any(tail.endswith(_FEW_MARK) and tail != _UNKNOWN_HALF_TEXT for _, tail in rows)
    return [f"{head}{_pad_tail(tail, widest, has_marks=has_marks)}" for head, tail in rows]


def _mean_and_tail(
    mean: float, half: float, exact: bool, few: bool, places: int
) -> tuple[str, str]:
    """A mean and what stands behind it."""
    if math.isnan(mean):
        return "-", ""
    if _rounds_to_zero(mean, places):
        head, _, tail = mean_with_interval(mean, half, exact=exact, few=few).partition(" ")
        return with_minus_sign(head), f" {tail}" if tail else ""
    head = with_minus_sign(f"{mean:.{places}f}")
    if exact:
        return head, f" {EXACT_WORD}"
    if half == 0.0:
        return head, f" ± {FEW_MARK}"
    width = max(half, 10.0**-places)  # never 0
    return head, "" if math.isnan(half) else f" ± {width:.{places}f}{few_mark(few)}"


def _pad_tail(tail: str, widest: str, *, has_marks: bool) -> str:
    """Text behind a mean, padded to one width in all rows, so that decimal points line up.

    `has_marks`: whether an interval of the column has a mark behind it.
    """
    mark = _FEW_MARK if tail.endswith(_FEW_MARK) and tail != _UNKNOWN_HALF_TEXT else ""
    tail = tail.removesuffix(mark)
    end = mark or (_blanks_as_wide(_FEW_MARK) if has_marks else "")
    if tail.startswith(" ± "):
        return f" ± {tail[3:].rjust(len(widest) - 3, FIGURE_SPACE)}{end}"
    return f"{tail}{_blanks_as_wide(widest)[len(tail) :]}{end}"


def _blanks_as_wide(text: str) -> str:
    """Blanks as wide as a text."""
    return "".join(_BLANK_WIDTHS.get(letter, FIGURE_SPACE) for letter in text)


def interval_decimals(means: Sequence[float], halves: Sequence[float]) -> int:
    """Decimals that show two digits of the usual interval and one of the narrowest."""
    widths = [half for half in halves if half > 0.0 and math.isfinite(half)]
    largest = max((abs(mean) for mean in means if math.isfinite(mean)), default=0.0)
    if not widths:
        return _decimals(means, 6)
    decimals = max(_first_decimal(median(widths)) + 1, _first_decimal(min(widths)))
    most = _first_decimal(max(widths)) + _MOST_HALF_DIGITS - 1
    if largest > 0.0:
        most = min(most, _first_decimal(largest) + _MOST_MEAN_DIGITS - 1)
    return max(0, min(decimals, most))


def format_evenly(values: Sequence[float], digits: int = 6) -> list[str]:
    """Numbers with equally many decimals, the largest with `digits` significant ones at most."""
    places = _decimals(values, digits)
    return [_format_value(float(value), places, digits) for value in values]


def format_coordinates(values: Sequence[float]) -> list[str]:
    """Coordinates with equally many decimals: as few as keep them within 0.1 % of what they are."""
    magnitudes = sorted(
        {abs(float(value)) for value in values if math.isfinite(value) and value != 0.0}
    )
    for places in range(7):
        near = all(abs(round(value, places) - value) <= 1e-3 * value for value in magnitudes)
        if near and len({round(value, places) for value in magnitudes}) == len(magnitudes):
            return [with_minus_sign(f"{float(value):.{places}f}") for value in values]
    return [with_minus_sign(f"{float(value):.6g}") for value in values]


def _format_value(value: float, places: int, digits: int) -> str:
    if math.isnan(value):
        return ""
    if not math.isfinite(value) or _rounds_to_zero(value, places):
        return with_minus_sign(f"{value:.{digits}g}")
    return with_minus_sign(f"{value:.{places}f}")


def _decimals(values: Sequence[float], digits: int) -> int:
    """Decimals that give the largest value `digits` significant digits, without common zeros."""
    magnitudes = [abs(float(value)) for value in values if math.isfinite(value) and value != 0.0]
    if not magnitudes:
        return 0
    places = max(0, _first_decimal(max(magnitudes)) + digits - 1)
    while places > 0 and all(
        float(f"{value:.{places}f}") == float(f"{value:.{places - 1}f}") for value in magnitudes
    ):
        places -= 1
    return places


def _first_decimal(value: float) -> int:
    """The decimal of the first significant digit: 2 for 0.034, -1 for 34."""
    return -math.floor(math.log10(value))


def _rounds_to_zero(value: float, places: int) -> bool:
    return value != 0.0 and math.isfinite(value) and float(f"{value:.{places}f}") == 0.0


def with_minus_sign(text: str) -> str:
    """A number with a minus sign in the place of a hyphen."""
    return text.replace("-", MINUS)
