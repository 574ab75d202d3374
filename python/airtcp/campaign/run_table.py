"""The table of runs: a row for each run, batch and flow, as docs/reference/metrics.md says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from airtcp import _native
from airtcp.metrics.layout import Integers, Layout, layout_of, shape_counts
from airtcp.metrics.ratios import Floats, ratios, stored_metrics, units_of_point, units_of_rows
from airtcp.scenario.scenario import Point
from airtcp.support.frame import CodedColumn, Frame, SharedValues, join_frames, uniform_values

Runs = Callable[[int, int, int], list[tuple[int, bytes]]]


ROWS_PER_TABLE = 100_000  # rows that are made at a time


class Piece(NamedTuple):
    """Points from number `begin` to `end` - 1, with the runs from `first` to `last` - 1 of each."""

    begin: int
    end: int
    first: int
    last: int


def split_into_pieces(runs: Sequence[int], rows: Sequence[int], most: int) -> Iterator[Piece]:
    """Pieces of about `most` rows at most: whole points, or a part of the runs of one.

    `runs` is the number of runs of each point, and `rows` the number of rows per run.
    """
    begin, rows_held = 0, 0
    for number, (many, each) in enumerate(zip(runs, rows, strict=True)):
        if rows_held and rows_held + many * each > most:
            yield Piece(begin, number, 0, max(runs[begin:number]))
            begin, rows_held = number, 0
        rows_held += many * each
        if rows_held > most:  # it is alone
            step = max(1, most // each)
            for first in range(0, many, step):
                yield Piece(number, number + 1, first, min(first + step, many))
            begin, rows_held = number + 1, 0
    if begin < len(runs):
        yield Piece(begin, len(runs), 0, max(runs[begin:]))


def coordinates_of(points: Sequence[Point]) -> dict[str, SharedValues]:
    """Hashes and coordinates of points: a value per point, by column."""
    values: dict[str, list[Any]] = {"scenario": [point.hash for point in points]}
    for path in points[0].coordinates:
        values[path] = uniform_values([point.coordinates[path] for point in points])
    return {path: SharedValues(column_values) for path, column_values in values.items()}


@dataclass(frozen=True, eq=False)
class RunTables:
    """Tables of runs of the points of one scenario, all with the same columns.

    `runs` gives (replication, counts) for a point by its number, in order; `runs_per_point` has the
    number of replications of each point. Points are formed once, because there may be a million of
    them.
    """

    points: Sequence[Point]
    seed: int
    runs: Runs
    runs_per_point: Sequence[int]

    def all_rows(self) -> Frame:
        """All rows."""
        return join_frames(self.tables(ROWS_PER_TABLE))

    def tables(self, most: int) -> Iterator[Frame]:
        """All rows in tables of about `most` rows at most."""
        rows = [layout.rows for layout in self._layouts]
        return map(self.table, split_into_pieces(self.runs_per_point, rows, most))

    def table(self, piece: Piece) -> Frame:
        """The rows of a piece."""
        begin, end, first, last = piece
        blocks = [
            _Block(
                self._layouts[place], self.runs(place, first, min(last, self.runs_per_point[place]))
            )
            for place in range(begin, end)
        ]
        lengths = [block.rows for block in blocks]
        of_row = np.repeat(np.arange(begin, end), lengths)
        columns: dict[str, Any] = {
            name: CodedColumn(of_row, values) for name, values in self._point_columns.items()
        }
        columns["model"] = np.full(of_row.size, _native.MODEL_VERSION, np.int64)
        columns["seed"] = np.full(of_row.size, self.seed, np.uint64)
        columns |= _row_numbers(blocks, self._has_batches)
        counts = np.concatenate(
            [block.counts.reshape(block.rows, len(block.layout.names)) for block in blocks]
        ).T
        by_name = dict(zip(self._count_names, counts, strict=True))
        scales = units_of_rows(self._units[begin:end], lengths)
        metrics = ratios(by_name, self._family, *scales)
        columns |= by_name | {name: metrics[name] for name in stored_metrics(self._family, by_name)}
        return Frame(columns)

    @property
    def _family(self) -> str:
        return self.points[0].family

    @property
    def _count_names(self) -> tuple[str, ...]:
        return self._layouts[0].names

    @cached_property
    def _has_batches(self) -> bool:
        return any(layout.batches > 1 for layout in self._layouts)

    @property
    def _layouts(self) -> list[Layout]:
        return self._describe_points[0]

    @property
    def _point_columns(self) -> dict[str, SharedValues]:
        """Values that the rows of a point have in common, one per point."""
        return self._describe_points[1]

    @property
    def _units(self) -> list[Floats]:
        return self._describe_points[2]

    @cached_property
    def _describe_points(self) -> tuple[list[Layout], dict[str, SharedValues], list[Floats]]:
        """Layouts, coordinates and units in one go, because a sweep may form its points anew."""
        scales, known = list[Floats](), dict[bytes, Floats]()
        values: dict[str, list[Any]] = {"scenario": []}
        values |= {path: [] for path in self.points[0].coordinates}
        layouts, same = list[Layout](), dict[Layout, Layout]()
        for point in self.points:
            layout, scale = layout_of(point), units_of_point(point)
            scales.append(known.setdefault(scale.tobytes(), scale))  # there may be a million
            layouts.append(same.setdefault(layout, layout))
            values["scenario"].append(point.hash)
            for path, value in point.coordinates.items():
                values[path].append(value)
        return (
            layouts,
            {path: SharedValues(uniform_values(values[path])) for path in values},
            scales,
        )


class _Block:
    """A block of runs of a point."""

    def __init__(self, layout: Layout, runs: list[tuple[int, bytes]]) -> None:
        self.layout = layout
        self.replications = np.array([replication for replication, _ in runs], np.int64)
        self.counts = shape_counts(self.layout, [counts for _, counts in runs])
        self.rows = len(runs) * self.layout.rows


def _row_numbers(blocks: list[_Block], batched: bool) -> dict[str, Integers]:
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
    columns: dict[str, Any] = {
        name: np.concatenate([grid[axis].ravel() for grid in grids])
        for axis, name in enumerate(names)
    }
    if not batched:
        del columns["batch"]
    if blocks[0].layout.family == "slot":
        del columns["flow"]
    return columns
