"""Columns of numbers with even digits: equally many decimals, as many as the intervals allow.

A mean that would vanish by that (0.0000 for a small number that is not 0) has digits of its own; an
interval that would vanish is one of the last decimal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from airtcp.support.format import EXACT, FEW, marked, measured

FIGURE_SPACE = "\N{FIGURE SPACE}"  # as wide as a digit
MINUS = "\N{MINUS SIGN}"
_MOST_OF_HALF = 4  # significant digits of the widest interval
_MOST_OF_MEAN = 7
_MARK = f" {FEW}"
_UNKNOWN = f" \N{PLUS-MINUS SIGN} {FEW}"
_BLANKS = {" ": "\N{NO-BREAK SPACE}", ".": "\N{PUNCTUATION SPACE}"}  # as wide as these


def estimates(
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
    few = [False] * len(means) if carriers is None else [not math.isnan(one) for one in carriers]
    places = interval_decimals(means, halves)
    rows = [
        _estimate(*row, places)
        for row in zip(map(float, means), map(float, halves), sure, few, strict=True)
    ]
    widest = max((tail.removesuffix(_MARK) for _, tail in rows), key=len, default="")
    has_marks = any(tail.endswith(_MARK) and tail != _UNKNOWN for _, tail in rows)
    return [f"{head}{_padded(tail, widest, has_marks=has_marks)}" for head, tail in rows]


def _estimate(mean: float, half: float, exact: bool, few: bool, places: int) -> tuple[str, str]:
    """A mean and what stands behind it."""
    if math.isnan(mean):
        return "-", ""
    if _vanishes(mean, places):
        head, _, tail = measured(mean, half, exact=exact, few=few).partition(" ")
        return signed(head), f" {tail}" if tail else ""
    head = signed(f"{mean:.{places}f}")
    if exact:
        return head, f" {EXACT}"
    if half == 0.0:
        return head, f" ± {FEW}"
    width = max(half, 10.0**-places)  # never 0
    return head, "" if math.isnan(half) else f" ± {width:.{places}f}{marked(few)}"


def _padded(tail: str, widest: str, *, has_marks: bool) -> str:
    """Text behind a mean, padded to one width in all rows, so that decimal points line up.

    `has_marks`: whether an interval of the column has a mark behind it.
    """
    mark = _MARK if tail.endswith(_MARK) and tail != _UNKNOWN else ""
    tail = tail.removesuffix(mark)
    end = mark or (_blank(_MARK) if has_marks else "")
    if tail.startswith(" ± "):
        return f" ± {tail[3:].rjust(len(widest) - 3, FIGURE_SPACE)}{end}"
    return f"{tail}{_blank(widest)[len(tail) :]}{end}"


def _blank(text: str) -> str:
    """Blanks as wide as a text."""
    return "".join(_BLANKS.get(letter, FIGURE_SPACE) for letter in text)


def interval_decimals(means: Sequence[float], halves: Sequence[float]) -> int:
    """Decimals that show two digits of the usual interval and one of the narrowest."""
    widths = [half for half in halves if half > 0.0 and math.isfinite(half)]
    largest = max((abs(mean) for mean in means if math.isfinite(mean)), default=0.0)
    if not widths:
        return _decimals(means, 6)
    wanted = max(_place(median(widths)) + 1, _place(min(widths)))
    most = _place(max(widths)) + _MOST_OF_HALF - 1
    if largest > 0.0:
        most = min(most, _place(largest) + _MOST_OF_MEAN - 1)
    return max(0, min(wanted, most))


def even(values: Sequence[float], digits: int = 6) -> list[str]:
    """Numbers with equally many decimals, the largest with `digits` significant ones at most."""
    places = _decimals(values, digits)
    return [_even(float(value), places, digits) for value in values]


def even_coordinates(values: Sequence[float]) -> list[str]:
    """Coordinates with equally many decimals: as few as keep them within 0.1 % of what they are."""
    there = sorted({abs(float(value)) for value in values if math.isfinite(value) and value != 0.0})
    for places in range(7):
        near = all(abs(round(value, places) - value) <= 1e-3 * value for value in there)
        if near and len({round(value, places) for value in there}) == len(there):
            return [signed(f"{float(value):.{places}f}") for value in values]
    return [signed(f"{float(value):.6g}") for value in values]


def _even(value: float, places: int, digits: int) -> str:
    if math.isnan(value):
        return ""
    if not math.isfinite(value) or _vanishes(value, places):
        return signed(f"{value:.{digits}g}")
    return signed(f"{value:.{places}f}")


def _decimals(values: Sequence[float], digits: int) -> int:
    """Decimals that give the largest value `digits` significant digits, without common zeros."""
    there = [abs(float(value)) for value in values if math.isfinite(value) and value != 0.0]
    if not there:
        return 0
    places = max(0, _place(max(there)) + digits - 1)
    while places > 0 and all(
        float(f"{one:.{places}f}") == float(f"{one:.{places - 1}f}") for one in there
    ):
        places -= 1
    return places


def _place(value: float) -> int:
    """The decimal of the first significant digit: 2 for 0.034, -1 for 34."""
    return -math.floor(math.log10(value))


def _vanishes(value: float, places: int) -> bool:
    return value != 0.0 and math.isfinite(value) and float(f"{value:.{places}f}") == 0.0


def signed(text: str) -> str:
    """A number with a minus sign in the place of a hyphen."""
    return text.replace("-", MINUS)
