"""The docstrings of public names have the sections of numpydoc, and their examples run."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import airtcp

PUBLIC = [(name, getattr(airtcp, name)) for name in airtcp.__all__]
FUNCTIONS = [(name, function) for name, function in PUBLIC if inspect.isfunction(function)]
CLASSES = [(name, owner) for name, owner in PUBLIC if inspect.isclass(owner)]
METHODS = [
    (f"{name}.{key}", getattr(member, "__func__", member))
    for name, owner in CLASSES
    for key, member in vars(owner).items()
    if not key.startswith("_") and inspect.isfunction(getattr(member, "__func__", member))
]
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
import api  # noqa: E402

MODULES = [  # the functions of the other modules that the reference of names shows
    (f"{module}.{name}", function)
    for module in api.MODULES
    for name, function in api._public(import_module(module))
    if inspect.isfunction(function)
]
EXAMPLES = [
    test
    for name, definition in (*FUNCTIONS, *MODULES, *CLASSES)
    for test in doctest.DocTestFinder(exclude_empty=True).find(definition, name, globs={})
    if test.examples
]


def sections(definition: Callable[..., Any] | type) -> dict[str, str]:
    """The text of each section of a docstring."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(definition) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section: str) -> list[str]:
    """The names that a section explains, each with its type and an indented text."""
    found = re.findall(r"^(\S.*?)(?: : \S.*)?\n +\S", section, re.MULTILINE)
    return [name.lstrip("*") for names in found for name in names.split(", ")]


def parameters(function: Callable[..., Any]) -> list[str]:
    """The parameters that a caller gives."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("test", EXAMPLES, ids=lambda test: test.name)
def test_examples_run(
    test: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told: list[str] = []
    result = doctest.DocTestRunner().run(test, out=told.append)
    assert result.attempted == len(test.examples)
    assert result.failed == 0, "".join(told)


def test_every_public_function_has_an_example() -> None:
    assert {name for name, _ in (*FUNCTIONS, *MODULES)} <= {test.name for test in EXAMPLES}


@pytest.mark.parametrize(("name", "function"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_functions_have_every_section(name: str, function: Callable[..., Any]) -> None:
    found = sections(function)
    assert list(found) == ["Parameters", "Returns", "Raises", "Examples"]
    assert entries(found["Parameters"]) == parameters(function)
    assert all(entries(found[section]) for section in ("Returns", "Raises"))


@pytest.mark.parametrize(("name", "function"), MODULES, ids=[name for name, _ in MODULES])
def test_functions_of_modules_have_sections(name: str, function: Callable[..., Any]) -> None:
    found = sections(function)
    raises = ["Raises"] if "Raises" in found else []
    assert list(found) == ["Parameters", "Returns", *raises, "Examples"]
    assert entries(found["Parameters"]) == parameters(function)
    assert entries(found["Returns"])


@pytest.mark.parametrize(("name", "method"), METHODS, ids=[name for name, _ in METHODS])
def test_methods_explain_what_they_take_and_return(name: str, method: Callable[..., Any]) -> None:
    if expected := parameters(method):
        found = sections(method)
        assert entries(found["Parameters"]) == expected
        assert entries(found["Returns"])


ALL = [*FUNCTIONS, *MODULES, *METHODS, *CLASSES]


@pytest.mark.parametrize(("name", "definition"), ALL, ids=[name for name, _ in ALL])
def test_a_summary_is_one_line_with_a_full_stop(name: str, definition: object) -> None:
    head, _, rest = (inspect.getdoc(definition) or "").partition("\n")
    assert head.endswith((".", ")", "``."))
    assert not rest.split("\n")[0]


@pytest.mark.parametrize(("name", "owner"), CLASSES, ids=[name for name, _ in CLASSES])
def test_classes_explain_their_fields(name: str, owner: type) -> None:
    if dataclasses.is_dataclass(owner):
        own = vars(owner).get("__annotations__", {})  # inherited ones stand in the class above
        fields = {field.name for field in dataclasses.fields(owner)} & {*own}
        found = sections(owner)
        explained = entries(found.get("Attributes", "") + found.get("Parameters", ""))
        assert {field for field in fields if field[0] != "_"} <= {*explained}
        assert all(hasattr(owner, name) or name in fields for name in explained)


def test_a_section_that_misses_a_parameter_is_found() -> None:
    def wrong(first: int, second: int) -> int:
        """Add.

        Parameters
        ----------
        first : int
            A number.
        """
        return first + second

    assert entries(sections(wrong)["Parameters"]) == ["first"] != parameters(wrong)
