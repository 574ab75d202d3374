"""Helpers of tests of campaigns: the tasks that were run, and the contents of a journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from airtcp.campaign.executor import Task, ThreadExecutor


def tasks_run(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """A list that every task joins when threads get it."""
    found: list[Task] = []
    submit = ThreadExecutor.submit

    def noting(self: ThreadExecutor, tasks: Iterable[Task]) -> None:
        given = list(tasks)
        found.extend(given)
        submit(self, given)

    monkeypatch.setattr(ThreadExecutor, "submit", noting)
    return found


Key = tuple[str, int, int, int]


def kept(journal: Path) -> dict[Key, bytes]:
    """The rows of a journal: (scenario, model, seed as it is stored, replication) -> counts.

    Read without a journal of ours, and while others write; no key is there twice.
    """
    if not journal.exists():
        return {}
    query = "SELECT scenario, model, seed, replication, counts FROM runs JOIN series ON series = id"
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=10)) as connection:
        try:
            rows = connection.execute(query).fetchall()
        except sqlite3.OperationalError:  # the tables are not there yet
            return {}
    found = {row[:4]: row[4] for row in rows}
    assert len(found) == len(rows)
    return found


def damage(journal: Path, replication: int, rows: int) -> None:
    """Change a bit in the counts of some of the rows of a replication."""
    with closing(sqlite3.connect(journal)) as connection, connection:
        query = "SELECT series, counts FROM runs WHERE replication = ? LIMIT ?"
        for series, counts in connection.execute(query, (replication, rows)).fetchall():
            changed = bytes([counts[0] ^ 1]) + counts[1:]
            connection.execute(
                "UPDATE runs SET counts = ? WHERE replication = ? AND series = ?",
                (changed, replication, series),
            )
