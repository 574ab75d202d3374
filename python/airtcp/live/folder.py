"""The folder of a live run: all files there are fresh ones, and no link is followed."""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from airtcp.errors import InputError
from airtcp.support.files import existing_directory, name_in_write_errors, unwritable_error

META_FILE = "live.json"
PACKETS_FILE = "packets.bin"
FILES = (META_FILE, PACKETS_FILE, "near.pcapng", "far.pcapng")


class OutputFolder:
    """A folder that is held open: moving it meanwhile, or putting links into it, has no effect.

    - `number`: its descriptor.
    """

    def __init__(self, path: Path, number: int) -> None:
        """Take the folder at `path`, opened."""
        self.number = number
        self._path = path
        self._meta: dict[str, Any] = {}

    @property
    def inherited_path(self) -> str:
        """Path of the folder for a process that has inherited the descriptor."""
        return f"/proc/self/fd/{self.number}"

    def write_meta(self, entries: Mapping[str, Any]) -> None:
        """Write `live.json`, with all entries so far; a reader sees the old file or the new one."""
        self._meta |= entries
        text = json.dumps(self._meta, indent=1, default=dict, allow_nan=False)
        fresh = f"{META_FILE}.{secrets.token_hex(8)}"
        try:
            self._write(fresh, text)
            os.replace(fresh, META_FILE, src_dir_fd=self.number, dst_dir_fd=self.number)
        except OSError as error:
            raise unwritable_error(self._path / META_FILE, error) from None
        finally:
            with suppress(FileNotFoundError):
                os.unlink(fresh, dir_fd=self.number)

    def _write(self, name: str, text: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # which follows no link either
        number = os.open(name, flags, 0o666, dir_fd=self.number)
        with open(number, "w", encoding="utf-8") as file:
            file.write(text)


@contextmanager
def open_output_folder(out: str | Path | None) -> Iterator[OutputFolder | None]:
    """The folder `out`, made if it is not there; None without a name.

    Raises `InputError`, also where the folder, or a file to be written there, is a link.
    """
    if out is None:
        yield None
        return
    path = existing_directory(out)
    if path.is_symlink():
        raise InputError(f"{path}: is a symbolic link; name the folder itself")
    with name_in_write_errors(path):
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for name in FILES:
            _refuse_what_is_no_file(path / name, name, number)
        yield OutputFolder(path, number)
    finally:
        os.close(number)


def _refuse_what_is_no_file(path: Path, name: str, folder: int) -> None:
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "not a regular file"
        raise InputError(
            f"{path}: is {kind}; remove it, because a live run writes a file of this name"
        )
