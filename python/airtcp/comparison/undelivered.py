"""Flows of which nothing is delivered in a run, and the reasons, as far as the counts tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.support.format import coordinate

GOODPUT, SENT = "goodput_bps", "efficiency"  # NaN where nothing was sent
Row = Mapping[str, Any]


def undelivered(rows: Sequence[Row], shown: Mapping[str, str], profile: str) -> list[str]:
    """A line per row in which a flow delivered nothing; `shown` tells the coordinates that vary."""
    return [_said(row, shown, profile) for row in rows if not row.get(GOODPUT, 1.0) > 0.0]


def _said(row: Row, shown: Mapping[str, str], profile: str) -> str:
    place = ", ".join(f"{name} {coordinate(row[path])}" for path, name in shown.items())
    flow = f"flow {row['flow']}" if "flow" in row else ""
    where = " (".join(filter(None, (flow, place)))
    whose = f"{where}{')' if flow and place else ''}: " if where else ""
    return f"{whose}nothing was delivered: {_why(row, profile)}."


def _why(row: Row, profile: str) -> str:
    if math.isnan(row[GOODPUT]):
        return "the flow had not begun (flow.start) when the time that counts was over"
    if not math.isnan(row.get(SENT, math.nan)):
        return "no packet came to the receiver; --links shows where they were lost"
    if profile == "linux":
        return "no data was sent, for the handshake (SYN, SYN-ACK, ACK) never succeeded"
    return "no data was sent in the time that counts"
