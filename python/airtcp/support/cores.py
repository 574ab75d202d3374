"""The number of processor cores, and of the threads that use them."""

from __future__ import annotations

import os

from airtcp.errors import whole_number

MOST_JOBS = 1024


def usable_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST_JOBS, max(1, len(os.sched_getaffinity(0))))
    return min(MOST_JOBS, os.cpu_count() or 1)


def threads_in(jobs: int | None) -> int:
    """The number of threads that a caller or an option gives. Raises `InputError`."""
    return usable_cores() if jobs is None else whole_number("jobs", jobs, 1, MOST_JOBS)
