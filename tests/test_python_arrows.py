"""The arrows between the wings of the Python package, with imports inside functions counted."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from modules import module

PACKAGE = Path(__file__).parent.parent / "python/airtcp"

WINGS = module("arrows").WINGS

# Inside functions a file may import what needs an optional package, and what loads Matplotlib,
# Jinja or SciPy, which take longer than all else together; the command line what a command needs.
LAZY = ("cluster", "fitted", "fitting", "models", "plot", "report")
LAZY_HERE = ("cli", "__main__")


class Imports(ast.NodeVisitor):
    """The modules of this package that a file imports when it runs, and those inside functions.

    What only a type checker reads does not run. `import airtcp` gives every public name, and is
    for papers and the command line.
    """

    def __init__(self, modules: set[str]) -> None:
        self.modules, self.depth = modules, 0
        self.all: set[str] = set()
        self.lazy: set[str] = set()

    def visit_If(self, node: ast.If) -> None:
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self._add(name.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.level == 0, f"line {node.lineno}: a relative import"
        for name in node.names:
            whole = f"{node.module}.{name.name}"
            self._add(whole if whole in self.modules else str(node.module))

    def _add(self, name: str) -> None:
        if name.split(".", maxsplit=1)[0] == "airtcp":
            self.all.add(name)
            if self.depth:
                self.lazy.add(name)


def modules(package: Path) -> dict[str, Path]:
    """The files of a package by the names of their modules."""
    found = {}
    for file in package.rglob("*.py"):
        parts = file.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(package: Path) -> dict[str, Imports]:
    """Imports of each module."""
    files = modules(package)
    names = {*files, "airtcp._native"}
    found = {}
    for name, file in files.items():
        found[name] = Imports(names)
        found[name].visit(ast.parse(file.read_text()))
    return found


def wing(module: str) -> str:
    """The wing of a module; "airtcp" for the package itself."""
    return [*module.split("."), "airtcp"][1] if "." in module else "airtcp"


def upward(found: dict[str, Imports]) -> Iterator[str]:
    """Imports from higher wings."""
    for name, imports in found.items():
        for imported in sorted(imports.all - {"airtcp._native"}):
            here, there = wing(name), wing(imported)
            if here in ("airtcp", there):
                continue
            front = there == "airtcp" and here not in ("papers", "golden", *LAZY_HERE)
            if front or (there != "airtcp" and WINGS.index(there) > WINGS.index(here)):
                yield f"{name} -> {imported}"


def hidden(found: dict[str, Imports]) -> Iterator[str]:
    """Imports inside functions that nothing excuses."""
    for name, imports in found.items():
        if wing(name) not in (*LAZY_HERE, "airtcp"):
            for imported in sorted(imports.lazy):
                if wing(imported) not in LAZY:
                    yield f"{name} -> {imported}"


def circles(found: dict[str, Imports]) -> list[list[str]]:
    """Sets of modules each of which needs all the others."""
    reached = {}
    for start in found:
        reached[start], waiting = set[str](), [start]
        while waiting:
            needed = found.get(waiting.pop())
            new = (needed.all if needed else set()) - reached[start]
            reached[start] |= new
            waiting += new
    every = {frozenset(b for b in reached[a] if a in reached.get(b, ())) for a in found}
    return sorted(sorted(circle) for circle in every if circle)


FOUND = imports(PACKAGE)


def test_every_file_is_in_a_wing() -> None:
    assert {wing(name) for name in FOUND} - {"airtcp"} == set(WINGS)


def test_nothing_imports_from_a_higher_wing() -> None:
    assert list(upward(FOUND)) == []


def test_no_files_need_each_other() -> None:
    assert circles(FOUND) == []


def test_imports_inside_functions_have_a_reason() -> None:
    assert list(hidden(FOUND)) == []


@pytest.fixture
def broken(tmp_path: Path) -> dict[str, Imports]:
    """A package with one of each fault, two of them inside functions."""
    package = tmp_path / "airtcp"
    for file, text in {
        "__init__": "",
        "stats/a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n import airtcp.cli.b",
        "stats/c": "from airtcp.stats import d",
        "stats/d": "def f():\n from airtcp.stats.c import x",
        "metrics/e": "async def f():\n import airtcp.cli.b",
        "campaign/g": "from airtcp import simulate",
        "reading/h": "def f():\n import airtcp.plot.i",
        "cli/b": "def f():\n import airtcp.stats.a",
        "plot/i": "",
    }.items():
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        (package / f"{file}.py").write_text(text)
    return imports(package)


def test_faults_are_found(broken: dict[str, Imports]) -> None:
    assert circles(broken) == [["airtcp.stats.c", "airtcp.stats.d"]]
    assert sorted(upward(broken)) == [
        "airtcp.campaign.g -> airtcp",
        "airtcp.metrics.e -> airtcp.cli.b",
        "airtcp.reading.h -> airtcp.plot.i",
    ]
    assert sorted(hidden(broken)) == [
        "airtcp.metrics.e -> airtcp.cli.b",
        "airtcp.stats.d -> airtcp.stats.c",
    ]
