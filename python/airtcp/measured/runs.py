"""Runs of equal values, such as bursts of losses, in a sequence of true and false."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def run_bounds(chosen: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """First places of runs of True, and the places behind their last."""
    edges = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)


def run_lengths(chosen: NDArray[np.bool_]) -> Ints:
    """Lengths of runs of True."""
    starts, ends = run_bounds(chosen)
    return ends - starts
