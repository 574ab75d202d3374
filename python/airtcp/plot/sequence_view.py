"""A part of a run in time, and the state at its start: a level holds until it changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from airtcp.events.limits import time_limits
from airtcp.events.records import Array
from airtcp.events.table import EventTable


@dataclass(frozen=True, eq=False)
class SequenceView:
    """Contents of a panel: a run of one flow from `start` to `end` (s); None: no limit.

    `end_of_run`: time until which the run is known, whatever its flow does (s).
    """

    run: EventTable
    start: float | None
    end: float | None
    end_of_run: float

    @classmethod
    def of_whole_run(cls, run: EventTable) -> SequenceView:
        """View of the whole run of one flow."""
        return cls(run, None, None, run.duration)

    @cached_property
    def event_slice(self) -> slice:
        """The events of the run within the limits."""
        first, last = time_limits(self.start, self.end)
        time = self.run.time
        return slice(
            int(np.searchsorted(time, first, "left")), int(np.searchsorted(time, last, "right"))
        )

    @cached_property
    def events(self) -> EventTable:
        """The events that the panel shows."""
        return self.run.take(self.event_slice)

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The first and the last instant shown, where a limit cuts the run."""
        begins = self.start is not None and self.start > self.run.time[0]
        ends = self.end is not None and self.end < self.end_of_run
        return self.start if begins else None, self.end if ends else None

    def within(self, rows: Array) -> Array:
        """Mask of those rows of the run that the panel shows."""
        is_within: Array = (rows >= self.event_slice.start) & (rows < self.event_slice.stop)
        return is_within

    def steps(self, rows: Array, levels: Array) -> tuple[Array, Array]:
        """The levels that rows of the run set, as (time, level) from one limit to the other.

        The level before the first row shown enters at the start; the last one goes on to the end.
        """
        shown = self.within(rows)
        time, level = self.run.time[rows[shown]], levels[shown]
        start, end = self.limits
        before = levels[rows < self.event_slice.start][-1:]
        if start is not None and before.size:
            time, level = np.append(start, time), np.append(before, level)
        if end is not None and level.size:
            time, level = np.append(time, end), np.append(level, level[-1])
        return time, level
