"""A player that goes by its buffer [huang2014, algorithm 1], transcribed, over ACKs of a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

CHUNK, BUFFER, RESERVOIR, FULL = 4.0, 30.0, 0.375, 0.9
ROOM = BUFFER - CHUNK


@dataclass
class Viewer:
    """The experience of a viewer; times in s."""

    now: float = 0.0
    buffer: float = 0.0
    plays: bool = False
    startup: float | None = None
    counts: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("played", "stalled", "stalls"), 0.0)
    )

    def wait(self, until: float) -> None:
        """Time goes by."""
        time, self.now = until - self.now, until
        if self.plays:
            seen = min(time, self.buffer)
            self.buffer -= seen
            self.counts["played"] += seen
            if seen < time:
                self.plays = False
                self.counts["stalls"] += 1
                self.counts["stalled"] += time - seen
        elif self.startup is not None:
            self.counts["stalled"] += time

    def take(self) -> None:
        """A chunk has come."""
        self.buffer += CHUNK
        if self.startup is None:
            self.startup = self.now
        self.plays = True


def chosen(ladder: list[float], last: int, fill: float) -> int:
    """The bitrate of the next chunk."""
    line = ladder[0] + (ladder[-1] - ladder[0]) * (fill - RESERVOIR) / (FULL - RESERVOIR)
    above = ladder[min(last + 1, len(ladder) - 1)]
    below = ladder[max(last - 1, 0)]
    if fill <= RESERVOIR:
        return 0
    if fill >= FULL:
        return len(ladder) - 1
    if line >= above:
        return max(n for n, rate in enumerate(ladder) if rate < line)
    if line <= below:
        return min(n for n, rate in enumerate(ladder) if rate > line)
    return last


def watch(
    ladder: list[float], times: NDArray[np.float64], acked: NDArray[np.int64], end: float
) -> dict[str, float]:
    """The metrics of a video whose first `acked[i]` bytes were acknowledged at `times[i]`."""
    viewer, levels, asked, last = Viewer(), [], 0, 0
    while True:
        last = chosen(ladder, last, viewer.buffer / ROOM)
        asked += round(ladder[last] * CHUNK / 8)
        place = int(np.searchsorted(acked, asked))
        if place == len(acked):
            break
        viewer.wait(float(times[place]))
        viewer.take()
        levels.append(last)
        viewer.wait(viewer.now + max(0.0, viewer.buffer - ROOM))
    viewer.wait(end)
    counts, startup = viewer.counts, viewer.startup
    return {
        "chunks": len(levels),
        "switches": sum(a != b for a, b in pairwise(levels)),
        "stalls": counts["stalls"],
        "startup_delay": float("nan") if startup is None else startup,
        "rebuffering": counts["stalled"] / (counts["stalled"] + counts["played"]),
        "video_bitrate": sum(ladder[n] for n in levels) / len(levels),
    }
