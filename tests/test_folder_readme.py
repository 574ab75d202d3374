"""The README of a results folder names every file that a user finds there."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

import airtcp as at
from airtcp.campaign.explained import FILE_DESCRIPTIONS, README_FILE

SCENARIO = {
    "profile": "linux",
    "path": {"hop": [{"rate": "2Mbps", "delay": "20ms", "queue": 10}]},
    "flow": [{"packets": 50}],
    "traffic": [{"rate": "100kbps", "packet": "500B"}],
    "stop": {"time": "5s", "replications": 2},
}


def _unnamed(folder: Path) -> list[str]:
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    assert README_FILE in names
    return [
        name
        for name in names
        if name != README_FILE and not any(fnmatch(name, p) for p in FILE_DESCRIPTIONS)
    ]


def test_every_file_of_a_run_is_explained(tmp_path: Path) -> None:
    at.run(SCENARIO, links=True, out=tmp_path)
    assert not _unnamed(tmp_path)
    said = (tmp_path / README_FILE).read_text(encoding="utf-8")
    assert all(name in said for name in (".writer", ".lock", "runs*.sqlite-commits"))


def test_every_file_of_a_reproduction_is_explained(tmp_path: Path) -> None:
    at.reproduce("zorzi/fig1", quick=True, out=tmp_path)
    assert not _unnamed(tmp_path)


@pytest.mark.parametrize(
    ("before", "stays"), [("Mine.\n", True), ("Results of airtcp: x\n", False)]
)
def test_the_readme_of_somebody_else_stays(before: str, stays: bool, tmp_path: Path) -> None:
    (tmp_path / README_FILE).write_text(before, encoding="utf-8")
    at.sweep(SCENARIO, tmp_path)
    assert ((tmp_path / README_FILE).read_text(encoding="utf-8") == before) is stays
