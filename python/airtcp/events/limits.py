"""Limits of time as users give them."""

from __future__ import annotations

import math

from airtcp.errors import InputError


def time_limits(
    start: float | None, end: float | None, names: tuple[str, str] = ("start =", "end =")
) -> tuple[float, float]:
    """Limits of time in seconds, None for none, or `InputError` that calls them `names`."""
    lowest = -math.inf if start is None else start
    highest = math.inf if end is None else end
    if not lowest < highest:
        limits = words_for_limits(start, end, names)
        raise InputError(f"{limits}: must be seconds, with the end after the start")
    return lowest, highest


def words_for_limits(
    start: float | None, end: float | None, names: tuple[str, str] = ("start =", "end =")
) -> str:
    """Limits of time as a user gave them; empty where there are none."""
    given = (
        (name, limit) for name, limit in zip(names, (start, end), strict=True) if limit is not None
    )
    return ", ".join(f"{name} {limit:g}" for name, limit in given)
