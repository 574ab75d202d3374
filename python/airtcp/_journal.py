"""The journal of runs: a CSV file that grows by one line per finished run.

A line is written whole and flushed before the next run is taken note of, so that whatever ends the
program leaves at most one torn line, the last, which the next reader drops.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from airtcp.errors import InputError, unusable

if sys.platform != "win32":
    import fcntl


class Key(NamedTuple):
    """What makes a run the same run."""

    scenario: str
    model: int
    seed: int
    replication: int


class Counts(NamedTuple):
    """What was counted in a run."""

    slots: int
    transmissions: int
    deliveries: int
    duplicates: int
    in_order: int
    timeouts: int
    fast_retransmits: int


COLUMNS = (*Key._fields, *Counts._fields)
HEADER = ",".join(COLUMNS) + "\n"


class Journal:
    """An open journal: `runs` holds what was there, `add` appends."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        """Read what is there, drop a torn last line, and stand ready to append."""
        self._path, self._file = path, file
        text = self._read()
        whole = text[: text.rfind(b"\n") + 1]
        if not whole and not HEADER.encode().startswith(text):
            raise _not_a_journal(path)
        self.runs = _rows(path, whole)
        if len(whole) < len(text):
            file.truncate(len(whole))
        if not whole:
            self._write(HEADER)

    def add(self, key: Key, counts: Counts) -> None:
        """Append one run and hand it to the operating system."""
        self._write(",".join(map(str, (*key, *counts))) + "\n")
        self.runs[key] = counts

    def reread(self) -> dict[Key, Counts]:
        """What is in the file now."""
        self._file.flush()
        return _rows(self._path, self._read())

    def _read(self) -> bytes:
        self._file.seek(0)
        return self._file.read()

    def _write(self, line: str) -> None:
        self._file.write(line.encode())
        self._file.flush()


@contextmanager
def open_journal(path: str | Path) -> Iterator[Journal]:
    """The journal at `path`, made if it is not there, for this run alone.

    Whatever ends the block, what was added is on the disk afterwards. Raises `InputError`, also
    while another run has the journal open.
    """
    file = Path(path)
    try:
        handle = file.open("a+b")
    except OSError as error:
        raise unusable(path, error) from None
    with handle:
        _lock(file, handle)
        try:
            yield Journal(file, handle)
        finally:
            handle.flush()
            os.fsync(handle.fileno())


def _lock(path: Path, file: BinaryIO) -> None:
    """Keep other runs out until `file` is closed, where the platform can."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{path}: in use by another run") from None
        except OSError:  # a file system without locks
            return


def _rows(path: Path, text: bytes) -> dict[Key, Counts]:
    lines = text.decode("utf-8", "replace").splitlines()
    if lines and lines[0] + "\n" != HEADER:
        raise _not_a_journal(path)
    return dict(_row(path, number, line) for number, line in enumerate(lines[1:], start=2))


def _row(path: Path, number: int, line: str) -> tuple[Key, Counts]:
    scenario, *numbers = line.split(",")
    try:
        values = [int(text) for text in numbers]
        split = len(Key._fields) - 1
        return Key(scenario, *values[:split]), Counts(*values[split:])
    except (ValueError, TypeError):
        raise InputError(f"{path}: line {number}: {line[:60]!r} is not a run") from None


def _not_a_journal(path: Path) -> InputError:
    return InputError(
        f"{path}: its first line is not the header of a journal of this version"
        f" ({HEADER.strip()}); give another file or move this one away"
    )
