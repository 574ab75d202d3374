"""The events of a run as users hold them: they can be drawn, and written to files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.events.table import EventTable
from airtcp.export import drawn, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Events(EventTable):
    """The events of one run, one row each; docs/traces.md says what the columns mean."""

    def plot(
        self,
        kind: str = "sequence",
        flow: int | None = None,
        *,
        start: float | None = None,
        end: float | None = None,
    ) -> Figure:
        """A figure, as `airtcp trace --kind` draws it.

        - `kind`: sequence, paper or window (of one flow, the first one if `flow` is None), or
          queue, delay or rate (of all flows if it is None), for which the trace must have `links`;
        - `start`, `end`: limits of time (s).

        Raises `InputError`.
        """
        return drawn([self], kind=kind, flow=flow, start=start, end=end)

    def write(self, path: str | Path, *, table: str = "events") -> Path:
        """Write the events to a file; its suffix says what.

        .csv, .parquet: the table, or another one (docs/traces.md); .pcapng: a capture for
        Wireshark; .xpl: a time-sequence graph for xplot; .svg, .pdf, .png: the same as a figure.
        Raises `InputError`.
        """
        return write([self], path, table=table)
