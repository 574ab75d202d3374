"""Shells complete commands, options, names and files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from airtcp.cli.completion import SHELLS
from airtcp.cli.main import main

PROGRAMS = Path(sys.executable).parent


def script(shell: str) -> str:
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def completed(line: str) -> list[str]:
    """Completions for bash of the last word of a line: kind and word."""
    words = line.split(" ")
    given = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    result = CliRunner().invoke(
        main, [], prog_name="airtcp", env=given | {"_AIRTCP_COMPLETE": "bash_complete"}
    )
    return result.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("airtcp rep", ["plain,reproduce", "plain,report-bug"]),
        ("airtcp run --eng", ["plain,--engine"]),
        ("airtcp run --engine a", ["plain,analysis", "plain,all"]),
        ("airtcp run x.toml --format j", ["plain,json"]),
        ("airtcp run x.toml --metric goodput_b", ["plain,goodput_bps"]),
        ("airtcp run exam", ["file,exam"]),
        ("airtcp run x.toml --out o", ["dir,o"]),
        ("airtcp sweep x.toml --out o", ["dir,o"]),
        ("airtcp trace x.toml -o o", ["file,o"]),
        ("airtcp packetdrill a", ["file,a"]),
        ("airtcp explain a.pcap b", ["file,b"]),
        ("airtcp results o", ["dir,o"]),
        ("airtcp list var", ["plain,variants"]),
        ("airtcp reproduce zorzi/t", ["plain,zorzi/table1"]),
        ("airtcp completion z", ["plain,zsh"]),
    ],
)
def test_a_word_is_completed(line: str, expected: list[str]) -> None:
    assert completed(line) == expected


def test_every_word_that_names_a_file_is_completed_as_one() -> None:
    kinds = ("FILE", "DIR", "CAPTURE", "SCRIPT")
    for name, command in main.commands.items():
        for one in command.params:
            called = str(one.metavar or one.name).upper()
            if called.startswith(kinds):
                assert type(one.type).__name__ == "Entry", f"{name} {one.name}"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed(shell: str) -> None:
    assert f"_AIRTCP_COMPLETE={shell}_complete" in script(shell)


def test_bash_completes_with_its_script(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    played = f"{script('bash')}\nCOMP_WORDS=(airtcp repo); COMP_CWORD=1\n"
    played += "compopt() { :; }\n_airtcp_completion airtcp\necho ${COMPREPLY[@]}\n"
    path = os.pathsep.join([str(PROGRAMS), os.environ["PATH"]])
    done = subprocess.run(
        [bash, "-c", played],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
    )
    assert done.stdout == "report-bug\n"


def test_another_shell_is_refused_in_a_line() -> None:
    result = CliRunner().invoke(main, ["completion", "tcsh"])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in line
