"""Flows that deliver nothing in a run, and the reasons, if the counts show them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.support.format import format_coordinate

GOODPUT_METRIC, SENT_METRIC = "goodput_bps", "efficiency"  # NaN where nothing was sent
MOST_LINES = 3  # on rows with the same reason
Row = Mapping[str, Any]


def undelivered_lines(rows: Sequence[Row], shown: Mapping[str, str], profile: str) -> list[str]:
    """A line per row in which a flow delivered nothing, or per reason where the rows are many.

    `shown` has the coordinates that vary.
    """
    silent: dict[str, list[Row]] = {}
    for row in rows:
        if not row.get(GOODPUT_METRIC, 1.0) > 0.0:
            silent.setdefault(_undelivered_reason(row, profile), []).append(row)
    return [
        line
        for why, silent_rows in silent.items()
        for line in (
            [_undelivered_line(row, shown, why) for row in silent_rows]
            if len(silent_rows) <= MOST_LINES
            else [_line_on_many_rows(silent_rows, rows, shown, why)]
        )
    ]


def _undelivered_line(row: Row, shown: Mapping[str, str], why: str) -> str:
    place = ", ".join(f"{name} {format_coordinate(row[path])}" for path, name in shown.items())
    flow = f"flow {row['flow']}" if "flow" in row else ""
    where = " (".join(filter(None, (flow, place)))
    whose = f"{where}{')' if flow and place else ''}: " if where else ""
    return f"{whose}nothing was delivered: {why}."


def _line_on_many_rows(
    silent_rows: Sequence[Row], rows: Sequence[Row], shown: Mapping[str, str], why: str
) -> str:
    """A line on many rows, with the coordinates that these have in common and not all rows."""
    heads = {**({"flow": "flow"} if "flow" in silent_rows[0] else {}), **shown}
    common = [
        f"{name} {format_coordinate(silent_rows[0][path])}"
        for path, name in heads.items()
        if all(row[path] == silent_rows[0][path] for row in silent_rows)
        and any(row[path] != silent_rows[0][path] for row in rows)
    ]
    place = f", all at {', '.join(common)}" if common else ""
    return f"In {len(silent_rows)} of {len(rows)} rows{place}, nothing was delivered: {why}."


def _undelivered_reason(row: Row, profile: str) -> str:
    if math.isnan(row[GOODPUT_METRIC]):
        return "the flow had not started (flow.start) by the end of the measured time"
    if not math.isnan(row.get(SENT_METRIC, math.nan)):
        return "no packet reached the receiver; --links shows where they were lost"
    if profile == "linux":
        return "no data was sent, because the handshake (SYN, SYN-ACK, ACK) never completed"
    return "no data was sent in the measured time"
