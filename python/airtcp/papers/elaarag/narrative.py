"""Events in a run of Figs. 5 to 8, as short texts to compare with the paper's.

`data/elaarag_fig5.csv` describes the meaning of each key.
"""

from __future__ import annotations

import numpy as np

import airtcp
from airtcp.papers.elaarag.compare import Floats
from airtcp.papers.elaarag.study import WINDOW

_FIRST_OUTAGE, _SECOND_OUTAGE = 3.0, 6.3  # s, beginnings of outages
_FIRST_OUTAGE_END = 3.3  # s, end of the first
_QUEUE_CAUSE, _GATE_CAUSE = 1, 3  # causes of losses


class _RunRows:
    """Rows of a run by kind, with the columns that the story needs."""

    def __init__(self, events: airtcp.Events) -> None:
        self.events = events
        self.time = events.time

    def column(self, name: str, rows: Floats) -> Floats:
        return np.asarray(self.events.columns[name][rows])

    def rows(self, *kinds: str, start: float = -1.0, end: float = 1e9) -> Floats:
        rows = self.events.rows(*kinds)
        return np.asarray(rows[(self.time[rows] >= start) & (self.time[rows] < end)])

    def packets(self, *kinds: str, start: float = -1.0, end: float = 1e9) -> Floats:
        return self.column("packet", self.rows(*kinds, start=start, end=end))

    def lost(self, kind: str, at: float) -> str:
        rows = self.rows(kind, start=at, end=at + 1e-9)
        return number_ranges(self.column("packet", rows[self.column("cause", rows) == _GATE_CAUSE]))


def number_ranges(packets: Floats) -> str:
    """Consecutive numbers as "first-last", others as a list."""
    numbers = sorted({int(packet) for packet in packets})
    if len(numbers) > 2 and numbers[-1] - numbers[0] + 1 == len(numbers):
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(str(number) for number in numbers)


def facts(events: airtcp.Events) -> dict[str, str]:
    """Everything that the story of Fig. 5 states, from a run of a schedule of outages."""
    run = _RunRows(events)
    return _facts_before_outage(run) | _first_outage(run) | _facts_after_outage(run)


def _facts_before_outage(run: _RunRows) -> dict[str, str]:
    acks = run.rows("ack", end=_FIRST_OUTAGE)
    grown = float(run.time[acks[run.column("cwnd", acks) >= WINDOW][0]])
    sent, after = (
        run.packets("send", end=grown + 1e-9),
        run.packets("send", start=grown + 1e-9, end=_FIRST_OUTAGE),
    )
    return {"slow_start": number_ranges(sent), "avoidance": number_ranges(after)}


def _first_outage(run: _RunRows) -> dict[str, str]:
    timeout = run.rows("timeout")[0]
    last = run.rows("ack", end=float(run.time[timeout]))[-1]
    node = run.events.columns["node"]
    arrived = run.rows("arrive", start=_FIRST_OUTAGE, end=_FIRST_OUTAGE_END)
    silent = run.rows("send", "resend", start=_FIRST_OUTAGE_END)
    return {
        "acks_lost": run.lost("ack-drop", _FIRST_OUTAGE),
        "packets_lost": run.lost("drop", _FIRST_OUTAGE),
        "packets_vanished": number_ranges(run.column("packet", arrived[node[arrived] == 1])),
        "last_ack": f"{run.time[last]:.6f}",
        "rto": f"{run.events.columns['rto'][last]:.1f}",
        "silent_until": f"{run.time[silent[0]]:.3f}",
        "timeout": f"{run.time[timeout]:.6f}",
        "threshold": f"{run.events.columns['ssthresh'][timeout]:g}",
        "window": f"{run.events.columns['cwnd'][timeout]:g}",
    }


def _facts_after_outage(run: _RunRows) -> dict[str, str]:
    timeout = float(run.time[run.rows("timeout")[0]])
    resent = run.rows("send", "resend", start=timeout)
    acks = run.rows("ack", start=timeout)
    answer = acks[0]
    then = resent[run.time[resent] == run.time[answer]]
    window, threshold = run.column("cwnd", acks), run.column("ssthresh", acks)
    steps = np.diff(window)
    linear = int(np.flatnonzero((steps > 0.0) & (steps < 0.999))[0])
    lost = run.rows("drop", "ack-drop")
    return {
        "resent": number_ranges(run.column("packet", resent[:1])),
        "answer": number_ranges(run.column("packet", acks[:1])),
        "window_then": f"{window[0]:g}",
        "sent_then": number_ranges(run.column("packet", then)),
        "exponential_to": f"{window[linear]:g}" if window[linear] >= threshold[linear] else "",
        "acks_lost_next": run.lost("ack-drop", _SECOND_OUTAGE),
        "packets_lost_next": run.lost("drop", _SECOND_OUTAGE),
        "fast_recoveries": str(int((run.column("dupacks", run.rows("ack")) >= 3).sum())),
        "congestion_losses": str(int((run.column("cause", lost) == _QUEUE_CAUSE).sum())),
    }
