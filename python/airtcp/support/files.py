"""Files and folders for results."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from airtcp.errors import InputError, os_reason, refusal, unusable_file_error


def existing_directory(path: str | Path) -> Path:
    """`path` as a directory that exists, or `InputError`."""
    folder = file_name("out", path, "the name of a directory")
    with name_in_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def results_folder(path: str | Path) -> Path:
    """`path` as a folder for results: without symbolic links, which would lead a run elsewhere."""
    folder = existing_directory(path)
    with name_in_write_errors(folder):
        link = next((entry for entry in _entries(folder) if entry.is_symlink()), None)
    if link is not None:
        raise InputError(
            f"{link}: is a symbolic link; remove it, because results are written there"
        )
    return folder


def _entries(folder: Path) -> list[Path]:
    """The entries of a folder and of its folders."""
    inside = list(folder.iterdir())
    folders = [
        folder_entry
        for folder_entry in inside
        if folder_entry.is_dir() and not folder_entry.is_symlink()
    ]
    return [*inside, *(entry for folder_entry in folders for entry in folder_entry.iterdir())]


def file_name(field: str, value: object, allowed: str = "the name of a file") -> Path:
    """`value` as a path, or `InputError` if no file can have that name."""
    name = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name:
        raise refusal(field, value, allowed)
    if "\0" in name or not is_unicode(name):
        raise refusal(field, value, f"{allowed}, in Unicode and without null bytes")
    return Path(name)


def is_unicode(text: str) -> bool:
    """True if a text can be written as UTF-8: it holds no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def open_regular_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that is open to be read.

    Raises `InputError` for a pipe, a device, a socket or a directory, which may never end or not
    even open; `OSError` as the system does.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise _irregular_file_error(path)
    # Without waiting, for another file may have taken its place by now.
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _irregular_file_error(path)
        yield file


def read_bytes(file: BinaryIO, most: int = -1) -> bytes:
    """Read up to `most` bytes, all for -1. Raises `BlockingIOError` where a file has none yet."""
    content: bytes | None = file.read(most)
    if content is None:  # as some below /proc, which count as regular
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return content


def _irregular_file_error(path: Path) -> InputError:
    return InputError(f"{path}: is not a regular file")


def read_file(path: Path, most: int | None = None) -> bytes:
    """Read a regular file. Raises `InputError`, also if that is more than `most` bytes."""
    try:
        with open_regular_file(path) as file:
            refuse_larger(path, os.fstat(file.fileno()).st_size, most)
            content = read_bytes(file, -1 if most is None else most + 1)
    except OSError as error:
        raise unusable_file_error(path, error) from None
    refuse_larger(path, len(content), most)
    return content


def refuse_larger(name: object, size: int, most: int | None) -> None:
    """Raise `InputError` if `size` is more than `most` bytes, if that is given."""
    if most is not None and size > most:
        raise InputError(f"{name}: is larger than {most} bytes")


def sha256_of_file(path: Path) -> str:
    """The digest of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


DRAFT_SUFFIX = ".part"


@contextmanager
def replace_file_with(path: Path) -> Iterator[Path]:
    """Yield a name beside `path`; the file written there replaces `path` in one step.

    A reader sees the old file or the new one. Errors are as in `name_in_write_errors`, and name
    `path`.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}{DRAFT_SUFFIX}")
    try:
        yield fresh
        fresh.replace(path)
    except OSError as error:
        raise unwritable_error(path, error) from None
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


@contextmanager
def name_in_write_errors(path: Path) -> Iterator[Path]:
    """Yield `path`, and name it if writing fails: `OSError` for a full disk, `InputError` else."""
    try:
        yield path
    except OSError as error:
        raise unwritable_error(error.filename or path, error) from None


def check_new(path: Path) -> None:
    """Raise as `name_in_write_errors` if no file can be made at `path`: one is tried beside it."""
    try:
        draft = draft_path(path)
        draft.open("xb").close()
        draft.unlink()
    except OSError as error:
        raise unwritable_error(path, error) from None


def draft_path(path: Path) -> Path:
    """The name, of this process alone, under which a file is written until it is whole."""
    place = path.resolve()
    return place.with_name(f".{place.name}.{os.getpid()}{DRAFT_SUFFIX}")


IS_FOLDER = "is a folder, but a file is needed"


def unwritable_error(path: str | Path, error: OSError) -> InputError | OSError:
    """The error for an output that cannot be written, in the same words wherever it was asked for.

    An `OSError` that names it where the disk is full or broken, else an `InputError`.
    """
    if error.errno == errno.EISDIR:
        return InputError(f"{path}: {IS_FOLDER}")
    if error.errno in (errno.ENOTDIR, errno.EEXIST) and (place := _no_folder(Path(path))):
        leads = not place.is_symlink() or place.exists()
        said = "a file, but a folder is needed" if leads else "a symbolic link that leads nowhere"
        return InputError(f"{place}: is {said}")
    found = unusable_file_error(path, error)
    if isinstance(found, OSError):
        return found
    return InputError(f"{path}: cannot be written: {os_reason(error)}")


def _no_folder(path: Path) -> Path | None:
    """The first part of a path that is there and is no folder."""
    there = (folder for folder in (*reversed(path.parents), path) if os.path.lexists(folder))
    return next((parent for parent in there if not parent.is_dir()), None)
