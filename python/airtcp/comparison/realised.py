"""The loss rate that packets met on chains on a clock of their own, beside the one asked for.

Packets sent at any instants are lost with the stationary probability. A TCP that waits while the
channel is bad sends when it is not, and so meets fewer losses, or more where it sends in bursts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airtcp.errors import count
from airtcp.scenario.scenario import leaf_values
from airtcp.support.format import format_coordinate, mean_with_interval
from airtcp.support.half_width import half_width_of_row

LOST_METRIC, ASKED_METRIC = "channel_lost_share", "channel_asked_share"
EXPECTED_LOSSES_COLUMN = "channel_expected"  # losses in a run, in the mean
TOLERANCE = 0.05  # of the rate asked for
SLOT_CLOCK, TIME_CLOCK = "slot clock", "time clock"
FEWEST_LOSSES = 10.0  # losses that all runs together let expect; with fewer no rate is given
_EXPLANATION = (
    "A TCP that waits while the channel is bad, or sends in bursts, sees another loss rate than"
    " packets sent at random instants (docs/explanation/channels.md, two clocks)."
)
Row = Mapping[str, Any]


def realised_loss_rate_lines(
    rows: Sequence[Row], shown: Mapping[str, str], clock: str = SLOT_CLOCK
) -> list[str]:
    """Lines on rows of a run's table in which packets met another rate than was asked for.

    A row counts if its rate is off by more than `TOLERANCE` and by more than the interval. `shown`:
    heads of the coordinates that vary; `clock`: the clock of the chains (`clock_of`).
    """
    known = [row for row in rows if not math.isnan(row.get(LOST_METRIC, math.nan))]
    measurable = [row for row in known if _has_enough_losses(row)]
    differ = [row for row in measurable if _misses_asked_rate(row)]
    if not differ:
        return []
    if len(rows) == 1:
        return [f"{_loss_rate_words(differ[0], clock).capitalize()}.", _EXPLANATION]
    head = (
        f"Loss rate on the {clock}: off by more than {100 * TOLERANCE:g} % and the interval"
        f" in {len(differ)} of"
        f" {count(len(known), 'row')}{_unmeasurable_rows_line(known, measurable)}."
    )
    return [
        head,
        *(f"{_place_words(row, shown)}: {_loss_rate_words(row, clock)}." for row in differ),
        _EXPLANATION,
    ]


def clock_of(points: Iterable[Mapping[str, Any]]) -> str:
    """The clock of the chains of a path: slots, or time if a length is one step.

    `points`: their data. Chains on packets meet the rate that was asked for and are not counted.
    """
    clocks = {
        str(value)
        for data in points
        for key, value in leaf_values(data)
        if key.startswith("path.") and key.endswith(".clock") and value != "packet"
    }
    return SLOT_CLOCK if not clocks or "slot" in clocks else TIME_CLOCK


def _unmeasurable_rows_line(known: Sequence[Row], measurable: Sequence[Row]) -> str:
    few = len(known) - len(measurable)
    return f"; {few} not judged (fewer than {FEWEST_LOSSES:.0f} losses expected)" if few else ""


def _has_enough_losses(row: Row) -> bool:
    """True if enough losses are expected to estimate a rate."""
    return bool(row["replications"] * row[EXPECTED_LOSSES_COLUMN] >= FEWEST_LOSSES)


def _misses_asked_rate(row: Row) -> bool:
    """True if the rate is off by more than the tolerance and half the interval."""
    away, half = abs(row[LOST_METRIC] - row[ASKED_METRIC]), _half_width(row)
    return bool(
        _has_enough_losses(row) and away > TOLERANCE * row[ASKED_METRIC] and away > half > 0.0
    )


def _half_width(row: Row) -> float:
    return float(half_width_of_row(row, LOST_METRIC))


def _loss_rate_words(row: Row, clock: str) -> str:
    met = mean_with_interval(100.0 * row[LOST_METRIC], 100.0 * _half_width(row))
    return (
        f"loss rate on the {clock} {met} %, asked {100.0 * row[ASKED_METRIC]:.4g}"
        f" %{_excess_words(row)}"
    )


def _excess_words(row: Row) -> str:
    share = 100.0 * abs(row[LOST_METRIC] / row[ASKED_METRIC] - 1.0)
    return f", {share:.0f} % {'more' if row[LOST_METRIC] > row[ASKED_METRIC] else 'less'}"


def _place_words(row: Row, shown: Mapping[str, str]) -> str:
    names = {**shown, **({"flow": "flow"} if "flow" in row else {})}
    return ", ".join(f"{name} {format_coordinate(row[path])}" for path, name in names.items())
