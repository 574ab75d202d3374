"""Files of any known format, read into measurements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from airtcp.errors import InputError
from airtcp.measured import captures
from airtcp.measured.captures import Report
from airtcp.measured.content import content_of
from airtcp.measured.file_names import name_oddities
from airtcp.measured.formats import folder_format, format_of, is_capture
from airtcp.measured.measurement import Measurement
from airtcp.measured.options import ReadOptions
from airtcp.support.files import file_name


def read(
    files: str | Path | Sequence[str | Path],
    *,
    interval: float | None = None,
    timeout: float = 4.0,
    columns: Mapping[str, str | int] | None = None,
    units: Mapping[str, str] | None = None,
    udp_sequence: str | None = None,
    connection: int | None = None,
    report: Report | None = None,
) -> list[Measurement]:
    """Read measurements from files, each in the format that its content shows.

    Files may be compressed (.gz, .bz2, .xz). Options supply what a file leaves open:

    - `interval`: seconds between packets, where a log has no times;
    - `timeout`: seconds that ping on Windows waits for an answer (`ping -w`);
    - `columns`: columns of a table by what they are (`time`, `seq`, `rtt`, `delay`, `lost`,
      `rate`), each by its head or its number from 1;
    - `units`: units of these, where no head names one: s, ms, us, ns; of rates bps to Gbps, B/s
      to GB/s;
    - `udp_sequence`, `connection`, `report`: options for captures, as in
      `airtcp.measured.captures.read`. All captures are read together, in the place of the first of
      them.

    Raises `InputError` with one line that names the file, the line and what is wrong.
    """
    options = ReadOptions(interval, timeout, columns or {}, units or {})
    listed = [files] if isinstance(files, (str, Path)) else list(files)
    if not listed:
        raise InputError("files: no file to read")
    paths = [file_name("files", name) for name in listed]
    of_captures = [path for path in paths if is_capture(path)]
    found: list[Measurement] = []
    for path in paths:
        if path not in of_captures:
            found += _measurements_of_file(path, options)
        elif path == of_captures[0]:
            found += captures.read(
                of_captures, udp_sequence=udp_sequence, connection=connection, report=report
            )
    return found


def _measurements_of_file(path: Path, options: ReadOptions) -> Iterator[Measurement]:
    if path.is_dir():
        yield from folder_format(path)(path)
        return
    content = content_of(path)
    for found in format_of(content, options).read(content, options):
        odd = tuple(name_oddities(content.name, found))
        yield replace(found, oddities=(*found.oddities, *odd))
