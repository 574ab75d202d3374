"""Captures (pcap, pcapng, compressed or in a .zip): one measurement per direction and connection.

The compiled reader takes files piece by piece and keeps what it needs of each packet.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, cast
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from airtcp import _native
from airtcp.errors import InputError, refusal, unusable_file_error
from airtcp.live.capture_files import SUFFIXES
from airtcp.measured.causes import causes
from airtcp.measured.measurement import ARRIVED, Measurement, Oddity, Packets
from airtcp.support import archives, compressed
from airtcp.support.files import file_name, open_regular_file, read_bytes

NUMBERING_HELP = 'OFFSET:BYTES, such as "2:2", with ":little" behind it if so, or "rtp"'
TCP_FORM, UDP_FORM = "TCP capture", "UDP capture"
_ROW_TYPE = np.dtype(
    [("time", "<i8"), ("delay", "<i8"), ("size", "<i4"), ("fate", "i1"), ("", "V3")]
)
_NUMBERING = re.compile(r"(\d{1,5}):([248])(:little|:big)?")
_ZIP_MAGIC = b"PK"
_CHUNK = 1 << 20
_FIRST_DATED_SECOND = 1e8  # s since 1970, below which stamps count from a start of their own

Report = Callable[[str, float, float], object]


def read(
    files: str | Path | Iterable[str | Path],
    *,
    udp_sequence: str | None = None,
    connection: int | None = None,
    report: Report | None = None,
) -> list[Measurement]:
    """The directions of the connections in captures that carry data, those with most packets first.

    - `files`: captures; two that show one connection from its two ends are taken together;
    - `udp_sequence`: where the payload of UDP numbers the datagrams: "OFFSET:BYTES", big-endian
      unless ":little" stands behind it, or "rtp"; without it UDP is not read;
    - `connection`: the only connection to read, numbered from 0 in the order of first packets, UDP
      flows after TCP connections;
    - `report`: called with (what, done, of all).

    Raises `InputError`.
    """
    paths = [file_name("files", file, "names of captures") for file in _as_list(files)]
    if not paths:
        raise InputError("files: is empty (allowed: names of captures)")
    numbering = None if udp_sequence is None else _parse_numbering(udp_sequence)
    captures = _native.Captures(numbering)
    names: list[str] = []
    for path in paths:
        for name, pieces in _open_captures(path, report):
            names.append(name)
            _feed_capture(captures, name, pieces)
    progress = None if report is None else partial(report, "connections judged")
    try:
        found = captures.measure(connection, progress)
    except ValueError as error:
        raise _name_file_in_error(", ".join(names), error) from None
    return [_measurement(flow, names) for flow in found]


def _feed_capture(captures: _native.Captures, name: str, pieces: Iterator[bytes]) -> None:
    try:
        for piece in pieces:
            captures.feed(piece)
        captures.end_file()
    except InputError:
        raise
    except ValueError as error:
        raise _name_file_in_error(name, error) from None
    except OSError as error:
        raise unusable_file_error(Path(name), error) from None


def _name_file_in_error(name: str, error: ValueError) -> InputError:
    return InputError(f"{name}: {error}")


def _as_list(files: str | Path | Iterable[str | Path]) -> list[str | Path]:
    return [files] if isinstance(files, (str, Path)) else list(files)


def _parse_numbering(said: str) -> tuple[int, int, bool]:
    if said == "rtp":
        return 2, 2, True  # [RFC 3550 5.1]
    parts = _NUMBERING.fullmatch(said)
    if parts is None:
        raise refusal("udp_sequence", said, NUMBERING_HELP)
    return int(parts[1]), int(parts[2]), parts[3] != ":little"


def _open_captures(path: Path, report: Report | None) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Captures of a file, each as its name and its pieces."""
    try:
        with open_regular_file(path) as file:
            begins = read_bytes(file, compressed.LONGEST_MAGIC)
            file.seek(0)
            watched = cast(IO[bytes], _ProgressFile(file, str(path), report))
            unpacked = compressed.decompressed_pieces(begins, str(path), watched)
            if begins.startswith(_ZIP_MAGIC) or path.suffix.lower() == ".zip":
                yield from _archive_members(path, file)
            elif unpacked is not None:
                yield str(path), unpacked
            else:
                yield str(path), _pieces(watched)
    except OSError as error:
        raise unusable_file_error(path, error) from None


class _ProgressFile(io.RawIOBase):
    """A file that says how far it is read."""

    def __init__(self, file: BinaryIO, name: str, report: Report | None) -> None:
        self.file, self.name, self.report = file, name, report
        self.size, self.done, self.next = os.fstat(file.fileno()).st_size, 0, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = read_bytes(self.file, size)
        self.done += len(content)
        if self.report is not None and self.done >= self.next:
            self.report(self.name, self.done, self.size)
            self.next = self.done + _CHUNK
        return content


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.read(_CHUNK), b"")


def _archive_members(path: Path, file: BinaryIO) -> Iterator[tuple[str, Iterator[bytes]]]:
    with archives.open_archive(path, file, SUFFIXES, "capture") as (archive, members):
        for member in members:
            name = f"{path}/{member.filename}"
            yield name, _unpack_member(name, archive, member)


def _unpack_member(name: str, archive: ZipFile, member: ZipInfo) -> Iterator[bytes]:
    with archives.open_member(name, archive, member) as content:
        yield from _pieces(content)


def _make_times_monotone(time: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Times that never fall, and how many were changed for that: as few as can be.

    A damaged stamp lies before the one ahead of it, or behind the next.
    """
    held = np.maximum.accumulate(time)
    cut = np.minimum.accumulate(time[::-1])[::-1]
    changed, changed_by_cut = (int((monotone != time).sum()) for monotone in (held, cut))
    return (held, changed) if changed <= changed_by_cut else (cut, changed_by_cut)


def _refuse_one_end_twice(rows: NDArray[Any], files: list[str]) -> None:
    """Refuse captures of two ends between which no packet takes time."""
    arrived = rows[rows["fate"] == ARRIVED]
    if len(files) == 2 and len(arrived) and not arrived["delay"].any():
        raise InputError(
            f"{' and '.join(files)}: every packet has the same time in both, as in one capture"
            " given twice (allowed: captures of the two ends of a connection, or one of them)"
        )


def _measurement(found: dict[str, Any], names: list[str]) -> Measurement:
    rows = np.frombuffer(found["rows"], dtype=_ROW_TYPE)
    _refuse_one_end_twice(rows, [names[index] for index in found["files"]])
    oddities = [Oddity(*oddity) for oddity in found["oddities"]]
    time, strays = _make_times_monotone(rows["time"])
    began = (found["began"] + int(time[0])) / 1e9
    if strays:
        said = "times far from those of the packets around: taken as those of a neighbour"
        oddities.append(Oddity("stray times", said, strays))
    packets = Packets(
        time=time - time[0],
        fate=rows["fate"],
        delay=rows["delay"],
        size=rows["size"],
        cause=np.full(len(rows), -1, dtype=np.int8),
        delays=found["delays"],
    )
    if found["is_tcp"]:
        attributed = causes(packets)
        packets = attributed.packets
        if attributed.why:
            oddities.append(Oddity("cause", attributed.why))
    return Measurement(
        source=", ".join(names[index] for index in found["files"]),
        form=TCP_FORM if found["is_tcp"] else UDP_FORM,
        about=found["about"],
        began=began if began >= _FIRST_DATED_SECOND else None,
        packets=packets,
        reordered=found["reordered"],
        duplicated=found["duplicated"],
        oddities=tuple(oddities),
    )
