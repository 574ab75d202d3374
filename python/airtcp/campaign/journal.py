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
_RUINED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
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
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _make(connection)
        yield Journal(":memory:", connection)


@contextmanager
def journal_in(folder: Path, problems: list[str]) -> Iterator[Journal]:
    """The journal of a folder: the first that can be used, or a new one under the next free name.

    What is wrong with a file that is passed over is added to `problems`.
    """
    for path in _candidates(folder):
        try:
            connection = _connected(path)
        except ForeignJournalError as error:
            problems.append(f"{error}; it is not used")
            continue
        with closing(connection):
            yield Journal(str(path), connection)
        return


@contextmanager
def journal_to_read(folder: Path, problems: list[str]) -> Iterator[Journal | None]:
    """The journal of a folder, which is not written to; None if there is none that can be used."""
    for path in _existing(folder):
        try:
            connection = _connected(path, write=False)
        except ForeignJournalError as error:
            problems.append(f"{error}; it is not used")
            continue
        with closing(connection):
            yield Journal(str(path), connection)
        return
    yield None


def _existing(folder: Path) -> list[Path]:
    """The journals of a folder; after damage there may be several."""
    others = sorted(folder.glob("runs-*.sqlite"), key=lambda path: (len(path.name), path.name))
    return [path for path in (folder / NAME, *others) if os.path.lexists(path)]


def _candidates(folder: Path) -> Iterator[Path]:
    """Those that are there, then names that are free."""
    there = _existing(folder)
    yield from there
    names = (NAME if one == 0 else f"runs-{one}.sqlite" for one in counting())
    yield from (folder / name for name in names if folder / name not in there)


class ForeignJournalError(InputError):
    """A file that is foreign or damaged, and stays so however often it is opened."""


def _connected(path: Path, *, write: bool = True) -> sqlite3.Connection:
    _check_place(path)
    with _named(str(path)):
        connection = _opened(path) if write else _opened_to_read(path)
        try:
            if write:
                _make(connection)
            _check_marks(str(path), connection)
            if write:
                _let_write(connection)
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise ForeignJournalError(one_line(f"{path}: is damaged ({verdict})"))
        except BaseException:
            connection.close()
            raise
    return connection


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)


def _opened_to_read(path: Path) -> sqlite3.Connection:
    """Without the right to write beside it there is no index of the log: the file is read alone."""
    uri = path.absolute().as_uri()
    try:
        connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=_PATIENCE)
        connection.execute("SELECT 1 FROM sqlite_schema").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        return sqlite3.connect(f"{uri}?immutable=1", uri=True)
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
        if error.errno == errno.ELOOP:
            raise ForeignJournalError(f"{path}: {os.strerror(errno.ELOOP)}") from None
        raise unusable(path, error) from None
    if stat.S_ISDIR(mode):
        raise ForeignJournalError(f"{path}: {os.strerror(errno.EISDIR)}")
    if not stat.S_ISREG(mode):
        raise ForeignJournalError(f"{path}: is not a regular file")


def _make(connection: sqlite3.Connection) -> None:
    """Make the table if there is nothing yet, in one transaction: it is there or it is not."""
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
        for table in _TABLES:
            connection.execute(table)
    connection.execute("COMMIT")


def _let_write(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")  # a reader does not stop a writer
    connection.execute("PRAGMA synchronous = NORMAL")  # the file stays whole if the power fails


def _check_marks(path: str, connection: sqlite3.Connection) -> None:
    marks = [
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    ]
    if marks != [_APPLICATION, _FORMAT]:
        raise ForeignJournalError(f"{path}: is not a journal of runs of this version")


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Name the file in what goes wrong with it: `OSError` for the disk, `InputError` else."""
    try:
        yield
    except UnicodeDecodeError:  # SQLite quotes what it could not read
        raise ForeignJournalError(f"{path}: is damaged") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DISK:
            number = errno.ENOSPC if _full(path) else _DISK[code]
            raise OSError(number, os.strerror(number), path) from None
        if code == sqlite3.SQLITE_BUSY:
            raise InputError(f"{path}: another program does not stop writing to it") from None
        kind = ForeignJournalError if code in _RUINED else InputError
        raise kind(one_line(f"{path}: {error}")) from None


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
