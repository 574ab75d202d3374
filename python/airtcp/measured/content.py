"""Content of a file in memory: decompressed, at most `MOST_BYTES`, and in bytes where UTF-16 was.

Formats read bytes, because a character that is not ASCII would make a text four times as large, and
because the logs of older systems are in code pages that nothing in them names.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from airtcp.errors import InputError, unusable_file_error
from airtcp.measured.measurement import Oddity
from airtcp.support import compressed
from airtcp.support.files import open_regular_file, read_bytes, refuse_larger

MOST_BYTES = 1 << 28  # of a file when it is decompressed: three million lines of ping
_CHUNK = 1 << 20
_MAGIC_BYTES = 8  # bytes that identify a capture
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_UTF8 = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class FileContent:
    """A file that was read.

    - `source`: its path, for messages; `name`: its own name, without folders;
    - `data`: what is in it, in an encoding that has ASCII;
    - `oddities`: what was odd about it before any format was known.
    """

    source: str
    name: str
    data: bytes
    oddities: tuple[Oddity, ...] = ()


def content_of(path: Path) -> FileContent:
    """Read a file. Raises `InputError`, also where it is empty or too large."""
    damage: list[str] = []
    with _pieces_of(path, damage.append) as pieces:
        data = _join_pieces(path, pieces)
    data = _utf16_as_utf8(data)
    if not data.strip():
        raise InputError(f"{path}: is empty")
    said = f"the compressed file ends early or is damaged after {len(data)} bytes of its content"
    oddities = tuple(Oddity("cut", f"{said}: {reason}") for reason in damage)
    return FileContent(str(path), path.name, data, oddities)


def first_bytes(path: Path) -> bytes:
    """The first bytes of what is in a file, decompressed. Raises `InputError`."""
    with _pieces_of(path) as pieces:
        return next(pieces, b"")[:_MAGIC_BYTES]


def line_at(data: bytes, place: int) -> int:
    """The number of the line, from 1, of a place in a content."""
    return data.count(b"\n", 0, place) + 1


def shown_line(line: bytes) -> str:
    """A line as messages show it, short."""
    text = line.strip().decode("utf-8", "replace")
    return f'"{text[:60]}..."' if len(text) > 60 else f'"{text}"'


@contextmanager
def _pieces_of(
    path: Path, on_damage: compressed.OnDamage | None = None
) -> Iterator[Iterator[bytes]]:
    """Yield the content of a file piece by piece, decompressed."""
    try:
        with open_regular_file(path) as file:
            begins = read_bytes(file, compressed.LONGEST_MAGIC)
            file.seek(0)
            unpacked = compressed.decompressed_pieces(begins, str(path), file, on_damage)
            yield unpacked or iter(partial(read_bytes, file, _CHUNK), b"")
    except OSError as error:
        raise unusable_file_error(path, error) from None


def _join_pieces(path: Path, pieces: Iterator[bytes]) -> bytes:
    content = bytearray()
    for piece in pieces:
        content += piece
        refuse_larger(path, len(content), MOST_BYTES)
    return bytes(content)


def _utf16_as_utf8(data: bytes) -> bytes:
    """The content as UTF-8 if it is UTF-16, as the redirects of PowerShell write it."""
    if data.startswith(_UTF8):
        return data[len(_UTF8) :]
    encoding = _UTF16.get(data[:2])
    if encoding is not None:
        return data[2:].decode(encoding, "replace").encode("utf-8", "replace")
    high = data[1:128:2]  # of what is mostly ASCII
    if len(high) >= 4 and b"\0" not in data[:128:2] and high.count(0) > 0.75 * len(high):
        return data.decode("utf-16-le", "replace").encode("utf-8", "replace")
    return data
