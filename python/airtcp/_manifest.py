"""The manifest of a results folder: what was run, and which files hold it.

It holds nothing of the machine and no times, so that equal campaigns have equal manifests.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp._files import writing
from airtcp.errors import InputError, unusable

NAME = "manifest.json"
FORMAT = 1


@dataclass(frozen=True)
class DataFile:
    """A file of the dataset, by its name in the folder."""

    name: str
    rows: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a results folder holds.

    - `scenario`: its document; `family`: "slot" or "path"; `seed`, `model`, `airtcp`: versions;
    - `replications`: runs per point, None if `precision` (the table stop.precision) rules;
    - `coordinates`: the columns that tell points from each other; `points`: their number;
    - `complete`: whether all runs are in `files`; `runs`, `rows`: how many these hold.
    """

    scenario: Mapping[str, Any]
    family: str
    seed: int
    replications: int | None
    precision: Mapping[str, Any] | None
    coordinates: Sequence[str]
    points: int
    complete: bool = False
    runs: int = 0
    rows: int = 0
    files: Sequence[DataFile] = ()
    model: int = _native.MODEL_VERSION
    airtcp: str = _native.__version__
    format: int = FORMAT

    @property
    def what(self) -> str:
        """What was asked for: equal for campaigns with equal results."""
        asked = replace(self, complete=False, runs=0, rows=0, files=())
        return hashlib.sha256(json.dumps(asdict(asked), sort_keys=True).encode()).hexdigest()

    def finished(self, runs: int, files: Sequence[DataFile]) -> Manifest:
        """The manifest of a complete dataset."""
        rows = sum(one.rows for one in files)
        return replace(self, complete=True, runs=runs, rows=rows, files=tuple(files))

    def write(self, folder: Path) -> None:
        """Put it in its place at once: a reader sees the old one or the new one."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"
        replace_file(folder / NAME, text.encode())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder. Raises `InputError` if it has none of this version."""
    path = folder / NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no results (there is no {NAME})") from None
    except OSError as error:
        raise unusable(path, error) from None
    except ValueError:
        raise InputError(f"{path}: is no JSON; the command that wrote it writes it again") from None
    try:
        if found["format"] != FORMAT:
            raise InputError(f"{path}: format = {found['format']}: must be {FORMAT} here")
        files = tuple(DataFile(**one) for one in found.pop("files"))
        return Manifest(files=files, **found)
    except (TypeError, KeyError):
        raise InputError(f"{path}: is no manifest of results") from None


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside its place, then move it there."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
    with writing(path):
        try:
            fresh.write_bytes(content)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
