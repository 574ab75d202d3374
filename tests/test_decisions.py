"""Records of decisions have their parts, and every dependency has its reason."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from modules import module

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs/decisions"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))
PARTS = ("Context", "Decision", "Alternatives", "Consequences")
# Names of modules that are not those of what is installed.
DISTRIBUTIONS = {"yaml": "pyyaml", "fontTools": "fonttools", "PIL": "pillow"}
# Come with what is named here.
WITH_OTHERS = {
    "_pytest": "pytest",
    "dask": "distributed",
    "psutil": "distributed",
    "packaging": "pytest",
    "nbformat": "nbclient",
}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_is_short_and_has_its_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    number = int(path.name.split("-")[0])
    assert re.match(rf"# {number}\. \S.*\n\n2\d{{3}}-\d\d-\d\d\n\n", text)
    assert tuple(re.findall(r"^\*\*(\w+)\.\*\* \S", text, re.MULTILINE)) == PARTS
    assert len(text.split()) <= 150


def test_records_are_numbered_without_gaps_in_the_order_of_their_dates() -> None:
    assert len(RECORDS) > 50
    assert [int(path.name[:3]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))
    dates = [path.read_text(encoding="utf-8").splitlines()[2] for path in RECORDS]
    assert dates == sorted(dates)


def test_a_record_names_files_that_are_there() -> None:
    """Of what looks like a path, in code marks, some file of the repository ends with it."""
    files = [
        str(path.relative_to(ROOT)).replace("/src/", "/")
        for place in ("crates", "python", "scripts", "tests", "docs", "bench")
        for path in (ROOT / place).rglob("*")
        if "target" not in path.parts
    ]
    wrong = []
    for path in RECORDS:
        for name in re.findall(r"`([\w./]+\.(?:rs|py|md))`", path.read_text(encoding="utf-8")):
            if not any(file.endswith(f"/{name}") or file == name for file in files):
                wrong.append((path.name, name))
    assert [citation for citation in wrong if not (ROOT / citation[1]).exists()] == []


def test_a_record_without_its_head_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = module("decisions")
    (tmp_path / "001-a.md").write_text("# 1. A title\n\n2026-11-20\n", encoding="utf-8")
    monkeypatch.setattr(decisions, "FOLDER", tmp_path)
    assert decisions.page().endswith("| 2026-11-20 | 1. [A title](001-a.md) |\n")
    (tmp_path / "002-b.md").write_text("# A title\n\n2026-11-20\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"002-b\.md does not begin with a number"):
        decisions.page()


# Dependencies.


def reasons() -> set[str]:
    """The names in the first column of the table."""
    page = (FOLDER / "dependencies.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(.*?)`", cell)}


def of_rust() -> set[str]:
    """Dependencies of the crates besides each other."""
    found: set[str] = set()
    for path in ROOT.glob("crates/*/Cargo.toml"):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for table in (document, *document.get("target", {}).values()):
            found |= table.get("dependencies", {}).keys() | table.get("dev-dependencies", {}).keys()
    return {name for name in found if not name.startswith("airtcp-")}


def of_python() -> set[str]:
    """Dependencies in pyproject.toml."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = document["project"]
    asked = [*document["build-system"]["requires"], *project["dependencies"]]
    asked += [
        requirement for extra in project["optional-dependencies"].values() for requirement in extra
    ]
    return {re.split(r"[<>=\[]", requirement)[0] for requirement in asked}


def of_node() -> set[str]:
    """Dependencies of the page."""
    document = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    return {*document["dependencies"], *document["devDependencies"]}


def imported() -> Iterator[str]:
    """Distributions that Python files outside the package import, without Python's own modules."""
    files = [path for place in ("scripts", "tests", "bench") for path in (ROOT / place).rglob("*")]
    here = {path.stem for path in files} | {"airtcp", "ns", "cppyy"}  # the last two are ns-3's
    for path in (file for file in files if file.suffix == ".py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in (text.split(".")[0] for text in names):
                if name not in here and name not in sys.stdlib_module_names:
                    yield WITH_OTHERS.get(name, DISTRIBUTIONS.get(name, name))


def pinned() -> set[str]:
    """All that the lists of requirements pin, and the locks of Cargo and npm."""
    found = set(re.findall(r'^name = "(.*)"', (ROOT / "Cargo.lock").read_text("utf-8"), re.M))
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    found |= {name.rpartition("node_modules/")[2] for name in lock["packages"]}
    for path in ROOT.glob("requirements*.txt"):
        found |= set(re.findall(r"^([\w-]+)==", path.read_text(encoding="utf-8"), re.MULTILINE))
    return found


def test_every_dependency_has_its_reason() -> None:
    assert of_rust() > {"serde", "nix", "proptest"}
    assert of_python() > {"numpy", "pyarrow", "maturin"}
    assert set(imported()) > {"pytest", "pyyaml", "hypothesis"}
    assert of_node() > {"vite", "preact"}
    assert (of_rust() | of_python() | of_node() | set(imported())) - reasons() == set()


def test_the_lock_of_the_page_names_no_registry() -> None:
    lock = (ROOT / "web" / "package-lock.json").read_text(encoding="utf-8")
    packages = {name: package for name, package in json.loads(lock)["packages"].items() if name}
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not re.search(r'"resolved"|registry', lock)


def test_every_reason_is_for_something_pinned() -> None:
    assert reasons() - pinned() == set()
