"""Scenario documents as plain data: read from files, made from Python objects, written as TOML."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import ScenarioError, unusable


def read(path: str | Path) -> dict[str, Any]:
    """The document in a TOML file, or in a JSON file if its name ends in .json.

    Raises `InputError` for a file that is missing, a directory, not UTF-8, or not TOML.
    """
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(str(path), "", f"not UTF-8 text (at byte {error.start})") from None
    except IsADirectoryError:
        raise ScenarioError(str(path), "", "is a directory; give a scenario file") from None
    except FileNotFoundError:
        raise ScenarioError(str(path), "", "no such file") from None
    except ValueError as error:  # a null byte in the name
        raise ScenarioError(str(path), "", str(error)) from None
    except OSError as error:
        raise unusable(path, error) from None
    return _parsed(text, str(path), "JSON" if file.suffix == ".json" else "TOML")


def _parsed(text: str, source: str, language: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if language == "JSON" else tomllib.loads(text)
    except RecursionError:
        raise ScenarioError(source, "", f"not a {language} scenario: nested too deeply") from None
    except ValueError as error:
        raise ScenarioError(source, "", f"not valid {language}: {error}") from None
    if not isinstance(found, dict):
        raise ScenarioError(source, "", "a scenario is a table of keys")
    return found


def plain(value: Any) -> Any:
    """Dataclasses, tuples and NumPy values as dictionaries, lists and numbers; None left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain_dataclass(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items() if item is not None}
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [plain(item) for item in value]
    return value


def _plain_dataclass(value: Any) -> dict[str, Any]:
    kind = getattr(value, "kind", None)
    found = {} if kind is None else {"kind": kind}
    for field in fields(value):
        item = plain(getattr(value, field.name))
        if item is not None and item != plain(field.default):
            found[field.name.rstrip("_")] = item
    return found


def refuse_non_json(value: Any, source: str, path: str = "") -> None:
    """`InputError` for what JSON cannot carry: NaN, infinities, dates, other objects."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ScenarioError(source, path, f"the key {key!r} is not a text")
            refuse_non_json(item, source, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            refuse_non_json(item, source, f"{path}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ScenarioError(source, path, f"{value} is not a finite number")
    elif not isinstance(value, (str, bool, int, float)):
        kind = type(value).__name__
        raise ScenarioError(source, path, f"{value} ({kind}) is not a number, text, list or table")


def to_toml(document: Mapping[str, Any]) -> str:
    """A document as TOML; its sections become tables, what is inside them stays on its line."""
    plain_keys = {key: value for key, value in document.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    parts = [_lines(plain_keys)] if plain_keys else []
    parts += [f"[{_key(key)}]\n{_lines(table)}" for key, table in tables.items()]
    return "\n".join(parts)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_inline(value)}\n" for key, value in table.items())


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
