"""The parts of a run (`stop.batches`) taken together, as if they had been counted as one.

Parts of one run are not independent: they share a channel, a queue and a window. Where there are
several runs, a run is therefore one value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]

SO_FAR = "_so_far"  # columns of what cannot be added, for all parts until now
IN_ONE_PART = ("milestone_ns", "startup_ns")  # -1 in all the others
MAXIMA = ("most_", "longest_")
LATEST = ("delay_least_ns", "unfinished_")  # every part says it of those before it too


def together(columns: Mapping[str, Any], starts: Ints) -> dict[str, Any]:
    """The counts of runs from the counts of their parts, which follow each other.

    `starts`: where the parts of each run begin. Most counts add up; for quantiles, and counts by
    them, the last part has the value for all, and for maxima the largest part has that of the run.
    """
    rows = len(next(iter(columns.values())))
    last = np.append(starts[1:], rows) - 1
    found: dict[str, Any] = {}
    for name, values in columns.items():
        if name in IN_ONE_PART or name.startswith(MAXIMA):
            found[name] = np.maximum.reduceat(values, starts)
        elif name.startswith(LATEST) or SO_FAR in name:
            found[name] = np.asarray(values)[last]
        else:
            found[name] = np.add.reduceat(values, starts)
    return found | {n.replace(SO_FAR, ""): found[n] for n in found if SO_FAR in n}


def are_values(per_point: Sequence[int]) -> bool:
    """True if parts are values of their own: only where no point has several runs."""
    return max(per_point, default=1) == 1


def run_starts(run: Ints) -> Ints | None:
    """Index at which each run begins in rows numbered by run; None if every row is a run."""
    starts = np.flatnonzero(np.diff(run, prepend=-1))
    return None if len(starts) == len(run) else starts
