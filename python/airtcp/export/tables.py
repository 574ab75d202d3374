"""The event table as CSV and Parquet; the points of a sweep follow one another.

Coordinates of a sweep become the first columns. One run is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from airtcp.events import Array, Events

Coordinates: TypeAlias = Sequence[Mapping[str, Any]]


def write_csv(runs: Iterable[Events], file: BinaryIO, coordinates: Coordinates = ()) -> None:
    """One line per event; what does not apply is empty, SACK blocks are ``start-end start-end``."""
    options = csv.WriteOptions(quoting_style="needed")
    _write(
        (_flat(events) for events in runs),
        lambda schema: csv.CSVWriter(file, schema, write_options=options),
        coordinates,
    )


def write_parquet(runs: Iterable[Events], file: BinaryIO, coordinates: Coordinates = ()) -> None:
    """The Arrow table, compressed; the facts of the first run are in the file's metadata."""
    _write(
        (events.table for events in runs),
        lambda schema: parquet.ParquetWriter(file, schema, compression="zstd"),
        coordinates,
    )


def _write(
    tables: Iterable[pa.Table],
    open_writer: Callable[[pa.Schema], Any],
    coordinates: Coordinates,
) -> None:
    placed = _with_coordinates(tables, coordinates)
    first = next(placed)
    with open_writer(first.schema) as writer:
        writer.write_table(first)
        for table in placed:
            writer.write_table(table.replace_schema_metadata(first.schema.metadata))


def _with_coordinates(tables: Iterable[pa.Table], coordinates: Coordinates) -> Iterator[pa.Table]:
    columns = {name: _column([one[name] for one in coordinates]) for name in _names(coordinates)}
    for index, table in enumerate(tables):
        for place, (name, values) in enumerate(columns.items()):
            repeated = pa.repeat(values[index], table.num_rows)
            table = table.add_column(place, name, repeated)  # noqa: PLW2901
        yield table


def _names(coordinates: Coordinates) -> list[str]:
    return list(coordinates[0]) if coordinates else []


def _column(values: list[Any]) -> pa.Array:
    """Numbers as numbers; an axis of numbers and texts as texts."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values])


def _flat(events: Events) -> pa.Table:
    """The table without nested columns and dictionaries."""
    table = events.table
    texts = {name: table[name].cast(pa.string()) for name in ("event", "cause")}
    texts["sack"] = pa.array(_texts(events.columns["sack"]), pa.string())
    for name, column in texts.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def _texts(sack: Array) -> list[str | None]:
    """SACK blocks as texts, such as ``14-20 25-28``; None where there are none."""
    used = sack[:, :, 1] > sack[:, :, 0]
    texts: list[str | None] = [None] * len(sack)
    for row in np.flatnonzero(used.any(axis=1)).tolist():
        blocks = sack[row][used[row]].tolist()
        texts[row] = " ".join(f"{start}-{end}" for start, end in blocks)
    return texts
