"""From the maps of the models to their ranges, by one rule.

A range is a box: an interval of each coordinate of the grid (`ValidityGrid.box`). A formula holds
in a box if at least `_LEAST_GOOD_SHARE` of the points with an answer in it are within
`LARGEST_ERROR` per cent of the simulator. At each value of each coordinate, and for each variant,
at least `_LEAST_GOOD_SHARE_OF_PART` of the points must be so too: no corner of the box is bad. The
range is the box with the most points among those that hold; among equals, the one with the smallest
mean error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from airtcp.models.zoo.grids import VALIDITY_GRIDS, ValidityGrid, grids_of

LARGEST_ERROR = 20.0  # per cent
_LEAST_GOOD_SHARE, _LEAST_GOOD_SHARE_OF_PART = 0.9, 0.8
_ROUNDING = 0.01  # as in `Model.answer_or_refusals`

Bools = NDArray[np.bool_]
Box = dict[str, tuple[float, float]]


def ranges_by_profile(table: pd.DataFrame) -> dict[str, dict[str, Box]]:
    """The ranges of every model of a table of `validity`, by the profile of their grids.

    A range has no coordinates if no box holds.
    """
    models = dict.fromkeys(name for sort in VALIDITY_GRIDS for name in sort.models)
    return {
        name: {sort.profile: range_of(table, sort, name) for sort in grids_of(name)}
        for name in models
    }


def range_of(table: pd.DataFrame, sort: ValidityGrid, model: str) -> Box:
    """The range of a model."""
    answered = table["error_percent"].notna()
    rows_of_model = table[(table["grid"] == sort.name) & (table["model"] == model) & answered]
    error = rows_of_model["error_percent"].abs().to_numpy()
    parts = _GridPoints(rows_of_model, sort)
    best, best_box = (0, 0.0), {}
    for box in product(*(_intervals(ends) for ends in sort.box.values())):
        inside = parts.inside(box)
        count = int(inside.sum())
        if count < best[0] or count == 0 or not parts.is_accurate(inside, error <= LARGEST_ERROR):
            continue
        score = (count, -float(error[inside].mean()))
        if score > best:
            best, best_box = score, dict(zip(sort.box, box, strict=True))
    return best_box


def _intervals(ends: Sequence[float]) -> Iterator[tuple[float, float]]:
    return combinations_with_replacement(ends, 2)


class _GridPoints:
    """The points of a model, by the coordinates of its grid."""

    def __init__(self, rows_of_model: pd.DataFrame, sort: ValidityGrid) -> None:
        values = {key: rows_of_model[key].to_numpy() for key in sort.box}
        self.between = {
            (key, low, high): (low * (1.0 - _ROUNDING) <= values[key])
            & (values[key] <= high * (1.0 + _ROUNDING))
            for key, ends in sort.box.items()
            for low, high in _intervals(ends)
        }
        self.keys = tuple(sort.box)
        variants = rows_of_model["variant"].to_numpy()
        self.slices = [variants == variant for variant in sort.variants]
        for key, ends in sort.box.items():
            place = np.argmin(
                np.abs(values[key][:, None] * (1.0 - _ROUNDING) - np.asarray(ends)), axis=1
            )
            self.slices += [place == index for index in range(len(ends))]

    def inside(self, box: tuple[tuple[float, float], ...]) -> Bools:
        """Mask of the points in a box."""
        of_keys = [self.between[key, *ends] for key, ends in zip(self.keys, box, strict=True)]
        is_inside: Bools = np.logical_and.reduce(of_keys)
        return is_inside

    def is_accurate(self, inside: Bools, near: Bools) -> bool:
        """True if the formula holds in a box."""
        if near[inside].mean() < _LEAST_GOOD_SHARE:
            return False
        parts = [inside & inside_slice for inside_slice in self.slices]
        return all(near[part].mean() >= _LEAST_GOOD_SHARE_OF_PART for part in parts if part.any())
