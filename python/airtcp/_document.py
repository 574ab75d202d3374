"""Scenario documents as plain data: read from files, made from Python objects, written as TOML."""

from __future__ import annotations

import datetime
import difflib
import json
import math
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from airtcp._files import file_name, is_unicode
from airtcp.errors import ScenarioError, shown, unusable

MOST_DEPTH = 32  # of lists and tables in each other
MOST = 2**63


def read(path: str | Path) -> dict[str, Any]:
    """The document in a TOML file, or in a JSON file if its name ends in .json.

    Raises `InputError` for a file that is missing, a directory, not UTF-8, or not TOML.
    """
    file = file_name("file", path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(str(path), "", f"not UTF-8 text (at byte {error.start})") from None
    except IsADirectoryError:
        raise ScenarioError(str(path), "", "is a directory; give a scenario file") from None
    except FileNotFoundError:
        raise ScenarioError(str(path), "", f"no such file{_near(file)}") from None
    except OSError as error:
        raise unusable(path, error) from None
    return _parsed(text, str(path), "JSON" if file.suffix == ".json" else "TOML")


def _near(file: Path) -> str:
    """A hint at the scenario whose name is nearest, beside `file` or among the examples."""
    found = [one for folder in (Path("examples"), file.parent) for one in folder.glob("*.toml")]
    names = {one.stem: one for one in found}
    near = difflib.get_close_matches(file.stem, names, n=1)
    return f" (did you mean {names[near[0]]}?)" if near else ""


def _parsed(text: str, source: str, language: str) -> dict[str, Any]:
    try:
        if language == "JSON":
            found = json.loads(text, object_pairs_hook=_without_repeats)
        else:
            found = tomllib.loads(text)
    except RecursionError:
        raise ScenarioError(source, "", f"not a {language} scenario: nested too deeply") from None
    except ValueError as error:
        raise ScenarioError(source, "", f"not valid {language}: {error}") from None
    if not isinstance(found, dict):
        raise ScenarioError(source, "", "a scenario is a table of keys")
    return found


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shown(key)} occurs twice in one table")
        found[key] = value
    return found


def plain(value: Any, depth: int = 0) -> Any:
    """Dataclasses, tuples and NumPy values as dictionaries, lists and numbers; None left out.

    What lies deeper than `MOST_DEPTH` stays as it is, for `refuse_non_json`.
    """
    if depth > MOST_DEPTH:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return _plain_dataclass(value, depth)
    if isinstance(value, Mapping):
        return {key: plain(item, depth + 1) for key, item in value.items() if item is not None}
    if not isinstance(value, type) and hasattr(value, "tolist"):  # NumPy arrays and scalars
        return plain(value.tolist(), depth + 1)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        simple = set(map(type, value)) <= {int, float, str}  # at once: measurements are long
        return list(value) if simple else [plain(item, depth + 1) for item in value]
    return value


def _plain_dataclass(value: Any, depth: int) -> dict[str, Any]:
    kind = getattr(value, "kind", None)
    found = {} if kind is None else {"kind": kind}
    for field in fields(value):
        item = plain(getattr(value, field.name), depth + 1)
        if item is not None and item != plain(field.default):
            found[field.name.rstrip("_")] = item
    return found


def refuse_non_json(value: Any, source: str, path: str = "", depth: int = 0) -> None:
    """`InputError` for what JSON cannot carry: NaN, infinities, dates, other objects."""
    if depth > MOST_DEPTH:
        raise ScenarioError(source, path.partition("[")[0], "nested too deeply")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or not is_unicode(key):
                raise ScenarioError(source, path, f"the key {shown(key)} is not a text")
            refuse_non_json(item, source, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        if set(map(type, value)) == {int} and max(map(abs, value)) < MOST:
            return
        for index, item in enumerate(value):
            refuse_non_json(item, source, f"{path}[{index}]", depth + 1)
    elif reason := _why_not_json(value):
        raise ScenarioError(source, path, reason)


def _why_not_json(value: Any) -> str:
    """Why JSON cannot carry a value that is no list or table; empty if it can."""
    if isinstance(value, str):
        return "" if is_unicode(value) else f"{shown(value)} is not Unicode text"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is not a finite number"
    if isinstance(value, int):
        return "" if abs(value) <= sys.float_info.max else f"{shown(value)} is out of range"
    said = str(value) if isinstance(value, datetime.date | datetime.time) else shown(value)
    return f"{said} ({type(value).__name__}) is not a number, text, list or table"


def to_toml(document: Mapping[str, Any]) -> str:
    """A document as TOML; its sections become tables, what is inside them stays on its line."""
    plain_keys = {key: value for key, value in document.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    parts = [_lines(plain_keys)] if plain_keys else []
    parts += [f"[{_key(key)}]\n{_lines(table)}" for key, table in tables.items()]
    return "\n".join(parts)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_block(value)}\n" for key, value in table.items())


def _block(value: Any) -> str:
    """A value; each table of a list on a line of its own."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return "[\n" + "".join(f"    {_inline(item)},\n" for item in value) + "]"
    return _inline(value)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if bare else _inline(key)
