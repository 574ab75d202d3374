"""Adaptive Gauss-Legendre integration that evaluates all open panels in one call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]

RELATIVE_ERROR = 1e-11  # of the whole integral, per panel, between a panel and its two halves
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_MOST_ROUNDS = 80  # a panel halved as often has no width left


def integral(function: Function, edges: Floats) -> float:
    """The integral of `function` from the first to the last of the increasing `edges`.

    A panel is halved until that changes it by less than 1e-11 of the integral of the modulus.
    `function` takes an array. Raises `InputError` where halving does not end.
    """
    low, high = edges[:-1], edges[1:]
    coarse = panel_integrals(function, low, high)
    scale = float(np.abs(coarse).sum())
    total = 0.0
    for _ in range(_MOST_ROUNDS):
        middle = 0.5 * (low + high)
        left, right = (
            panel_integrals(function, low, middle),
            panel_integrals(function, middle, high),
        )
        fine = left + right
        scale = max(scale, total + float(np.abs(fine).sum()))
        unsure = ~(np.abs(fine - coarse) <= RELATIVE_ERROR * scale)
        total += float(fine[~unsure].sum())
        if not unsure.any():
            return total
        low, high = (
            np.concatenate([low[unsure], middle[unsure]]),
            np.concatenate([middle[unsure], high[unsure]]),
        )
        coarse = np.concatenate([left[unsure], right[unsure]])
    raise InputError(
        "a distribution of intervals or spikes: its survival function cannot be integrated"
    )


def panel_integrals(function: Function, low: Floats, high: Floats) -> Floats:
    """The integral from each of `low` to its `high`, by twelve points."""
    half = 0.5 * (high - low)
    points = 0.5 * (high + low)[:, None] + half[:, None] * _NODES
    values = np.asarray(function(points.ravel()), dtype=np.float64).reshape(points.shape)
    found: Floats = half * (values @ _WEIGHTS)
    return found
