"""EventTable as files: one module per format, chosen by the suffix of the name."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from airtcp.errors import InputError, known_name, unknown_name
from airtcp.events.table import EventTable
from airtcp.export import tables
from airtcp.export.pcapng import write_pcapng
from airtcp.export.xpl import write_xpl
from airtcp.support.files import (
    check_new,
    draft_path,
    existing_directory,
    file_name,
    name_in_write_errors,
    unwritable_error,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Writer: TypeAlias = Callable[[Iterable[EventTable], BinaryIO], None]

TABLES = (".csv", ".parquet")
FIGURES = (".svg", ".pdf", ".png")
ONE_RUN = (".pcapng", ".xpl")
SUFFIXES = (*TABLES, *ONE_RUN, *FIGURES)
LINK_FIGURES = ("queue", "delay", "rate")  # kinds of figures for which a trace needs its links


def write(
    runs: Iterable[EventTable],
    path: str | Path,
    *,
    kind: str = "sequence",
    flow: int | None = None,
    coordinates: Sequence[Mapping[str, Any]] = (),
    start: float | None = None,
    end: float | None = None,
    table: str = "events",
    advertised: bool | None = None,
) -> Path:
    """Write the events of one run, or of the points of a sweep; the suffix gives the format.

    - `kind`: kind of a figure, one of `airtcp.plot.sequence.KINDS` or `airtcp.plot.links.KINDS`;
    - `flow`: which flow a figure or an xplot graph shows; None: the first one, or all where that is
      possible;
    - `coordinates`: coordinates of each run in a sweep, all with the same names: columns of a
      table;
    - `start`, `end`: from when to when a figure goes (s); other files take `Events.between`;
    - `table`: which one, "events", "statistics" or of `airtcp.events.links.TABLES`;
    - `advertised`: for kind sequence, as in `airtcp.plot.sequence.time_sequence`.

    Captures and xplot graphs hold one run. Raises `InputError`, and `OSError` if the disk is full.
    """
    target = check_target(path)
    suffix = target.suffix.lower()
    options = {"kind": kind, "flow": flow, "start": start, "end": end, "advertised": advertised}
    if suffix in FIGURES:
        writer = _figure_writer(suffix, options)
    else:
        writer = _writer(suffix, flow or 0, coordinates, table)
    with open_for_replacement(target) as file:
        writer(runs, file)
    return target


def check_target(path: str | Path, suffixes: Sequence[str] = SUFFIXES, field: str = "out") -> Path:
    """`path` if it can be written: its suffix is one of `suffixes` and the folder is there.

    `field`: what the caller calls it.
    """
    target = file_name(field, path)
    if target.suffix.lower() not in suffixes:
        raise unknown_name(f"{target}: suffix", target.suffix, suffixes)
    existing_directory(target.parent)
    with name_in_write_errors(target):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "", str(target))
        if target.is_file():
            target.open("ab").close()
        elif not target.exists():
            check_new(target)
    return target


def draw_runs(
    runs: Iterable[EventTable],
    *,
    kind: str,
    flow: int | None,
    start: float | None,
    end: float | None,
    advertised: bool | None = None,
) -> Figure:
    """A figure of one run, or of several side by side where its kind allows that."""
    from airtcp.plot import links as link_plot  # noqa: PLC0415  (imports Matplotlib)
    from airtcp.plot import sequence as sequence_plot  # noqa: PLC0415  (imports Matplotlib)

    limits = {"start": start, "end": end}
    known_name("kind", kind, (*sequence_plot.SEQUENCE_FIGURES, *link_plot.LINK_FIGURES))
    if kind in link_plot.LINK_FIGURES:
        if advertised is not None:
            raise InputError(f"advertised: applies only to kind sequence, not to {kind}")
        return link_plot.LINK_FIGURES[kind](require_one_run(runs), flow, **limits)
    return sequence_plot.compare(list(runs), kind, flow or 0, advertised=advertised, **limits)


def write_figure(draw: Callable[[], Figure], path: str | Path) -> Path:
    """Write what `draw` draws to a .svg, .pdf or .png file, and return its path.

    Raises `InputError`, before anything is drawn where the file cannot be written, and `OSError`
    if the disk is full.
    """
    from airtcp.plot.sequence import save  # noqa: PLC0415  (imports Matplotlib)

    target = check_target(path, FIGURES)
    with open_for_replacement(target) as file:
        save(draw(), file, target.suffix.lower())
    return target


def _figure_writer(suffix: str, options: Mapping[str, Any]) -> Writer:
    """Writer of figures; `options` are passed to `draw_runs`."""
    from airtcp.plot.sequence import save  # noqa: PLC0415  (imports Matplotlib)

    return lambda runs, file: save(draw_runs(runs, **options), file, suffix)


def _writer(suffix: str, flow: int, coordinates: Sequence[Mapping[str, Any]], table: str) -> Writer:
    """Writer of a format; its module is imported only now."""
    if suffix in TABLES:
        write_table = tables.write_csv if suffix == ".csv" else tables.write_parquet
        return partial(write_table, coordinates=coordinates, table=table)
    if suffix == ".pcapng":
        return lambda runs, file: write_pcapng(require_one_run(runs), file)

    return lambda runs, file: write_xpl(require_one_run(runs), file, flow=flow)


def require_one_run(runs: Iterable[EventTable]) -> EventTable:
    """The only run, for a format that holds one."""
    (events,) = runs
    return events


@contextmanager
def open_for_replacement(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its place when it is whole: if writing fails, the old file stays."""
    place = path.resolve()
    device = place.exists() and not place.is_file()
    draft = place if device else draft_path(place)
    try:
        with draft.open("wb") as file:
            yield file
        if not device:
            draft.replace(place)
    except OSError as error:
        raise unwritable_error(path, error) from None
    finally:
        if not device:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
