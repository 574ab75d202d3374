"""The number of processor cores."""

from __future__ import annotations

import os

MOST_JOBS = 1024


def usable_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST_JOBS, max(1, len(os.sched_getaffinity(0))))
    return min(MOST_JOBS, os.cpu_count() or 1)
