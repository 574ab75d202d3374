"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airtcp.terminal import visible_line

EXACT_WORD = "exact"  # in the place of an interval
ENOUGH_TO_TELL = 20  # values that show whether they are skewed; a line says so of fewer
FEW_MARK = "?"  # behind an interval that depends on few runs, and for one that is unknown
UNEQUAL_MARK = "*"  # behind a share that is shown not to be an equal one
MARKS = FEW_MARK + UNEQUAL_MARK
_NUMBER_CHARACTERS = (*"0123456789.+-\N{MINUS SIGN}", FEW_MARK)  # how the text of one may begin


def format_number(value: Any) -> str:
    """A rate in five decimals, or fewer digits where it is large; a dash for none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.5f}" if abs(value) < 100 else f"{value:.6g}"


def format_coordinate(value: Any) -> str:
    """A coordinate of a point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else visible_line(str(value))


def with_interval(value: float, half: float, *, exact: bool = False, few: bool = False) -> str:
    """A mean and half of its interval; `few` as in `mean_with_interval`."""
    if exact:
        return f"{format_number(value)} {EXACT_WORD}"
    if half == 0.0:
        return f"{format_number(value)} ± {FEW_MARK}"
    return format_number(value) + ("" if math.isnan(half) else f" ± {half:.5f}") + few_mark(few)


def mean_with_interval(mean: float, half: float, *, exact: bool = False, few: bool = False) -> str:
    """A mean and half of its interval, with as many digits as the interval allows.

    `few`: the interval depends on few runs. The interval of random values that do not scatter is
    unknown.
    """
    if math.isnan(mean):
        return "-"
    if exact:
        return f"{mean:.6g} {EXACT_WORD}"
    if math.isnan(half):
        return f"{mean:.6g}"
    if half == 0.0:
        return f"{mean:.6g} ± {FEW_MARK}"
    decimals = max(0, 2 - math.floor(math.log10(half)))
    return f"{mean:.{decimals}f} ± {half:.{decimals}f}{few_mark(few)}"


def few_mark(few: bool) -> str:
    """The mark of an interval that depends on few runs."""
    return f" {FEW_MARK}" if few else ""


def short_mean_with_interval(
    mean: float, half: float, *, exact: bool = False, few: bool = False
) -> str:
    """A mean and half its interval, with at most four digits of the mean and two of the interval.

    The interval is rounded to the nearest, as on pages, but never to 0: it is one of the last
    decimal at least.
    """
    if exact or math.isnan(mean) or math.isnan(half) or half == 0.0:
        return mean_with_interval(float(f"{mean:.4g}"), half, exact=exact)
    of_mean = 3 - math.floor(math.log10(abs(mean))) if mean else math.inf
    decimals = max(0, min(of_mean, 1 - math.floor(math.log10(half))))
    width = max(half, 10.0**-decimals)
    return f"{mean:.{decimals}f} ± {width:.{decimals}f}{few_mark(few)}"


def format_deviate(value: float) -> str:
    """A standard normal deviate."""
    return "-" if math.isnan(value) else f"{value:+.2f}"


def valid_runs_text(runs: int, share: float) -> str:
    """Number of live runs in which the machine kept up: "3 of 3"; a dash where there are none."""
    return f"{round(runs * share)} of {runs}" if runs else "-"


def rounded_up_text(runs: float) -> str:
    """A number of runs, rounded up to two digits.

    >>> rounded_up_text(10), rounded_up_text(473.0)
    ('10', '480')
    """
    unit = 10 ** max(0, math.floor(math.log10(runs)) - 1)
    return str(math.ceil(runs / unit) * unit)


def has_mark(cells: Iterable[str], mark: str = FEW_MARK) -> bool:
    """True if a cell has the mark behind its number."""
    return any(_cell_has_mark(cell, mark) for cell in cells)


def _cell_has_mark(cell: str, mark: str) -> bool:
    if not cell.startswith(_NUMBER_CHARACTERS):
        return False
    text = cell.rstrip()
    return mark in text[len(text.rstrip(MARKS)) :]


def few_mark_lines(
    cells: Iterable[str], rows: Iterable[Mapping[str, Any]], means: Iterable[str], values: int
) -> list[str]:
    """Lines that explain the marks "± ?" and "?", where one of the cells that are shown has it.

    `rows`, `means`: whence these cells are; `values`: the largest number of values of any mean.
    """
    shown = [cell.rstrip() for cell in cells if _cell_has_mark(cell, FEW_MARK)]
    if not shown:
        return []
    names = [f"{mean}_carriers" for mean in means]
    judged = any(not math.isnan(row.get(name, math.nan)) for row in rows for name in names)
    equal = [cell for cell in shown if f"± {FEW_MARK}" in cell]
    lines = []
    if equal or not judged:
        lines.append(f"± {FEW_MARK}: all values are equal, so that no interval can be estimated.")
    if judged and len(equal) < len(shown):
        lines.append(
            f"{FEW_MARK}: too few of the {values} values differ, or they are too skewed, for a"
            " reliable"
            " interval; run more replications."
        )
    return lines


def mean_interval_line(values: str) -> str:
    """Line on the intervals of means; `values`: the number of values behind each, in words."""
    return f"±: half the 95 % confidence interval of the mean (Student's t, {values})."


def normality_line(values: int) -> list[str]:
    """A line if the means are of too few values to show their distribution; else none."""
    if not 1 < values < ENOUGH_TO_TELL:
        return []
    return ["The intervals assume a normal distribution, which so few values cannot confirm."]


_PARAMETER_SUFFIXES = ("min", "max", "mean")  # parts that say nothing without the one before them


def short_names(keys: Sequence[str]) -> list[str]:
    """The shortest unique end of each dotted path, with its owner if it means nothing alone.

    >>> short_names(["tcp.window", "path.hop[0].rate", "path.hop[1].rate"])
    ['window', 'hop[0].rate', 'hop[1].rate']
    >>> short_names(["path.hop[0].jitter.max"])
    ['jitter.max']
    """
    parts = [key.split(".") for key in keys]
    return [_shortest_name(own, [part for part in parts if part is not own]) for own in parts]


def _shortest_name(own: Sequence[str], others: Sequence[Sequence[str]]) -> str:
    for size in range(2 if own[-1] in _PARAMETER_SUFFIXES else 1, len(own)):
        if all(own[-size:] != other[-size:] for other in others):
            return ".".join(own[-size:])
    return ".".join(own)
