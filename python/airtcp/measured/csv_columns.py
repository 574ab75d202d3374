"""CSV files with a head: columns of losses, delays, round trips or rates, by name.

The heads that scenarios read (`lost`; `time`, `delay`; `time`, `rate`) mean here what they mean
there: seconds and Mbit/s. A unit in a head (`rtt_ms`, `Delay (us)`, `rate [kbps]`) goes before. A
column of round trips needs one, since tools write s, ms and us.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, quote_value
from airtcp.measured.content import FileContent
from airtcp.measured.lines import SkippedLines, chunks
from airtcp.measured.measurement import (
    ARRIVED,
    LOST,
    NO_DELAY,
    UNKNOWN,
    Intervals,
    Measurement,
    Oddity,
    Packets,
)
from airtcp.measured.options import RATE_UNITS, TIME_UNITS, ReadOptions
from airtcp.measured.replies import Replies, packets_of_run

FORMAT_NAME = "CSV with a head"
MOST_ROWS = 10_000_000
LONGEST_SECONDS = 9.2e9  # s of integer time
_HEADS_OF_ROLE = {  # heads in small letters, without their units
    "time": ("time", "timestamp", "t", "at", "sent", "send_time", "date"),
    "seq": ("seq", "seqno", "sequence", "sequence_number", "icmp_seq", "number", "packet", "id"),
    "rtt": ("rtt", "round_trip", "round_trip_time", "latency", "ping", "pop_ping_latency"),
    "delay": ("delay", "owd", "one_way_delay"),
    "lost": ("lost", "loss", "is_lost", "dropped"),
    "rate": ("rate", "throughput", "bandwidth", "capacity", "bitrate"),
    "loss_rate": ("loss_rate", "drop_rate", "loss_ratio", "drop_ratio", "pop_ping_drop_rate"),
}
_MOST_VALUE = LONGEST_SECONDS * 1e9  # ns, or bit/s
_DEFAULT_UNITS = {"time": "s", "delay": "s", "rate": "Mbps"}  # units without a word of them
_UNITS = {
    **{name.lower(): name for name in (*TIME_UNITS, *RATE_UNITS)},
    **{"sec": "s", "seconds": "s", "milliseconds": "ms", "msec": "ms", "usec": "us"},
    **{"bit/s": "bps", "kbit/s": "kbps", "mbit/s": "Mbps", "gbit/s": "Gbps", "microseconds": "us"},
}
_HEAD_PATTERN = re.compile(r"^(.*?)[ _]*(?:\(([^()]*)\)|\[([^\[\]]*)\]|[_ ]([A-Za-z/]+))$")
_EMPTY_CELLS = ("", "nan", "na", "n/a", "null", "none", "-", "*", "inf", "lost", "timeout")
_FLAG_VALUES = {
    "0": 0.0,
    "1": 1.0,
    "0.0": 0.0,
    "1.0": 1.0,
    "true": 1.0,
    "false": 0.0,
    "yes": 1.0,
    "no": 0.0,
}
_COLUMN_SETS = (  # that make a measurement, the first that is there
    ("time", "seq", "rtt"),
    ("time", "rate"),
    ("time", "loss_rate", "rtt"),
    ("time", "rtt"),
    ("time", "delay"),
    ("lost",),
)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Column:
    """A column that is read: its place, its role, and what its numbers are multiplied by."""

    role: str
    head: str
    place: int
    scale: float


def recognises(begins: bytes) -> bool:
    """True for a first line that names columns which make a measurement."""
    row = _first_row(begins)
    roles = {role for role in (_role_and_unit(head)[0] for head in row) if role}
    return any(roles.issuperset(column_set) for column_set in _COLUMN_SETS)


def has_named_columns(begins: bytes) -> bool:
    """True for a first line of words with commas, whose columns an option may name."""
    row = _first_row(begins)
    return len(row) > 1 and all(re.search("[A-Za-z]", head) for head in row)


def read(content: FileContent, options: ReadOptions) -> Iterator[Measurement]:
    """The one measurement of a file. Raises `InputError`."""
    columns = _columns(content, options)
    skipped = SkippedLines(f"the columns {', '.join(columns)}")
    table = _table(content, list(columns.values()), skipped)
    if not len(next(iter(table.values()))):
        raise InputError(f"{content.source}: no row below its head that can be read")
    oddities = [*content.oddities, *skipped.oddities(content.data)]
    if "loss_rate" in columns:
        yield _loss_share_measurement(content, table, oddities)
    elif "rate" in columns:
        yield _rate_measurement(content, table, oddities)
    elif "seq" in columns and "rtt" in columns:
        yield _numbered_packets_measurement(content, table, oddities, options)
    else:
        yield _ordered_packets_measurement(content, table, oddities, options)


# Columns


def _first_row(begins: bytes) -> list[str]:
    line = next((candidate for candidate in begins.splitlines() if candidate.strip()), b"")[:10_000]
    text = line.decode("utf-8", "replace")
    try:
        return [head.strip() for head in next(csv.reader([text], delimiter=_separator(text)))]
    except csv.Error:
        return []


def _separator(head: str) -> str:
    return max(",;\t", key=head.count)


def _role_and_unit(head: str) -> tuple[str, str]:
    """The role of a head and the unit that it names; "" for none."""
    unit = ""
    if (found := _HEAD_PATTERN.match(head)) is not None:
        last = next(group for group in found.groups()[1:] if group is not None).strip().lower()
        if last in _UNITS:
            head, unit = found[1], _UNITS[last]
    word = re.sub(r"[^a-z]+", "_", head.lower()).strip("_")
    role = next((role for role, words in _HEADS_OF_ROLE.items() if word in words), "")
    return role, unit


def _columns(content: FileContent, options: ReadOptions) -> dict[str, _Column]:
    """The columns that are read, by role: those that options name, or the first set that is there.

    Raises `InputError`.
    """
    heads = _first_row(content.data)
    source = content.source
    found: dict[str, _Column] = {}
    for place, head in enumerate(heads):
        role, _ = _role_and_unit(head)
        if role and role not in options.columns and role not in found:
            found[role] = _column(source, role, heads, place, options)
    for role, name in options.columns.items():
        place = _column_place(source, role, name, heads)
        found[role] = _column(source, role, heads, place, options)
    chosen = next(
        (column_set for column_set in _COLUMN_SETS if all(role in found for role in column_set)),
        None,
    )
    if chosen is None:
        said = " or ".join(", ".join(column_set) for column_set in _COLUMN_SETS)
        raise InputError(
            f"{source}: line 1: no columns {said} (there is {quote_value(','.join(heads))})"
        )
    counts = "rate" in chosen or "loss_rate" in chosen
    beside: tuple[str, ...] = () if counts else ("lost", "seq")
    beside += ("time",) if chosen == ("lost",) else ()
    return {role: found[role] for role in (*chosen, *beside) if role in found}


def _column_place(source: str, role: str, name: str | int, heads: Sequence[str]) -> int:
    if isinstance(name, int):
        if name > len(heads):
            raise InputError(f"{source}: columns.{role} = {name}: there are {len(heads)} columns")
        return name - 1
    if name not in heads:
        raise InputError(
            f"{source}: columns.{role}: no column {name!r}"
            f" (there is {quote_value(','.join(heads))})"
        )
    return heads.index(name)


def _column(
    source: str, role: str, heads: Sequence[str], place: int, options: ReadOptions
) -> _Column:
    head = heads[place]
    if role in ("seq", "lost", "loss_rate"):
        return _Column(role, head, place, 1.0)
    unit = _role_and_unit(head)[1] or options.units.get(role, "") or _DEFAULT_UNITS.get(role, "")
    known: Mapping[str, float] = RATE_UNITS if role == "rate" else TIME_UNITS
    if unit not in known:
        why = "has no unit" if not unit else f"is in {unit}"
        raise InputError(
            f"{source}: line 1: column {head!r} {why}: write {role}_{next(iter(known))} or give the"
            f" unit of {role} ({', '.join(known)})"
        )
    return _Column(role, head, place, known[unit])


# Rows


def _table(
    content: FileContent, columns: Sequence[_Column], skipped: SkippedLines
) -> dict[str, Floats]:
    """Columns of numbers, NaN where there is none; rows without a time or number are left out."""
    found: list[list[Floats]] = [[] for _ in columns]
    separator, rows = "", 0
    for part in chunks(content.data):
        text = part.decode("utf-8", "replace")
        lines = [line for line in text.replace("\r", "").split("\n") if line.strip()]
        if not separator and lines:
            separator = _separator(lines.pop(0))
        split = _split_cells(lines, separator, quoted='"' in text)
        block = _columns_if_complete(split, columns)
        if block is None:
            block = _columns_row_by_row(lines, split, columns, skipped)
        for column, values in zip(found, block, strict=True):
            column.append(values)
        rows += len(block[0])
        if rows > MOST_ROWS:
            raise InputError(f"{content.source}: more than {MOST_ROWS} rows")
    return {
        column.role: np.concatenate(values) * column.scale
        for column, values in zip(columns, found, strict=True)
    }


def _split_cells(lines: Sequence[str], separator: str, *, quoted: bool) -> list[list[str]]:
    """The cells of lines; where there are quotes, by the rules of CSV."""
    if not quoted:
        return [line.split(separator) for line in lines]
    cells = []
    for line in lines:
        try:
            cells.append(next(csv.reader([line], delimiter=separator)))
        except csv.Error:
            cells.append([])
    return cells


def _columns_if_complete(
    rows: Sequence[Sequence[str]], columns: Sequence[_Column]
) -> list[Floats] | None:
    """Columns of rows in which every cell is a number in its range; None if one is not."""
    try:
        block = [
            np.fromiter((float(row[column.place]) for row in rows), np.float64, len(rows))
            for column in columns
        ]
    except (IndexError, ValueError):
        return None
    for column, values in zip(columns, block, strict=True):
        fits = (
            np.isin(values, (0.0, 1.0)) if column.role == "lost" else values <= _most_value(column)
        )
        if not (fits & (values >= 0.0)).all():
            return None
    return block


def _columns_row_by_row(
    lines: Sequence[str],
    rows: Sequence[Sequence[str]],
    columns: Sequence[_Column],
    skipped: SkippedLines,
) -> list[Floats]:
    """Columns of the rows that can be read."""
    found = []
    for line, row in zip(lines, rows, strict=True):
        try:
            found.append([_cell_value(row[column.place].strip(), column) for column in columns])
        except (IndexError, ValueError):
            skipped.add(line.encode("utf-8", "replace"))
    table = np.array(found, dtype=np.float64).reshape(-1, len(columns))
    return list(table.T)


def _cell_value(text: str, column: _Column) -> float:
    """The number in a cell. Raises `ValueError` where that is none of its column."""
    if column.role == "lost":
        return _flag_in_cell(text)
    if column.role == "time" and "-" in text[1:] and ":" in text:
        value = _seconds_since_1970(text) * 1e9 / column.scale
    else:
        value = _number_in_cell(text)
    needed = column.role in ("time", "seq", "loss_rate")
    if value > _most_value(column) or (needed and math.isnan(value)):
        raise ValueError
    return value


def _most_value(column: _Column) -> float:
    return 1.0 if column.role == "loss_rate" else _MOST_VALUE / column.scale


def _seconds_since_1970(text: str) -> float:
    """Seconds since 1970 of a date and time of ISO 8601; without a zone it is UTC."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _number_in_cell(text: str) -> float:
    """A number of a cell, NaN for the words that say that there is none, and for -1."""
    try:
        value = float(text)
    except ValueError:
        if text.lower() in _EMPTY_CELLS:
            return math.nan
        raise
    if value < 0.0 and value != -1.0:
        raise ValueError
    return value if 0.0 <= value < math.inf else math.nan


def _flag_in_cell(text: str) -> float:
    value = _FLAG_VALUES.get(text.lower())
    if value is None:
        raise ValueError
    return value


# Measurements


def _rate_measurement(
    content: FileContent, table: Mapping[str, Floats], oddities: list[Oddity]
) -> Measurement:
    time, rate = table["time"], table["rate"]
    kept = _mask_of_rising(time, again=False)
    start, began, more = _times_since_first(content, time, kept)
    rate = rate[kept]
    last = int(np.median(np.diff(start))) if len(start) > 1 else 1_000_000_000
    length = np.append(np.diff(start), last)
    unknown = np.full(len(start), np.nan)
    intervals = Intervals(
        start=start,
        length=length,
        sent=unknown,
        lost=unknown,
        received=rate * length / 8e9,
        delay=unknown,
    )
    return _measurement(content, [*oddities, *more], began=began, intervals=intervals)


def _loss_share_measurement(
    content: FileContent, table: Mapping[str, Floats], oddities: list[Oddity]
) -> Measurement:
    """Shares of probes lost, with a mean round trip, in each row.

    The usual share above 0 is taken as one lost probe, which gives the number of probes per row.
    """
    kept = _mask_of_rising(table["time"], again=False)
    start, began, more = _times_since_first(content, table["time"], kept)
    share, delay = table["loss_rate"][kept], table["rtt"][kept]
    apart = np.diff(start)
    usual = int(np.median(apart)) if apart.size else 1_000_000_000
    some = share[share > 0.0]
    probes = max(1.0, float(np.round(1.0 / np.median(some)))) if some.size else 1.0
    said = f"shares of losses show no number of probes: counted as {probes:.0f} in each row"
    sent = np.full(len(start), probes)
    intervals = Intervals(
        start=start,
        length=np.append(np.minimum(apart, 2 * usual), usual).astype(np.int64),
        sent=sent,
        lost=share * sent,
        received=np.full(len(start), np.nan),
        delay=delay,
    )
    found = [*oddities, *more, Oddity("probes", said)]
    return _measurement(content, found, began=began, intervals=intervals, is_probing=True)


def _numbered_packets_measurement(
    content: FileContent, table: Mapping[str, Floats], oddities: list[Oddity], options: ReadOptions
) -> Measurement:
    """Packets with numbers: those that are missing, or have no round trip, were lost."""
    number = table["seq"]
    delay = table["rtt"]
    answered = ~np.isnan(delay)
    if "lost" in table:
        answered &= table["lost"] == 0.0
    run = packets_of_run(
        Replies(number.astype(np.int64), answered, delay, table["time"] / 1e9, sends=True),
        "round trip",
        source=content.source,
        interval=options.interval,
    )
    return _measurement(
        content,
        [*oddities, *run.oddities],
        began=run.began,
        packets=run.packets,
        reordered=run.reordered,
        duplicated=run.duplicated,
    )


def _ordered_packets_measurement(
    content: FileContent, table: Mapping[str, Floats], oddities: list[Oddity], options: ReadOptions
) -> Measurement:
    """A row per packet, in the order of sending."""
    role = "rtt" if "rtt" in table else "delay"
    count = len(next(iter(table.values())))
    delay = table.get(role, np.full(count, np.nan))
    lost = table["lost"] != 0.0 if "lost" in table else np.isnan(delay)
    known = ~lost & ~np.isnan(delay)
    if "time" in table:
        kept = _mask_of_rising(table["time"])
        time, began, more = _times_since_first(content, table["time"], kept)
        delay, lost, known = delay[kept], lost[kept], known[kept]
        oddities = [*oddities, *more]
    else:
        time = (np.arange(count) * (options.interval or 1.0) * 1e9).astype(np.int64)
        began = None
    count = len(time)
    packets = Packets(
        time=time,
        fate=np.where(lost, LOST, ARRIVED).astype(np.int8),
        delay=np.where(known, np.nan_to_num(delay), NO_DELAY).astype(np.int64),
        size=np.zeros(count, dtype=np.int32),
        cause=np.full(count, UNKNOWN, dtype=np.int8),
        delays="round trip" if role == "rtt" else "one way",
        is_time_measured="time" in table,
    )
    return _measurement(content, oddities, began=began, packets=packets)


def _mask_of_rising(time: Floats, *, again: bool = True) -> NDArray[np.bool_]:
    """Rows whose time is not before that of a row above them, nor the same unless `again`."""
    latest = np.maximum.accumulate(np.append(-np.inf, time))[:-1]
    return np.asarray(time >= latest if again else time > latest, dtype=np.bool_)


def _times_since_first(
    content: FileContent, time: Floats, kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], float | None, list[Oddity]]:
    """Times in ns since the first of the rows that are kept."""
    rows = np.rint(time[kept] - time[0])
    if not rows[-1] < LONGEST_SECONDS * 1e9:
        raise InputError(f"{content.source}: time: rows more than {LONGEST_SECONDS:g} s apart")
    oddities = []
    if not kept.all():
        at = int(np.argmin(kept))
        said = f"row {at + 1} has no later time than the rows above it: left out"
        oddities.append(Oddity("clock step", said, int((~kept).sum())))
    seconds = float(time[0]) / 1e9
    return rows.astype(np.int64), seconds if seconds > 1e8 else None, oddities


def _measurement(content: FileContent, oddities: Sequence[Oddity], **found: Any) -> Measurement:
    return Measurement(source=content.source, form=FORMAT_NAME, oddities=tuple(oddities), **found)
