"""Number of commits that a journal was given, in a file beside it.

A write-ahead log whose end is damaged, missing or cut looks like one that was never longer: SQLite
then reads the state before it. The count beside the journal tells the two apart. It is written
after the commit, so that a killed program leaves it too low at worst, which does no harm.
"""

from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path

COUNT_FILE_SUFFIX = "-commits"  # at the end of its name
_RECORD = struct.Struct("<QI")  # the count and its CRC-32


def count_file(journal: str) -> Path:
    """The file that belongs to a journal."""
    return Path(f"{journal}{COUNT_FILE_SUFFIX}")


def read_commit_count(journal: str) -> int:
    """Number of commits that were counted; 0 where no legible count exists."""
    try:
        count, crc = _RECORD.unpack(count_file(journal).read_bytes())
    except (OSError, struct.error):
        return 0
    return int(count) if crc == _record_crc(count) else 0


class CommitCount:
    """The file with the count, open to be written."""

    def __init__(self, journal: str) -> None:
        """Open the file. If it cannot be written there is none: the count is only a check."""
        self._file = -1
        with suppress(OSError):
            self._file = os.open(count_file(journal), os.O_RDWR | os.O_CREAT, 0o666)

    def write(self, count: int) -> None:
        """Note that `count` commits are done."""
        with suppress(OSError):
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, _RECORD.pack(count, _record_crc(count)))

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            os.close(self._file)
        self._file = -1


def _record_crc(count: int) -> int:
    return zlib.crc32(count.to_bytes(8, "little"))
