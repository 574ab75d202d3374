"""The parts of a run (`stop.batches`) taken together, as if they had been counted as one.

Parts of one run are not independent: they share a channel, a queue and a window. Where there are
several runs, a run is therefore one value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp import _native

Ints: TypeAlias = NDArray[np.int64]

JOIN_RULES: dict[str, tuple[str, str]] = _native.count_rules()  # column -> rule, column that has it


def add_parts(columns: Mapping[str, Any], starts: Ints) -> dict[str, Any]:
    """The counts of runs, added up from the counts of their consecutive parts.

    `starts`: where the parts of each run begin. Most counts add up. For quantiles, and counts that
    follow from them, the last part has the value of the whole run; for maxima, the largest value
    counts. The simulator declares the kind of each count.
    """
    rows = len(next(iter(columns.values())))
    last = np.append(starts[1:], rows) - 1
    taken: dict[str, Callable[[Any], Any]] = {
        "sum": lambda values: np.add.reduceat(values, starts),
        "most": lambda values: np.maximum.reduceat(values, starts),
        "once": lambda values: np.maximum.reduceat(values, starts),  # it is -1 in the others
        "latest": lambda values: np.asarray(values)[last],
    }
    rules = {name: JOIN_RULES[name] for name in columns}
    return {name: taken[rule](columns[of]) for name, (rule, of) in rules.items()}


def parts_are_values(per_point: Sequence[int]) -> bool:
    """True if parts are values of their own: only where no point has several runs."""
    return max(per_point, default=1) == 1


def run_starts(run: Ints) -> Ints | None:
    """Index at which each run begins in rows numbered by run; None if every row is a run."""
    starts = np.flatnonzero(np.diff(run, prepend=-1))
    return None if len(starts) == len(run) else starts
