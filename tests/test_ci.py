"""CI installs each set of tools by itself, and says in a line which cannot be had."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BASE, BROWSER = "iproute2 ns2 ns2-examples valgrind", "chromium"
TOOLS = shutil.which("bash") and shutil.which("dpkg")

needs_debian = pytest.mark.skipif(not TOOLS, reason="no bash, or no dpkg to compare versions")


def programs(folder: Path, **texts: str) -> dict[str, str]:
    """The environment in which these programs, in sh, come before those of the machine."""
    for name, text in texts.items():
        program = folder / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}


@needs_debian
@pytest.mark.parametrize(
    ("node", "candidate", "installed"),
    [
        ("v20.20.2", "18.20.4+dfsg-1", [BASE, BROWSER]),
        ("v18.20.4", "20.19.2+dfsg-1", [BASE, BROWSER, "nodejs npm"]),
        ("v18.20.4", "18.20.4+dfsg-1", [BASE, BROWSER]),
        ("v18.20.4", "(none)", [BASE, BROWSER]),
    ],
)
def test_tools_that_cannot_be_had_stop_no_others(
    tmp_path: Path, node: str, candidate: str, installed: list[str]
) -> None:
    """Debian has no chromium here, and a Node that may be too old."""
    environment = programs(
        tmp_path,
        id="echo 0",
        rustup="exit 1",
        npm="exit 0",
        node=f"echo {node}",
        apt_cache=f"echo 'nodejs:'; echo '  Candidate: {candidate}'",
        apt_get=f'echo "$@" >> {tmp_path}/log; case "$*" in *chromium*) exit 100;; esac',
    )
    done = subprocess.run(
        ["bash", str(ROOT / ".ci/tools")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    asked = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    start = "install -y -qq --no-install-recommends "
    assert [text.removeprefix(start) for text in asked if text.startswith(start)] == installed
    said = done.stdout.splitlines()
    assert "chromium could not be installed: the page of airtcp explore is not tested" in said
    is_refused = f"nodejs of this system, {candidate}, is not 20.19 or later" in done.stdout
    assert is_refused == (node == "v18.20.4" and "nodejs npm" not in installed)


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
@pytest.mark.parametrize("lacking", ["", "no node"])
def test_ci_goes_on_without_the_page_where_it_cannot_be_built(tmp_path: Path, lacking: str) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    (tmp_path / ".ci/tools").write_text("", encoding="utf-8")
    environment = programs(
        tmp_path, make=f'echo "$@" >> {tmp_path}/log', python3=f"echo '{lacking}'"
    )
    environment.pop("PYTHON", None)
    done = subprocess.run(
        ["bash", str(tmp_path / ".ci/run")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    made = (tmp_path / "log").read_text(encoding="utf-8").splitlines()[-1].split()
    assert {"test", "audit", "instructions", "newest"} <= set(made)
    assert ("web-test" in made) is (lacking == "")
    line = "the page of airtcp explore is neither built nor tested: no node\n"
    assert done.stdout == (line if lacking else "")
