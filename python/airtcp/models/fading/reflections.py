"""Rotations of coordinates, row by row, that turn the first axes to given directions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mirror_normals(known: Iterable[Floats], size: int) -> list[Floats]:
    """Normals of the reflections that turn the first axes onto rows of `known`, but for signs.

    The part of a later row that is orthogonal to the earlier ones counts. The other axes stay near
    the modes of their order, the strongest one first.
    """
    normals: list[Floats] = []
    for axis, rows in enumerate(known):
        towards = np.zeros((len(rows), size))
        towards[:, : rows.shape[1]] = rows
        for mirror in normals:
            towards = reflect_rows(towards, mirror)
        towards[:, :axis] = 0.0
        towards /= np.linalg.norm(towards, axis=1, keepdims=True)
        towards[:, axis] += np.where(towards[:, axis] < 0.0, -1.0, 1.0)
        normals.append(towards / np.linalg.norm(towards, axis=1, keepdims=True))
    return normals


def reflect_rows(vectors: Floats, normals: Floats) -> Floats:
    """Each row, reflected by its mirror."""
    reflected: Floats = vectors - 2.0 * (vectors * normals).sum(axis=1, keepdims=True) * normals
    return reflected
