"""The machinery of papers: parts, what they need in common, statements that are judged.

The paper here is made up, in a folder of its own with one line of registration; what it computes is
counted.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path
from threading import Event

import pytest

from airtcp import reproduce
from airtcp.papers import PAPERS, paper
from airtcp.papers.base import Need, PaperStudy
from hung import HUNG

PACKAGE = Path(__file__).parent.parent / "python/airtcp/papers"
FOLDER = {
    "__init__.py": '''"""A. Author, "On Squares", Journal of Examples, 2000."""

from airtcp.papers.base import Paper

from squares import figures
from squares.study import Study

PAPER = Paper(
    title="On Squares",
    summary="Squares of numbers.",
    references=("airtcp",),
    parts={"fig1": figures.ONE, "fig2": figures.TWO},
    study=Study,
)
''',
    "study.py": '''"""What is computed: squares."""

from functools import partial

from airtcp.papers.base import Need, PaperStudy as AnyStudy

COMPUTED = []


def square(number):
    COMPUTED.append(number)
    return number**2


def squares(count):
    return [Need(("square", n), 2.0, partial(square, n), "square") for n in range(count)]


class Study(AnyStudy):
    FULL, QUICK = 1000, 4

    def double(self):
        return self.compute_once("double", lambda: COMPUTED.append("double") or 2.0, words="double")
''',
    "figures.py": '''"""Figs. 1 and 2."""

import pandas as pd
from airtcp.papers.base import Judgement, Need, Part, Reproduction, judge_share, statement

from squares.study import squares


@statement(name="grow", text="Squares grow.", where="2", rule="each is above the one before")
def grow(table):
    steps = table["square"].diff().dropna()
    return Judgement(judge_share(steps > 0), f"{len(steps)} steps.", {"steps": len(steps)})


@statement(
    name="many",
    text="There are many.",
    where="3",
    rule=lambda study: f"{study.sizes} are more than 100",
    of="study",
)
def many(study):
    verdict = "holds" if study.sizes > 100 else "fails"
    return Judgement(verdict, f"{study.sizes} there are.", {"number": study.sizes})


def make(study):
    study.double()
    table = pd.DataFrame({"square": study.compute(squares(study.sizes))})
    return Reproduction(title="Squares", table=table)


def needs(sizes):
    return [*squares(sizes), Need("double")]


ONE, TWO = Part(make, (grow,), needs), Part(make, (grow, many), needs)
''',
}


@pytest.fixture
def squares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The paper, registered; what it has computed."""
    home = tmp_path / "home" / "squares"
    home.mkdir(parents=True)
    for name, text in FOLDER.items():
        (home / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(home.parent)
    for name in [module for module in sys.modules if module.partition(".")[0] == "squares"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(PAPERS, "squares", "squares")  # the one line
    paper("squares")
    found: list[object] = sys.modules["squares.study"].COMPUTED
    return found


def test_a_paper_is_a_folder_and_a_line(squares: list[object], tmp_path: Path) -> None:
    seen: list[tuple[str, float, float]] = []
    whole = reproduce(
        "squares", quick=True, out=tmp_path / "out", progress=lambda *report: seen.append(report)
    )
    assert Counter(squares) == Counter([0, 1, 2, 3, "double"])  # once for both parts
    assert whole["fig2"].table["square"].tolist() == [0, 1, 4, 9]
    verdicts = [(claim.name, claim.verdict) for claim in whole.claims]
    assert verdicts == [("grow", "holds"), ("grow", "holds"), ("many", "fails")]
    assert whole.claims[2].rule == "4 are more than 100"
    assert {total for _, _, total in seen} == {4 * 2.0 + 1.0 + 2.0}  # known from the start
    assert seen[-1][1] == seen[-1][2]
    assert Counter(words for words, *_ in seen) == {"square": 4, "double": 1, "Squares": 2}
    assert (tmp_path / "out/claims.csv").exists()
    assert sum(len(text.splitlines()) for text in FOLDER.values()) < 100


def test_a_part_alone_computes_what_it_needs(squares: list[object]) -> None:
    found = reproduce("squares/fig1", quick=True)
    assert [claim.name for claim in found.claims] == ["grow"]
    assert len(squares) == 5


def test_what_is_ahead_is_computed_longest_first() -> None:
    order: list[int] = []
    needs = [Need(n, float(n), lambda n=n: order.append(n) or n) for n in (1, 3, 2)]
    assert PaperStudy(jobs=1).compute(needs) == [1, 3, 2]
    assert order == [3, 2, 1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_fails_ahead_ends_the_rest(error: type[BaseException]) -> None:
    """Threads that compute are told, what waits is not begun, and the next run may compute."""
    told, begun = Event(), Event()

    def waits() -> None:
        begun.set()
        assert PaperStudy.GIVE_UP.wait(timeout=HUNG)
        told.set()

    def fails() -> None:
        begun.wait(timeout=HUNG)
        raise error

    never: list[bool] = []  # of 5 s in all
    needs = [Need("waits", 3.0, waits), Need("fails", 2.0, fails)]
    needs += [Need(n, 1.0, lambda: never.append(Event().wait(0.1))) for n in range(50)]
    study = PaperStudy(jobs=2)
    with pytest.raises(error):
        study.compute(needs)
    assert told.is_set()
    assert len(never) < 50
    assert not PaperStudy.GIVE_UP.is_set()
    assert study.compute([Need("after", 1.0, lambda: 7)]) == [7]


@pytest.mark.parametrize("name", PAPERS)
def test_what_a_paper_says_and_needs_is_known_before_it_is_computed(name: str) -> None:
    this = paper(name)
    statements = [statement for part in this.parts.values() for statement in part.statements]
    names = [statement.name for statement in statements]
    assert len(names) == len(set(names)) >= 10
    for statement in statements:
        assert statement.text.endswith(".")
        assert statement.where
        assert callable(statement.rule) or len(statement.rule) > 10
    sizes = this.study(quick=True).sizes
    needs = [list(part.needs(sizes)) for part in this.parts.values()]
    assert len({need.key for every in needs for need in every}) > len(this.parts) / 2
    assert all(need.cost > 0 for every in needs for need in every)


def imported(file: Path) -> set[Path]:
    """The files of papers that a file imports; `from package import module` means the module."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("airtcp.papers"):
            place = PACKAGE.joinpath(*(node.module or "").split(".")[2:])
            own = place.with_suffix(".py") if place.with_suffix(".py").exists() else None
            for alias in node.names:
                module = place / f"{alias.name}.py"
                inside = place / alias.name / "__init__.py"
                first = (path for path in (module, inside) if path.exists())
                found.add(own or next(first, place / "__init__.py"))
    return found


def test_papers_have_no_circles_of_imports() -> None:
    waiting = {file: imported(file) for file in PACKAGE.rglob("*.py")}
    assert PACKAGE / "base.py" in waiting[PACKAGE / "zorzi/study.py"]
    while free := [file for file, needed in waiting.items() if not needed & waiting.keys()]:
        for file in free:
            del waiting[file]
    assert not waiting


def test_papers_import_nothing_inside_a_function() -> None:
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = [
                    child
                    for child in ast.walk(node)
                    if isinstance(child, ast.Import | ast.ImportFrom)
                ]
                assert not inside, f"{file}:{node.lineno}"
