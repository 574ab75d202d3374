"""The event table as CSV and Parquet; the points of a sweep follow one another.

Coordinates of a sweep become the first columns. One run is in memory at a time.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from io import TextIOWrapper
from itertools import count, repeat
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np

from airtcp.events.columns import EventColumn
from airtcp.events.records import Array
from airtcp.events.table import EventTable
from airtcp.support.frame import uniform_values
from airtcp.support.optional import ARROW, import_optional

if TYPE_CHECKING:
    import pyarrow

Coordinates: TypeAlias = Sequence[Mapping[str, Any]]
_ROWS_PER_CHUNK = 10_000  # that are texts at once


def write_csv(
    runs: Iterable[EventTable],
    file: BinaryIO,
    coordinates: Coordinates = (),
    table: str = "events",
) -> None:
    """One line per event; absent values are empty, SACK blocks are ``start-end start-end``."""
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        writer, places, head = (
            csv.writer(text, lineterminator="\n"),
            _coordinates_by_run(coordinates),
            True,
        )
        for events in runs:
            columns, placed = dict(events.shown(table)), next(places)
            if head:
                writer.writerow([*placed, *columns])
                head = False
            for first in range(0, len(next(iter(columns.values())).values), _ROWS_PER_CHUNK):
                part = slice(first, first + _ROWS_PER_CHUNK)
                fixed = (repeat("" if value is None else value) for value in placed.values())
                writer.writerows(zip(*fixed, *_cells(columns.values(), part), strict=False))
            del events, columns  # before the next run is made
    finally:
        text.detach()  # the file stays open


def _coordinates_by_run(coordinates: Coordinates) -> Iterator[dict[str, Any]]:
    """The coordinates of each run, of one kind in each column; none where none are given."""
    if not coordinates:
        yield from repeat({})
    columns = {
        name: uniform_values([coordinate[name] for coordinate in coordinates])
        for name in coordinates[0]
    }
    for number in range(len(coordinates)):
        yield {name: values[number] for name, values in columns.items()}


def _cells(columns: Iterable[EventColumn], part: slice) -> Iterator[list[Any]]:
    """Some rows of each column, None where it does not apply."""
    for column in columns:
        values, absent = column.values[part], column.absent
        if column.is_sack:
            yield _texts(values)
            continue
        cells = np.array(column.words, dtype=object)[values] if column.words else values
        if absent is not None and absent[part].any():
            cells = cells.astype(object)
            cells[absent[part]] = None
        yield cells.tolist()


def _texts(sack: Array) -> list[str | None]:
    """SACK blocks as texts, such as ``14-20 25-28``; None where there are none."""
    used = sack[:, :, 1] > sack[:, :, 0]
    texts: list[str | None] = [None] * len(sack)
    for row in np.flatnonzero(used.any(axis=1)).tolist():
        blocks = sack[row][used[row]].tolist()
        texts[row] = " ".join(f"{start}-{end}" for start, end in blocks)
    return texts


def write_parquet(
    runs: Iterable[EventTable],
    file: BinaryIO,
    coordinates: Coordinates = (),
    table: str = "events",
) -> None:
    """The Arrow table, compressed; the facts of the first run are in the file's metadata.

    Raises `InputError` where pyarrow is not installed.
    """
    parquet = import_optional("pyarrow.parquet", ".parquet", ARROW)
    with ExitStack() as opened:
        writer, metadata = None, None
        for rows in _with_coordinates(runs, coordinates, table):
            if writer is None:
                metadata = rows.schema.metadata
                writer = parquet.ParquetWriter(file, rows.schema, compression="zstd")
                opened.enter_context(writer)
            writer.write_table(rows.replace_schema_metadata(metadata))
            del rows  # before the next run is made


def _with_coordinates(
    runs: Iterable[EventTable], coordinates: Coordinates, name_of_table: str
) -> Iterator[pyarrow.Table]:
    pa, numbers = import_optional("pyarrow", ".parquet", ARROW), count()
    columns = {
        name: pa.array(uniform_values([coordinate[name] for coordinate in coordinates]))
        for name in (coordinates[0] if coordinates else ())
    }

    def placed(events: EventTable) -> pyarrow.Table:
        table, number = events.to_arrow(name_of_table), next(numbers)
        for place, (name, values) in enumerate(columns.items()):
            table = table.add_column(place, name, pa.repeat(values[number], table.num_rows))
        return table

    return map(placed, runs)
