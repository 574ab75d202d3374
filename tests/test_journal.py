"""The journal of runs: keys, groups, damage, foreign files, several writers at once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from airtcp.campaign.journal import (
    Journal,
    Series,
    open_journal,
    open_journal_in,
    open_journal_in_memory,
    open_journal_to_read,
)
from airtcp.errors import InputError
from campaigns import damage, kept
from hung import HUNG

ONE = Series("0123456789abcdef", 7, 1)
SIZE = 16


def counts(number: int) -> bytes:
    return number.to_bytes(SIZE, "little")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def fill(path: Path, series: Series = ONE, number: int = 10) -> None:
    with open_journal(path) as journal:
        journal.add((series, replication, counts(replication)) for replication in range(number))


def read(path: Path, series: Series = ONE, begin: int = 0, end: int = 100) -> list[int]:
    """The replications that are found, each with the counts that it was given."""
    with open_journal(path) as journal:
        found = journal.runs(series, SIZE, begin, end)
    assert all(content == counts(replication) for replication, content in found)
    return [replication for replication, _ in found]


# Keys


def test_runs_are_found_by_all_parts_of_their_key(path: Path) -> None:
    fill(path)
    assert read(path) == list(range(10))
    for other in (ONE._replace(scenario="0" * 16), ONE._replace(model=8), ONE._replace(seed=2)):
        assert read(path, other) == []
        fill(path, other, 3)
        assert read(path, other) == [0, 1, 2]
    assert read(path) == list(range(10))


@pytest.mark.parametrize("seed", [0, 2**63 - 1, 2**63, 2**64 - 1])
def test_seeds_of_64_bits(seed: int, path: Path) -> None:
    series = ONE._replace(seed=seed)
    fill(path, series)
    assert read(path, series) == list(range(10))
    assert read(path, ONE._replace(seed=seed ^ 2**63)) == []


def test_a_range_of_replications(path: Path) -> None:
    with open_journal(path) as journal:
        journal.add((ONE, replication, counts(replication)) for replication in (9, 2, 5, 10**9))
    assert read(path, begin=2, end=9) == [2, 5]
    assert read(path, begin=3, end=3) == []
    assert read(path, begin=5, end=2) == []
    assert read(path, begin=10**9, end=10**9 + 1) == [10**9]


def test_a_run_that_is_added_again_is_there_once(path: Path) -> None:
    fill(path)
    fill(path, number=12)
    assert read(path) == list(range(12))
    assert len(kept(path)) == 12


def test_in_memory() -> None:
    with open_journal_in_memory() as journal:
        journal.add([(ONE, 3, counts(3))])
        assert journal.runs(ONE, SIZE, 0, 10) == [(3, counts(3))]


# Groups


class TroubleError(Exception):
    pass


def failing(error: BaseException) -> Iterator[tuple[Series, int, bytes]]:
    yield ONE, 20, counts(20)
    yield ONE._replace(seed=99), 21, counts(21)
    raise error


@pytest.mark.parametrize("error", [TroubleError(), KeyboardInterrupt()], ids=["error", "Ctrl-C"])
def test_a_group_is_there_as_a_whole_or_not_at_all(error: BaseException, path: Path) -> None:
    fill(path)
    with open_journal(path) as journal:
        with pytest.raises(type(error)):
            journal.add(failing(error))
        assert [replication for replication, _ in journal.runs(ONE, SIZE, 0, 100)] == list(
            range(10)
        )
        last = ONE._replace(seed=99)
        journal.add([(ONE, 30, counts(30)), (last, 31, counts(31))])  # it goes on
    assert read(path) == [*range(10), 30]
    assert read(path, last) == [31]


def test_what_was_added_is_there_for_others_at_once(path: Path) -> None:
    with open_journal(path) as journal:
        journal.add([(ONE, 1, counts(1))])
        assert read(path) == [1]
        fill(path, number=3)
        assert [replication for replication, _ in journal.runs(ONE, SIZE, 0, 10)] == [0, 1, 2]


def test_what_was_added_survives_without_an_end(path: Path, tmp_path: Path) -> None:
    """A copy of the files while the journal is open is what a killed process leaves."""
    left = tmp_path / "left"
    with open_journal(path) as journal:
        journal.add((ONE, replication, counts(replication)) for replication in range(5))
        journal._connection.execute("BEGIN IMMEDIATE")
        journal._connection.execute("DELETE FROM runs")  # never committed
        left.mkdir()
        for file in tmp_path.glob("runs.sqlite*"):
            shutil.copy(file, left)
        journal._connection.execute("ROLLBACK")
    assert read(left / "runs.sqlite") == list(range(5))


def test_torn_ends_of_the_log_are_passed_over(path: Path, tmp_path: Path) -> None:
    with open_journal(path) as journal:
        for replication in range(8):
            journal.add([(ONE, replication, counts(replication))])
        whole = (tmp_path / "runs.sqlite-wal").read_bytes()
        base = path.read_bytes()
    seen = set()
    for number, cut in enumerate(range(0, len(whole) + 1, len(whole) // 13)):
        torn = tmp_path / f"{number}.sqlite"
        torn.write_bytes(base)
        torn.with_name(f"{torn.name}-wal").write_bytes(whole[:cut])
        found = read(torn)
        seen.add(len(found))
        assert found == list(range(len(found)))
        fill(torn)
        assert read(torn) == list(range(10))
    assert len(seen) > 4


# Damage


@pytest.mark.parametrize("size", [SIZE, SIZE + 8])
def test_damaged_rows_are_left_out_counted_and_made_again(size: int, path: Path) -> None:
    fill(path)
    damage(path, replication=4, rows=1)
    with open_journal(path) as journal:
        found = journal.runs(ONE, size, 2, 8)
        assert [replication for replication, _ in found] == (
            [2, 3, 5, 6, 7] if size == SIZE else []
        )
        assert journal.damaged == (1 if size == SIZE else 6)
        journal.add([(ONE, 4, counts(4))])
    assert read(path) == list(range(10))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET counts = 'text' WHERE replication = 3",
        "UPDATE runs SET counts = 5 WHERE replication = 3",
        "UPDATE runs SET counts = (SELECT counts FROM runs WHERE replication = 4)"
        " WHERE replication = 3",
    ],
)
def test_counts_are_checked_as_they_are_read(change: str, path: Path) -> None:
    fill(path)
    database(path, change)
    assert read(path) == [0, 1, 2, *range(4, 10)]


NOT_WRITTEN = "its content is not what was written"
FOREIGN = "it lacks the tables of a journal"
LOST = {
    "DELETE FROM runs WHERE replication = 3": "it was given 10 runs and holds 9",
    "INSERT INTO runs VALUES (10, 1, x'00', 7)": "it was given 10 runs and holds 11",
    "UPDATE runs SET crc = crc + 1 WHERE replication = 3": NOT_WRITTEN,
    "UPDATE runs SET crc = 'text' WHERE replication = 3": NOT_WRITTEN,
    "UPDATE runs SET replication = 50 WHERE replication = 3": NOT_WRITTEN,
    "UPDATE runs SET replication = 'text' WHERE replication = 3": NOT_WRITTEN,
    "UPDATE runs SET series = 2": NOT_WRITTEN,
    "DELETE FROM series": NOT_WRITTEN,
    "UPDATE series SET scenario = 'fedcba9876543210'": NOT_WRITTEN,
    "UPDATE series SET scenario = x'ff'": NOT_WRITTEN,
    "UPDATE series SET scenario = CAST(x'ff2573' AS TEXT)": NOT_WRITTEN,
    "UPDATE series SET seed = 2": NOT_WRITTEN,
    "UPDATE series SET id = 2": NOT_WRITTEN,
    "UPDATE tally SET runs = 11": "it was given 11 runs and holds 10",
    "DELETE FROM tally": "",
    "UPDATE tally SET keys = 'text'": NOT_WRITTEN,
    "DROP TABLE series": FOREIGN,
    "ALTER TABLE runs RENAME TO walks": FOREIGN,
    "CREATE TABLE more (number)": FOREIGN,
    "CREATE TRIGGER twice AFTER INSERT ON runs BEGIN DELETE FROM runs; END": FOREIGN,
    "CREATE VIEW many AS SELECT * FROM runs": FOREIGN,
}


@pytest.mark.parametrize(("change", "words"), LOST.items())
def test_a_journal_without_what_was_written_is_refused(change: str, words: str, path: Path) -> None:
    fill(path)
    database(path, change)
    with pytest.raises(InputError) as caught, open_journal(path):
        pass
    assert str(caught.value).startswith(f"{path}: is damaged ({words}")
    assert "\n" not in str(caught.value)


def test_a_number_that_is_none_is_refused(path: Path) -> None:
    """The constraints of the tables do not hold against damage."""
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        (made,) = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'series'"
        ).fetchone()
        free = made.replace("id INTEGER NOT NULL", "id INTEGER")
        change = "UPDATE sqlite_schema SET sql = ? WHERE name = 'series'"
        connection.execute(change, (free,))
        connection.execute("PRAGMA writable_schema = RESET")
        connection.execute("UPDATE series SET id = NULL")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(change, (made,))
    with pytest.raises(InputError, match=r"runs\.sqlite: is damaged \(") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_rows_out_of_their_order_are_refused(path: Path) -> None:
    """Two pages changed places: every row is there, and sound, and its key does not lead to it."""
    fill(path, number=2000)
    whole, size = path.read_bytes(), 4096
    pages = [whole[i : i + size] for i in range(0, len(whole), size)]
    leaves = [number for number, page in enumerate(pages) if page[0] == 10 and number > 3]
    first, second = leaves[2], leaves[-3]
    pages[first], pages[second] = pages[second], pages[first]
    path.write_bytes(b"".join(pages))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (2000,)
    with pytest.raises(InputError, match=r"runs\.sqlite: is damaged \("):
        read(path)


def test_a_log_that_was_lost_is_named(path: Path, tmp_path: Path) -> None:
    """Without its end a write-ahead log looks as if nothing more had been written."""
    left = tmp_path / "left"
    left.mkdir()
    with open_journal(path) as journal:
        for replication in range(6):
            journal.add([(ONE, replication, counts(replication))])
        for file in tmp_path.glob("runs.sqlite*"):
            if not file.name.endswith("-shm"):
                shutil.copy(file, left)
    copy = left / "runs.sqlite"
    log = left / "runs.sqlite-wal"
    whole = log.read_bytes()
    log.write_bytes(whole[:-100] + bytes(100))
    with pytest.raises(InputError) as caught, open_journal(copy):
        pass
    assert str(caught.value) == (
        f"{copy}: the last 1 commit to it is lost; remove runs.sqlite-commits to continue"
        " without it"
    )
    problems: list[str] = []
    with pytest.raises(InputError, match="the last 1 commit"), open_journal_to_read(left, problems):
        pass
    with open_journal_in(left, problems) as journal:
        assert [number for number, _ in journal.runs(ONE, SIZE, 0, 9)] == list(range(5))
        journal.add([(ONE, 5, counts(5))])
    assert problems == [f"{copy}: the last 1 commit to it is lost, its runs are computed again"]
    assert read(copy) == list(range(6))


def test_what_can_be_read_of_a_damaged_journal_is_used(path: Path) -> None:
    fill(path, number=2000)
    whole = path.read_bytes()
    middle = len(whole) // 8192 * 4096
    path.write_bytes(whole[:middle] + bytes(4096) + whole[middle + 4096 :])
    problems: list[str] = []
    with open_journal_in(path.parent, problems) as journal:
        found = journal.runs(ONE, SIZE, 0, 2000)
    assert 1500 < len(found) < 2000
    assert all(content == counts(replication) for replication, content in found)
    (problem,) = problems
    assert problem.startswith(f"{path}: is damaged (")
    assert problem.endswith(f"; {len(found)} runs of it were saved in runs-1.sqlite")
    again: list[str] = []
    with open_journal_in(path.parent, again) as journal:
        assert journal.runs(ONE, SIZE, 0, 2000) == found
    assert len(again) == 1
    assert again[0].endswith("; it is ignored")


# Files that are no journal


def database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def foreign(path: Path) -> None:
    database(path, "CREATE TABLE runs (replication, series, counts, crc)")


def newer(path: Path) -> None:
    fill(path)
    database(path, "PRAGMA user_version = 3")


def text(path: Path) -> None:
    path.write_text("scenario,model,seed\n" * 50, encoding="utf-8")


def torn(path: Path) -> None:
    fill(path, number=2000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 8192 * 4096])


def overwritten(path: Path) -> None:
    fill(path, number=2000)
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * 8192 + whole[16384:])


UNUSABLE = {
    foreign: "is not a journal of runs of this version",
    newer: "is not a journal of runs of this version",
    text: "file is not a database",
    torn: "",
    overwritten: "",
    Path.mkdir: "is a folder, but a file is needed",
    lambda path: path.symlink_to("/dev/null"): "is not a regular file",
    lambda path: path.symlink_to(path): "",
}


@pytest.mark.parametrize(("make", "words"), UNUSABLE.items(), ids=range(len(UNUSABLE)))
def test_a_file_that_is_no_journal_is_named_and_left_alone(
    make: object, words: str, path: Path
) -> None:
    make(path)  # type: ignore[operator]
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(InputError) as caught, open_journal(path):
        pass
    assert str(caught.value).startswith(f"{path}: {words}")
    assert "\n" not in str(caught.value)
    problems: list[str] = []
    with open_journal_in(path.parent, problems) as journal:
        assert journal.path == str(path.parent / "runs-1.sqlite")
        journal.add([(ONE, 1, counts(1))])
    assert problems == [f"{caught.value}; it is ignored"]
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert read(path.parent / "runs-1.sqlite") == [1]


def test_an_empty_file_becomes_a_journal(path: Path) -> None:
    path.touch()
    fill(path)
    assert read(path) == list(range(10))


KILLED = """
import os, signal, sqlite3, sys
import airtcp.campaign.journal as journal
class Dying(sqlite3.Connection):
    left = int(sys.argv[2])
    def execute(self, *arguments):
        if not Dying.left:
            os.kill(os.getpid(), signal.SIGKILL)
        Dying.left -= 1
        return super().execute(*arguments)
connect = sqlite3.connect
sqlite3.connect = lambda *a, **k: connect(*a, factory=Dying, **k)
with journal.open_journal(sys.argv[1]):
    sys.exit("the end was reached")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("statements", [0, 3, 5, 6, 8])
def test_a_process_killed_while_it_makes_the_file(statements: int, path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(path), str(statements)]
    assert subprocess.run(command, check=False).returncode == -9
    fill(path)
    assert read(path) == list(range(10))


# Several writers


def test_threads_with_journals_of_their_own_write_at_once(path: Path) -> None:
    def work(first: int) -> None:
        with open_journal(path) as journal:
            for replication in range(first, first + 40):
                journal.add([(ONE, replication, counts(replication))])

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 20, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(path) == list(range(80))
    assert len(kept(path)) == 80


WRITER = """
import sys
from airtcp.campaign.journal import Series, open_journal
path, first = sys.argv[1], int(sys.argv[2])
with open_journal(path) as journal:
    for seed in (1, 2**64 - 1):
        for one in range(first, first + 60):
            journal.add([(Series("0123456789abcdef", 7, seed), one, one.to_bytes(16, "little"))])
"""


def test_processes_write_at_once(path: Path) -> None:
    """They start together on a file that none of them has made."""
    commands = [[sys.executable, "-c", WRITER, str(path), str(first)] for first in (0, 30, 60)]
    processes = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands
    ]
    errors = [process.communicate(timeout=HUNG)[1] for process in processes]
    assert errors == [""] * 3
    for seed in (1, 2**64 - 1):
        assert read(path, ONE._replace(seed=seed), 0, 200) == list(range(120))
    assert len(kept(path)) == 240


def test_a_writer_that_is_not_let_in_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airtcp.campaign.journal._LOCK_TIMEOUT", 0.01)
    with open_journal(path) as journal:
        journal._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError) as caught, open_journal(path) as other:
            Journal.add(other, [(ONE, 1, counts(1))])
        journal._connection.execute("ROLLBACK")
    assert (
        str(caught.value) == f"{path}: another program keeps writing to it; wait until it has ended"
    )


def test_reading_a_folder_that_cannot_be_written_to(path: Path) -> None:
    fill(path, number=20)
    path.parent.chmod(0o555)
    problems: list[str] = []
    try:
        with open_journal_to_read(path.parent, problems) as journal:
            assert journal is not None
            assert [number for number, _ in journal.runs(ONE, SIZE, 0, 99)] == list(range(20))
    finally:
        path.parent.chmod(0o755)
    assert problems == []


def test_a_folder_in_which_no_journal_can_be_made_is_refused_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise InputError("no")

    monkeypatch.setattr("airtcp.campaign.journal._connect", refused)
    with pytest.raises(InputError, match="no"), open_journal_in(path.parent, []):
        pass


def test_a_sound_journal_is_used_before_a_new_one_is_made(path: Path) -> None:
    path.write_text("no journal")
    with open_journal_in(path.parent, []) as journal:
        journal.add([(ONE, 1, counts(1))])
    path.unlink()
    with open_journal_in(path.parent, []) as journal:
        assert journal.path.endswith("runs-1.sqlite")
        assert [number for number, _ in journal.runs(ONE, SIZE, 0, 9)] == [1]


def test_reading_makes_nothing(path: Path) -> None:
    path.write_text("no journal")
    problems: list[str] = []
    with (
        pytest.raises(InputError, match="file is not a database; airtcp sweep computes"),
        open_journal_to_read(path.parent, problems),
    ):
        pass
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    path.unlink()
    with open_journal_to_read(path.parent, problems) as journal:
        assert journal is None
    assert problems == []


def test_a_journal_that_is_missing_is_named(path: Path) -> None:
    fill(path)
    path.unlink()
    problems: list[str] = []
    with open_journal_to_read(path.parent, problems) as journal:
        assert journal is None
    assert problems == [f"{path}: is missing, with the 1 commit to it"]
    fill(path)  # another begins
    assert read(path) == list(range(10))
