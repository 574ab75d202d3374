"""Archives (.zip) of others, of which nothing is believed before it is looked at."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from airtcp.errors import InputError

MOST_DIRECTORY = 1 << 22  # bytes of an archive's list of members, each of which takes 46 or more
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others take memory as the file says
_DAMAGE_ERRORS = (  # as zipfile says it
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(ValueError, struct.error, OverflowError),  # names that are not UTF-8, numbers too large
)
# Bytes of the records at the end of an archive [APPNOTE 4.3.14, 4.3.16].
_END_RECORD, _END_RECORD_64 = 22, 56
_LOCATOR, _LOCATOR_64 = b"PK\6\7", 20
_LONGEST_COMMENT = 0xFFFF  # bytes at most


def check_directory(path: Path, file: BinaryIO) -> None:
    """Refuse a list of members that is too long to be read, as its length at the end says."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - _LONGEST_COMMENT - _END_RECORD - _END_RECORD_64 - _LOCATOR_64))
    tail = file.read(_LONGEST_COMMENT + _END_RECORD + _END_RECORD_64 + _LOCATOR_64)
    file.seek(0)
    place = len(tail) - _END_RECORD
    if tail[place : place + 4] != b"PK\5\6" or tail[-2:] != b"\0\0":
        place = tail.rfind(b"PK\5\6")
    if place < 0 or place + _END_RECORD > len(tail):
        raise zipfile.BadZipFile("it has no list of members at its end")
    (length,) = struct.unpack_from("<I", tail, place + 12)
    locator = place - _LOCATOR_64
    if tail[max(0, locator) :].startswith(_LOCATOR) and locator >= _END_RECORD_64:
        (length,) = struct.unpack_from("<Q", tail, locator - _END_RECORD_64 + 40)
    if length > MOST_DIRECTORY:
        raise InputError(f"{path}: its list of members is larger than {MOST_DIRECTORY} bytes")


@contextmanager
def open_archive(
    path: Path, file: BinaryIO, suffixes: tuple[str, ...], what: str
) -> Iterator[tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]]:
    """Open an archive; yields it and its members whose names end in `suffixes`.

    Raises `InputError` where there are none, of which `what` says what they are, and for an archive
    that is damaged.
    """
    try:
        check_directory(path, file)
        with zipfile.ZipFile(file) as archive:
            every = archive.infolist()
            members = [member for member in every if member.filename.lower().endswith(suffixes)]
            if not members:
                raise InputError(f"{path}: has no {what} ({', '.join(suffixes)})")
            yield archive, members
    except InputError:
        raise
    except _DAMAGE_ERRORS as error:
        said = str(error) or "it ends early"
        raise InputError(f"{path}: is not a readable .zip file: {said}") from None


@contextmanager
def open_member(
    name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo
) -> Iterator[IO[bytes]]:
    """Open a member, which messages call `name`. Raises `InputError` if it cannot be unpacked."""
    if member.compress_type not in _METHODS:
        raise InputError(f"{name}: uses a compression other than deflate (allowed: deflate)")
    try:
        with archive.open(member) as content:
            yield content
    except InputError:
        raise
    except _DAMAGE_ERRORS as error:
        raise InputError(f"{name}: cannot be unpacked: {error}") from None
