"""The table of runs: a row for each run, batch and flow, as docs/metrics.md says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from airtcp import _native
from airtcp._arrow import column
from airtcp._layout import Integers, counted, layout_of
from airtcp._metrics import OF_A_RUN, ratios, units
from airtcp.scenario import Point

Runs = Callable[[Point], list[tuple[int, bytes]]]


@dataclass(frozen=True, eq=False)
class RunTables:
    """Tables of runs of the points of one scenario, all with the same columns.

    `runs` gives (replication, counts) of a point in order.
    """

    points: Sequence[Point]
    seed: int
    runs: Runs

    def table(self, begin: int = 0, end: int | None = None) -> pa.Table:
        """The rows of the points from number `begin` to `end` - 1."""
        points = self.points[begin:end]
        blocks = [_Block(point, self.runs(point)) for point in points]
        lengths = [block.rows for block in blocks]
        of_row = np.repeat(np.arange(begin, begin + len(points)), lengths)
        columns = {name: values.take(of_row) for name, values in self._of_points.items()}
        columns["model"] = np.full(of_row.size, _native.MODEL_VERSION, np.int64)
        columns["seed"] = np.full(of_row.size, self.seed, np.uint64)
        columns |= _numbered(blocks, self._batched)
        counts = np.concatenate([block.counts.reshape(block.rows, -1) for block in blocks]).T
        by_name = dict(zip(self._names, counts, strict=True))
        scales = np.repeat([units(point) for point in points], lengths, axis=0).T
        metrics = ratios(by_name, self._family, *scales)
        columns |= by_name | {name: metrics[name] for name in OF_A_RUN[self._family]}
        return pa.table(columns)

    @property
    def _family(self) -> str:
        return self.points[0].family

    @property
    def _names(self) -> tuple[str, ...]:
        return layout_of(self.points[0]).names

    @cached_property
    def _batched(self) -> bool:
        return any(layout_of(point).batches > 1 for point in self.points)

    @cached_property
    def _of_points(self) -> dict[str, pa.Array]:
        """What the rows of a point have in common, a value per point."""
        found = {"scenario": pa.array([point.hash for point in self.points])}
        for path in self.points[0].coordinates:
            found[path] = column([point.coordinates[path] for point in self.points])
        return found


class _Block:
    """The runs of a point."""

    def __init__(self, point: Point, runs: list[tuple[int, bytes]]) -> None:
        self.layout = layout_of(point)
        self.replications = np.array([replication for replication, _ in runs], np.int64)
        self.counts = counted(self.layout, [counts for _, counts in runs])
        self.rows = len(runs) * self.layout.rows


def _numbered(blocks: list[_Block], batched: bool) -> dict[str, Integers]:
    """Replication, batch and flow of each row."""
    grids = [
        np.meshgrid(
            block.replications,
            np.arange(block.layout.batches),
            np.arange(block.layout.flows),
            indexing="ij",
        )
        for block in blocks
    ]
    names = ("replication", "batch", "flow")
    found: dict[str, Any] = {
        name: np.concatenate([grid[axis].ravel() for grid in grids])
        for axis, name in enumerate(names)
    }
    if not batched:
        del found["batch"]
    if blocks[0].layout.family == "slot":
        del found["flow"]
    return found
