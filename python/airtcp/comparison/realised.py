"""The loss rate that packets met on chains on the slot clock, beside the one that was asked for.

Packets sent at any instants are lost with the stationary probability. A TCP that waits while the
channel is bad sends when it is not, and so meets fewer losses, or more where it sends in bursts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.errors import count
from airtcp.support.format import coordinate, measured
from airtcp.support.half_width import half_width_of

LOST, ASKED = "channel_lost_share", "channel_asked_share"
EXPECTED = "channel_expected"  # losses in a run, in the mean
TOLERANCE = 0.05  # of the rate asked for
FEWEST = 10.0  # losses that all runs together let expect; of fewer no rate is told
_WHY = (
    "A TCP that waits while the channel is bad, or sends in bursts, meets other losses than packets"
    " sent at any instants (docs/explanation/channels.md, two clocks)."
)
Row = Mapping[str, Any]


def realised_losses(rows: Sequence[Row], shown: Mapping[str, str]) -> list[str]:
    """Lines on rows of a run's table, of which `shown` tells the coordinates that vary.

    All of a single row; else those that differ by more than `TOLERANCE` and the interval.
    """
    known = [row for row in rows if not math.isnan(row.get(LOST, math.nan))]
    told = [row for row in known if _is_told(row)]
    differ = [row for row in told if _differs(row)]
    if len(rows) == 1 or not known:
        lines = [f"{_said(row).capitalize()}." for row in known]
    else:
        lines = [
            f"Loss rate on the slot clock: as asked, within {100 * TOLERANCE:g} % or the interval,"
            f" in {len(told) - len(differ)} of {count(len(known), 'row')}{_untold(known, told)}."
        ]
        lines += [f"{_place(row, shown)}: {_said(row)}." for row in differ]
    return lines + ([_WHY] if differ else [])


def _untold(known: Sequence[Row], told: Sequence[Row]) -> str:
    few = len(known) - len(told)
    return f"; in {few} fewer than {FEWEST:.0f} losses are expected, too few to tell" if few else ""


def _is_told(row: Row) -> bool:
    """Say that enough losses are expected to tell a rate."""
    return bool(row["replications"] * row[EXPECTED] >= FEWEST)


def _differs(row: Row) -> bool:
    """By more than the tolerance and half the interval; unknown from runs that do not scatter."""
    away, half = abs(row[LOST] - row[ASKED]), _half(row)
    return bool(_is_told(row) and away > TOLERANCE * row[ASKED] and away > half > 0.0)


def _half(row: Row) -> float:
    return float(half_width_of(row, LOST))


def _said(row: Row) -> str:
    met = measured(100.0 * row[LOST], 100.0 * _half(row))
    return f"loss rate on the slot clock {met} %, asked {100.0 * row[ASKED]:.4g} %{_by(row)}"


def _by(row: Row) -> str:
    if not _is_told(row):
        expected = row["replications"] * row[EXPECTED]
        return f"; {expected:.2g} losses are expected in all, too few to tell"
    if not _differs(row):
        return ""
    share = 100.0 * abs(row[LOST] / row[ASKED] - 1.0)
    return f", {share:.0f} % {'more' if row[LOST] > row[ASKED] else 'less'}"


def _place(row: Row, shown: Mapping[str, str]) -> str:
    names = {**shown, **({"flow": "flow"} if "flow" in row else {})}
    return ", ".join(f"{name} {coordinate(row[path])}" for path, name in names.items())
