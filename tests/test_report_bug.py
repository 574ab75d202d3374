"""`airtcp report-bug`: enough to look for a mistake, and nothing private."""

import getpass
import hashlib
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import airtcp
from airtcp import Scenario, _native
from airtcp.cli.main import main
from airtcp.support import surroundings

TEXT = """
title = "A secret of Jane's"
profile = "zorzi"
[tcp]
variant = ["tahoe", "newreno"]
[channel]
kind = "iid"
loss_rate = 0.01
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "jane" / "secret.toml"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    return path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report-bug", *map(str, arguments)])


def reported(*arguments: object) -> dict[str, str]:
    result = call(*arguments)
    assert result.exit_code == 0, result.stderr
    pairs = (line.split(maxsplit=1) for line in result.stdout.splitlines())
    return dict(pairs)


def test_it_says_versions_and_the_system() -> None:
    found = reported()
    assert list(found) == ["airtcp", "python", "system", "encoding", "libraries", "extras"]
    assert f"{airtcp.__version__}, model {_native.MODEL_VERSION}, compiled part " in found["airtcp"]
    assert platform.python_version() in found["python"]
    assert platform.system() in found["system"]
    assert "numpy " in found["libraries"]
    assert "distributed " in found["extras"]


def test_a_scenario_is_told_by_its_hash(file: Path) -> None:
    hashes = [point.hash for point in Scenario.load(file).points()]
    whole = hashlib.sha256("".join(hashes).encode()).hexdigest()[:16]
    assert reported(file)["scenario"] == f"hash {whole}; points 2; profile zorzi; as it stands"
    line = reported(file, "--set", "tcp.variant=tahoe")["scenario"]
    assert line == f"hash {hashes[0]}; points 1; profile zorzi; with --set 1 times"


def test_a_scenario_that_is_refused_is_told_by_the_digest_of_its_file(file: Path) -> None:
    file.write_text(TEXT.replace("loss_rate", "lossrate"), encoding="utf-8")
    result = call(file)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    assert result.exit_code == 0
    assert f"refused, file {digest}\n" in result.stdout
    assert result.stderr.startswith("warning: ")
    assert "lossrate" in result.stderr
    assert "lossrate" not in result.stdout


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["none.toml"], "error: none.toml: no such file"),
        (["."], "error: .: is a directory; give a scenario file"),
        (["/dev/null"], "error: /dev/null: is not a regular file"),
        (["pipe"], "error: pipe: is not a regular file"),
        (
            ["jane/secret.toml", "--set", "tcp.window"],
            "error: --set 'tcp.window': must be KEY=VALUE",
        ),
    ],
)
def test_a_command_line_that_is_wrong_is_refused_in_a_line(
    file: Path, words: list[str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent.parent)
    os.mkfifo("pipe")
    result = call(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    (said,) = result.stderr.splitlines()
    assert said.startswith(line)


def test_a_closed_standard_input_is_refused() -> None:
    done = subprocess.run(
        f"{sys.executable} -m airtcp report-bug - <&-",
        check=False,
        shell=True,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr == "error: standard input: is closed; give a scenario file\n"


def test_nothing_private_is_in_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRTCP_TOKEN", "opensesame")
    monkeypatch.setattr(platform, "release", lambda: "6.18.1-janes-laptop")
    monkeypatch.setattr(platform, "python_version", lambda: "3.13.0+jane")
    monkeypatch.setattr(socket, "gethostname", lambda: "janes-laptop")
    said = call(file).stdout
    private = ["Jane", "jane", "secret", "opensesame", str(Path.home()), str(Path.cwd()), "/"]
    assert [word for word in private if word in said] == []
    assert getpass.getuser() not in said.replace("root", "") or getpass.getuser() == "root"
    assert "Linux 6.18.1," in said or platform.system() != "Linux"
    assert "3.13.0," in said


def test_an_absent_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["numpy>=1", "no-such-thing>=1", 'other-thing>=2; extra == "more"']
    monkeypatch.setattr(surroundings.metadata, "requires", lambda name: wanted)
    found = surroundings.describe_environment()
    assert found["libraries"].endswith(", no-such-thing none")
    assert found["extras"] == "other-thing none"
