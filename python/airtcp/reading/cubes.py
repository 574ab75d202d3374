"""The values of a metric as an array with a dimension per coordinate (xarray)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from airtcp.errors import InputError, count
from airtcp.metrics.records import RECORD_NODES
from airtcp.reading.grouping import group_members
from airtcp.reading.rows import Floats, ResultRows

if TYPE_CHECKING:
    import xarray

_LEAST_FILLED = 100  # cells of the array for each value in it: beyond, the coordinates form no grid


def data_cube(rows: ResultRows, metric: str, xarray_module: Any) -> xarray.DataArray:
    """The values of `metric` by what varies: coordinates, replication, batch, flow."""
    runs = rows.parts
    together = np.zeros(len(runs), dtype=np.int64)
    all_members = group_members(runs, None, together, together)
    taken = np.arange(len(runs)) if all_members.rows is None else all_members.rows
    places: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    fixed: dict[str, Any] = {}
    for name in (
        name for name in rows.coordinates if name not in RECORD_NODES.get(rows.family, ())
    ):
        codes, values = pandas.factorize(runs.points[name], use_na_sentinel=False)
        if len(values) > 1:
            places[name], labels[name] = codes[runs.point[taken]], np.asarray(values)
        else:
            fixed[name] = values[0]
    for name, of_rows in (
        ("replication", all_members.replication),
        ("batch", runs.batch[taken]),
        ("flow", runs.flow[taken]),
    ):
        if name == "replication" or of_rows.any():
            labels[name], places[name] = np.unique(of_rows, return_inverse=True)
    array = _fill_cube(rows.values_of_parts([metric])[metric][taken], places, labels)
    found: xarray.DataArray = xarray_module.DataArray(
        array, coords=labels | fixed, dims=list(labels), name=metric
    )
    return found


def _fill_cube(values: Floats, places: dict[str, Any], labels: dict[str, Any]) -> Floats:
    shape = tuple(len(label) for label in labels.values())
    cells = int(np.prod(shape, dtype=object))
    if cells > _LEAST_FILLED * len(values):
        sizes = " x ".join(f"{name} {len(values)}" for name, values in labels.items())
        raise InputError(
            f"to_xarray: the coordinates form no grid: {count(len(values), 'value')} in"
            f" {count(cells, 'cell')} ({sizes}); use runs or summary()"
        )
    array: Floats = np.full(shape, np.nan)
    array[tuple(places.values())] = values
    return array
