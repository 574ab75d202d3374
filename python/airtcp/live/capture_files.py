"""Captures in files, compressed or not, in .zip archives and in folders of live runs.

The first bytes of a file show its kind.

Whatever name and content a file has, at most `MOST_BYTES` of it are held in memory.
"""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

from airtcp.errors import InputError, unusable_file_error
from airtcp.live.log import live_meta
from airtcp.support import archives, compressed
from airtcp.support.files import open_regular_file, read_bytes, refuse_larger

MOST_BYTES = 1 << 28  # of the captures in a file; two million packets of 128 bytes
SUFFIXES = (".pcap", ".pcapng", ".cap")  # of what is read in a .zip
EXPLAINED_CONTROLS = ("reno", "cubic", "bbr")
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_PCAP = (0xA1B2C3D4, 0xA1B23C4D)  # microseconds, nanoseconds [draft-ietf-opsawg-pcap]
CAPTURE_MAGIC = (_PCAPNG, *(struct.pack(order + "I", magic) for magic in _PCAP for order in "<>"))
_ZIP = b"PK"
_CHUNK = 1 << 20


class Capture(NamedTuple):
    """A capture, and its sender's congestion control where a folder names it."""

    name: str
    content: bytes
    control: str | None = None


OnRefusal = Callable[[str, InputError], object]


def captures(path: Path, on_refusal: OnRefusal | None = None) -> Iterator[Capture]:
    """The captures of a file, of a .zip, or of a live run's folder, one after the other.

    `on_refusal` is called with a member of a .zip that is not a capture, and why, whereupon the
    next ones follow; without it the refusal is raised. Raises `InputError` for a file that is not a
    capture, before it is read.
    """
    if path.is_dir():
        yield _capture_of_run(path)
        return
    try:
        with open_regular_file(path) as file:
            begins = read_bytes(file, compressed.LONGEST_MAGIC)
            file.seek(0)
            unpacked = compressed.decompressed_pieces(begins, str(path), file)
            if begins.startswith(_ZIP) or path.suffix.lower() == ".zip":
                yield from _zip_members(path, file, on_refusal)
            elif unpacked is not None:
                yield Capture(str(path), _join_pieces(str(path), unpacked))
            else:
                yield Capture(str(path), _read_content(str(path), file, _size(file)))
    except OSError as error:
        raise unusable_file_error(path, error) from None


def _capture_of_run(folder: Path) -> Capture:
    """The packets that passed the sender's device in a run of `airtcp live`.

    The congestion control of a command's sockets is unknown: its host's, or one that it asked for.
    """
    meta = live_meta(folder)
    capture = folder / ("far.pcapng" if meta["sender_is_far"] else "near.pcapng")
    control = meta.get("transfer", {}).get("congestion")
    (sent_capture,) = captures(capture)
    return sent_capture._replace(control=control if control in EXPLAINED_CONTROLS else None)


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _read_content(name: str, file: IO[bytes], size: int) -> bytes:
    _refuse_other(name, file.read(len(_PCAPNG)))
    file.seek(0)
    _refuse_size(name, size)
    return _join_pieces(name, iter(lambda: file.read(_CHUNK), b""))


def _join_pieces(name: str, pieces: Iterator[bytes]) -> bytes:
    """The content of a capture, read piece by piece, so that it lies in memory once."""
    content = io.BytesIO()
    for piece in pieces:
        content.write(piece)
        if content.tell() - len(piece) < len(_PCAPNG) <= content.tell():
            _refuse_other(name, content.getvalue()[: len(_PCAPNG)])
        _refuse_size(name, content.tell())
    _refuse_other(name, content.getbuffer()[: len(_PCAPNG)])
    return content.getvalue()


def _refuse_other(name: str, begins: bytes | memoryview) -> None:
    if bytes(begins[: len(_PCAPNG)]) not in CAPTURE_MAGIC:
        raise InputError(f"{name}: is no capture: neither pcap nor pcapng")


def _refuse_size(name: object, size: int) -> None:
    try:
        refuse_larger(name, size, MOST_BYTES)
    except InputError as error:
        hint = "the first 128 bytes of each packet are enough (tcpdump -s 128, editcap -s 128)"
        raise InputError(f"{error}; {hint}") from None


def _zip_members(path: Path, file: BinaryIO, on_refusal: OnRefusal | None) -> Iterator[Capture]:
    with archives.open_archive(path, file, SUFFIXES, "capture") as (archive, members):
        _refuse_size(path, sum(member.file_size for member in members))
        for member in members:
            name = f"{path}/{member.filename}"
            try:
                with archives.open_member(name, archive, member) as content:
                    capture = Capture(name, _read_content(name, content, member.file_size))
            except InputError as error:
                if on_refusal is None:
                    raise
                on_refusal(name, error)
                continue
            yield capture
