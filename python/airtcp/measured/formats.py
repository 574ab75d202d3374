"""The formats of measured files, and what finds the one of a file: its content, not its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from airtcp.errors import InputError
from airtcp.live.capture_files import MAGIC
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
from airtcp.measured.content import Content, first_bytes
from airtcp.measured.measurement import Measurement
from airtcp.measured.options import Options

_LOOKED_AT = 1 << 16  # bytes


class Format(NamedTuple):
    """A format: its name, what knows it by its first part, and what reads it."""

    name: str
    fits: Callable[[bytes], bool]
    read: Callable[[Content, Options], Iterator[Measurement]]


FORMATS = (  # the first that fits: those with words of their own before bare numbers
    Format(iperf3.NAME, iperf3.fits, iperf3.read),
    Format(irtt.NAME, irtt.fits, irtt.read),
    Format(ping.NAME, ping.fits, ping.read),
    Format(ping_windows.NAME, ping_windows.fits, ping_windows.read),
    Format(csv_columns.NAME, csv_columns.fits, csv_columns.read),
    Format(reply_table.NAME, reply_table.fits, reply_table.read),
    Format(mahimahi.NAME, mahimahi.fits, mahimahi.read),
)
FOLDERS = live_runs.NAME
CAPTURES = "capture (pcap, pcapng, .zip)"
_ZIP = (b"PK\3\4", b"PK\5\6")  # of one with members, and of an empty one


def format_of(content: Content, options: Options) -> Format:
    """The format of a file. Raises `InputError`, which names those that are known."""
    begins = content.data[:_LOOKED_AT]
    if options.columns and csv_columns.named(begins):
        return next(one for one in FORMATS if one.name == csv_columns.NAME)
    for one in FORMATS:
        if one.fits(begins):
            return one
    names = ", ".join([*(one.name for one in FORMATS), CAPTURES, FOLDERS])
    raise InputError(f"{content.source}: unknown format (known: {names})")


def is_capture(path: Path) -> bool:
    """True for a file that begins as captures do. Raises `InputError` where it cannot be read."""
    return path.is_file() and first_bytes(path).startswith((*MAGIC, *_ZIP))


def folder_format(folder: Path) -> Callable[[Path], Iterator[Measurement]]:
    """The reader of a folder. Raises `InputError` where it is none of a run."""
    if live_runs.fits(folder):
        return live_runs.read
    raise InputError(
        f"{folder}: is a folder without live.json; give a folder written by airtcp live --out"
    )
