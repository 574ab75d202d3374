"""An output that cannot be written: one wording, whatever the command and the option."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import airtcp
from airtcp.cli.completion import FILE, FOLDER
from airtcp.cli.main import main

SCENARIO = """
profile = "rfc"
tcp.variant = ["reno", "sack"]
stop.time = "0.5s"
stop.replications = 2
[[path.hop]]
rate = "5Mbps"
delay = "5ms"
queue = 20
"""
ONE = ["--set", "tcp.variant=sack"]
GOAL = ["advise", "s.toml", "--goal", "goodput", "--over", "tcp.variant=reno,sack"]
PAIR = ["contest", "s.toml", "--variants", "reno,sack", *ONE]
FOLDERS = {  # command and option: the words before it
    ("run", "--out"): ["run", "s.toml"],
    ("sweep", "--out"): ["sweep", "s.toml"],
    ("reproduce", "--out"): ["reproduce", "lahanas/table1", "--quick"],
    ("live", "--out"): ["live", "s.toml", *ONE, "--for", "0.1s"],
}
FILES = {  # and the ending of the name
    ("trace", "--out"): ([*["trace", "s.toml"], *ONE], ".csv"),
    ("trace --replay", "--out"): (["trace", "--replay", "lived"], ".csv"),
    ("plot", "--out"): (["plot", "swept", "-x", "variant", "-y", "goodput_bps"], ".svg"),
    ("timeseries", "--plot"): ([*["timeseries", "s.toml"], *ONE], ".svg"),
    ("timeseries", "--journal"): ([*["timeseries", "s.toml"], *ONE], ".sqlite"),
    ("contest", "--plot"): (PAIR, ".svg"),
    ("contest", "--journal"): (PAIR, ".sqlite"),
    ("advise", "--plot"): (GOAL, ".svg"),
    ("advise", "--report"): (GOAL, ".html"),
    ("advise", "--journal"): (GOAL, ".sqlite"),
    ("fit", "--out"): (["fit", "ping.txt", "--no-tcp"], ".toml"),
    ("fit", "--report"): (["fit", "ping.txt", "--no-tcp"], ".html"),
}


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "s.toml").write_text(SCENARIO)
    airtcp.sweep(folder / "s.toml", folder / "swept")
    (folder / "file").write_text("mine")
    lines = [f"{k}\t{k}\t{40 + k % 7}.5\n" for k in range(100) if k % 25]
    (folder / "ping.txt").write_text("".join(lines))
    (folder / "dangling").symlink_to("nowhere/at/all")
    for ending in (".csv", ".svg", ".sqlite", ".html", ".toml"):
        (folder / f"folder{ending}").mkdir()
    return folder


@pytest.fixture(scope="module")
def lived(place: Path) -> None:
    path = {"profile": "rfc", "tcp": {"variant": "sack"}, "stop": {"time": "1s"}}
    path["path"] = {"hop": [{"rate": "5Mbps", "delay": "1ms", "queue": 20}]}  # type: ignore[assignment]
    airtcp.live.transfer(path, seconds=0.2, out=place / "lived")


def refused(place: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> str:
    monkeypatch.chdir(place)
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    assert (place / "file").read_text() == "mine"
    return line


LONG = "x" * 300


@pytest.mark.parametrize(("command", "before"), FOLDERS.items(), ids=map(" ".join, FOLDERS))
def test_a_folder_that_cannot_be_written(
    place: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, str], before: list[str]
) -> None:
    for name, line in {
        "file": "error: file: is a file, but a folder is needed",
        "file/x": "error: file: is a file, but a folder is needed",
        os.devnull: f"error: {os.devnull}: is a file, but a folder is needed",
        "dangling": "error: dangling: is a symbolic link that leads nowhere",
        "dangling/x": "error: dangling: is a symbolic link that leads nowhere",
        "/proc/x": "error: /proc/x: cannot be written: No such file or directory",
        LONG: f"error: {LONG}: cannot be written: File name too long",
        "": "error: out = '': must be the name of a directory",
    }.items():
        assert refused(place, monkeypatch, [*before, command[1], name]) == line


@pytest.mark.usefixtures("lived")
@pytest.mark.parametrize(("command", "given"), FILES.items(), ids=map(" ".join, FILES))
def test_a_file_that_cannot_be_written(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, str],
    given: tuple[list[str], str],
) -> None:
    (before, end), option = given, command[1]
    for name, line in {
        f"folder{end}": f"error: folder{end}: is a folder, but a file is needed",
        f"file/x{end}": "error: file: is a file, but a folder is needed",
        f"dangling/x{end}": "error: dangling: is a symbolic link that leads nowhere",
        f"/proc/x{end}": f"error: /proc/x{end}: cannot be written: No such file or directory",
        f"{LONG}{end}": f"error: {LONG}{end}: cannot be written: File name too long",
        "": f"error: {option[2:]} = '': must be the name of a file",
    }.items():
        assert refused(place, monkeypatch, [*before, option, name]) == line
    if end != ".sqlite":
        line = refused(place, monkeypatch, [*before, option, "x.gif"])
        assert line.startswith("error: x.gif: suffix = '.gif': must be one of .")


def test_every_option_that_names_an_output_is_tried() -> None:
    said: dict[Any, Any] = FOLDERS | FILES
    tried = {(command.partition(" ")[0], option) for command, option in said}
    for name, command in main.commands.items():
        for param in command.params:
            is_option = param.param_type_name == "option"
            is_output = is_option and param.opts[-1] not in ("--replay", "--light")
            if is_output and param.type in (FILE, FOLDER):
                assert (name, param.opts[-1]) in tried


def test_folders_above_an_output_are_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    for (_, option), (before, end) in FILES.items():
        if before[:2] != ["trace", "--replay"]:
            name = f"made/{before[0]}{option}/x{end}"
            result = CliRunner().invoke(main, [*before, option, name])
            assert result.exit_code == 0, result.output
            assert next(path.name for path in Path(name).parent.iterdir()).startswith("x")
