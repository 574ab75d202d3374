"""Names of engines are written out in the files of the engines alone.

Constants that hold such a name are not looked for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from airtcp.engines.choice import sets
from airtcp.engines.registry import REGISTRY

PACKAGE = Path(__file__).parent.parent / "python/airtcp"

# Where such words are names of something else, or names that users and files have.
ELSEWHERE = {
    "cli/run.py": "the choices of the command line",
    "cli/advise.py": "a choice of the command line",
    "campaign/manifest.py": "manifest.json says whose runs a folder has",
    "metrics/table.py": "a kind of runs, which metrics are of",
    "live/__init__.py": "the name of a function",
    "scenario/spec.py": "tables of a document",
    "scenario/scenario.py": "tables of a document",
    "models/zorzi/points.py": "a table of a document",
    "campaign/live_points.py": "a table of a document",
}
OTHER_WORDS = {"live_jobs", "live_runs"}  # an option, and a key of a manifest

FILES = sorted(PACKAGE.rglob("*.py"))
ANY = "|".join((*REGISTRY, *sets()))
NAMED = re.compile(rf"(?:{'|'.join(REGISTRY)})(?:_\w*)?|(?:{ANY})(?:\s*,\s*(?:{ANY}))+")


def literals(text: str) -> Iterator[str]:
    """Texts in code, also parts of f-strings, without docstrings."""
    tree = ast.parse(text)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def names_in(text: str) -> set[str]:
    """Engines and columns of engines that code names."""
    return {one for one in literals(text) if NAMED.fullmatch(one)} - OTHER_WORDS


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('if engine == "live": pass', {"live"}),
        ('table["simulation_low"]', {"simulation_low"}),
        ('f"analysis_{metric}"', {"analysis_"}),
        ('run(engine="simulation, live")', {"simulation, live"}),
        ('engine = "both,live"', {"both,live"}),
        ('say("a live run"); ask("live_jobs"); mark("alive")', set()),
        ('def f():\n    "live"\n', set()),
    ],
)
def test_names_are_found(code: str, names: set[str]) -> None:
    assert names_in(code) == names


def test_no_file_but_an_engine_s_own_writes_its_name_out() -> None:
    of_engines = {f"engines/{name}.py" for name in REGISTRY}
    found = {
        str(file.relative_to(PACKAGE)): names
        for file in FILES
        if (names := names_in(file.read_text(encoding="utf-8")))
    }
    assert {file: found[file] for file in found.keys() - of_engines - ELSEWHERE.keys()} == {}
    assert ELSEWHERE.keys() <= found.keys(), "an exception that is none any more"
    own = {name for file in of_engines & found.keys() for name in found[file]}
    assert own <= set(REGISTRY)


def test_templates_know_no_engine() -> None:
    templates = [*PACKAGE.rglob("*.j2")]
    assert templates
    for file in templates:
        code = " ".join(re.findall(r"{[{%].*?[%}]}", file.read_text(encoding="utf-8"), re.DOTALL))
        assert not set(re.findall(r"\w+", code)) & set(REGISTRY), file
