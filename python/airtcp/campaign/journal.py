"""The journal of runs: an SQLite file in which every finished run is kept under its key.

Runs are committed in groups: whatever ends the program, committed runs are there, others are not,
and no run is there twice. Several programs may write to one journal. A program that opens the
journal checks that it holds everything that was written (`journal_tables`, `commit_count`); a
damaged one is refused and left as it is. Every row also carries a checksum over key and counts,
which is verified when the row is read: runs whose counts are damaged are made again.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count as counting
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from airtcp.campaign import journal_tables
from airtcp.campaign.commit_count import CommitCount, count_file, read_commit_count
from airtcp.campaign.journal_tables import APPLICATION_ID, FORMAT_VERSION, Tally
from airtcp.errors import InputError, count, one_line, unusable_file_error
from airtcp.support.files import (
    IS_FOLDER,
    check_new,
    existing_directory,
    file_name,
    name_in_write_errors,
)

JOURNAL_FILE = "runs.sqlite"
_LEAST_DISK_SPACE = 64 * 1024  # bytes without which a disk counts as full
_LOCK_TIMEOUT = 60.0  # s to wait for another program that is writing
_DISK_ERRORS = {sqlite3.SQLITE_FULL: errno.ENOSPC, sqlite3.SQLITE_IOERR: errno.EIO}
_CORRUPTION_ERRORS = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_ROWS_PER_COMMIT = 10_000  # rows at a time
_MOST_CACHED_SERIES = 100_000  # numbers of series that are remembered
_INSERT = "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?)"
_SELECT_RUN = "SELECT counts, crc FROM runs WHERE replication = ? AND series = ?"
_REPLACE = "UPDATE runs SET counts = ?, crc = ? WHERE replication = ? AND series = ?"
_SELECT = """
    WITH RECURSIVE wanted (number) AS (
        SELECT :begin WHERE :begin < :end
        UNION ALL SELECT number + 1 FROM wanted WHERE number + 1 < :end
    )
    SELECT replication, counts, crc
    FROM wanted CROSS JOIN runs ON replication = number AND series = :series
"""


class Series(NamedTuple):
    """The common part of the keys of a point's replications."""

    scenario: str
    model: int
    seed: int


Run: TypeAlias = tuple[Series, int, bytes]  # replication, counts
_Row: TypeAlias = tuple[int, int, bytes, int]


class Journal:
    """An open journal; `damaged` counts the damaged rows that were left out."""

    def __init__(
        self, path: str, connection: sqlite3.Connection, commits: CommitCount | None = None
    ) -> None:
        """Use `open_journal`."""
        self.path, self.damaged = path, 0
        self._connection, self._commits = connection, commits
        self._numbers: dict[Series, int] = {}

    def add(self, runs: Iterable[Run]) -> None:
        """Commit finished runs, (series, replication, counts): afterwards all of them are there."""
        with _name_file_in_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                commits = self._add(runs)
                self._connection.execute("COMMIT")
            except BaseException:
                self._numbers.clear()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        if self._commits is not None:
            self._commits.write(commits)

    @property
    def tally(self) -> Tally:
        """Sums over everything written to it so far."""
        with _name_file_in_errors(self.path):
            return journal_tables.read_tally(self._connection)

    def runs(self, series: Series, size: int, begin: int, end: int) -> list[tuple[int, bytes]]:
        """(replication, counts of `size` bytes) from replication `begin` to `end` - 1, in order.

        Rows with a wrong checksum or size are left out and counted in `damaged`.
        """
        where = {"series": self._series_number(series), "begin": begin, "end": end}
        if where["series"] < 0:
            return []
        with _name_file_in_errors(self.path):
            rows = self._connection.execute(_SELECT, where).fetchall()
        intact_runs = [
            (replication, counts)
            for replication, counts, crc in rows
            if _is_intact(counts, size) and crc == _checksum(series, replication, counts)
        ]
        self.damaged += len(rows) - len(intact_runs)
        return intact_runs

    def _add(self, runs: Iterable[Run]) -> int:
        """Write runs within a transaction; returns the number of commits with this one."""
        tally = journal_tables.read_tally(self._connection).plus(Tally(commits=1))
        runs = iter(runs)
        while some := list(islice(runs, _ROWS_PER_COMMIT)):
            new = dict.fromkeys(series for series, _, _ in some if self._series_number(series) < 0)
            tally = tally.plus(self._number_new_series(new, tally.series))
            rows = [
                (
                    replication,
                    self._series_number(series),
                    counts,
                    _checksum(series, replication, counts),
                )
                for series, replication, counts in some
            ]
            tally = tally.plus(self._insert_rows(rows))
        journal_tables.write_tally(self._connection, tally)
        return tally.commits

    def _number_new_series(self, new: Iterable[Series], before: int) -> Tally:
        """Give numbers to series that are new to the file; returns the change of the tally."""
        rows = [(*_sqlite_key(series), number) for number, series in enumerate(new, before + 1)]
        self._connection.executemany("INSERT INTO series VALUES (?, ?, ?, ?)", rows)
        return journal_tables.sum_series(rows)

    def _insert_rows(self, rows: list[_Row]) -> Tally:
        """Insert rows, replacing those that are there already; returns the change of the tally."""
        self._connection.execute("SAVEPOINT rows")
        if self._connection.executemany(_INSERT, rows).rowcount == len(rows):
            added = _sum_runs(rows)
        else:
            self._connection.execute("ROLLBACK TO rows")
            added = Tally().plus(*map(self._insert_row, rows))
        self._connection.execute("RELEASE rows")
        return added

    def _insert_row(self, row: _Row) -> Tally:
        """Insert one row, which may exist: another program made the same run, or it is damaged."""
        if self._connection.execute(_INSERT, row).rowcount:
            return _sum_runs([row])
        replication, number, counts, crc = row
        before = self._connection.execute(_SELECT_RUN, (replication, number)).fetchone()
        if before == (counts, crc):
            return Tally()
        self._connection.execute(_REPLACE, (counts, crc, replication, number))
        return Tally(crcs=crc - before[1])

    def _series_number(self, series: Series) -> int:
        """Number of a series in this file; -1 if it has none yet."""
        if series not in self._numbers:
            query = "SELECT id FROM series WHERE scenario = ? AND model = ? AND seed = ?"
            with _name_file_in_errors(self.path):
                row = self._connection.execute(query, _sqlite_key(series)).fetchone()
            if row is None:
                return -1
            if len(self._numbers) >= _MOST_CACHED_SERIES:
                self._numbers.clear()
            self._numbers[series] = row[0]
        return self._numbers[series]


@contextmanager
def open_journal(path: str | Path) -> Iterator[Journal]:
    """The journal at `path`, made if it is not there, like the folders above it.

    Raises `InputError` for a file that is no journal or is damaged, `OSError` for a full disk.
    """
    file = file_name("journal", path)
    existing_directory(file.parent)
    with name_in_write_errors(file):
        is_new = not file.is_file()
    if is_new:
        _check_path(file)
        check_new(file)  # SQLite would say only that it is unable to open it
    with ExitStack() as stack:
        yield _open_to_write(stack, file)


@contextmanager
def open_journal_in_memory() -> Iterator[Journal]:
    """A journal that ends with the program."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        journal_tables.create_tables(connection)
        yield Journal(":memory:", connection)


@contextmanager
def open_journal_in(folder: Path, problems: list[str]) -> Iterator[Journal]:
    """The journal of a folder: the first that can be used, or a new one under the next free name.

    Problems of files that are passed over are added to `problems`. A new journal receives all that
    can be read of the damaged ones.
    """
    with ExitStack() as stack:
        passed_over: list[tuple[Path, InputError]] = []
        for path in _candidate_paths(folder):
            try:
                journal = _open_to_write(stack, path, problems)
                break
            except ForeignJournalError as refused:
                passed_over.append((path, refused))
        is_new = journal.tally == Tally()
        for path, error in passed_over:
            rescued = _copy_undamaged_runs(path, journal) if is_new else 0
            where = f"{count(rescued, 'run')} of it were saved in {Path(journal.path).name}"
            problems.append(f"{error}; {where if rescued else 'it is ignored'}")
        yield journal


@contextmanager
def open_journal_to_read(folder: Path, problems: list[str]) -> Iterator[Journal | None]:
    """The journal of a folder, opened for reading only; None if there is none.

    Raises `InputError` if there are some and none can be used.
    """
    refused: list[InputError] = []
    for path in _existing_journals(folder):
        try:
            connection = _connect(path, write=False)
        except ForeignJournalError as error:
            refused.append(error)
            continue
        problems += [f"{error}; it is ignored" for error in refused]
        with closing(connection):
            yield Journal(str(path), connection)
        return
    if refused:
        raise InputError(f"{refused[0]}; airtcp sweep computes lost runs again")
    if commits := read_commit_count(str(folder / JOURNAL_FILE)):
        problems.append(
            f"{folder / JOURNAL_FILE}: is missing, with the {count(commits, 'commit')} to it"
        )
    yield None


def _copy_undamaged_runs(path: Path, journal: Journal) -> int:
    """Copy the undamaged runs of a damaged journal into another; returns their number."""
    if not path.is_file():
        return 0
    with suppress(sqlite3.Error), closing(_open_to_read(path)) as damaged:
        marked = journal_tables.header_ids(damaged) == (APPLICATION_ID, FORMAT_VERSION)
        if marked and journal_tables.has_expected_schema(damaged):
            journal.add(_undamaged_runs(damaged))
    return journal.tally.runs


def _undamaged_runs(damaged: sqlite3.Connection) -> Iterator[Run]:
    """All runs that can be read and have their checksum, some of them twice."""
    known: dict[int, Series] = {}
    for scenario, model, seed, number in _readable_rows(damaged, "SELECT * FROM series"):
        if isinstance(scenario, str) and _are_integers(model, seed, number):
            known[number] = Series(scenario, model, seed % 2**64)
    # From both ends to where the damage is.
    for order in ("", "ORDER BY replication DESC, series DESC"):
        for replication, number, counts, crc in _readable_rows(
            damaged, f"SELECT * FROM runs {order}"
        ):
            series = known.get(number)
            if series is None or not _are_integers(replication) or not isinstance(counts, bytes):
                continue
            if _checksum(series, replication, counts) == crc:
                yield series, replication, counts


def _are_integers(*numbers: object) -> bool:
    return all(isinstance(number, int) for number in numbers)


def _readable_rows(damaged: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table up to the first that cannot be read."""
    with suppress(sqlite3.Error):
        yield from damaged.execute(query)


def _existing_journals(folder: Path) -> list[Path]:
    """The journals of a folder; after damage there may be several."""
    others = sorted(folder.glob("runs-*.sqlite"), key=lambda path: (len(path.name), path.name))
    return [path for path in (folder / JOURNAL_FILE, *others) if os.path.lexists(path)]


def _candidate_paths(folder: Path) -> Iterator[Path]:
    """The journals that exist, then names that are free."""
    existing = _existing_journals(folder)
    yield from existing
    names = (JOURNAL_FILE if number == 0 else f"runs-{number}.sqlite" for number in counting())
    yield from (folder / name for name in names if folder / name not in existing)


class ForeignJournalError(InputError):
    """A file that is foreign or damaged, and stays so however often it is opened."""


def _open_to_write(stack: ExitStack, path: Path, problems: list[str] | None = None) -> Journal:
    """A journal to write to; a loss of the last commits may become one of the `problems`."""
    is_new = not path.exists()
    connection = stack.enter_context(closing(_connect(path, problems)))
    commits = stack.enter_context(closing(CommitCount(str(path))))
    if is_new:
        commits.write(0)  # what is there belonged to another
    return Journal(str(path), connection, commits)


def _connect(
    path: Path, problems: list[str] | None = None, *, write: bool = True
) -> sqlite3.Connection:
    """A connection to a journal that holds everything written to it."""
    _check_path(path)
    before = read_commit_count(str(path)) if path.exists() else 0  # first, because others write
    with _name_file_in_errors(str(path)):
        connection = _open_database(path) if write else _open_to_read(path)
        try:
            if write:
                journal_tables.create_tables(connection)
            if journal_tables.header_ids(connection) != (APPLICATION_ID, FORMAT_VERSION):
                raise ForeignJournalError(f"{path}: is not a journal of runs of this version")
            if damage := journal_tables.find_damage(connection):
                raise ForeignJournalError(one_line(f"{path}: is damaged ({damage})"))
            _check_count(path, before - journal_tables.read_tally(connection).commits, problems)
            if write:
                _allow_writing(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _check_count(path: Path, lost: int, problems: list[str] | None) -> None:
    if lost <= 0:
        return
    verb, its, it = ("is", "its", "it") if lost == 1 else ("are", "their", "them")
    loss_note = f"{path}: the last {count(lost, 'commit')} to it {verb} lost"
    if problems is None:
        way_out = f"remove {count_file(str(path)).name} to continue without {it}"
        raise ForeignJournalError(f"{loss_note}; {way_out}")
    problems.append(f"{loss_note}, {its} runs are computed again")


def _open_database(path: Path) -> sqlite3.Connection:
    return _accept_damaged_text(sqlite3.connect(path, timeout=_LOCK_TIMEOUT, isolation_level=None))


def _accept_damaged_text(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Let damaged texts be read, so that their content can be judged."""
    connection.text_factory = lambda text: text.decode(errors="replace")
    return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open a journal to read; without its log if there is no right to write beside it."""
    uri = path.absolute().as_uri()
    try:
        connection = _accept_damaged_text(
            sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=_LOCK_TIMEOUT)
        )
        connection.execute("SELECT 1 FROM sqlite_schema").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True)
    return _accept_damaged_text(connection)


def _check_path(path: Path) -> None:
    """Name what is wrong with the path: SQLite only says that it is unable to open the file."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise InputError(f"{path}: {os.strerror(errno.ENOENT)}") from None
        return
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ForeignJournalError(f"{path}: {os.strerror(errno.ELOOP)}") from None
        raise unusable_file_error(path, error) from None
    if stat.S_ISDIR(mode):
        raise ForeignJournalError(f"{path}: {IS_FOLDER}")
    if not stat.S_ISREG(mode):
        raise ForeignJournalError(f"{path}: is not a regular file")


def _allow_writing(connection: sqlite3.Connection) -> None:
    _wait_for_log(connection)  # with which a reader does not stop a writer
    connection.execute("PRAGMA synchronous = NORMAL")  # the file stays whole if the power fails


def _wait_for_log(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, waiting for others that open the file at the same time.

    SQLite itself does not wait here.
    """
    end = time.monotonic() + _LOCK_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.01)


@contextmanager
def _name_file_in_errors(path: str) -> Iterator[None]:
    """Name the file in errors about it: `OSError` for the disk, `InputError` otherwise."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DISK_ERRORS:
            number = errno.ENOSPC if _is_disk_full(path) else _DISK_ERRORS[code]
            raise OSError(number, os.strerror(number), path) from None
        if code == sqlite3.SQLITE_BUSY:
            raise InputError(
                f"{path}: another program keeps writing to it; wait until it has ended"
            ) from None
        kind = ForeignJournalError if code in _CORRUPTION_ERRORS else InputError
        raise kind(one_line(f"{path}: {error}")) from None


def _is_disk_full(path: str) -> bool:
    """True if the disk is full: SQLite reports some such failures only as failures of the disk."""
    with suppress(OSError):
        return shutil.disk_usage(Path(path).parent).free < _LEAST_DISK_SPACE
    return False


def _sum_runs(rows: Sequence[_Row]) -> Tally:
    """Sums over rows of the table runs."""
    replications, numbers, _, crcs = zip(*rows, strict=True)
    return Tally(0, 0, 0, len(rows), sum(replications), sum(numbers), sum(crcs))


def _is_intact(counts: object, size: int) -> bool:
    return isinstance(counts, bytes) and len(counts) == size


def _checksum(series: Series, replication: int, counts: bytes) -> int:
    scenario, model, seed = _sqlite_key(series)
    return zlib.crc32(counts, zlib.crc32(f"{scenario},{model},{seed},{replication},".encode()))


def _sqlite_key(series: Series) -> tuple[str, int, int]:
    """The series as SQLite keeps it: its integers have a sign."""
    seed = series.seed
    return series.scenario, series.model, seed - 2**64 if seed >= 2**63 else seed
