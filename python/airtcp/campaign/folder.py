"""A results folder in use: its journal, and the programs that may write to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from airtcp.errors import InputError
from airtcp.support.files import DRAFT_SUFFIX, name_in_write_errors

if sys.platform != "win32":
    import fcntl

_LEFTOVER_FILES = (f"manifest.json.*{DRAFT_SUFFIX}", f"data/*.parquet.*{DRAFT_SUFFIX}")
CAMPAIGN_LOCK_FILE, WRITER_LOCK_FILE = ".lock", ".writer"


@contextmanager
def hold_for_campaign(folder: Path, what: str) -> Iterator[None]:
    """Hold a folder for a campaign; several holders with the same `what` may hold it at once.

    Raises `InputError` while another campaign holds it: the two would write one dataset.
    """
    with _open_lock_file(folder / CAMPAIGN_LOCK_FILE) as file:
        _hold(file, folder, what)
        yield


@contextmanager
def hold_for_writing(folder: Path) -> Iterator[None]:
    """Be the only writer of manifest and dataset; files left by a killed writer are removed."""
    with _open_lock_file(folder / WRITER_LOCK_FILE) as file:
        if sys.platform != "win32":
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
                for pattern in _LEFTOVER_FILES:
                    for left in folder.glob(pattern):
                        left.unlink()
        yield


@contextmanager
def _open_lock_file(path: Path) -> Iterator[BinaryIO]:
    with name_in_write_errors(path):
        file = path.open("a+b", buffering=0)  # or closing it would fail once more on a full disk
    with file:
        yield file


def _hold(file: BinaryIO, folder: Path, what: str) -> None:
    if sys.platform == "win32":
        return
    try:
        first = _lock_exclusively(file)
    except OSError:  # a file system without locks
        return
    if first:
        with name_in_write_errors(folder / CAMPAIGN_LOCK_FILE):
            file.truncate(0)
            file.write(what.encode())
    fcntl.flock(file, fcntl.LOCK_SH)
    file.seek(0)
    if file.read() != what.encode():  # another was quicker, or was there before
        raise InputError(
            f"{folder}: is in use by a run with another scenario, seed or number of replications,"
            " or another --engine, --stack or --links; wait, or give another folder"
        )


def _lock_exclusively(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
