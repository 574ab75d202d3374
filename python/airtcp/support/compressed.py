"""Captures that a program has compressed (gzip, bzip2, xz, Zstandard), by their first bytes."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import IO, Any

from airtcp.errors import InputError
from airtcp.support.optional import ARROW, import_optional, is_installed

LONGEST_MAGIC = 6  # bytes that identify a format
_GZIP, _BZIP2, _XZ, _ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
_STEP_BYTES = 1 << 12  # bytes that are decompressed at once, so that what they become is bounded
_CHUNK = 1 << 18
_DAMAGE_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


OnDamage = Callable[[str], object]


def decompressed_pieces(
    begins: bytes, name: str, file: IO[bytes], on_damage: OnDamage | None = None
) -> Iterator[bytes] | None:
    """Content of a compressed `file`, piece by piece; None if its first bytes match no format.

    A file that is cut or damaged gives everything before the damage, and `on_damage` is called.
    Raises `InputError` where that is nothing.
    """
    decompressors: dict[bytes, Callable[[], Any]] = {
        _GZIP: partial(zlib.decompressobj, 16 + zlib.MAX_WBITS),
        _BZIP2: bz2.BZ2Decompressor,
        _XZ: lzma.LZMADecompressor,
    }
    for magic, make in decompressors.items():
        if begins.startswith(magic):
            return _pieces_before_damage(name, _streams(file, make), on_damage)
    if not begins.startswith(_ZSTANDARD):
        return None
    if is_installed("compression"):  # of Python 3.14
        make = import_module("compression.zstd").ZstdDecompressor
        return _pieces_before_damage(name, _streams(file, make), on_damage)
    arrow = import_optional("pyarrow", f"{name}: compressed by Zstandard", ARROW)
    opened = arrow.CompressedInputStream(arrow.PythonFile(file, "r"), "zstd")
    return _pieces_before_damage(name, iter(partial(opened.read, _CHUNK), b""), on_damage)


def _streams(file: IO[bytes], make: Callable[[], Any]) -> Iterator[bytes]:
    """Content of the streams in a file, which may follow one another. Raises `EOFError` if cut."""
    stream, begun = make(), False
    while rest := file.read(_STEP_BYTES):
        while rest:
            begun = True
            yield stream.decompress(rest)
            rest = stream.unused_data if stream.eof else b""
            if stream.eof:
                stream, begun = make(), False
    if begun:
        raise EOFError("it ends within a compressed stream")


def _pieces_before_damage(
    name: str, found: Iterator[bytes], on_damage: OnDamage | None
) -> Iterator[bytes]:
    some = False
    try:
        for piece in filter(None, found):
            some = True
            yield piece
    except _DAMAGE_ERRORS as error:
        if not some:
            raise InputError(f"{name}: cannot be decompressed: {error}") from None
        if on_damage is not None:
            on_damage(str(error))
