"""The manifest of a results folder: what it says is checked before anything is read by it.

A folder holds `manifest.json` and, once the sweep has ended, Parquet files in `data/`, each with
its number of rows and its SHA-256 in the manifest. What is not there, not as the manifest says, or
not in the manifest is a *problem*: a line that names the file. Such a file is not used.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp._files import file_name
from airtcp.errors import InputError, count, os_reason, shown, unusable

FORMAT = 1
MANIFEST, DATA = "manifest.json", "data"
_NAME = re.compile(rf"{DATA}/[A-Za-z0-9._-]+\.parquet")
_SHA256 = re.compile("[0-9a-f]{64}")
_HASHING_THREADS = 4  # hashlib releases the GIL


@dataclass(frozen=True)
class DataFile:
    """One Parquet file as the manifest names it."""

    name: str
    rows: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What `manifest.json` says: `data` is all of it, the rest what is read most."""

    data: Mapping[str, Any]
    complete: bool
    family: str
    coordinates: tuple[str, ...]
    points: int
    files: tuple[DataFile, ...]


def read_manifest(folder: str | Path) -> Manifest:
    """The manifest in `folder`. Raises `InputError` for a folder that holds no results."""
    place = file_name("folder", folder, "the name of a folder with results")
    path = place / MANIFEST
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        if not place.is_dir():
            raise InputError(f"{place}: no such folder") from None
        writes = "airtcp sweep FILE --out DIR writes one"
        raise InputError(f"{place}: holds no results: no {MANIFEST} ({writes})") from None
    except OSError as error:
        raise unusable(path, error) from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not JSON, or cut short") from None
    return _checked(path, data)


def _checked(path: Path, data: Any) -> Manifest:
    """`data` as a manifest, or `InputError` with the first key that is wrong."""
    if not isinstance(data, dict):
        raise InputError(f"{path}: {shown(data)} is no table of keys")
    if data.get("format") != FORMAT:
        known = f"this version reads format {FORMAT}"
        raise InputError(f"{path}: format = {shown(data.get('format'))}: {known}")
    for key, (allowed, holds) in _EXPECTED.items():
        if key not in data:
            raise InputError(f"{path}: {key} is missing: must be {allowed}")
        if not holds(data[key]):
            raise InputError(f"{path}: {key} = {shown(data[key])}: must be {allowed}")
    files = tuple(_data_file(path, i, one) for i, one in enumerate(data["files"]))
    return Manifest(
        data=data,
        complete=data["complete"],
        family=data["family"],
        coordinates=tuple(data["coordinates"]),
        points=data["points"],
        files=files,
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


_EXPECTED: dict[str, tuple[str, Any]] = {
    "complete": ("true or false", lambda value: isinstance(value, bool)),
    "model": ("a whole number", _is_count),
    "seed": ("a whole number", _is_count),
    "scenario": ("a scenario", lambda value: isinstance(value, dict)),
    "family": ("slot or path", lambda value: value in ("slot", "path")),
    "coordinates": ("a list of names", _is_names),
    "points": ("a whole number", _is_count),
    "files": ("a list", lambda value: isinstance(value, list)),
}


_OF_A_FILE: dict[str, tuple[str, Any]] = {
    "name": ("data/NAME.parquet", lambda v: isinstance(v, str) and _NAME.fullmatch(v)),
    "rows": ("a whole number", _is_count),
    "sha256": ("64 hex digits", lambda v: isinstance(v, str) and _SHA256.fullmatch(v)),
}


def _data_file(path: Path, index: int, entry: Any) -> DataFile:
    table = entry if isinstance(entry, dict) else {}
    for key, (said, holds) in _OF_A_FILE.items():
        if not holds(table.get(key)):
            value = shown(table.get(key))
            raise InputError(f"{path}: files[{index}].{key} = {value}: must be {said}")
    return DataFile(table["name"], table["rows"], table["sha256"])


# The files


def check_files(folder: Path, manifest: Manifest) -> tuple[list[Path], list[str]]:
    """(files that are what the manifest says, problems): every byte of every file is read."""
    with ThreadPoolExecutor(_HASHING_THREADS) as pool:
        found = list(pool.map(lambda one: _problem(folder / one.name, one), manifest.files))
    good = [
        folder / one.name for one, said in zip(manifest.files, found, strict=True) if said is None
    ]
    return good, [*filter(None, found), *_foreign(folder, manifest.files)]


def _problem(path: Path, entry: DataFile) -> str | None:
    """Why a file cannot be used."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return f"{path}: missing, {count(entry.rows, 'row')} are not there"
    except OSError as error:
        return f"{path}: {os_reason(error)}; skipped"
    if digest != entry.sha256:
        return f"{path}: damaged (its SHA-256 is not the manifest's); skipped"
    return None


def _foreign(folder: Path, files: Sequence[DataFile]) -> Iterator[str]:
    """What lies among the data and was not written with it."""
    known = {entry.name for entry in files}
    try:
        there = sorted((folder / DATA).iterdir())
    except OSError:
        return
    for path in there:
        if f"{DATA}/{path.name}" not in known:
            what = "" if _is_parquet(path) else "not Parquet and "
            yield f"{path}: {what}not in the manifest; skipped"


def _is_parquet(path: Path) -> bool:
    """Whether a file begins and ends as Parquet does."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
            file.seek(-4, 2)
            return head == file.read(4) == b"PAR1"
    except OSError:
        return False
