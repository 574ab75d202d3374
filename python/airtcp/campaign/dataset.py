"""The dataset of a finished campaign: Parquet files in the order of points and replications."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from airtcp.campaign.loop import Campaign
from airtcp.campaign.manifest import DATA_FOLDER, DataFile
from airtcp.campaign.record_table import RecordTables
from airtcp.campaign.run_table import RunTables
from airtcp.metrics.records import RECORD_KEYS
from airtcp.scenario.scenario import Point
from airtcp.support.files import (
    existing_directory,
    name_in_write_errors,
    replace_file_with,
    sha256_of_file,
)
from airtcp.support.frame import Frame
from airtcp.support.optional import ARROW, import_optional, is_installed

RUNS_TABLE = "runs"  # the table of simulated runs
_PREFIX = {RUNS_TABLE: "part"}  # of files, by their table; others are called after theirs
_DATA_FILE_NAME = re.compile(r"(\w+)-(\d{5,})\.parquet")
# Rows of a row group, which is held in memory, and of a file.
ROWS_PER_GROUP, _ROWS_PER_FILE = 100_000, 2_000_000


def write_dataset(tables: Mapping[str, Iterator[Frame]], out: Path) -> list[DataFile]:
    """Write tables of runs by their kind, and remove files of an earlier dataset.

    The rows do not depend on the programs that computed them or on the order. Nothing is written
    where pyarrow is not installed: the runs are in the journal. Raises `OSError` if the disk is
    full.
    """
    folder, written = out / DATA_FOLDER, list[DataFile]()
    if is_installed("pyarrow"):
        existing_directory(folder)
        for kind, groups in tables.items():
            for number, first in zip(count(), groups, strict=False):
                name = f"{_file_name_prefix(kind)}-{number:05}.parquet"
                written.append(_write_file(folder / name, first, groups))
    kept_files, known = (
        {file.name for file in written},
        {*map(_file_name_prefix, (RUNS_TABLE, *RECORD_KEYS, *tables))},
    )
    for old in folder.glob("*.parquet"):
        named = _DATA_FILE_NAME.fullmatch(old.name)
        if named and named[1] in known and f"{DATA_FOLDER}/{old.name}" not in kept_files:
            old.unlink(missing_ok=True)
    return written


def remove_dataset(files: Iterable[DataFile], out: Path) -> None:
    """Remove the files of a dataset, before its manifest gives way to that of another campaign."""
    for file in files:
        with name_in_write_errors(out / file.name) as path:
            path.unlink(missing_ok=True)


def simulated_tables(
    campaign: Campaign, points: Sequence[Point], seed: int
) -> dict[str, Iterator[Frame]]:
    """The simulated runs in tables of about as many rows as a group has, by kind."""
    runs = RunTables(points, seed, campaign.finished, campaign.runs_per_point).tables(
        ROWS_PER_GROUP
    )
    kinds = RECORD_KEYS if campaign.links else ()
    return {RUNS_TABLE: runs} | {
        kind: RecordTables(
            kind, points, seed, campaign.finished_records, campaign.runs_per_point
        ).tables(ROWS_PER_GROUP)
        for kind in kinds
    }


def files_of_table(kind: str, files: Iterable[DataFile]) -> list[DataFile]:
    """The files that hold a table: "runs", "links", "traffic", or that of another engine."""
    return [
        file for file in files if file.name.startswith(f"{DATA_FOLDER}/{_file_name_prefix(kind)}-")
    ]


def _file_name_prefix(kind: str) -> str:
    return _PREFIX.get(kind, kind)


def is_undamaged(folder: Path, files: Iterable[DataFile]) -> bool:
    """True if the files of a dataset are as they were written."""
    try:
        return all(sha256_of_file(folder / file.name) == file.sha256 for file in files)
    except OSError:
        return False


def _write_file(path: Path, first: Frame, more: Iterator[Frame]) -> DataFile:
    """Write a file of row groups beside its place, then move it there."""
    parquet, rows = import_optional("pyarrow.parquet", str(path), ARROW), 0
    with replace_file_with(path) as fresh:
        schema = first.to_arrow().schema
        with parquet.ParquetWriter(fresh, schema, compression="zstd") as writer:
            for table in _chain_frames(first, more):
                writer.write_table(table.to_arrow())
                rows += len(table)
                if rows >= _ROWS_PER_FILE:
                    break
        digest = sha256_of_file(fresh)
    return DataFile(f"{DATA_FOLDER}/{path.name}", rows, digest)


def _chain_frames(first: Frame, more: Iterator[Frame]) -> Iterator[Frame]:
    yield first
    yield from more
