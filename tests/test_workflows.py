"""Commands of the workflows exist here, and actions of others are pinned."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# Commands for the service that runs workflows; all others are targets or scripts.
OF_THE_SERVICE = ("rustup toolchain install ", "gh release create ", 'echo "wheels=')


def workflow(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in workflow(path)["jobs"].values():
        yield from job.get("steps", [])


def used(found: dict[str, Any]) -> list[str]:
    """Actions, workflows and images of others that the jobs of a workflow use."""
    jobs = found["jobs"].values()
    parts = [part for job in jobs for part in (job, *job.get("steps", []))]
    given = [
        part[key] for part in parts for key in ("uses", "container", "services") if key in part
    ]
    return [str(name) for name in given if not str(name).startswith("./")]


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
    found = used(workflow(path))
    assert found
    assert [name for name in found if not re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40}", name)] == []


def test_a_workflow_of_others_and_an_image_are_things_to_be_pinned() -> None:
    jobs = {
        "here": {"uses": "./.github/workflows/wheels.yml"},
        "there": {"uses": "a/b/.github/workflows/c.yml@main"},
        "boxed": {"container": "alpine:3", "steps": [{"uses": "a/b@v1"}, {"run": "make"}]},
    }
    assert used({"jobs": jobs}) == ["a/b/.github/workflows/c.yml@main", "alpine:3", "a/b@v1"]


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


def test_a_release_waits_for_agreement_tests_wheels_and_the_whole_list() -> None:
    jobs = workflow(ROOT / ".github/workflows/release.yml")["jobs"]
    order = [(name, job.get("needs")) for name, job in jobs.items()]
    assert order == [
        ("agree", None),
        ("tests", "agree"),
        ("build", "agree"),
        ("collect", ["tests", "build"]),
        ("publish", "collect"),
        ("announce", "publish"),
    ]


# Labels of the service for runners of a target's own machine; actionlint sees none in a matrix.
RUNNERS = {
    "x86_64-unknown-linux-gnu": "ubuntu-24.04",
    "aarch64-unknown-linux-gnu": "ubuntu-24.04-arm",
    "x86_64-unknown-linux-musl": "ubuntu-24.04",
    "x86_64-apple-darwin": "macos-15-intel",
    "aarch64-apple-darwin": "macos-15",
    "x86_64-pc-windows-msvc": "windows-2025",
}


def test_a_wheel_is_built_on_its_own_machine() -> None:
    listed = json.loads((ROOT / ".github/wheels.json").read_text("utf-8"))
    assert {row["target"]: row["runner"] for row in listed} == RUNNERS


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_checkout_on_windows_has_the_bytes_of_the_repository(tmp_path: Path) -> None:
    """Git for Windows, as runners have it, turns ends of lines unless .gitattributes says no."""
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    shutil.copy(ROOT / ".gitattributes", source)
    (source / "page.md").write_bytes(b"one\ntwo\n")
    person = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (
        ["git", "init", "--quiet", source],
        ["git", "-C", source, "add", "."],
        ["git", "-C", source, *person, "commit", "--quiet", "--message", "One"],
        ["git", "clone", "--quiet", "--config", "core.autocrlf=true", source, copy],
    ):
        subprocess.run(words, check=True, capture_output=True)
    assert (copy / "page.md").read_bytes() == b"one\ntwo\n"
