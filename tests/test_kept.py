"""A reproduction that lies in a folder is taken from there as long as nothing has changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import airtcp
from airtcp.papers import kept as _kept
from airtcp.papers import paper
from airtcp.papers.base import PaperStudy, Part, Reproduction

TARGET = "zorzi/table1"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The parts of the paper that were computed."""
    found: list[str] = []
    parts = dict(paper("zorzi").parts)

    def counting(name: str, part: Part) -> Part:
        def make(study: PaperStudy) -> Reproduction:
            found.append(name)
            return part.make(study)

        return replace(part, make=make)

    for name, part in parts.items():
        monkeypatch.setitem(paper("zorzi").parts, name, counting(name, part))
    return found


def again(out: Path, **options: int) -> Reproduction:
    return airtcp.reproduce(TARGET, quick=True, out=out, again=False, **options)  # type: ignore[arg-type]


def test_nothing_changed(tmp_path: Path, computed: list[str]) -> None:
    first = again(tmp_path)
    second = again(tmp_path)
    assert computed == ["table1"]
    pd.testing.assert_frame_equal(first.table, second.table, check_exact=True)
    for name in ("name", "title", "text", "claims", "agreement", "references", "report"):
        assert getattr(first, name) == getattr(second, name)
    assert dict(first.facts) == dict(second.facts)
    assert second.report is not None
    assert second.report.exists()


def test_it_is_computed_when_that_is_asked_for(tmp_path: Path, computed: list[str]) -> None:
    again(tmp_path)
    airtcp.reproduce(TARGET, quick=True, out=tmp_path)
    assert computed == ["table1", "table1"]


def test_other_options(tmp_path: Path, computed: list[str]) -> None:
    again(tmp_path)
    again(tmp_path, seed=2)
    assert len(computed) == 2
    again(tmp_path, seed=2, jobs=1)  # the results do not depend on the number of threads
    assert len(computed) == 2


def test_a_file_that_was_changed_or_lost(tmp_path: Path, computed: list[str]) -> None:
    again(tmp_path)
    table = tmp_path / "table1.csv"
    whole = table.read_text()
    table.write_text(whole + "x\n")
    again(tmp_path)
    assert table.read_text() == whole
    (tmp_path / "table1.html").unlink()
    again(tmp_path)
    assert len(computed) == 3


@pytest.mark.parametrize("text", ["", "{", '{"key": 1}', "[]", "null"])
def test_a_note_that_cannot_be_read(text: str, tmp_path: Path, computed: list[str]) -> None:
    again(tmp_path)
    (tmp_path / "kept" / "zorzi-table1.json").write_text(text)
    again(tmp_path)
    assert len(computed) == 2


def test_other_code(tmp_path: Path, computed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    again(tmp_path)
    monkeypatch.setattr(_kept, "_code_digest", lambda paper: f"other code of {paper}")
    again(tmp_path)
    again(tmp_path)
    assert len(computed) == 2


def test_the_code_of_a_paper_is_not_that_of_the_others() -> None:
    for name in ("zorzi", "elaarag"):
        files = {path.as_posix() for path in _kept._sources(name)}
        assert any(path.endswith(f"papers/{name}/study.py") for path in files)
        assert any(path.endswith("papers/base.py") for path in files)
        assert any(path.endswith("airtcp/stats/intervals.py") for path in files)
        assert any(path.endswith("templates/paper.html.j2") for path in files)
        assert not any("/papers/" in path and path.count("/papers/elaarag/") for path in files) or (
            name == "elaarag"
        )


def test_tables_come_back_as_they_were() -> None:
    table = pd.DataFrame(
        {
            "variant": ["tahoe", "reno"],
            "throughput": [0.1 + 0.2, float("nan")],
            "runs": [3, 4],
            "holds": [True, False],
            "note": [None, "x"],
        }
    )
    reproduction = Reproduction(title="t", table=table, name="x/y")
    back = _kept._reproduction(_kept._reproduction_data(reproduction), Path())
    pd.testing.assert_frame_equal(back.table, table, check_exact=True)
