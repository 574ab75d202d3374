"""Checks of the arguments of this package's functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airtcp.errors import real_number, refusal

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


def open_probability(field: str, value: float) -> float:
    """`value` as a float in (0, 1), or `InputError`."""
    number = real_number(field, value, "a probability in (0, 1)")
    if not 0.0 < number < 1.0:
        raise refusal(field, value, "a probability in (0, 1)")
    return number


def series(field: str, values: ArrayLike, least: int) -> Floats:
    """`values` as a one-dimensional array of at least `least` numbers, or `InputError`."""
    allowed = f"a list of at least {least} numbers"
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise refusal(field, values, allowed) from None
    if found.ndim != 1 or found.size < least:
        raise refusal(field, values, allowed)
    return found


def pairs(
    first: tuple[str, ArrayLike], second: tuple[str, ArrayLike], least: int
) -> tuple[Floats, Floats]:
    """Two named lists of numbers, paired, so of equal length, or `InputError`."""
    a, b = series(*first, least), series(*second, least)
    if a.size != b.size:
        raise refusal(f"length of {second[0]}", b.size, f"{a.size}, that of {first[0]}")
    return a, b
