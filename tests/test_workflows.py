"""Commands of the workflows exist here, and actions of others are pinned."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# What belongs to the service that runs workflows; all else is a target or a script.
OF_THE_SERVICE = ("rustup toolchain install ", "gh release create ", 'echo "wheels=')


def workflow(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in workflow(path)["jobs"].values():
        yield from job.get("steps", [])


def commands() -> list[str]:
    runs = [step["run"] for path in WORKFLOWS for step in steps(path) if "run" in step]
    return [run for run in runs if not run.startswith(OF_THE_SERVICE)]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def test_there_are_workflows_for_all_that_is_automatic() -> None:
    assert [path.stem for path in WORKFLOWS] == ["docs", "release", "tests", "weekly", "wheels"]


@pytest.mark.parametrize("command", commands())
def test_a_job_calls_a_target_or_a_script_that_is_here(command: str) -> None:
    as_root = 'sudo --preserve-env=HOME,PATH,CI env "PATH=$PATH" '
    words = command.removeprefix(as_root).removeprefix("sudo ").split()
    assert "\n" not in command
    if words[0] == "make":
        assert words[1] in targets()
    else:
        assert words[0] in ("bash", "python")
        assert (ROOT / words[1]).exists()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_others_wrote_is_pinned_by_its_digest(path: Path) -> None:
    used = [step["uses"] for step in steps(path) if "uses" in step]
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", one)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_read_and_a_job_says_what_it_needs_more(path: Path) -> None:
    assert workflow(path)["permissions"] == {"contents": "read"}


def test_only_what_publishes_gets_an_identity() -> None:
    having = {
        (path.stem, name)
        for path in WORKFLOWS
        for name, job in workflow(path)["jobs"].items()
        if "id-token" in job.get("permissions", {})
    }
    assert having == {("release", "collect"), ("release", "publish"), ("docs", "deploy")}


def test_a_release_waits_for_agreement_wheels_and_the_whole_list() -> None:
    jobs = workflow(ROOT / ".github/workflows/release.yml")["jobs"]
    order = [(name, job.get("needs")) for name, job in jobs.items()]
    assert order == [
        ("agree", None),
        ("build", "agree"),
        ("collect", "build"),
        ("publish", "collect"),
        ("announce", "publish"),
    ]
