"""The event table as CSV and Parquet; the points of a sweep follow one another.

Coordinates of a sweep become the first columns. One run is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from airtcp._arrow import column
from airtcp.events import Array, Events

Coordinates: TypeAlias = Sequence[Mapping[str, Any]]


def write_csv(runs: Iterable[Events], file: BinaryIO, coordinates: Coordinates = ()) -> None:
    """One line per event; what does not apply is empty, SACK blocks are ``start-end start-end``."""
    options = csv.WriteOptions(quoting_style="needed")
    _write(
        map(_flat, runs),
        lambda schema: csv.CSVWriter(file, schema, write_options=options),
        coordinates,
    )


def write_parquet(runs: Iterable[Events], file: BinaryIO, coordinates: Coordinates = ()) -> None:
    """The Arrow table, compressed; the facts of the first run are in the file's metadata."""
    _write(
        map(_nested, runs),
        lambda schema: parquet.ParquetWriter(file, schema, compression="zstd"),
        coordinates,
    )


def _write(
    tables: Iterable[pa.Table],
    open_writer: Callable[[pa.Schema], Any],
    coordinates: Coordinates,
) -> None:
    with ExitStack() as opened:
        writer, metadata = None, None
        for table in _with_coordinates(tables, coordinates):
            if writer is None:
                metadata = table.schema.metadata
                writer = opened.enter_context(open_writer(table.schema))
            writer.write_table(table.replace_schema_metadata(metadata))
            del table  # before the next run is made


def _with_coordinates(tables: Iterable[pa.Table], coordinates: Coordinates) -> Iterator[pa.Table]:
    columns = {name: column([one[name] for one in coordinates]) for name in _names(coordinates)}
    number = 0

    def placed(table: pa.Table) -> pa.Table:
        nonlocal number
        for place, (name, values) in enumerate(columns.items()):
            table = table.add_column(place, name, pa.repeat(values[number], table.num_rows))
        number += 1
        return table

    return map(placed, tables)


def _names(coordinates: Coordinates) -> list[str]:
    return list(coordinates[0]) if coordinates else []


def _nested(events: Events) -> pa.Table:
    return events.table


def _flat(events: Events) -> pa.Table:
    """The table without nested columns and dictionaries."""
    table = events.table
    texts = {name: table[name].cast(pa.string()) for name in ("event", "cause")}
    texts["sack"] = pa.array(_texts(events.columns["sack"]), pa.string())
    for name, words in texts.items():
        table = table.set_column(table.schema.get_field_index(name), name, words)
    return table


def _texts(sack: Array) -> list[str | None]:
    """SACK blocks as texts, such as ``14-20 25-28``; None where there are none."""
    used = sack[:, :, 1] > sack[:, :, 0]
    texts: list[str | None] = [None] * len(sack)
    for row in np.flatnonzero(used.any(axis=1)).tolist():
        blocks = sack[row][used[row]].tolist()
        texts[row] = " ".join(f"{start}-{end}" for start, end in blocks)
    return texts
