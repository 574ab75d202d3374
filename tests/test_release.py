"""What is released, and by what: the list of wheels, a look at one, the pins of the tools."""

import importlib
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


def script(name: str) -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / "scripts"))


audit, contents, wheel = script("audit"), script("contents"), script("wheel")
COMPLETE = {f"airtcp-0.1.0.dist-info/{one}": b"" for one in audit.NEEDED[1:]} | {
    "airtcp/py.typed": b"",
    "airtcp/_native.abi3.so": b"crates/toml-1/src/de.rs",
}


def made(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "airtcp-0.1.0-cp311-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_complete_wheel_has_no_problem(tmp_path: Path) -> None:
    assert list(audit.contents(made(tmp_path, COMPLETE), [Path("/home/me")])) == []


@pytest.mark.parametrize("missing", [one for one in COMPLETE if "native" not in one])
def test_a_wheel_lacks_a_file(missing: str, tmp_path: Path) -> None:
    files = {name: content for name, content in COMPLETE.items() if name != missing}
    (said,) = audit.contents(made(tmp_path, files), [])
    assert said.startswith("lacks ")
    assert missing.endswith(said.removeprefix("lacks "))


@pytest.mark.parametrize("more", ["tests/test_a.py", "airtcp/__pycache__/a.pyc", "airtcp/a.rs"])
def test_a_wheel_holds_what_it_should_not(more: str, tmp_path: Path) -> None:
    found = audit.contents(made(tmp_path, COMPLETE | {more: b""}), [])
    assert list(found) == [f"holds {more}"]


def test_a_wheel_names_a_folder_of_the_machine_that_built_it(tmp_path: Path) -> None:
    leaky = COMPLETE | {"airtcp/_native.abi3.so": b"\0/home/me/.cargo/registry/src/toml.rs"}
    found = list(audit.contents(made(tmp_path, leaky), [Path("/home/me")]))
    assert found == [f"names {Path('/home/me')} in airtcp/_native.abi3.so"]


def test_wheels_are_listed_once() -> None:
    listed = wheel.listed()
    assert len({one["platform"] for one in listed}) == len(listed) == 7
    assert len({one["target"] for one in listed}) == len(listed)


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
    assert [one["name"] for one in bill["components"]] == [one["name"] for one in crates]
    assert {"pyo3", "toml", "tun-rs"} < {one["name"] for one in crates}
    for one in bill["components"]:
        assert re.fullmatch(r"[0-9a-f]{64}", one["hashes"][0]["content"]), one["name"]
    for one in crates:
        assert contents.texts(Path(one["manifest_path"]).parent), one["name"]
