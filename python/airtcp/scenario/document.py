"""Scenario documents as plain data: read from files, made from Python objects, written as TOML."""

from __future__ import annotations

import datetime
import difflib
import json
import math
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO

from airtcp.errors import ScenarioError, quote_value, unusable_file_error
from airtcp.support.files import file_name, is_unicode, open_regular_file, read_bytes

MOST_DEPTH = 32  # of lists and tables in each other
MOST_VALUES = 2_000_000  # of a document: twice the values of its longest list
MOST_BYTES = 2**26
MOST_INTEGER = 2**63
_SIMPLE_TYPES = {int, float, str}


def read_document(path: str | Path) -> dict[str, Any]:
    """The document in a TOML file, or in a JSON file if its name ends in .json.

    Raises `InputError` for a file that is missing, not a regular file, not UTF-8, or not TOML.
    """
    file = file_name("file", path)
    try:
        if file.is_dir():
            refusal_text = "is a directory; give a scenario file"
            raise ScenarioError(str(path), "", refusal_text)
        with open_regular_file(file) as opened:
            text = _read_text(opened, str(path))
    except FileNotFoundError:
        raise ScenarioError(str(path), "", f"no such file{_nearest_scenario_hint(file)}") from None
    except OSError as error:
        raise unusable_file_error(path, error) from None
    try:
        return _parse_text(text, str(path), "JSON" if file.suffix == ".json" else "TOML")
    except ScenarioError as error:
        if file.suffix in (".toml", ".json"):
            raise
        refusal_text = (
            f"{error.reason}; if it is a measurement of a link, airtcp fit turns it into a scenario"
        )
        raise ScenarioError(str(path), error.path, refusal_text) from None


def read_stream(stream: BinaryIO, source: str) -> dict[str, Any]:
    """The document that comes from `source`: JSON if it begins with a brace, else TOML.

    Raises `InputError` as `read_document` does.
    """
    try:
        text = _read_text(stream, source)
    except OSError as error:
        raise unusable_file_error(source, error) from None
    return _parse_text(text, source, "JSON" if text.lstrip().startswith("{") else "TOML")


def _read_text(stream: BinaryIO, source: str) -> str:
    try:
        return _read_limited(stream, source).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(source, "", f"not UTF-8 text (at byte {error.start})") from None


def _read_limited(opened: BinaryIO, source: str) -> bytes:
    """Read a file; refuse one that cannot be a document before anything parses it."""
    content = read_bytes(opened, MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise too_long_error(source)
    # A value that is not the first follows a comma or begins a line; a table has a comma as well.
    if max(content.count(b","), content.count(b"\n")) > 2 * MOST_VALUES:
        refusal_text = f"more than {2 * MOST_VALUES} commas or lines, which no scenario can have"
        raise ScenarioError(source, "", refusal_text)
    return content


def too_long_error(source: str) -> ScenarioError:
    """The refusal of more text than a document may have."""
    return ScenarioError(source, "", f"longer than the {MOST_BYTES} bytes of the longest scenario")


def _nearest_scenario_hint(file: Path) -> str:
    """A hint at the scenario whose name is nearest, beside `file` or among the examples."""
    near_examples = [
        example for folder in (Path("examples"), file.parent) for example in folder.glob("*.toml")
    ]
    names = {example.stem: example for example in near_examples}
    near = difflib.get_close_matches(file.stem, names, n=1)
    return f" (did you mean {names[near[0]]}?)" if near else ""


def _parse_text(text: str, source: str, language: str) -> dict[str, Any]:
    try:
        if language == "JSON":
            document = json.loads(text, object_pairs_hook=_refuse_repeated_keys)
        else:
            document = tomllib.loads(text)
    except RecursionError:
        raise ScenarioError(source, "", f"not a {language} scenario: nested too deeply") from None
    except ValueError as error:
        reason = str(error) if language == "JSON" else _reason_in_toml(str(error), text)
        raise ScenarioError(source, "", f"not valid {language}: {reason}") from None
    if not isinstance(document, dict):
        raise ScenarioError(source, "", "a scenario must be a table of keys")
    return document


_KEY = re.compile(r"([\w-]+)\s*=")
_OPEN_QUOTE = re.compile(r"=\s*'[^']*$")
_ERROR_PLACE = re.compile(r"\(at line ([0-9]+), column [0-9]+\)$")


def _reason_in_toml(error: str, text: str) -> str:
    """The reason against a text, in the words of who writes it where the parser has its own."""
    place = _ERROR_PLACE.search(error)
    if place is None:
        return error
    number = int(place[1])
    *before, line = (row.strip() for row in text.split("\n")[:number])
    if error.startswith(("Illegal character '\\n'", 'Expected "\'"')) or _OPEN_QUOTE.search(line):
        return f"a text without its closing quote, in line {number}: {line}"
    key = _KEY.match(line)
    if error.startswith("Cannot overwrite a value") and key is not None:
        begun = max(
            (i for i, earlier_line in enumerate(before) if earlier_line.startswith("[")), default=0
        )
        if any(
            (other_key := _KEY.match(earlier_text)) and other_key[1] == key[1]
            for earlier_text in before[begun:]
        ):
            return f"the key {key[1]} occurs twice in one table, the second time in line {number}"
    return error


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"the key {quote_value(key)} occurs twice in one table")
        table[key] = value
    return table


def refuse_crowd(document: Any, source: str) -> None:
    """`InputError` for more values than a document may have, before anything is made of them."""
    entries = 0
    for path, number in _entry_counts(document, "", 0):
        entries += number
        if entries > MOST_VALUES:
            raise ScenarioError(source, path, f"more than {MOST_VALUES} values in one document")


def _entry_counts(value: Any, path: str, depth: int) -> Iterator[tuple[str, int]]:
    """(path, number of entries) of everything that has entries, itself before what is in it."""
    inside: Iterable[tuple[str, Any]] = ()
    if depth > MOST_DEPTH or isinstance(value, (str, bytes, type)):
        return
    if is_dataclass(value):
        inside = [
            (f".{field.name.rstrip('_')}", getattr(value, field.name)) for field in fields(value)
        ]
    elif isinstance(value, Mapping):
        yield path, len(value)
        inside = ((f".{key}", item) for key, item in value.items())
    elif hasattr(value, "tolist"):
        size = getattr(value, "size", None)
        yield path, size if isinstance(size, int) else len(value)
    elif isinstance(value, Sequence):
        yield path, len(value)
        if not isinstance(value, range) and not set(map(type, value)) <= _SIMPLE_TYPES:
            inside = ((f"[{index}]", item) for index, item in enumerate(value))
    for step, item in inside:
        yield from _entry_counts(item, f"{path}{step}".removeprefix("."), depth + 1)


def plain_document(value: Any, depth: int = 0) -> Any:
    """Dataclasses, tuples and NumPy values as dictionaries, lists and numbers; None left out.

    Values deeper than `MOST_DEPTH` stay as they are: `refuse_non_json` refuses them.
    """
    if depth > MOST_DEPTH:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return _plain_dataclass(value, depth)
    if isinstance(value, Mapping):
        return {
            key: plain_document(item, depth + 1) for key, item in value.items() if item is not None
        }
    if not isinstance(value, type) and hasattr(value, "tolist"):  # NumPy arrays and scalars
        return plain_document(value.tolist(), depth + 1)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        simple = set(map(type, value)) <= _SIMPLE_TYPES  # at once: measurements are long
        return list(value) if simple else [plain_document(item, depth + 1) for item in value]
    return value


def _plain_dataclass(value: Any, depth: int) -> dict[str, Any]:
    kind = getattr(value, "kind", None)
    fields_found = {} if kind is None else {"kind": kind}
    for field in fields(value):
        item = plain_document(getattr(value, field.name), depth + 1)
        if item is not None and item != plain_document(field.default):
            fields_found[field.name.rstrip("_")] = item
    return fields_found


def refuse_non_json(value: Any, source: str, path: str = "", depth: int = 0) -> None:
    """`InputError` for what JSON cannot carry: NaN, infinities, dates, other objects."""
    if depth > MOST_DEPTH:
        raise ScenarioError(source, path.partition("[")[0], "nested too deeply")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or not is_unicode(key):
                raise ScenarioError(source, path, f"the key {quote_value(key)} is not a text")
            refuse_non_json(item, source, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        if set(map(type, value)) == {int} and max(map(abs, value)) < MOST_INTEGER:
            return
        for index, item in enumerate(value):
            refuse_non_json(item, source, f"{path}[{index}]", depth + 1)
    elif reason := _why_not_json(value):
        raise ScenarioError(source, path, reason)


def _why_not_json(value: Any) -> str:
    """Reason why JSON cannot carry a value that is no list or table; empty if it can."""
    if isinstance(value, str):
        return "" if is_unicode(value) else f"{quote_value(value)} is not Unicode text"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is not a finite number"
    if isinstance(value, int):
        return "" if abs(value) <= sys.float_info.max else f"{quote_value(value)} is out of range"
    shown_value = (
        str(value) if isinstance(value, datetime.date | datetime.time) else quote_value(value)
    )
    return f"{shown_value} ({type(value).__name__}) is not a number, text, list or table"


def to_toml(document: Mapping[str, Any]) -> str:
    """A document as TOML; its sections become tables, what is inside them stays on its line.

    They stay in their order, which is the order of the axes: only single values, of which none is
    an axis, go before the first table, as TOML wants it.
    """
    single = {key: value for key, value in document.items() if not _tables(value)}
    parts = [_toml_lines(single)] if single else []
    for key, value in document.items():
        head = f"[{key_text(key)}]" if isinstance(value, dict) else f"[[{key_text(key)}]]"
        parts += [f"{head}\n{_toml_lines(table)}" for table in _tables(value)]
    return "\n".join(parts)


def _tables(value: Any) -> list[dict[str, Any]]:
    """The tables of which a value of a document consists, if it does."""
    if isinstance(value, dict):
        return [value]
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    return []


def _toml_lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{key_text(key)} = {_toml_block(value)}\n" for key, value in table.items())


def _toml_block(value: Any) -> str:
    """A value; each table of a list on a line of its own."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return "[\n" + "".join(f"    {inline_toml(item)},\n" for item in value) + "]"
    return inline_toml(value)


def inline_toml(value: Any) -> str:
    """A value as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(k)} = {inline_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def key_text(key: str) -> str:
    """A key as TOML, in quotes where it needs them."""
    bare = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if bare else inline_toml(key)
