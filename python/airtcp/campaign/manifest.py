"""The manifest of a results folder: the campaign, and the files that hold it.

It holds nothing of the machine and no times, so that equal campaigns have equal manifests.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp.errors import InputError, quote_value, unusable_file_error
from airtcp.scenario.renamed import present_document, present_path
from airtcp.support.files import replace_file_with

MANIFEST_FILE, DATA_FOLDER = "manifest.json", "data"
FORMAT_VERSION = 1
SIMULATION = "simulation"  # whose runs a folder has that does not say it


@dataclass(frozen=True)
class DataFile:
    """A file of the dataset, by its name in the folder."""

    name: str
    rows: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Content of a results folder.

    - `scenario`: its document; `family`: "slot" or "path"; `seed`: the seed; `model`, `airtcp`:
      versions of the model and of the program;
    - `replications`: runs per point, None if `precision` (the table stop.precision) rules;
    - `coordinates`: the columns that identify a point; `points`: number of points;
    - `exact`: number of points without randomness, which have one run (0 in folders of versions
      that did not look);
    - `links`: true if links and cross-traffic are there too; `engines`: the engines with runs;
    - `options`: for each engine with options, the options on which its runs depend (`RunStorage`);
    - `complete`: true if all runs are there, in `files` or, without files, in the journal;
    - `runs`: number of simulated runs; `rows`: number of rows in their table; `measured`: number of
      runs of each other engine;
    - `transient`: a warning if the beginning of runs weighs in their means; empty if it does not;
      None if nobody has looked.
    """

    scenario: Mapping[str, Any]
    family: str
    seed: int
    replications: int | None
    precision: Mapping[str, Any] | None
    coordinates: Sequence[str]
    points: int
    exact: int = 0
    links: bool = False
    engines: Sequence[str] = (SIMULATION,)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    complete: bool = False
    runs: int = 0
    rows: int = 0
    measured: Mapping[str, int] = field(default_factory=dict)
    transient: str | None = None
    files: Sequence[DataFile] = ()
    model: int = _native.MODEL_VERSION
    airtcp: str = _native.__version__
    format: int = FORMAT_VERSION

    @property
    def request_digest(self) -> str:
        """Digest of the request: equal for campaigns with equal results."""
        asked = replace(self, complete=False, runs=0, rows=0, measured={}, transient=None, files=())
        return _digest(asdict(asked))

    def as_finished(
        self,
        runs: int,
        rows: int,
        files: Sequence[DataFile],
        measured: Mapping[str, int] | None = None,
    ) -> Manifest:
        """The manifest of a complete sweep, with the files of its dataset if it has one."""
        return replace(
            self,
            complete=True,
            runs=runs,
            rows=rows,
            measured=dict(measured or {}),
            files=tuple(files),
        )

    def write(self, folder: Path) -> None:
        """Write the manifest in one step: a reader sees the old one or the new one."""
        content = asdict(self)
        content["digest"] = _digest(content)
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        replace_file(folder / MANIFEST_FILE, text.encode())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder. Raises `InputError` if it has none of this version."""
    path = folder / MANIFEST_FILE
    if folder.is_file():
        raise InputError(f"{folder}: is a file; give the folder of a sweep")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a regular file")
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder") from None
        writes = "airtcp sweep FILE --out DIR writes one"
        raise InputError(
            f"{folder}: has no results: {MANIFEST_FILE} is missing ({writes})"
        ) from None
    except OSError as error:
        raise unusable_file_error(path, error) from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{path}: is not JSON; the command that wrote it writes it again"
        ) from None
    return _check_manifest(path, document)


def _check_manifest(path: Path, document: Any) -> Manifest:
    """The manifest in a file, checked; `InputError` names the first key that is wrong."""
    if not isinstance(document, dict):
        raise InputError(f"{path}: {quote_value(document)} must be a table of keys")
    if document.get("format") != FORMAT_VERSION:
        raise InputError(
            f"{path}: format = {quote_value(document.get('format'))}: must be {FORMAT_VERSION} here"
        )
    for key, value in document.items():
        if key not in _ALLOWED_VALUES:
            raise InputError(f"{path}: {quote_value(key)}: unknown key")
        allowed, holds = _ALLOWED_VALUES[key]
        if not holds(value):
            raise InputError(f"{path}: {key} = {quote_value(value)}: must be {allowed}")
    missing = next(
        (
            key
            for key in _ALLOWED_VALUES
            if key not in document and key not in _KEYS_OF_NEWER_VERSIONS
        ),
        None,
    )
    if missing is not None:
        raise InputError(f"{path}: {missing} is missing: must be {_ALLOWED_VALUES[missing][0]}")
    files = tuple(_data_file(path, i, entry) for i, entry in enumerate(document["files"]))
    if document.pop("digest") != _digest(document):
        raise InputError(
            f"{path}: was changed after it was written; the command that wrote it writes it again"
        )
    scenario = present_document(document["scenario"], tell=False)
    names = [present_path(name, tell=False) for name in document["coordinates"]]
    present = {"files": files, "scenario": scenario, "coordinates": names}
    return Manifest(**(_with_present_keys(document) | present))


def _with_present_keys(document: dict[str, Any]) -> dict[str, Any]:
    """A manifest with the present names of its keys.

    In older manifests only one engine could keep runs beside the simulation. Its option and the
    number of its runs had keys of their own.
    """
    known_keys = {
        key: value for key, value in document.items() if key not in _KEYS_OF_OLDER_VERSIONS
    }
    if _OLD_ENGINE not in document.get("engines", ()) or len(known_keys) == len(document):
        return known_keys
    measured = {_OLD_ENGINE: document.get("live_runs", 0)} if document["complete"] else {}
    options = {_OLD_ENGINE: {"stack": document.get("stack", "")}}
    return known_keys | {"options": options, "measured": measured}


def _digest(content: Mapping[str, Any]) -> str:
    """Digest of the manifest's content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_table_of_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _is_table_of_tables(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(entry, dict) for entry in value.values())


def _is_list_of_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


_COUNT_RULE = ("a whole number", _is_count)
_FLAG_RULE = ("true or false", lambda value: isinstance(value, bool))
_ALLOWED_VALUES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "scenario": ("a scenario", lambda value: isinstance(value, dict)),
    "family": ("slot or path", lambda value: value in ("slot", "path")),
    "seed": _COUNT_RULE,
    "replications": ("a whole number or null", lambda value: value is None or _is_count(value)),
    "precision": ("a table or null", lambda value: value is None or isinstance(value, dict)),
    "coordinates": ("a list of names", _is_list_of_names),
    "points": _COUNT_RULE,
    "exact": _COUNT_RULE,
    "links": _FLAG_RULE,
    "engines": ("a list of names", _is_list_of_names),
    "options": ("tables by engine", _is_table_of_tables),
    "stack": ("a text", lambda value: isinstance(value, str)),
    "complete": _FLAG_RULE,
    "runs": _COUNT_RULE,
    "rows": _COUNT_RULE,
    "measured": ("whole numbers by engine", _is_table_of_counts),
    "live_runs": _COUNT_RULE,
    "transient": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "files": ("a list", lambda value: isinstance(value, list)),
    "model": _COUNT_RULE,
    "airtcp": ("a version", lambda value: isinstance(value, str)),
    "format": _COUNT_RULE,
    "digest": ("64 hex digits", lambda value: isinstance(value, str)),
}
_KEYS_OF_OLDER_VERSIONS = ("stack", "live_runs")  # keys of older folders
_OLD_ENGINE = "live"  # which they are of
_KEYS_OF_NEWER_VERSIONS = {
    "exact",
    "links",
    "engines",
    "options",
    "measured",
    "transient",
    *_KEYS_OF_OLDER_VERSIONS,
}
_FILE_NAME = re.compile(r"data/[A-Za-z0-9._-]+\.parquet")
_SHA256 = re.compile("[0-9a-f]{64}")
_FILE_ENTRY_RULES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "name": ("data/NAME.parquet", lambda v: isinstance(v, str) and bool(_FILE_NAME.fullmatch(v))),
    "rows": _COUNT_RULE,
    "sha256": ("64 hex digits", lambda v: isinstance(v, str) and bool(_SHA256.fullmatch(v))),
}


def _data_file(path: Path, index: int, entry: Any) -> DataFile:
    table = entry if isinstance(entry, dict) else {}
    for key, (allowed, holds) in _FILE_ENTRY_RULES.items():
        if not holds(table.get(key)):
            value = quote_value(table.get(key))
            raise InputError(f"{path}: files[{index}].{key} = {value}: must be {allowed}")
    return DataFile(table["name"], table["rows"], table["sha256"])


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside its place, then move it there."""
    with replace_file_with(path) as fresh:
        fresh.write_bytes(content)
