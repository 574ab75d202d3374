"""Requirements on every registered model and paper; the recipes for new ones suffice.

The examples are modules written by the test; the paper is the one of docs/howto/extend.md.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from airtcp import InputError, Scenario, analyse, models, reproduce
from airtcp.cli.main import main
from airtcp.models import MODELS
from airtcp.papers import PAPERS, paper, reproduce_all, targets
from airtcp.papers.base import Paper, PaperStudy, Part
from airtcp.report.references import bibliography

ROOT = Path(__file__).parent.parent
RECIPES = (ROOT / "docs/howto/extend.md").read_text(encoding="utf-8")
PAPER = re.findall(r"^```python\n(.*?)^```", RECIPES, re.MULTILINE | re.DOTALL)[0]
MODEL = '''"""A stub. It answers one half, whatever it is asked."""


def reason_not_covered(point):
    return "" if point.coordinates["tcp.window"] == 8 else "the stub knows window 8 only"


def answers(points, advance):
    advance(len(points))
    return [{"throughput": 0.5} for _ in points]
'''
BARE = '''"""A stub of a paper that says nothing but what it must."""

import pandas as pd

from airtcp.papers.base import Paper, Part, Reproduction


def part(study):
    return Reproduction(title="One", table=pd.DataFrame({"seed": [study.seed]}))


PAPER = Paper(title="T", summary="S.", references=("airtcp",), parts={"table1": Part(part)})
'''

Write = Callable[[str, str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Make a module that can be imported during the test."""
    home = tmp_path / "modules"
    home.mkdir()
    monkeypatch.syspath_prepend(home)

    def make(name: str, text: str) -> str:
        (home / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name

    return make


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_reachable_says_what_it_is_and_is_tested(name: str) -> None:
    module = MODELS[name]
    assert module is getattr(models, name)
    assert MODELS.homes[name] == f"airtcp.models.{name}"
    assert (module.__doc__ or "").splitlines()[0].endswith(".")
    assert any(inspect.isfunction(getattr(module, public_name)) for public_name in module.__all__)
    assert hasattr(module, "reason_not_covered") == hasattr(module, "answers")
    assert list((ROOT / "tests").glob(f"test_{name}*.py"))


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_keeps_the_contract(name: str) -> None:
    this = paper(name)
    assert isinstance(this, Paper)
    assert PAPERS[name] == f"airtcp.papers.{name}"
    assert this.title
    assert this.summary.endswith(".")
    assert this.references
    assert set(this.references) <= set(bibliography())
    assert this.parts
    assert all(re.fullmatch(r"[a-z0-9-]+", part) for part in this.parts)
    assert all(isinstance(part, Part) for part in this.parts.values())
    assert issubclass(this.study, PaperStudy)
    assert {"airtcp", "quick", "seed"} <= set(this.study(quick=True).facts())


def test_names_are_refused_and_listed() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        models.nothing  # noqa: B018
    assert set(MODELS) <= set(dir(models))
    with pytest.raises(InputError, match="paper"):
        paper("nothing")


def test_a_stub_of_a_model_is_listed_and_answers_for_its_profile(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS.homes, "stub", write("stub_model", MODEL))
    assert models.stub is MODELS["stub"]
    assert "A stub." in CliRunner().invoke(main, ["list", "models"]).output
    monkeypatch.setitem(MODELS.homes, "zorzi", "stub_model")
    channel = {"kind": "iid", "loss_rate": 0.01}
    tcp = {"variant": "tahoe", "window": [8, 9]}
    scenario = Scenario.from_dict({"profile": "zorzi", "tcp": tcp, "channel": channel})
    table = analyse(scenario)
    assert table["throughput"].tolist()[0] == 0.5
    assert table["note"].tolist() == ["", "the stub knows window 8 only"]


@pytest.mark.parametrize("text", [PAPER, BARE], ids=["of the recipe", "bare"])
def test_a_stub_of_a_paper_is_reproduced(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    monkeypatch.setitem(PAPERS, "stub", write("stub_paper", text))
    assert targets()[-2:] == ["stub", "stub/table1"]
    whole = reproduce("stub", quick=True)
    assert [part.name for part in whole.parts] == ["stub/table1"]
    assert whole.facts["quick"] is True
    part = reproduce("stub/table1", seed=3, out=tmp_path)
    assert part.facts["seed"] == 3
    assert part.report == tmp_path / "table1.html"
    page = part.report.read_text(encoding="utf-8")
    assert part.title in page
    assert "airtcp reproduce stub/table1 --seed 3" in page
    assert (tmp_path / "table1.csv").exists()


def test_a_bare_paper_has_a_page_an_index_and_a_line_in_the_list(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in list(PAPERS):
        monkeypatch.delitem(PAPERS, name)
    monkeypatch.setitem(PAPERS, "stub", write("stub_paper", BARE))
    seen: list[tuple[float, float]] = []
    (found,) = reproduce_all(out=tmp_path, progress=lambda what, *done: seen.append(done))
    assert seen == [(1.0, 1.0)]
    assert found.report == tmp_path / "stub" / "report.html"
    page = found.report.read_text(encoding="utf-8")
    assert "S." in page
    assert "claims" not in page.partition("<body>")[2].lower()
    assert (tmp_path / "index.html").exists()
    assert found.table.columns.tolist() == ["part", "title", "rows"]
    runner = CliRunner()
    assert "S." in runner.invoke(main, ["list", "papers"]).output
    for form in ("table", "json", "csv"):
        assert runner.invoke(main, ["reproduce", "stub", "--format", form]).exit_code == 0


LEANING = re.compile(
    r"(The same|What|Whether|Those|These|This|That|It|As|By|Also|Likewise|Ditto)\b"
)


def test_every_summary_is_understood_without_its_neighbours() -> None:
    listed = json.loads(CliRunner().invoke(main, ["list", "--format", "json"]).stdout)
    summaries = {
        f"{kind} {row['name']}": row["summary"] for kind, found in listed.items() for row in found
    }
    assert len(summaries) > 150
    assert [name for name, said in summaries.items() if LEANING.match(said)] == []
    names = {kind: [entry["name"] for entry in found] for kind, found in listed.items()}
    for kind in ("channels", "variants"):
        for row in listed[kind]:
            first = row["summary"].split(",")[0]
            assert not any(re.match(rf"(As|Like) {name}\b", first) for name in names[kind])
