"""Contents and tools of a release: the list of wheels, a look at one, the pins of the tools."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from modules import module

ROOT = Path(__file__).parent.parent


contents, wheel = module("contents"), module("wheel")
audit, release, description = module("wheel_audit"), module("release"), module("description")
COMPLETE = {f"airtcp-0.1.0.dist-info/{file}": b"" for file in audit.NEEDED[1:]} | {
    "airtcp/py.typed": b"",
    "airtcp/_native.abi3.so": b"crates/toml-1/src/de.rs",
}


def wheel_with(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "airtcp-0.1.0-cp311-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_complete_wheel_has_no_problem(tmp_path: Path) -> None:
    assert list(audit.contents(wheel_with(tmp_path, COMPLETE), [Path("/builder/me")], False)) == []


@pytest.mark.parametrize("missing", [file for file in COMPLETE if "native" not in file])
def test_a_wheel_lacks_a_file(missing: str, tmp_path: Path) -> None:
    files = {name: content for name, content in COMPLETE.items() if name != missing}
    (said,) = audit.contents(wheel_with(tmp_path, files), [], False)
    assert said.startswith("lacks ")
    assert missing.endswith(said.removeprefix("lacks "))


def test_a_released_wheel_has_the_page(tmp_path: Path) -> None:
    page = dict.fromkeys(audit.PAGE, b"")
    assert list(audit.contents(wheel_with(tmp_path, COMPLETE | page), [], True)) == []
    assert list(audit.contents(wheel_with(tmp_path, COMPLETE), [], True)) == [
        f"lacks {file}" for file in audit.PAGE
    ]


def test_a_wheel_that_must_have_the_page_is_not_built_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[str] = []
    monkeypatch.setattr(wheel.toolbox, "install", lambda _: None)
    monkeypatch.setattr(wheel.explorer, "build_if_possible", lambda _: False)
    monkeypatch.setattr(wheel, "build", lambda *_: built.append("wheel"))
    monkeypatch.setattr(sys, "argv", ["wheel.py", wheel.listed()[0]["target"], "--page"])
    assert wheel.main() == 1
    assert built == []


def test_workflows_of_releases_need_the_page() -> None:
    """They install a pinned Node, and fail where the page cannot be built."""
    for name, command in (("wheels", "scripts/wheel.py"), ("docs", "make web docs")):
        text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
        assert re.search(r"actions/setup-node@[0-9a-f]{40}  # v\d+\.\d+\.\d+\n", text), name
        assert 'node-version: "' in text
        [line] = [
            step for step in text.splitlines() if f"run: {command}" in step or command in step
        ]
        assert name == "docs" or " --page " in line


@pytest.mark.parametrize("more", ["tests/test_a.py", "airtcp/__pycache__/a.pyc", "airtcp/a.rs"])
def test_a_wheel_holds_what_it_should_not(more: str, tmp_path: Path) -> None:
    found = audit.contents(wheel_with(tmp_path, COMPLETE | {more: b""}), [], False)
    assert list(found) == [f"holds {more}"]


def test_a_wheel_names_a_folder_of_the_machine_that_built_it(tmp_path: Path) -> None:
    leaky = COMPLETE | {"airtcp/_native.abi3.so": b"\0/builder/me/.cargo/registry/src/toml.rs"}
    found = list(audit.contents(wheel_with(tmp_path, leaky), [Path("/builder/me")], False))
    assert found == [f"names {Path('/builder/me')} in airtcp/_native.abi3.so"]


def test_a_wheel_describes_itself_without_files_of_the_repository(tmp_path: Path) -> None:
    page = (
        b"Name: airtcp\n\n![Throughput](docs/img/a.svg) [here](https://example.org), [in](b.md)\n"
    )
    found = audit.contents(
        wheel_with(tmp_path, COMPLETE | {"airtcp-0.1.0.dist-info/METADATA": page}), [], False
    )
    assert list(found) == ["refers to docs/img/a.svg", "refers to b.md"]


def test_the_description_is_the_readme_without_pictures_and_with_names_of_files() -> None:
    readme = (
        "# A\n\n![A curve](a.svg)\n\nSee [docs/](docs/index.md), [how](b.md), [d](https://d.org).\n"
    )
    expected = "# A\n\nSee docs/, how (b.md), [d](https://d.org).\n\n"
    assert description.described(readme) == expected + description.NOTE
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["readme"] == description.FILE
    page = (ROOT / description.FILE).read_text("utf-8")
    assert page == description.text()
    assert description.relative(page) == []


def test_a_source_distribution_has_all_that_a_wheel_is_made_of(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "maturin", "sdist", "--out", tmp_path]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (source,) = tmp_path.iterdir()
    assert list(audit.missing(source)) == []


def test_wheels_are_listed_once() -> None:
    listed = wheel.listed()
    assert len({row["platform"] for row in listed}) == len(listed) == 6
    assert len({row["target"] for row in listed}) == len(listed)


def test_a_target_without_a_wheel_is_refused() -> None:
    with pytest.raises(
        SystemExit, match=r"^error: no wheel is released for s390x; targets are x86_64"
    ):
        wheel.platform_of("s390x")


def test_the_name_of_a_wheel_says_the_oldest_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=").replace(".", "")
    assert f"-cp{oldest}-abi3-" in wheel.file_name("win_amd64")


def test_what_is_linked_is_named_with_licences_and_digests() -> None:
    assert contents.stale() == {}
    crates = contents.linked()
    bill = json.loads((ROOT / "crates/py/airtcp.cyclonedx.json").read_text("utf-8"))
    assert [entry["name"] for entry in bill["components"]] == [crate["name"] for crate in crates]
    assert {"pyo3", "toml", "tun-rs"} < {crate["name"] for crate in crates}
    for crate in bill["components"]:
        assert re.fullmatch(r"[0-9a-f]{64}", crate["hashes"][0]["content"]), crate["name"]
    for crate in crates:
        assert contents.texts(Path(crate["manifest_path"]).parent), crate["name"]


def test_measured_links_of_others_are_named_with_their_licences() -> None:
    """Every profile that names a licence of its data stands in the notices of wheel and page."""
    links = ROOT / "crates/scenario/links"
    notices = (ROOT / "LICENSES-THIRD-PARTY.txt").read_text("utf-8")
    licensed = [
        file
        for file in sorted(links.glob("*.toml"))
        if re.search(r"CC BY|MIT licence", file.read_text("utf-8"))
    ]
    assert {file.stem for file in licensed} >= {"cellular", "starlink-fjord", "starlink-2025"}
    for file in licensed:
        there = file.with_suffix(".csv" if file.with_suffix(".csv").exists() else ".toml")
        assert f"\n{there.relative_to(ROOT).as_posix()}, from " in notices
    for file in links.glob("*.csv"):
        assert contents.plain(file.with_suffix(".LICENSE").read_text("utf-8")) in notices
    assert "Copyright (c) 2020 Microsoft" in notices
    assert "https://creativecommons.org/licenses/by/4.0/" in notices
    assert notices.endswith("\n".join(contents.measured()))


def tree(folder: Path, changelog: str, cited: str = "0.2.0") -> Path:
    (folder / "Cargo.toml").write_text('[workspace.package]\nversion = "0.2.0"\n', "utf-8")
    (folder / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {cited}\n", "utf-8")
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n{changelog}", "utf-8")
    return folder


NEW = "## 0.2.0 - 2026-12-01\n\n### Added\n\n- A queue.\n\n"
OLD = "## 0.1.0 - 2026-11-01\n\n- All.\n"
RELEASED = f"## Unreleased\n\n{NEW}{OLD}"


def test_a_release_goes_out_where_all_say_the_same_version(tmp_path: Path) -> None:
    root = tree(tmp_path, RELEASED)
    assert list(release.disagreeing("v0.2.0", root)) == []
    assert release.notes(root) == ("0.2.0", "\n### Added\n\n- A queue.\n\n")


@pytest.mark.parametrize(
    ("tag", "changelog", "cited", "said"),
    [
        ("v0.2.1", RELEASED, "0.2.0", "the tag is v0.2.1, Cargo.toml says 0.2.0"),
        ("0.2.0", RELEASED, "0.2.0", "the tag is 0.2.0, Cargo.toml says 0.2.0: expected v0.2.0"),
        ("v0.2.0", RELEASED, "0.1.0", "CITATION.cff has version 0.1.0"),
        ("v0.2.0", OLD, "0.2.0", "expected a section '## 0.2.0 - "),
        ("v0.2.0", "## 0.2.0 - 2026-12-01\n\n", "0.2.0", "expected a section '## 0.2.0 - "),
        ("v0.2.0", f"## Unreleased\n\n- More.\n\n{NEW}", "0.2.0", "under Unreleased"),
        ("v0.2.0", f"## Unreleased\n\n* More.\n\n{NEW}", "0.2.0", "under Unreleased"),
        ("v0.2.0", f"## Unreleased\n\nMore.\n\n{NEW}", "0.2.0", "under Unreleased"),
        ("v0.2.0", NEW.replace("12-01", "99-99"), "0.2.0", "expected a section '## 0.2.0 - "),
    ],
)
def test_a_release_stays_where_they_do_not(
    tag: str, changelog: str, cited: str, said: str, tmp_path: Path
) -> None:
    (line,) = release.disagreeing(tag, tree(tmp_path, changelog, cited))
    assert said in line


def test_a_form_without_changes_may_wait_for_them(tmp_path: Path) -> None:
    root = tree(tmp_path, f"## Unreleased\n\n### Added\n\n{NEW}")
    assert list(release.disagreeing("v0.2.0", root)) == []


def test_a_call_that_is_wrong_is_refused_in_a_line(tmp_path: Path) -> None:
    command = [sys.executable, "scripts/release.py"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("arguments are required: TAG")
    absent = tmp_path / "dist"
    assert list(release.held(absent)) == [f"{absent}: no such folder"]


def test_a_release_has_every_file_and_no_other() -> None:
    names = [wheel.file_name(row["platform"]) for row in wheel.listed()]
    every = [*names, f"airtcp-{wheel.version()}.tar.gz"]
    assert list(release.missing_or_unexpected(every)) == []
    found = list(release.missing_or_unexpected([*every[1:], "airtcp.whl"]))
    assert found == [f"missing: {names[0]}", "unexpected: airtcp.whl"]


def test_crates_are_looked_at_on_every_target_of_a_wheel() -> None:
    targets = tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))["graph"]["targets"]
    assert targets == [row["target"] for row in wheel.listed()]
