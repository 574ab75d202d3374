"""The pinned environments hold what pyproject.toml asks for, and no more than they should."""

import re
import subprocess
import tomllib
from importlib.metadata import distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from modules import module

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NEEDED = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
EXTRAS = [
    Requirement(text)
    for several in PROJECT["project"]["optional-dependencies"].values()
    for text in several
]


def requirements(name: str) -> list[str]:
    """The lines of a requirements file, each with what it goes on with, but for comments."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and line[0] not in "#-"]


def pinned(name: str) -> dict[str, str]:
    """Library -> version of a requirements file, without those that it includes."""
    found = [requirement.partition(" ")[0].split("==") for requirement in requirements(name)]
    assert all(len(parts) == 2 for parts in found)
    assert len({canonicalize_name(library) for library, _ in found}) == len(found)
    return {canonicalize_name(library): version for library, version in found}


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
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                todo.append(canonicalize_name(requirement.name))
    return found


def test_running_has_what_it_needs_in_a_version_that_it_takes() -> None:
    for requirement in NEEDED:
        assert requirement.specifier.contains(RUN[canonicalize_name(requirement.name)]), requirement


def test_running_has_nothing_else() -> None:
    assert set(RUN) == closure([requirement.name for requirement in NEEDED]) | {"maturin"}


def test_the_build_takes_the_maturin_that_is_pinned() -> None:
    (maturin,) = (Requirement(text) for text in PROJECT["build-system"]["requires"])
    assert maturin.specifier.contains(RUN["maturin"])


def test_development_adds_every_extra_and_repeats_nothing() -> None:
    assert "-r requirements.txt" in (ROOT / "requirements-dev.txt").read_text().splitlines()
    assert not set(RUN) & set(DEV)
    for extra in EXTRAS:
        assert extra.specifier.contains(DEV[canonicalize_name(extra.name)]), extra


FILES = [f"requirements{which}.txt" for which in ("", "-dev", "-audit", "-release")]


def test_a_release_is_built_and_tried_by_the_same_versions() -> None:
    """Tools of releases are apart from those of development, but for these."""
    of_release = pinned("requirements-release.txt")
    assert of_release["maturin"] == RUN["maturin"]
    assert of_release["pytest"] == DEV["pytest"]
    assert not set(of_release) & set(pinned("requirements-audit.txt"))


@pytest.mark.parametrize("name", FILES)
def test_every_pin_has_digests_and_no_address(name: str) -> None:
    for requirement in requirements(name):
        pin, *digests = re.sub(r" ; .*?(?= --hash)", "", requirement).split()
        assert digests, pin
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", digest) for digest in digests), pin
    text = (ROOT / name).read_text()
    assert "://" not in text
    options = re.findall(r"^-.*$", text, re.MULTILINE)
    assert [
        option for option in options if not re.fullmatch(r"-r requirements[a-z-]*\.txt", option)
    ] == []


def test_the_makefile_installs_by_digests() -> None:
    text = (ROOT / "Makefile").read_text()
    assert "PINNED  := --require-hashes" in text
    assert not re.findall(r"--(?:requirement|constraint) requirements", text)


def test_nothing_is_bounded_above() -> None:
    """No release is known that breaks anything; one that does would be named here."""
    build = [Requirement(text) for text in PROJECT["build-system"]["requires"]]
    every = [*NEEDED, *EXTRAS, *build]
    assert {bound.operator for requirement in every for bound in requirement.specifier} == {">="}
    assert PROJECT["project"]["requires-python"].startswith(">=")


def test_the_newest_versions_are_tried_with_every_extra() -> None:
    text = (ROOT / "Makefile").read_text()
    (extras,) = re.findall(r"^EXTRAS  := (\S+)$", text, re.MULTILINE)
    assert sorted(extras.split(",")) == sorted(PROJECT["project"]["optional-dependencies"])
    (quick,) = re.findall(r"^QUICK   := \$\(addprefix tests/test_,(.*)\)$", text, re.MULTILINE)
    assert all((ROOT / f"tests/test_{name}").exists() for name in quick.split())
    assert re.search(r"^make .*\bnewest\b", (ROOT / ".ci/run").read_text(), re.MULTILINE)


def test_an_edit_of_any_file_of_the_crates_compiles_anew() -> None:
    """Some of what is compiled in is no source of Rust: tables of links and their licences."""
    command = ["make", "--print-data-base", "--dry-run", "--no-builtin-rules", "help"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (needed,) = re.findall(r"^\.venv/\.compiled-\w+: (.*)$", printed, re.MULTILINE)
    links = {
        f"crates/scenario/links/{path.name}" for path in (ROOT / "crates/scenario/links").iterdir()
    }
    assert "crates/scenario/links/cellular.csv" in links
    assert links <= set(needed.split())


def test_other_versions_are_named() -> None:
    newest = module("newest")
    pins = [("A_b", "1.0"), ("c", "2.0"), ("gone", "3")]
    here = [("a-b", "1.1"), ("c", "2.0"), ("more", "1")]
    assert list(newest.differing(pins, here)) == ["A_b 1.1 (1.0)"]


def test_here_is_what_is_pinned() -> None:
    here = {
        canonicalize_name(distribution.metadata["Name"]): distribution.version
        for distribution in distributions()
    }
    asked = RUN | DEV
    assert {name: here.get(name) for name in asked} == asked
