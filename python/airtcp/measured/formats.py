"""The formats of measured files; the content of a file decides its format, not its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from airtcp.errors import InputError
from airtcp.live.capture_files import CAPTURE_MAGIC
from airtcp.measured import (
    csv_columns,
    iperf3,
    irtt,
    live_runs,
    mahimahi,
    ping,
    ping_windows,
    reply_table,
)
from airtcp.measured.content import FileContent, first_bytes
from airtcp.measured.measurement import Measurement
from airtcp.measured.options import ReadOptions

_BYTES_LOOKED_AT = 1 << 16  # bytes


class Format(NamedTuple):
    """A format: its name, a function that recognises its first part, and its reader."""

    name: str
    recognises: Callable[[bytes], bool]
    read: Callable[[FileContent, ReadOptions], Iterator[Measurement]]


FORMATS = (  # the first that fits: those with words of their own before bare numbers
    Format(iperf3.FORMAT_NAME, iperf3.recognises, iperf3.read),
    Format(irtt.FORMAT_NAME, irtt.recognises, irtt.read),
    Format(ping.FORMAT_NAME, ping.recognises, ping.read),
    Format(ping_windows.FORMAT_NAME, ping_windows.recognises, ping_windows.read),
    Format(csv_columns.FORMAT_NAME, csv_columns.recognises, csv_columns.read),
    Format(reply_table.FORMAT_NAME, reply_table.recognises, reply_table.read),
    Format(mahimahi.FORMAT_NAME, mahimahi.recognises, mahimahi.read),
)
FOLDER_FORMAT_NAME = live_runs.FORMAT_NAME
CAPTURE_FORMAT_NAME = "capture (pcap, pcapng, .zip)"
_ZIP_MAGIC = (b"PK\3\4", b"PK\5\6")  # of one with members, and of an empty one


def format_of(content: FileContent, options: ReadOptions) -> Format:
    """The format of a file. Raises `InputError`, which names those that are known."""
    begins = content.data[:_BYTES_LOOKED_AT]
    if options.columns and csv_columns.has_named_columns(begins):
        return next(
            file_format for file_format in FORMATS if file_format.name == csv_columns.FORMAT_NAME
        )
    for file_format in FORMATS:
        if file_format.recognises(begins):
            return file_format
    names = ", ".join(
        [*(file_format.name for file_format in FORMATS), CAPTURE_FORMAT_NAME, FOLDER_FORMAT_NAME]
    )
    raise InputError(f"{content.source}: unknown format (known: {names})")


def is_known_format(data: bytes) -> bool:
    """True if the content of a file, no capture, is of a known format."""
    return any(file_format.recognises(data[:_BYTES_LOOKED_AT]) for file_format in FORMATS)


def is_capture(path: Path) -> bool:
    """True for a file that begins as captures do. Raises `InputError` where it cannot be read."""
    return path.is_file() and first_bytes(path).startswith((*CAPTURE_MAGIC, *_ZIP_MAGIC))


def folder_format(folder: Path) -> Callable[[Path], Iterator[Measurement]]:
    """The reader of a folder. Raises `InputError` where it is none of a run."""
    if live_runs.recognises(folder):
        return live_runs.read
    raise InputError(
        f"{folder}: is a folder without live.json; give a folder written by airtcp live --out"
    )
