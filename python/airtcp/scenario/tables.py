"""Values that a scenario takes from CSV files: read when it is made, they become part of it.

- a channel ``{kind = "trace", file = "x.csv"}``: column `lost`, 0 or 1;
- a gate ``{kind = "schedule", file = "x.csv"}``: column `time`, seconds;
- a distribution ``{kind = "values", file = "x.csv"}``: column `value`, seconds;
- a distribution of sizes ``{kind = "list", file = "x.csv"}``: column `size`, bytes;
- rates ``{kind = "steps", file = "x.csv"}`` or ``rates = "x.csv"`` of a hop: columns `time`,
  seconds, and `rate`, Mbit/s, unless the file or the table says otherwise;
- ``delays = "x.csv"`` of a hop: columns `time` and `delay`, seconds;
- ``opportunities = "x.trace"`` of a hop: a trace of Mahimahi, milliseconds line by line;
- ``trains = "x.trains"`` of a hop: a packet train per line, as CellReplay records them.
"""

from __future__ import annotations

import csv
import errno
import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from airtcp import _native
from airtcp.errors import (
    InputError,
    ScenarioError,
    nearest_name,
    os_reason,
    quote_value,
    unusable_file_error,
)
from airtcp.scenario.train_files import read_trains
from airtcp.support.files import file_name, open_regular_file, read_bytes

MOST_ROWS = 1_000_000
MOST_CHARACTERS = 10_000  # in a line
MOST_TRACE_CHARACTERS = 20 * MOST_ROWS  # characters of a trace of Mahimahi
MOST_RATES_SIZE = 500 * MOST_ROWS  # bytes of a file of rates
MOST_CHANGES = 100_000  # of a delay
LONGEST_SECONDS = 9.2e9  # seconds of integer time
Json: TypeAlias = dict[str, Any]

LIST_COLUMNS = {  # kind -> key, column
    "trace": ("lost", "lost"),
    "schedule": ("toggles", "time"),
    "values": ("values", "value"),
    "list": ("values", "size"),
}
RATE_LIST_KEYS = ("steps", "values")  # kind -> key
RATE_COLUMNS: dict[str, tuple[str | list[str], str, str | bool]] = {
    # keys beside `file`: types, meaning, example
    "time_column": (
        ["string", "integer"],
        "Column of times in the file: its name, or its number, counted from 1. Absent: the"
        " column with a usual name, such as `time`.",
        "time",
    ),
    "rate_column": (
        ["string", "integer"],
        "Column of rates in the file: its name, or its number, counted from 1. Absent: the"
        " column with a usual name, such as `rate`.",
        "rate",
    ),
    "time_unit": (
        "string",
        "Unit of the times: s, ms, us, or ns. Absent: the unit in the column's name, or s.",
        "ms",
    ),
    "rate_unit": (
        "string",
        "Unit of the rates: bps, kbps, Mbps, Gbps, B/s, kB/s, MB/s, or GB/s. "
        "Absent: the unit in the column's name, or Mbps.",
        "kbps",
    ),
    "from_first": (
        "boolean",
        "True if the run starts at the time of the first row, false if at time 0. "
        "Absent: true where times are dates, else false.",
        True,
    ),
    "same_time": (
        "string",
        "Choice among rows of equal time: first, last, or mean. Absent: such rows are refused.",
        "mean",
    ),
}
COLUMN_OPTIONS = ("time_column", "rate_column")
SAME_TIME_RULES = ("first", "last", "mean")
TAGGED_SCHEMAS = ("ChannelSpec", "GateSpec", "DistributionSpec", "SizeSpec")
DELAY_COLUMNS = ("time", "delay")
NO_FILE_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
FILE_DESCRIPTIONS = {  # of a hop
    "rates": "a CSV file with the columns `time` in seconds and `rate` in Mbit/s",
    "delays": "a CSV file with the columns `time` and `delay` in seconds",
    "opportunities": "a file with a whole number of milliseconds per line",
    "trains": "a file with a train per line: its time, the delay of its first packet, and the"
    " arrivals of its packets after the first one, in whole milliseconds",
}


class _OtherKeyError(InputError):
    """A mistake under another key of the table than the one that names the file."""

    def __init__(self, key: str, message: str) -> None:
        """Keep which key it is."""
        super().__init__(message)
        self.key = key


class _NoFileError(InputError):
    """A name that no file has, or can have."""


def document_schema() -> Json:
    """The JSON Schema of a document, in which files may stand for what is in them."""
    schema: Json = json.loads(_native.schema())
    definitions = schema["$defs"]
    for variant_schema in (
        variant_schema for name in TAGGED_SCHEMAS for variant_schema in definitions[name]["oneOf"]
    ):
        kind = variant_schema["properties"]["kind"]["const"]
        if kind in LIST_COLUMNS:
            key, column = LIST_COLUMNS[kind]
            text = f"CSV file with the column `{column}`, in place of `{key}`."
            variant_schema["properties"]["file"] = _file_key(text, key)
            variant_schema["required"].remove(key)
            variant_schema["oneOf"] = [{"required": [key]}, {"required": ["file"]}]
    _allow_rate_files(definitions["RatesSpec"]["oneOf"])
    for name in ("HopSpec", "Back"):
        for key, text in FILE_DESCRIPTIONS.items():
            key_schema = definitions[name]["properties"][key]
            types = ["array", "object"] if "then" in key_schema else ["array"]
            key_schema["type"] = [*types, "string"]
            key_schema["description"] += f" A text names {text}."
    return schema


def _allow_rate_files(kinds: list[Json]) -> None:
    kind, key = RATE_LIST_KEYS
    kind_schema = next(
        candidate for candidate in kinds if candidate["properties"]["kind"]["const"] == kind
    )
    text = f"CSV file with a column of times and one of rates, in place of `{key}`."
    kind_schema["properties"]["file"] = _file_key(text, key)
    for name, (type_, description, example) in RATE_COLUMNS.items():
        kind_schema["properties"][name] = {
            "type": type_,
            "description": description,
            "examples": [example],
        }
    kind_schema["required"].remove(key)
    kind_schema["oneOf"] = [{"required": [key]}, {"required": ["file"]}]


def _file_key(text: str, key: str) -> Json:
    """The schema of a key that names a file, in place of `key`."""
    said = f"{text} Absent: `{key}` must be given."
    return {"type": "string", "description": said, "examples": ["measured.csv"]}


def with_files(document: Any, folder: str | Path, source: str) -> Any:
    """`document` with the contents of the files that it names, relative to `folder`.

    Raises `ScenarioError` with one line that names the file, its line and the value.
    """
    return _fill_files(document, Path(folder), source, "")


def _fill_files(value: Any, folder: Path, source: str, path: str) -> Any:
    if isinstance(value, list):
        if not any(isinstance(item, (dict, list)) for item in value):
            return value
        return [_fill_files(item, folder, source, f"{path}[{i}]") for i, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    above = f"{path}." if path else ""
    table = {key: _fill_files(item, folder, source, f"{above}{key}") for key, item in value.items()}
    for key in ("file", *FILE_DESCRIPTIONS):
        try:
            table = _read(table, key, folder)
        except _OtherKeyError as error:
            raise ScenarioError(source, f"{above}{error.key}".rstrip("."), str(error)) from None
        except InputError as error:
            raise ScenarioError(source, f"{above}{key}", str(error)) from None
    return table


def _read(table: Json, key: str, folder: Path) -> Json:
    """A table with what the file under `key` says in its place, if it names one there."""
    name, kind = table.get(key), table.get("kind")
    if key == "file" and isinstance(kind, str) and kind in (*LIST_COLUMNS, RATE_LIST_KEYS[0]):
        _check_keys(table, kind)
    if key in ("opportunities", "trains") and isinstance(name, str):
        read_file = read_trace if key == "opportunities" else read_trains
        return table | {key: read_file(folder / file_name("file", name))}
    if key == "rates" and isinstance(name, str):
        return table | {
            key: {"kind": RATE_LIST_KEYS[0], RATE_LIST_KEYS[1]: _rates_of_hop(name, folder)}
        }
    if key == "file" and key in table and kind == RATE_LIST_KEYS[0]:
        return _with_rates(table, folder)
    if key == "delays" and isinstance(name, str):
        rows = _rows(name, folder, DELAY_COLUMNS)
        return table | {
            key: [{"at": _seconds_text(at), "delay": _seconds_text(delay)} for at, delay in rows]
        }
    if key == "file" and key in table and isinstance(kind, str) and kind in LIST_COLUMNS:
        into, column = LIST_COLUMNS[kind]
        if into in table:
            raise _OtherKeyError(into, f"give either this or file, {quote_value(name)}")
        values = [value for (value,) in _rows(name, folder, (column,))]
        filled = [ITEM_PARSERS.get(column, _seconds_text)(item) for item in values]
        return {(into if old == key else old): table[old] for old in table} | {into: filled}
    return table


def _check_keys(table: Json, kind: str) -> None:
    """Refuse a key that tables of this kind have neither with a file nor without one."""
    known = _keys_of(kind)
    wrong = next((key for key in table if key not in known), None)
    if wrong is not None:
        near = nearest_name(wrong, known)
        hint = f'; did you mean "{near}"?' if near else ""
        refusal_text = f"unknown key {json.dumps(str(wrong))}{hint} (allowed: {', '.join(known)})"
        raise _OtherKeyError("", refusal_text)
    beside = [key for key in RATE_COLUMNS if key in table]
    if beside and "file" not in table:
        raise _OtherKeyError(beside[0], "applies only with file; give file too")


@cache
def _keys_of(kind: str) -> list[str]:
    """The keys of a table of this kind, those that go with a file among them."""
    definitions = document_schema()["$defs"]
    kind_schemas = [
        schema for name in (*TAGGED_SCHEMAS, "RatesSpec") for schema in definitions[name]["oneOf"]
    ]
    kinds = [
        kind_schema["properties"]
        for kind_schema in kind_schemas
        if kind_schema["properties"]["kind"]["const"] == kind
    ]
    return list(kinds[0])


def _rates_of_hop(name: str, folder: Path) -> str:
    """The lines of the file that `rates` of a hop names; a rate alone is the value of `rate`."""
    try:
        return read_rates(folder / file_name("rates", name))
    except _NoFileError as error:
        if not re.match(r"\s*[0-9.]", name):
            raise
        refusal_text = (
            f"{error}; rates must be a list of changes or a file; for a single rate write"
            f' rate = "{name}"'
        )
        raise InputError(refusal_text) from None


def _column(key: str, value: object) -> str | bool:
    """The value of a key that stands beside `file` and describes its columns, checked."""
    return _column_in(key, value) if key in COLUMN_OPTIONS else _setting_in(key, value)


def _column_in(key: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return str(value)
    raise _OtherKeyError(key, f"{json.dumps(value)} is not a name, or a number from 1")


def _setting_in(key: str, value: object) -> str | bool:
    if key == "from_first":
        if isinstance(value, bool):
            return value
        raise _OtherKeyError(key, f"{json.dumps(value)} is not true or false")
    if not isinstance(value, str):
        raise _OtherKeyError(key, f"{json.dumps(value)} is not a text")
    if key == "same_time" and value not in SAME_TIME_RULES:
        raise _OtherKeyError(key, f"{json.dumps(value)} is not one of {', '.join(SAME_TIME_RULES)}")
    return value


def _with_rates(table: Json, folder: Path) -> Json:
    """A list of rates with the rows of its file."""
    if RATE_LIST_KEYS[1] in table:
        refusal_text = f"give either this or file, {quote_value(table['file'])}"
        raise _OtherKeyError(RATE_LIST_KEYS[1], refusal_text)
    columns = {key: table[key] for key in RATE_COLUMNS if key in table}
    lines = read_rates(folder / file_name("file", table["file"]), **columns)
    other_keys = {
        key: value for key, value in table.items() if key not in columns and key != "file"
    }
    return {"kind": other_keys.pop("kind"), RATE_LIST_KEYS[1]: lines, **other_keys}


def read_rates(path: str | Path, **columns: Any) -> str:
    """The lines of a list of rates, nanoseconds and bit/s, in a CSV file. Raises `InputError`."""
    source = file_name("path", path)
    columns = {key: _column(key, value) for key, value in columns.items()}
    try:
        with open_regular_file(source) as file:
            content = read_bytes(file, MOST_RATES_SIZE + 1)
        if len(content) > MOST_RATES_SIZE:
            raise InputError(f"{source}: larger than {MOST_RATES_SIZE} bytes")
        return _native.rate_lines(content.decode("utf-8"), json.dumps(columns))
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: not UTF-8 text (at byte {error.start})") from None
    except OSError as error:
        kind = _NoFileError if error.errno in NO_FILE_ERRORS else InputError
        raise kind(f"{source}: {os_reason(error)}") from None
    except _native.ScenarioError as error:
        raise InputError(f"{source}: {error.args[1]}") from None


def read_trace(path: str | Path) -> list[int]:
    """The opportunities in a trace of Mahimahi, in ms. Raises `InputError`."""
    source = file_name("path", path)
    try:
        with open_regular_file(source) as file:
            content = read_bytes(file, MOST_TRACE_CHARACTERS + 1)
    except OSError as error:
        raise unusable_file_error(source, error) from None
    return parse_trace(source, content)


def parse_trace(source: object, content: bytes) -> list[int]:
    """The opportunities in the content of a trace, in ms. Raises `InputError`."""
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}: is not a trace: line {number} is not a whole number") from None
    lines = text.removesuffix("\n").split("\n")
    if len(text) > MOST_TRACE_CHARACTERS or len(lines) > MOST_ROWS:
        raise InputError(f"{source}: more than {MOST_ROWS} lines")
    times = [0]
    for number, line in enumerate(lines, start=1):
        for word in line.split():
            if not word.isdigit() or len(word) >= 16:
                refusal_text = f"line {number} is not a whole number: {quote_value(word)}"
                raise InputError(f"{source}: is not a trace: {refusal_text}")
            if int(word) < times[-1]:
                refusal_text = f"line {number} falls, from {times[-1]} to {word}"
                raise InputError(f"{source}: is not a trace: {refusal_text}")
            times.append(int(word))
    if times[-1] == 0:
        raise InputError(f"{source}: is not a trace: it has no opportunity after 0 ms")
    return times[1:]


def _seconds_text(seconds: float) -> str:
    return f"{seconds!r}s"


def _bytes_text(size: float) -> str:
    return f"{int(size)}B"


ITEM_PARSERS: dict[str, Callable[[float], Any]] = {
    "lost": int,
    "size": _bytes_text,
}  # others: seconds


def _rows(name: object, folder: Path, columns: tuple[str, ...]) -> list[list[float]]:
    """Read columns of a file, row by row. Raises `InputError`, which names the line at fault."""
    file = folder / file_name("file", name)
    try:
        with (
            open_regular_file(file) as opened,
            TextIOWrapper(opened, "utf-8-sig", newline="") as lines,
        ):
            return _rows_of(file, lines, columns)
    except OSError as error:
        raise InputError(f"{file}: {os_reason(error)}") from None


def _rows_of(file: Path, lines: TextIO, columns: tuple[str, ...]) -> list[list[float]]:
    """The rows of an open file; what is wrong in it is said with its name."""
    try:
        rows = list(_parse_rows(csv.reader(_limit_lines(lines)), columns))
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 text (at byte {error.start})") from None
    except (csv.Error, InputError) as error:
        raise InputError(f"{file}: {error}") from None
    if not rows:
        raise InputError(f"{file}: no rows below its header")
    return rows


def _limit_lines(lines: TextIO) -> Iterator[str]:
    """The lines of a file; one without an end, as of a device, is refused and not kept."""
    number = 0
    while line := lines.readline(MOST_CHARACTERS + 1):
        number += 1
        if len(line) > MOST_CHARACTERS:
            raise InputError(f"line {number}: longer than {MOST_CHARACTERS} characters")
        yield line


def _parse_rows(reader: Any, columns: tuple[str, ...]) -> Iterator[list[float]]:
    head = [name.strip() for name in next(reader, [])]
    missing = next((name for name in columns if name not in head), None)
    if missing is not None:
        raise InputError(f"line 1: no column {missing!r} (there is {quote_value(','.join(head))})")
    most = MOST_CHANGES if columns == DELAY_COLUMNS else MOST_ROWS
    places = [head.index(name) for name in columns]
    before = -math.inf
    for index, row in enumerate(filter(None, reader)):
        if index == most:
            raise InputError(f"line {reader.line_num}: more than {most} rows")
        texts = [row[place] if place < len(row) else "" for place in places]
        values = [_number(*pair, reader.line_num) for pair in zip(columns, texts, strict=True)]
        if columns[0] == "time" and values[0] <= before:
            refusal_text = f"time: {values[0]:g} comes after {before:g}, but times must increase"
            raise InputError(f"line {reader.line_num}: {refusal_text}")
        before = values[0]
        yield values


def _number(column: str, text: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if column == "lost" and value not in (0.0, 1.0):
        raise InputError(f"line {line}: {column}: {quote_value(text)} is not 0 or 1")
    if not 0.0 <= value <= LONGEST_SECONDS:
        unit = "size in bytes" if column == "size" else "time in s"
        raise InputError(f"line {line}: {column}: {quote_value(text)} is not a {unit}, 0 or more")
    return value
