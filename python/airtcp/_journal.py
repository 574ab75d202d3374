"""The journal of runs: a CSV file that grows by one line per finished run.

A line is written whole and flushed before the next run is taken note of, so that whatever ends the
program leaves at most one torn line, the last, which the next reader drops.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from airtcp._files import file_name, writing
from airtcp.errors import InputError, count, shown, unusable

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

_HASH = re.compile("[0-9a-f]{16}")
_NUMBER = re.compile("[0-9]{1,20}")
_MOST_COUNT, _MOST_SEED = 2**63 - 1, 2**64 - 1
Slots = Mapping[str, int]  # hash of a point -> length of its runs


class Journal:
    """An open journal: `runs` holds what was there, `add` appends."""

    def __init__(self, path: Path, file: FileIO, slots: Slots) -> None:
        """Read what is there, drop a torn last line, and stand ready to append."""
        self._path, self._file, self._slots = path, file, slots
        text = self._read()
        whole = text[: text.rfind(b"\n") + 1]
        if not whole and not HEADER.encode().startswith(text):
            raise _not_a_journal(path)
        self.runs = _rows(path, whole, slots)
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
        return _rows(self._path, self._read(), self._slots)

    def _read(self) -> bytes:
        self._file.seek(0)
        return self._file.read()

    def _write(self, line: str) -> None:
        left = line.encode()
        with writing(self._path):
            while left:
                left = left[self._file.write(left) :]


@contextmanager
def open_journal(path: str | Path, slots: Slots | None = None) -> Iterator[Journal]:
    """The journal at `path`, made if it is not there, for this run alone.

    Whatever ends the block, what was added is on the disk afterwards. Raises `InputError` for a
    file with lines that no run can have written (for runs named in `slots`: none of that length),
    and while another run has the journal open; `OSError` if the disk is full.
    """
    file = file_name("journal", path)
    with _opened(file) as handle:
        _lock(file, handle)
        try:
            yield Journal(file, handle, slots or {})
        finally:
            os.fsync(handle.fileno())


def _opened(path: Path) -> FileIO:
    """The file, unbuffered, so that a line which cannot be written is not tried again."""
    try:
        handle = path.open("a+b", buffering=0)
    except OSError as error:
        raise unusable(path, error) from None
    if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
        handle.close()
        raise InputError(f"{path}: is not a regular file")
    return handle


def _lock(path: Path, file: FileIO) -> None:
    """Keep other runs out until `file` is closed, where the platform can."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{path}: in use by another run") from None
        except OSError:  # a file system without locks
            return


def _rows(path: Path, text: bytes, slots: Slots) -> dict[Key, Counts]:
    lines = text.decode("utf-8", "replace").splitlines()
    if lines and lines[0] + "\n" != HEADER:
        raise _not_a_journal(path)
    found: dict[Key, Counts] = {}
    for number, line in enumerate(lines[1:], start=2):
        row = _row(line)
        wrong = shown(line) if row is None else _impossible(row[1], slots.get(row[0].scenario))
        if row is None or wrong:
            raise InputError(f"{path}: line {number}: {wrong} is not a run")
        found[row[0]] = row[1]
    return found


def _row(line: str) -> tuple[Key, Counts] | None:
    """What a line says; None if that is no run."""
    name, *texts = line.split(",")
    if len(texts) != len(COLUMNS) - 1 or not _HASH.fullmatch(name):
        return None
    if not all(map(_NUMBER.fullmatch, texts)):
        return None
    model, seed, replication, *counts = map(int, texts)
    if seed > _MOST_SEED or max(model, replication, *counts) > _MOST_COUNT:
        return None
    return Key(name, model, seed, replication), Counts(*counts)


def _impossible(counts: Counts, slots: int | None) -> str:
    """What in `counts` no run of so many slots can count; empty if there is nothing."""
    length, sent, delivered, again, in_order, *_ = counts
    wrong = {
        f"{delivered} deliveries in {count(length, 'slot')}": delivered > length,
        f"{sent} transmissions in {count(length, 'slot')}": sent > length,
        f"{delivered} deliveries and {count(again, 'duplicate')} of {sent} transmissions": (
            delivered + again > sent
        ),
        f"{in_order} packets in order of {delivered} deliveries": in_order > delivered,
        f"{length} slots where the scenario has {slots}": slots not in (None, length),
    }
    return next((said for said, holds in wrong.items() if holds), "")


def _not_a_journal(path: Path) -> InputError:
    return InputError(
        f"{path}: its first line is not the header of a journal of this version"
        f" ({HEADER.strip()}); give another file or move this one away"
    )
