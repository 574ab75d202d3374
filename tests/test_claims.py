"""Each claim of docs/evidence/claims.toml has a check, a control and a source that are there."""

from __future__ import annotations

import datetime
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from airtcp.cli.main import main
from modules import module

ROOT = Path(__file__).parent.parent
CLAIMS = module("claims")
EVERY = CLAIMS.claims()
KEYS = {
    *("group", "name", "claim", "verdict", "pages", "figures", "check", "daily"),
    *("control", "shown_by", "checked", "commit"),
}
NUMBER = re.compile(r"(?<![\w.^])\d+(?:\.\d+)?(?![\w^])")
each = pytest.mark.parametrize("claim", EVERY, ids=lambda parameter: parameter["name"])


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def missing(command: str) -> str:
    """The missing target, file or test that a command names; "" where all are there."""
    words = command.split()
    if words[0] == "make":
        return "" if words[1] in targets() else f"target {words[1]}"
    if words[0] == "airtcp":
        files = [word for word in words[2:] if "/" in word and not (ROOT / word).exists()]
        return ", ".join(files) if words[1] in main.commands else f"command {words[1]}"
    if words[:3] == ["python", "-m", "airtcp.golden"]:
        return "" if (ROOT / words[3]).is_dir() else words[3]
    file = words[1] if words[0] == "python" else words[0]
    return "" if (ROOT / file).is_file() else file


def is_there(name: str) -> bool:
    """True for `FILE::TEST` where the file has a function of that name, in Python or Rust."""
    file, _, test = name.partition("::")
    if not (ROOT / file).is_file():
        return False
    return re.search(rf"\b(?:def|fn) {test}\(", (ROOT / file).read_text("utf-8")) is not None


@each
def test_a_claim_is_whole(claim: dict[str, Any]) -> None:
    assert claim.keys() == KEYS
    assert all(claim.values())
    assert datetime.date.fromisoformat(claim["checked"]) <= datetime.date.today()
    assert re.fullmatch(r"[0-9a-f]{8}", claim["commit"])


@each
def test_what_checks_it_and_its_control_are_there(claim: dict[str, Any]) -> None:
    assert [
        missing(command) for command in claim["check"] + claim["daily"] if missing(command)
    ] == []
    assert all(name.startswith("tests/test_") for name in claim["daily"])
    assert [test for test in claim["shown_by"] if not is_there(test)] == []


@each
def test_its_figures_stand_in_what_it_names(claim: dict[str, Any]) -> None:
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in claim["figures"]]
    known = set(NUMBER.findall(re.sub(r"(?<=\d)[ ,_](?=\d{3}\b)", "", "\n".join(texts))))
    said = re.sub(r"(?<=\d) (?=\d{3}\b)", "", CLAIMS.verdict(claim))
    assert set(NUMBER.findall(said)) - known == set()


@each
def test_its_commit_is_one_of_the_project(claim: dict[str, Any]) -> None:
    def git(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["git", *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    shallow = git("rev-parse", "--is-shallow-repository")
    if shallow.returncode or shallow.stdout.strip() == "true":
        pytest.skip("no checkout with its history: nothing says which commits there are")
    day = git("show", "--no-patch", "--format=%cs", claim["commit"])
    assert day.returncode == 0, day.stderr
    assert day.stdout.strip() >= claim["checked"], "results are committed after they are made"


def test_what_is_not_there_is_found() -> None:
    assert missing("make agreements") == "target agreements"
    assert missing("airtcp explains x") == "command explains"
    assert missing("airtcp explain tests/captures/none.zip") == "tests/captures/none.zip"
    assert missing("python scripts/nothing.py --show") == "scripts/nothing.py"
    assert missing("tests/test_nothing.py") == "tests/test_nothing.py"
    assert not is_there("tests/test_claims.py::test_nothing")
    assert not is_there("tests/test_nothing.py::test_what_is_not_there_is_found")
    assert is_there("tests/test_claims.py::test_what_is_not_there_is_found")


def test_every_page_of_evidence_is_reached_from_the_index() -> None:
    index = (ROOT / CLAIMS.FILE).read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\((\w+\.md)[#)]", index))
    pages = {path.name for path in (ROOT / "docs/evidence").glob("*.md")} - {"index.md"}
    assert pages - linked == set()


def test_the_subjects_are_covered() -> None:
    """Papers as many as are reproduced, and each kind of evidence."""
    from airtcp.papers import PAPERS

    groups = [claim["group"] for claim in EVERY]
    assert groups.count("Papers") == len(PAPERS)
    assert set(groups) == {
        *("Papers", "ns-2 and ns-3", "Queues", "Linux", "Live", "Statistics", "Analysis"),
        *("Runs", "Speed", "Releases"),
    }
