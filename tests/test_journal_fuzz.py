"""Journals with damage anywhere: what is read is what was written, or a line names the file.

AIRTCP_FUZZ says how many are tried; a few if it is not set. `make fuzz` tries many.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from airtcp.campaign.journal import (
    Journal,
    Series,
    open_journal,
    open_journal_in,
    open_journal_to_read,
)
from airtcp.errors import InputError

CASES = int(os.environ.get("AIRTCP_FUZZ", "80"))
SIZE, PAGE = 64, 4096
SERIES = [Series(f"{number:016x}", 7, 2**64 - 1 - number) for number in range(40)]
REPLICATIONS = 30
Written = dict[tuple[Series, int], bytes]
Files = dict[str, bytes]


def contents(draw: random.Random) -> Written:
    return {(s, r): draw.randbytes(SIZE) for r in range(REPLICATIONS) for s in SERIES}


def write(journal: Journal, written: Written, commits: int) -> None:
    runs = [(*key, counts) for key, counts in written.items()]
    size = max(1, -(-len(runs) // commits))
    for begin in range(0, len(runs), size):
        journal.add(runs[begin : begin + size])


def files(folder: Path) -> Files:
    """The files of a journal, except the index of the log, which SQLite makes anew."""
    paths = (path for path in folder.glob("runs.sqlite*") if not path.name.endswith("-shm"))
    return {path.name: path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> tuple[Written, list[Files], list[Files]]:
    """The runs written, (closed, killed) journals of them, and earlier states of both."""
    draw, folder = random.Random(7), tmp_path_factory.mktemp("journal")
    written = contents(draw)
    earlier: list[Files] = []
    half = dict(list(written.items())[: len(written) // 2])
    with open_journal(folder / "runs.sqlite") as journal:
        write(journal, half, 9)
    earlier.append(files(folder))
    with open_journal(folder / "runs.sqlite") as journal:
        write(journal, {key: written[key] for key in written.keys() - half.keys()}, 12)
        earlier.append(files(folder))
        write(journal, half, 3)  # once more, as another program may
        killed = files(folder)
    return written, [files(folder), killed], earlier


Damage = Callable[[random.Random, bytes, bytes], bytes]


def flip(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    place = draw.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << draw.randrange(8)]) + content[place + 1 :]


def overwrite(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    place, length = draw.randrange(len(content)), draw.choice([1, 2, 4, 100, PAGE])
    filling = draw.choice([bytes(length), b"\xff" * length, draw.randbytes(length)])
    return (content[:place] + filling + content[place + length :])[: len(content)]


def in_the_head(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    return flip(draw, content[:120], earlier) + content[120:]


def of_a_page(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    """The beginning of a page says what it is and where its cells are."""
    begin = draw.randrange(-(-len(content) // PAGE)) * PAGE
    return (
        content[:begin] + flip(draw, content[begin : begin + 32], earlier) + content[begin + 32 :]
    )


def page(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    """A page that is empty, noise, another one, or as it once was."""
    begin = draw.randrange(-(-len(content) // PAGE)) * PAGE
    other = draw.randrange(-(-len(content) // PAGE)) * PAGE
    fillings = [bytes(PAGE), draw.randbytes(PAGE), content[other : other + PAGE]]
    if len(earlier) >= begin + PAGE:
        fillings.append(earlier[begin : begin + PAGE])
    return content[:begin] + draw.choice(fillings) + content[begin + PAGE :]


def exchanged(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    pages = [content[begin : begin + PAGE] for begin in range(0, len(content), PAGE)]
    first, second = draw.randrange(len(pages)), draw.randrange(len(pages))
    pages[first], pages[second] = pages[second], pages[first]
    return b"".join(pages)


def cut(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    length = draw.randrange(len(content))
    return content[: draw.choice([length, length // PAGE * PAGE])]


def longer(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    return content + draw.choice([bytes(PAGE), draw.randbytes(draw.randrange(1, 2 * PAGE))])


def older(draw: random.Random, content: bytes, earlier: bytes) -> bytes:
    return earlier


ANYWHERE = [
    flip,
    flip,
    overwrite,
    in_the_head,
    of_a_page,
    page,
    page,
    exchanged,
    cut,
    longer,
    older,
]


COLUMNS = {
    "runs": ["replication", "series", "counts", "crc"],
    "series": ["scenario", "model", "seed", "id"],
    "tally": ["commits", "series", "keys", "runs", "replications", "numbers", "crcs"],
}


def in_a_row(draw: random.Random, path: Path) -> None:
    """Rows that SQLite itself finds in order: away, under another key, of other types."""
    table = draw.choice(list(COLUMNS))
    first, *_ = columns = COLUMNS[table]
    value = draw.choice(["'5'", "'text'", "x'00ff'", "2.5", "NULL", "-1", "0", "1", str(2**62)])
    column = draw.choice(columns)
    row = f"{first} IN (SELECT {first} FROM {table} LIMIT 1 OFFSET {draw.randrange(40)})"
    change = draw.choice(
        [
            f"DELETE FROM {table} WHERE {row}",
            f"UPDATE OR REPLACE {table} SET {column} = {value} WHERE {row}",
            f"UPDATE OR REPLACE {table} SET {column} = {column} + 1 WHERE {row}",
            f"REPLACE INTO {table} SELECT {', '.join(columns[:-1])}, {value} FROM {table}",
            f"DROP TABLE {table}",
            f"ALTER TABLE {table} DROP COLUMN {column}",
            f"CREATE INDEX more ON {table} ({column})",
            f"DELETE FROM {table}",
        ]
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        made = dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
        free = {name: sql.replace("NOT NULL", "") for name, sql in made.items()}
        reword(connection, made, free)  # no constraint holds against damage
        with suppress(sqlite3.Error):
            connection.execute(change)
        reword(connection, free, made)


def reword(connection: sqlite3.Connection, old: dict[str, str], new: dict[str, str]) -> None:
    connection.execute("PRAGMA writable_schema = ON")
    change = "UPDATE sqlite_schema SET sql = ? WHERE sql = ?"
    connection.executemany(change, ((new[name], sql) for name, sql in old.items()))
    connection.execute("PRAGMA writable_schema = RESET")


def damaged(draw: random.Random, whole: Files, earlier: Files, folder: Path) -> str:
    """Put a journal with one damage into a folder; returns what was done."""
    for name, content in whole.items():
        (folder / name).write_bytes(content)
    name = draw.choice([*whole, "runs.sqlite", "a row"])
    if name == "a row":
        in_a_row(draw, folder / "runs.sqlite")
        return name
    if draw.random() < 0.03:
        (folder / name).unlink()
        return f"{name} missing"
    damage = draw.choice(ANYWHERE)
    content = whole[name]
    (folder / name).write_bytes(damage(draw, content, earlier.get(name, b"")))
    return f"{name} {damage.__name__}"


# The law


def runs_of(journal: Journal) -> Written:
    rows = ((series, journal.runs(series, SIZE, 0, REPLICATIONS + 1)) for series in SERIES)
    return {(series, number): counts for series, runs in rows for number, counts in runs}


def check(journal: Journal | None, written: Written, said: list[str], folder: Path) -> Written:
    """Check that all runs read were written, and that any loss is reported; returns the runs."""
    read = {} if journal is None else runs_of(journal)
    assert read.items() <= written.items()
    for text in said:
        assert text.startswith(f"{folder / 'runs.sqlite'}: ")
        assert "\n" not in text
    assert read == written or said or (journal is not None and journal.damaged)
    return read


def refused(error: InputError, folder: Path) -> None:
    assert str(error).startswith(f"{folder / 'runs.sqlite'}: "), error
    assert "\n" not in str(error)


def read_by_name(written: Written, folder: Path) -> None:
    if not (folder / "runs.sqlite").exists():
        return
    try:
        with open_journal(folder / "runs.sqlite") as journal:
            check(journal, written, [], folder)
    except InputError as error:
        refused(error, folder)


def read_results(written: Written, folder: Path) -> None:
    said: list[str] = []
    try:
        with open_journal_to_read(folder, said) as journal:
            check(journal, written, said, folder)
    except InputError as error:
        refused(error, folder)


def sweep(written: Written, folder: Path) -> None:
    """Make missing runs again, and check that all are there afterwards."""
    said: list[str] = []
    if not (folder / "runs.sqlite").exists():
        said.append(f"{folder / 'runs.sqlite'}: somebody has removed it")
    with open_journal_in(folder, said) as journal:
        there = check(journal, written, said, folder)
        write(journal, {key: written[key] for key in written.keys() - there.keys()}, 2)
        assert runs_of(journal) == written
    again: list[str] = []
    with open_journal_in(folder, again) as journal:
        damage_before = journal.damaged
        assert runs_of(journal) == written
        assert journal.damaged == damage_before


@pytest.mark.parametrize("part", range(4))
def test_damage_loses_nothing_silently(
    part: int, states: tuple[Written, list[Files], list[Files]], tmp_path: Path
) -> None:
    written, whole, earlier = states
    for case in range(part, CASES, 4):
        draw = random.Random(case)
        journal, before = draw.choice(whole), draw.choice(earlier)
        folder = tmp_path / "one"
        for law in (read_by_name, read_results, sweep):
            folder.mkdir()
            done = damaged(random.Random(case), journal, before, folder)
            try:
                law(written, folder)
            except Exception as error:
                raise AssertionError(f"case {case}: {done}: {law.__name__}") from error
            shutil.rmtree(folder)
