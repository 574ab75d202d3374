"""Build the wheel that is released for a target, into dist/, look at it, and try it.

`python scripts/wheel.py [TARGET] [--plain] [--page] [--try PYTHON]...`. Without TARGET it is that
of this machine. Where the machine that builds a wheel can run it, the compiler learns from
scripts/train.py what runs most; --plain leaves that out, and takes half the time.
.github/wheels.json lists every wheel of a release; what comes out must have the name that follows
from there. On Linux zig links, for the C library of the platform's name and not for that of this
machine. Each PYTHON, an interpreter or a version, gets an empty environment for the wheel
(tests/test_wheel.py). The wheel contains the page of `airtcp explore` where the machine can build
it (scripts/explorer.py); with --page, as for a release, one that cannot is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import explorer
import profile_guided
import toolbox
import wheel_audit
from environment import ROOT, end_with

LIST = ROOT / ".github" / "wheels.json"
DIST = ROOT / "dist"
TESTS = ("tests/test_wheel.py", "tests/test_installers.py")
CARGO = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
FOLDERS = {CARGO / "registry" / "src": "crates", ROOT: "airtcp"}


def main() -> int:
    """Build, look, try; the name of the wheel on stdout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", nargs="?", metavar="TARGET", default=this_machine())
    parser.add_argument("--plain", action="store_true", help="without a profile of what runs most")
    parser.add_argument("--page", action="store_true", help="an error where it would lack the page")
    add_pythons(parser)
    given = parser.parse_args()
    platform = platform_of(given.target)
    toolbox.install(toolbox.RELEASE)
    has_page = explorer.build_if_possible("the wheel")
    if given.page and not has_page:
        return 1
    wheel = build(given.target, platform, given.plain)
    wheel_audit.wheel(wheel, FOLDERS, has_page)
    if platform.startswith("manylinux"):
        wheel_audit.libraries(wheel, platform)
    if given.pythons:
        attempt = in_alpine if platform.startswith("musllinux") else in_empty_environments
        attempt(wheel, given.pythons)
    print(wheel.relative_to(ROOT))
    return 0


def add_pythons(parser: argparse.ArgumentParser) -> None:
    """The option that names the interpreters that try a wheel."""
    parser.add_argument("--try", action="append", default=[], dest="pythons", metavar="PYTHON")


def this_machine() -> str:
    """The target of the compiler here."""
    said = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^host: (\S+)$", said, re.MULTILINE)[0]


def listed() -> list[dict[str, str]]:
    """Every wheel of a release: platform (of its name), runner (of the workflow), target."""
    return json.loads(LIST.read_text())


def platform_of(target: str) -> str:
    """The platform in the name of a target's wheel."""
    platforms = {wheel["target"]: wheel["platform"] for wheel in listed()}
    if target not in platforms:
        sys.exit(f"error: no wheel is released for {target}; targets are {', '.join(platforms)}")
    return platforms[target]


def file_name(platform: str) -> str:
    """The name of the wheel for a platform."""
    return f"airtcp-{version()}-cp311-abi3-{platform}.whl"


def version(root: Path = ROOT) -> str:
    """The version in Cargo.toml, which is that of all."""
    manifest = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))
    found: str = manifest["workspace"]["package"]["version"]
    return found


def build(target: str, platform: str, plain: bool) -> Path:
    """The wheel, made anew."""
    wheel = DIST / file_name(platform)
    wheel.unlink(missing_ok=True)
    words = ["build", "--release", "--locked", "--target", target, "--out", DIST]
    if "linux" in target:
        machine, _, _ = target.partition("-")
        words += ["--zig", "--compatibility", platform.removesuffix(f"_{machine}")]
    if target != this_machine():
        toolbox.run("rustup", "target", "add", target)
    flags = without_folders()
    if target == this_machine() and not plain:
        flags.append(f"-Cprofile-use={profile_guided.recorded(flags, target)}")
    toolbox.run("maturin", *words, CARGO_ENCODED_RUSTFLAGS="\x1f".join(flags))
    if not wheel.exists():
        there = ", ".join(sorted(path.name for path in DIST.glob("*.whl")))
        sys.exit(f"error: {wheel.name} was to come out; in {DIST} there is {there or 'no wheel'}")
    return wheel


def without_folders() -> list[str]:
    """Options that keep the folders of this machine out of the messages of the compiled part."""
    return [f"--remap-path-prefix={folder}={name}" for folder, name in FOLDERS.items()]


def in_empty_environments(wheel: Path, pythons: list[str]) -> None:
    """Play the tests of the wheel with interpreters of this machine."""
    found = os.pathsep.join(map(interpreter, pythons))
    given = {"AIRTCP_WHEEL": str(wheel), "AIRTCP_PYTHONS": found}
    toolbox.run("python", "-m", "pytest", "-rA", *TESTS, **given)


def interpreter(python: str) -> str:
    """The program of an interpreter; uv finds or gets a version that is not here by name."""
    if here := shutil.which(python):
        return here
    words = ["run", "--no-project", "--python", python, "python", "-c"]
    command = [toolbox.found("uv"), *words, "import sys; print(sys.executable)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def in_alpine(wheel: Path, pythons: list[str]) -> None:
    """Play them in containers whose C library is musl."""
    inside = f"/airtcp/{wheel.relative_to(ROOT).as_posix()}"
    tests = " ".join(f"/airtcp/{test}" for test in TESTS)
    commands = f"pip install --quiet pytest && AIRTCP_WHEEL={inside} pytest -rA {tests}"
    for python in pythons:
        mount = ["--volume", f"{ROOT}:/airtcp", f"python:{python}-alpine"]
        toolbox.run("docker", "run", "--rm", *mount, "sh", "-c", commands)


if __name__ == "__main__":
    end_with(main)
