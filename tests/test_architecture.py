"""The arrows between the crates, from `cargo metadata`; and what the project must not contain."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# crate -> the crates of this project that it may use
ARROWS = {
    "airtcp-core": set(),
    "airtcp-tcp": {"airtcp-core"},
    "airtcp-radio": {"airtcp-core"},
    "airtcp-analysis": {"airtcp-core"},
    "airtcp-scenario": {"airtcp-core", "airtcp-tcp", "airtcp-radio"},
    "airtcp-sim": {"airtcp-core", "airtcp-tcp", "airtcp-radio", "airtcp-scenario"},
    "airtcp-live": {"airtcp-core", "airtcp-tcp", "airtcp-radio", "airtcp-scenario"},
    "airtcp-bench": set(),
    "airtcp-py": {
        "airtcp-analysis",
        "airtcp-core",
        "airtcp-live",
        "airtcp-radio",
        "airtcp-scenario",
        "airtcp-sim",
        "airtcp-tcp",
    },
}

# what its tests may use besides: the engine that it must agree with; what is measured
TEST_ARROWS = {
    "airtcp-live": {"airtcp-sim"},
    "airtcp-bench": {
        "airtcp-analysis",
        "airtcp-core",
        "airtcp-radio",
        "airtcp-scenario",
        "airtcp-sim",
    },
}


def metadata() -> list[dict]:
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["packages"]


def tracked() -> list[Path]:
    command = ["git", "ls-files"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return []
    return [ROOT / line for line in done.stdout.splitlines()]


def test_crates_depend_only_along_the_arrows() -> None:
    packages = metadata()
    assert {p["name"] for p in packages} == set(ARROWS)
    for package in packages:
        name = package["name"]
        uses: dict[str, set[str]] = {"normal": set(), "tests": set()}
        for one in package["dependencies"]:
            if one["name"].startswith("airtcp-"):
                uses["tests" if one["kind"] == "dev" else "normal"].add(one["name"])
        assert uses["normal"] <= ARROWS[name], name
        assert uses["tests"] <= ARROWS[name] | TEST_ARROWS.get(name, set()), name


def test_papers_use_the_public_python_api_only() -> None:
    for file in (ROOT / "python/airtcp/papers").rglob("*.py"):
        assert "_native" not in file.read_text(), f"{file} reaches below the public API"


def test_every_citation_is_in_the_bibliography() -> None:
    from airtcp import _native

    known = set(re.findall(r"@\w+\{([^,]+),", _native.references()))
    for entries in _native.registry().values():
        for name, _summary, sources in entries:
            assert set(sources.split(", ")) <= known, name


def test_nothing_names_a_path_of_one_machine() -> None:
    if not tracked():
        pytest.skip("not a git checkout: nothing says which files belong to the project")
    pattern = re.compile(r"/(work|root|home|tmp/spec)/|\.\./shared")
    texts = {".py", ".rs", ".md", ".toml", ".yml", ".txt", ".csv", ".j2", ".bib", ".html"}
    for file in tracked():
        if file.suffix in texts and file.exists() and file != Path(__file__):
            found = pattern.search(file.read_text(encoding="utf-8"))
            assert not found, f"{file}: {found.group(0)}"
