"""A reproduction whose files lie in a folder, found again as long as nothing has changed.

A reproduction depends on the code of airtcp, compiled and not, on the libraries that compute and
draw, and on the options. If any of these, or any of the files, is different, it is computed anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from airtcp.campaign.manifest import replace_file
from airtcp.papers.claims import Claim
from airtcp.papers.result import Agreement, Reproduction
from airtcp.support.files import existing_directory, sha256_of_file
from airtcp.support.installation import COMPILED, PACKAGE

KEPT_FOLDER = "kept"
_LIBRARIES = ("jinja2", "matplotlib", "numpy", "pandas", "scipy")
_SOURCES = (".py", ".toml", ".j2", ".csv", ".json", ".css", ".js")


def keep_reproduction(reproduction: Reproduction, out: Path, options: Mapping[str, Any]) -> None:
    """Note, beside the files of a reproduction, everything that it depends on."""
    existing_directory(out / KEPT_FOLDER)
    files = {name: sha256_of_file(out / name) for name in _file_names(reproduction)}
    note = {
        "key": _key(reproduction.name, options),
        "files": files,
        "reproduction": _reproduction_data(reproduction),
    }
    replace_file(_kept_file(out, reproduction.name), json.dumps(note).encode())


def restore_reproduction(target: str, out: Path, options: Mapping[str, Any]) -> Reproduction | None:
    """The reproduction whose files lie in a folder, without its figures; None if there is none.

    None also if anything that it depends on has changed.
    """
    try:
        note = json.loads(_kept_file(out, target).read_bytes())
        if note["key"] != _key(target, options):
            return None
        if any(sha256_of_file(out / name) != digest for name, digest in note["files"].items()):
            return None
        return _reproduction(note["reproduction"], out)
    except (OSError, ValueError, KeyError, TypeError):  # damaged, or of another version
        return None


def _kept_file(out: Path, target: str) -> Path:
    return out / KEPT_FOLDER / f"{target.replace('/', '-')}.json"


def _key(target: str, options: Mapping[str, Any]) -> str:
    paper = target.partition("/")[0]
    parts = [_code_digest(paper), target, json.dumps(options, sort_keys=True)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def _code_digest(paper: str) -> str:
    """A digest of the code that computes a paper."""
    digest = hashlib.sha256()
    digest.update(f"Python {sys.version}\n".encode())
    for name in _LIBRARIES:
        digest.update(f"{name} {version(name)}\n".encode())
    for path in sorted((*_sources(paper), COMPILED)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _sources(paper: str) -> Iterator[Path]:
    """The files of the package without the files of other papers."""
    papers = PACKAGE / "papers"
    for path in PACKAGE.rglob("*"):
        inside = path.relative_to(papers).parts if path.is_relative_to(papers) else ()
        other = len(inside) > 1 and inside[0] != paper
        if path.suffix in _SOURCES and not other:
            yield path


def _file_names(reproduction: Reproduction) -> Iterator[str]:
    """Files of a reproduction that lie beside its page."""
    parts = reproduction.parts or (reproduction,)
    if reproduction.report is not None:
        yield reproduction.report.name
    yield from (f"{name}.csv" for name in reproduction.files)
    for part in parts:
        if part.figure is not None:
            yield f"{part.slug}.svg"


def _reproduction_data(reproduction: Reproduction) -> dict[str, Any]:
    """Data of a reproduction without the figure."""
    return {
        "name": reproduction.name,
        "title": reproduction.title,
        "text": reproduction.text,
        "table": _rows(reproduction.table),
        "tables": {name: _rows(table) for name, table in reproduction.tables.items()},
        "claims": [asdict(claim) for claim in reproduction.claims],
        "agreement": None if reproduction.agreement is None else asdict(reproduction.agreement),
        "references": list(reproduction.references),
        "facts": dict(reproduction.facts),
        "report": None if reproduction.report is None else reproduction.report.name,
        "cover": reproduction.cover,
        "parts": [_reproduction_data(part) for part in reproduction.parts],
    }


def _rows(table: pd.DataFrame) -> dict[str, Any]:
    return {
        "columns": [str(name) for name in table],
        "dtypes": [str(kind) for kind in table.dtypes],
        "rows": table.to_numpy(dtype=object).tolist(),
    }


def _reproduction(data: Mapping[str, Any], out: Path) -> Reproduction:
    agreement = data["agreement"]
    return Reproduction(
        name=data["name"],
        title=data["title"],
        text=data["text"],
        table=_table(data["table"]),
        tables={name: _table(rows) for name, rows in data["tables"].items()},
        claims=tuple(Claim(**claim) for claim in data["claims"]),
        agreement=None if agreement is None else Agreement(**agreement),
        references=tuple(data["references"]),
        facts=data["facts"],
        cover=data["cover"],
        report=None if data["report"] is None else out / data["report"],
        parts=tuple(_reproduction(part, out) for part in data["parts"]),
    )


def _table(data: Mapping[str, Any]) -> pd.DataFrame:
    kinds = dict(zip(data["columns"], data["dtypes"], strict=True))
    return pd.DataFrame(data["rows"], columns=data["columns"]).astype(kinds)
