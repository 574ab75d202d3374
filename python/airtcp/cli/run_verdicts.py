"""The verdicts of a run as text: a column per pair of engines, and what they say together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airtcp.comparison.verdicts import Comparison
    from airtcp.engines.run import RunResult

MOST_LISTED_DIFFERENCES = 5  # differences that are listed in full


def verdict_columns(result: RunResult, metric: str) -> dict[str, list[str]]:
    """A column of verdicts for every two engines that have the metric."""
    from airtcp.comparison.verdicts import comparisons, verdict_cell  # noqa: PLC0415  (imports pandas)

    compared = comparisons(result, metric)
    heads = (
        ["verdict"] if len(compared) == 1 else [_pair_name(comparison) for comparison in compared]
    )
    return {
        head: [verdict_cell(verdict) for verdict in pair.verdicts]
        for head, pair in zip(heads, compared, strict=True)
    }


def _pair_name(comparison: Comparison) -> str:
    return f"{comparison.reference.engine}/{comparison.other.engine}"


def verdict_lines(result: RunResult, metric: str) -> list[str]:
    """Lines that explain the verdicts and sum them up, and the differences with their intervals."""
    from airtcp.comparison.verdicts import comparisons  # noqa: PLC0415
    from airtcp.stats.verdict import LEVELS  # noqa: PLC0415  (imports SciPy)

    compared = comparisons(result, metric)
    if not compared:
        return []
    margin = f"{100.0 * LEVELS.margin:g} %"
    means = (
        f"verdict: agree, the difference is shown to be below {margin}; differ, the two are shown"
        " to be unequal; undecided, more runs are needed (docs/reference/metrics.md)."
    )
    return [
        means,
        *(
            line
            for comparison in compared
            for line in [capitalise_first(comparison.sentence), *_largest_differences(comparison)]
        ),
    ]


def capitalise_first(text: str) -> str:
    """A text with a capital at its beginning; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def _largest_differences(comparison: Comparison) -> list[str]:
    """The largest differences, with values and intervals."""
    from airtcp.comparison.verdicts import relative_difference_text  # noqa: PLC0415
    from airtcp.stats.verdict import DIFFER  # noqa: PLC0415

    rows = [
        (row, verdict)
        for row, verdict in enumerate(comparison.verdicts)
        if verdict is not None and verdict.verdict == DIFFER and math.isfinite(verdict.difference)
    ]
    largest = sorted(rows, key=lambda pair: -abs(pair[1].difference))[:MOST_LISTED_DIFFERENCES]
    values = [
        engine.estimates[comparison.metric] for engine in (comparison.reference, comparison.other)
    ]
    return [
        f"Row {row + 1}: {comparison.reference.engine} {values[0][row].value:.4g},"
        f" {comparison.other.engine} {values[1][row].value:.4g}:"
        f" {relative_difference_text(verdict.difference)}"
        f" ({relative_difference_text(verdict.low)} to {relative_difference_text(verdict.high)})."
        for row, verdict in largest
    ]
