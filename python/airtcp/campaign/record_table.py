"""Tables of links and of cross-traffic: a row for each run, batch and link or source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from airtcp import _native
from airtcp.campaign.run_table import ROWS_PER_TABLE, Piece, Runs, coordinates_of, split_into_pieces
from airtcp.metrics.layout import RecordLayout, record_layout_of
from airtcp.metrics.ratios import ratios
from airtcp.metrics.records import RECORD_KEYS, RECORD_NODES
from airtcp.scenario.scenario import Point
from airtcp.support.frame import CodedColumn, Frame, SharedValues, join_frames

DIRECTIONS = ("forward", "back")


@dataclass(frozen=True, eq=False)
class RecordTables:
    """Tables of a `kind`, "links" or "traffic", of the points of one scenario.

    `records` gives (replication, counts), laid out as in `RecordLayout`, for a point by its number,
    in order; `runs_per_point` has the number of replications of each point.
    """

    kind: str
    points: Sequence[Point]
    seed: int
    records: Runs
    runs_per_point: Sequence[int]

    def all_rows(self) -> Frame:
        """All rows; without columns if there are none."""
        tables = list(self.tables(ROWS_PER_TABLE))
        return join_frames(tables) if tables else Frame({})

    def tables(self, most: int) -> Iterator[Frame]:
        """All rows in tables of about `most` rows at most; no tables without cross-traffic."""
        rows = [layout.batches * layout.rows_and_columns(self.kind)[0] for layout in self._layouts]
        return (
            map(self._table, split_into_pieces(self.runs_per_point, rows, most))
            if any(rows)
            else iter(())
        )

    def _table(self, piece: Piece) -> Frame:
        begin, end, first, last = piece
        runs, grids, of_row = list[Any](), list[Any](), list[Any]()
        for place in range(begin, end):
            layout = self._layouts[place]
            records_found = self.records(place, first, min(last, self.runs_per_point[place]))
            counts = layout.counts(self.kind, [counts for _, counts in records_found])
            replications = np.array([replication for replication, _ in records_found], np.int64)
            parts, rows = (
                np.arange(layout.batches),
                np.arange(layout.rows_and_columns(self.kind)[0]),
            )
            grid = np.meshgrid(replications, parts, rows, indexing="ij")
            grids.append([axis.ravel() for axis in grid])
            of_row.append(np.full(grid[0].size, place))
            runs.append(counts.reshape(-1, counts.shape[-1]))
        replication, batch, row = (np.concatenate(axis) for axis in zip(*grids, strict=True))
        places = np.concatenate(of_row)
        columns: dict[str, Any] = {
            name: CodedColumn(places, values) for name, values in self._point_columns.items()
        }
        columns["model"] = np.full(places.size, _native.MODEL_VERSION, np.int64)
        columns["seed"] = np.full(places.size, self.seed, np.uint64)
        columns["replication"] = replication
        if any(layout.batches > 1 for layout in self._layouts):
            columns["batch"] = batch
        columns |= self._owner_columns(places, row)
        names = self._layouts[0].rows_and_columns(self.kind)[1]
        counted = dict(zip(names, np.concatenate(runs).T, strict=True))
        metrics = ratios(counted, self.kind)
        return Frame(columns | counted | {n: metrics[n] for n in metrics if n not in counted})

    def _owner_columns(self, places: Any, row: Any) -> dict[str, Any]:
        """The link or source of each row, and the nodes at its ends."""
        number, keys = row, [row]
        if self.kind == "links":
            number = row // 2
            keys = [number, CodedColumn(row % 2, SharedValues(DIRECTIONS))]
        first, ends = self._owner_ends
        ends_of_row = first[places] + number
        named = {
            name: CodedColumn(ends_of_row, SharedValues([pair[side] for pair in ends]))
            for side, name in enumerate(RECORD_NODES[self.kind])
        }
        return dict(zip(RECORD_KEYS[self.kind], keys, strict=True)) | named

    @cached_property
    def _layouts(self) -> list[RecordLayout]:
        return [record_layout_of(point) for point in self.points]

    @cached_property
    def _point_columns(self) -> dict[str, SharedValues]:
        return coordinates_of(self.points)

    @cached_property
    def _owner_ends(self) -> tuple[Any, list[tuple[str, str]]]:
        """For each point the index of its first hop (or source) among all, and the ends of all."""
        of = hop_ends if self.kind == "links" else source_ends
        each = [of(point) for point in self.points]
        first = np.cumsum([0, *map(len, each[:-1])])
        return first, [pair for pairs in each for pair in pairs]


def hop_ends(point: Point) -> list[tuple[str, str]]:
    """The names of the nodes at the near and far end of each hop."""
    hop_ends_found, last = list[tuple[str, str]](), "0"
    for number, hop in enumerate(point.data["path"]["hop"], 1):
        ends = hop.get("near", last), hop.get("far", str(number))
        hop_ends_found.append(ends)
        last = ends[1]
    return hop_ends_found


def source_ends(point: Point) -> list[tuple[str, str]]:
    """The nodes between which each source of cross-traffic sends."""
    hops = hop_ends(point)
    return [
        (source.get("sender", hops[0][0]), source.get("receiver", hops[-1][1]))
        for source in point.data.get("traffic", [])
        for _ in range(source["count"])
    ]
