"""The journal of runs: an SQLite file in which every finished run is kept under its key.

Runs are committed in groups: whatever ends the program, what was committed is there, what was not
is not, and no run is there twice. Several programs may write to one journal. Every row carries a
checksum over key and counts, so that damage is seen; a damaged run is made again.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count as counting
from pathlib import Path
from typing import NamedTuple

from airtcp._files import file_name
from airtcp.errors import InputError, one_line, unusable

NAME = "runs.sqlite"
_APPLICATION, _FORMAT = 0x61697274, 1  # "airt" in the header of the file
_ROOM = 64 * 1024  # bytes without which a disk counts as full
_PATIENCE = 60.0  # s to wait for another program that is writing
_DISK = {sqlite3.SQLITE_FULL: errno.ENOSPC, sqlite3.SQLITE_IOERR: errno.EIO}
_TABLES = (
    """CREATE TABLE series (
        id INTEGER PRIMARY KEY,
        scenario TEXT NOT NULL,     -- hash of the point
        model INTEGER NOT NULL,     -- version of the simulator's rules
        seed INTEGER NOT NULL,      -- as a signed number of 64 bits
        UNIQUE (scenario, model, seed)
    )""",
    # A sweep goes through its points replication by replication: in this order rows are appended.
    """CREATE TABLE runs (
        replication INTEGER NOT NULL,
        series INTEGER NOT NULL,
        counts BLOB NOT NULL,       -- int64, little-endian: by batch, flow, column
        crc INTEGER NOT NULL,       -- CRC-32 of "scenario,model,seed,replication," and the counts
        PRIMARY KEY (replication, series)
    ) WITHOUT ROWID""",
)
_INSERT = "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)"
_SELECT = """
    WITH RECURSIVE wanted (number) AS (
        SELECT :begin WHERE :begin < :end
        UNION ALL SELECT number + 1 FROM wanted WHERE number + 1 < :end
    )
    SELECT replication, counts, crc
    FROM wanted CROSS JOIN runs ON replication = number AND series = :series
"""


class Series(NamedTuple):
    """What the keys of the replications of a point have in common."""

    scenario: str
    model: int
    seed: int


class Journal:
    """An open journal; `damaged` counts the rows that were met and left out."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        """Use `open_journal`."""
        self.path, self.damaged = path, 0
        self._connection = connection
        self._numbers: dict[Series, int] = {}

    def add(self, runs: Iterable[tuple[Series, int, bytes]]) -> None:
        """Commit finished runs, (series, replication, counts): afterwards all of them are there."""
        with _named(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                rows = [self._row(*run) for run in runs]
                self._connection.executemany(_INSERT, rows)
                self._connection.execute("COMMIT")
            except BaseException:
                self._numbers.clear()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def runs(self, series: Series, size: int, begin: int, end: int) -> list[tuple[int, bytes]]:
        """(replication, counts of `size` bytes) from replication `begin` to `end` - 1, in order.

        Rows with a wrong checksum or size are left out and counted in `damaged`.
        """
        where = {"series": self._number(series), "begin": begin, "end": end}
        if where["series"] < 0:
            return []
        with _named(self.path):
            rows = self._connection.execute(_SELECT, where).fetchall()
        found = [
            (replication, counts)
            for replication, counts, crc in rows
            if _sound(counts, size) and crc == _check(series, replication, counts)
        ]
        self.damaged += len(rows) - len(found)
        return found

    def _row(self, series: Series, replication: int, counts: bytes) -> tuple[int, int, bytes, int]:
        if series not in self._numbers:
            add = "INSERT OR IGNORE INTO series (scenario, model, seed) VALUES (?, ?, ?)"
            done = self._connection.execute(add, _place(series))
            if done.rowcount and done.lastrowid is not None:
                self._numbers[series] = done.lastrowid
        return replication, self._number(series), counts, _check(series, replication, counts)

    def _number(self, series: Series) -> int:
        """Of a series in this file; -1 if it has none yet."""
        if series not in self._numbers:
            query = "SELECT id FROM series WHERE scenario = ? AND model = ? AND seed = ?"
            with _named(self.path):
                found = self._connection.execute(query, _place(series)).fetchone()
            if found is None:
                return -1
            self._numbers[series] = found[0]
        return self._numbers[series]


@contextmanager
def open_journal(path: str | Path) -> Iterator[Journal]:
    """The journal at `path`, made if it is not there.

    Raises `InputError` for a file that is no journal or is damaged, `OSError` for a full disk.
    """
    file = file_name("journal", path)
    with closing(_connected(file)) as connection:
        yield Journal(str(file), connection)


@contextmanager
def journal_in_memory() -> Iterator[Journal]:
    """A journal that ends with the program."""
    with closing(_prepared(":memory:", sqlite3.connect(":memory:", isolation_level=None))) as one:
        yield Journal(":memory:", one)


@contextmanager
def journal_in(folder: Path, problems: list[str]) -> Iterator[Journal]:
    """The journal of a folder: `NAME`, or the next name where that cannot be used.

    What is wrong with a file that is passed over is added to `problems`.
    """
    for number in counting():
        path = folder / (NAME if number == 0 else f"runs-{number}.sqlite")
        try:
            connection = _connected(path)
        except InputError as error:
            problems.append(f"{error}; it is not used")
            continue
        with closing(connection):
            yield Journal(str(path), connection)
        return


def _connected(path: Path) -> sqlite3.Connection:
    _check_place(path)
    with _named(str(path)):
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepared(str(path), connection)
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise InputError(one_line(f"{path}: is damaged ({verdict})"))
        except BaseException:
            connection.close()
            raise
    return connection


def _check_place(path: Path) -> None:
    """SQLite says of any of this only that it is unable to open the file."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise InputError(f"{path}: {os.strerror(errno.ENOENT)}") from None
        return
    except OSError as error:
        raise unusable(path, error) from None
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: {os.strerror(errno.EISDIR)}")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: is not a regular file")


def _prepared(path: str, connection: sqlite3.Connection) -> sqlite3.Connection:
    """Make the table if there is nothing yet, in one transaction: it is there or it is not."""
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
        for table in _TABLES:
            connection.execute(table)
    connection.execute("COMMIT")
    marks = [
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    ]
    if marks != [_APPLICATION, _FORMAT]:
        raise InputError(f"{path}: is not a journal of runs of this version")
    connection.execute("PRAGMA journal_mode = WAL")  # a reader does not stop a writer
    connection.execute("PRAGMA synchronous = NORMAL")  # the file stays whole if the power fails
    return connection


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Name the file in what goes wrong with it: `OSError` for the disk, `InputError` else."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DISK:
            number = errno.ENOSPC if _full(path) else _DISK[code]
            raise OSError(number, os.strerror(number), path) from None
        if code == sqlite3.SQLITE_BUSY:
            raise InputError(f"{path}: another program does not stop writing to it") from None
        raise InputError(f"{path}: {error}; give another file or move this one away") from None


def _full(path: str) -> bool:
    """SQLite says of some failures for want of room only that they are failures of the disk."""
    with suppress(OSError):
        return shutil.disk_usage(Path(path).parent).free < _ROOM
    return False


def _sound(counts: object, size: int) -> bool:
    return isinstance(counts, bytes) and len(counts) == size


def _check(series: Series, replication: int, counts: bytes) -> int:
    scenario, model, seed = _place(series)
    return zlib.crc32(counts, zlib.crc32(f"{scenario},{model},{seed},{replication},".encode()))


def _place(series: Series) -> tuple[str, int, int]:
    """SQLite's integers have a sign."""
    seed = series.seed
    return series.scenario, series.model, seed - 2**64 if seed >= 2**63 else seed
