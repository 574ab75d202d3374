"""The tables of a journal: their creation, and a check that they hold everything written to them.

SQLite's own check does not see every loss: pages that were exchanged or are older than the others,
rows out of their order, missing rows. So every commit also writes down the number of rows and the
sums of their numbers, and a program that opens the file adds up the rows that are there.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from typing import NamedTuple

APPLICATION_ID, FORMAT_VERSION = 0x61697274, 2  # "airt" in the header of the file
_TABLES = (
    """CREATE TABLE series (
        scenario TEXT NOT NULL,     -- hash of the point
        model INTEGER NOT NULL,     -- version of the simulator's rules
        seed INTEGER NOT NULL,      -- as a signed number of 64 bits
        id INTEGER NOT NULL,        -- from 1, without gaps
        PRIMARY KEY (scenario, model, seed)
    ) WITHOUT ROWID""",
    # A sweep goes through its points replication by replication: in this order rows are appended.
    """CREATE TABLE runs (
        replication INTEGER NOT NULL,
        series INTEGER NOT NULL,
        counts BLOB NOT NULL,       -- int64, little-endian: by batch, flow, column
        crc INTEGER NOT NULL,       -- CRC-32 of "scenario,model,seed,replication," and the counts
        PRIMARY KEY (replication, series)
    ) WITHOUT ROWID""",
    """CREATE TABLE tally (           -- of all rows of both tables
        commits INTEGER NOT NULL,   -- so far
        series INTEGER NOT NULL,    -- rows of series
        keys INTEGER NOT NULL,      -- sum of their checksums
        runs INTEGER NOT NULL,      -- rows of runs, then the sums of three of its columns
        replications INTEGER NOT NULL,
        numbers INTEGER NOT NULL,
        crcs INTEGER NOT NULL
    )""",
)
_ENVIRONMENT_ERRORS = (  # what is wrong is the disk, the system, or another program
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
)
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
# A row that is not found under its own key stands out of order, or holds no whole numbers there.
_SERIES = """
    SELECT scenario, model, seed, id FROM series AS a WHERE EXISTS (
        SELECT 1 FROM series AS b
        WHERE b.scenario = a.scenario AND b.model = a.model AND b.seed = a.seed
    )"""
_RUNS = """
    SELECT count(*), coalesce(sum(replication), 0), coalesce(sum(series), 0), coalesce(sum(crc), 0)
    FROM runs AS a WHERE EXISTS (
        SELECT 1 FROM runs AS b
        WHERE b.replication = a.replication + 0 AND b.series = a.series + 0
    )"""


class Tally(NamedTuple):
    """Sums over the rows of a journal."""

    commits: int = 0
    series: int = 0
    keys: int = 0
    runs: int = 0
    replications: int = 0
    numbers: int = 0
    crcs: int = 0

    def plus(self, *others: Tally) -> Tally:
        """The sum of this and all others."""
        return Tally(*map(sum, zip(self, *others, strict=True)))


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables if there is nothing yet, in one transaction: all of them or none."""
    connection.execute("BEGIN IMMEDIATE")
    if header_ids(connection) == (0, 0) and not connection.execute(_SCHEMA).fetchone():
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        for table in _TABLES:
            connection.execute(table)
        connection.execute("INSERT INTO tally VALUES (0, 0, 0, 0, 0, 0, 0)")
    connection.execute("COMMIT")


def header_ids(connection: sqlite3.Connection) -> tuple[int, int]:
    """(application, format) in the header of the file."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return application, connection.execute("PRAGMA user_version").fetchone()[0]


def read_tally(connection: sqlite3.Connection) -> Tally:
    """Sums that the commits so far have written down."""
    (row,) = connection.execute("SELECT * FROM tally").fetchall()
    return Tally(*row)


def write_tally(connection: sqlite3.Connection, tally: Tally) -> None:
    """Write the sums down, in the transaction in which the rows are written."""
    names = ", ".join(f"{name} = ?" for name in Tally._fields)
    connection.execute(f"UPDATE tally SET {names}", tally)


def sum_series(rows: Iterable[tuple[object, ...]]) -> Tally:
    """Sums over rows of the table series, (scenario, model, seed, id)."""
    sums = [zlib.crc32(repr(row).encode()) for row in rows]
    return Tally(series=len(sums), keys=sum(sums))


def find_damage(connection: sqlite3.Connection) -> str:
    """The fault of a file's content; empty if it is as it was written.

    Every page and every row is read. Raises `sqlite3.Error` where the disk is at fault.
    """
    connection.execute("BEGIN")  # all is seen at one instant, while others write
    try:
        return _find_damage(connection)
    except sqlite3.Error as error:
        if (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _ENVIRONMENT_ERRORS:
            raise
        return str(error)
    except (TypeError, ValueError) as error:  # a tally of no or several rows
        return str(error)
    finally:
        connection.execute("ROLLBACK")


def _find_damage(connection: sqlite3.Connection) -> str:
    if not has_expected_schema(connection):
        return "it lacks the tables of a journal"
    verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if verdict != "ok":
        return verdict
    written = read_tally(connection)
    runs = Tally(0, 0, 0, *connection.execute(_RUNS).fetchone())
    tally = sum_series(connection.execute(_SERIES)).plus(runs)
    if tally == written._replace(commits=0):
        return ""
    if tally.runs == written.runs:
        return "its content is not what was written"
    return f"it was given {written.runs} runs and holds {tally.runs}"


def has_expected_schema(connection: sqlite3.Connection) -> bool:
    """True if the file has the tables of a journal, and nothing else."""
    return connection.execute(_SCHEMA).fetchall() == _expected_schema()


@cache
def _expected_schema() -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_tables(connection)
        return connection.execute(_SCHEMA).fetchall()
