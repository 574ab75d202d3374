"""Captures that a program has compressed (gzip, bzip2, xz, Zstandard), by what they begin with."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import IO, Any, cast

from airtcp.errors import InputError
from airtcp.support.optional import ARROW, installed, optional

LONGEST = 6  # bytes that tell a format
_CHUNK = 1 << 20
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)

Opener = Callable[[IO[bytes]], IO[bytes]]


def opened(begins: bytes, name: str, file: IO[bytes]) -> IO[bytes] | None:
    """A file that reads what is in a compressed `file`; None if it begins like none."""
    for magic, opener in _OPENERS.items():
        if begins.startswith(magic):
            return opener(name)(file)
    return None


def pieces(name: str, file: IO[bytes]) -> Iterator[bytes]:
    """What can be read of it: of one that is cut, up to there.

    Raises `InputError` where that is nothing.
    """
    some = False
    try:
        while piece := file.read(_CHUNK):
            some = True
            yield piece
    except _DAMAGE as error:
        if not some:
            raise InputError(f"{name}: cannot be decompressed: {error}") from None


def _standard(module: Any) -> Callable[[str], Opener]:
    return lambda name: lambda file: cast("IO[bytes]", _Short(module.open(file)))


class _Short:
    """A decompressor read in small steps, so that what stands before damage is not lost."""

    STEP = 1 << 13

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._error: Exception | None = None

    def read(self, most: int) -> bytes:
        """Up to `most` bytes; raises what is wrong once all before it was returned."""
        if self._error is not None:
            raise self._error
        parts: list[bytes] = []
        try:
            while most > 0 and (part := self._file.read(min(most, self.STEP))):
                parts.append(part)
                most -= len(part)
        except _DAMAGE as error:
            if not parts:
                raise
            self._error = error
        return b"".join(parts)


def _zstandard(name: str) -> Opener:
    """By Python 3.14, or by pyarrow."""
    if installed("compression"):
        return _standard(import_module("compression.zstd"))(name)
    arrow = optional("pyarrow", f"{name}: a capture compressed by Zstandard", ARROW)
    return lambda file: cast(
        "IO[bytes]", _Short(arrow.CompressedInputStream(arrow.PythonFile(file, "r"), "zstd"))
    )


_OPENERS: Mapping[bytes, Callable[[str], Opener]] = {
    b"\x1f\x8b": _standard(gzip),
    b"BZh": _standard(bz2),
    b"\xfd7zXZ\0": _standard(lzma),
    b"\x28\xb5\x2f\xfd": _zstandard,
}
