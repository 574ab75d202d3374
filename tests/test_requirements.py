"""The pinned environments hold what pyproject.toml asks for, and no more than they should."""

import tomllib
from importlib.metadata import distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NEEDED = [Requirement(one) for one in PROJECT["project"]["dependencies"]]
EXTRAS = [
    Requirement(one)
    for several in PROJECT["project"]["optional-dependencies"].values()
    for one in several
]


def pinned(name: str) -> dict[str, str]:
    """Library -> version of a requirements file, without those that it includes."""
    lines = (ROOT / name).read_text().splitlines()
    found = [line.split("==") for line in lines if line and line[0] not in "#-"]
    assert all(len(one) == 2 for one in found)
    assert len({canonicalize_name(one) for one, _ in found}) == len(found)
    return {canonicalize_name(one): version for one, version in found}


RUN, DEV = pinned("requirements.txt"), pinned("requirements-dev.txt")


def closure(names: list[str]) -> set[str]:
    """Libraries and all that they require here, without extras."""
    found: set[str] = set()
    todo = [canonicalize_name(name) for name in names]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        for text in requires(name) or []:
            one = Requirement(text)
            if one.marker is None or one.marker.evaluate({"extra": ""}):
                todo.append(canonicalize_name(one.name))
    return found


def test_running_has_what_it_needs_in_a_version_that_it_takes() -> None:
    for one in NEEDED:
        assert one.specifier.contains(RUN[canonicalize_name(one.name)]), one


def test_running_has_nothing_else() -> None:
    assert set(RUN) == closure([one.name for one in NEEDED]) | {"maturin"}


def test_the_build_takes_the_maturin_that_is_pinned() -> None:
    (maturin,) = (Requirement(one) for one in PROJECT["build-system"]["requires"])
    assert maturin.specifier.contains(RUN["maturin"])


def test_development_adds_every_extra_and_repeats_nothing() -> None:
    assert "-r requirements.txt" in (ROOT / "requirements-dev.txt").read_text().splitlines()
    assert not set(RUN) & set(DEV)
    for one in EXTRAS:
        assert one.specifier.contains(DEV[canonicalize_name(one.name)]), one


def test_here_is_what_is_pinned() -> None:
    here = {canonicalize_name(one.metadata["Name"]): one.version for one in distributions()}
    asked = RUN | DEV
    assert {name: here.get(name) for name in asked} == asked
