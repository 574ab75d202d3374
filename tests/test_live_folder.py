"""Files of a live run: fresh ones in the folder that was named, through no link."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from airtcp.cli.main import main
from airtcp.live import LiveLog, live
from airtcp.live.folder import FILES
from test_live import PATH, missing

PROBING = str(Path(__file__).parent.parent / "examples" / "probing.toml")
WORDS = ["live", PROBING, "--stack", "reno", "--size", "20kB", "--quiet", "--out"]
PRECIOUS = "precious"


def refusal_of(folder: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """The one line that a run into `folder` ends with, and exit code 2."""
    with pytest.raises(SystemExit) as ended:
        main([*WORDS, str(folder)])
    assert ended.value.code == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err.removeprefix("error: ").rstrip("\n")


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_written_through_a_link(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "out"
    victim.write_text(PRECIOUS)
    folder.mkdir()
    (folder / name).symlink_to(victim)
    line = refusal_of(folder, capfd)
    assert line.startswith(f"{folder / name}: is a symbolic link; remove it")
    assert victim.read_text() == PRECIOUS
    assert os.listdir(folder) == [name]


def test_a_link_to_a_folder_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to("elsewhere")
    line = refusal_of(tmp_path / "out", capfd)
    assert line == f"{tmp_path / 'out'}: is a symbolic link; name the folder itself"
    assert os.listdir(tmp_path / "elsewhere") == []


def test_what_is_no_file_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "packets.bin")
    assert "packets.bin: is not a regular file; remove it" in refusal_of(tmp_path, capfd)


def test_a_hard_link_keeps_what_it_had(tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "out"
    victim.write_text(PRECIOUS)
    folder.mkdir()
    for name in FILES:
        (folder / name).hardlink_to(victim)
    with pytest.raises(SystemExit) as ended:
        main([*WORDS, str(folder)])
    assert ended.value.code == 0
    assert victim.read_text() == PRECIOUS
    assert sorted(os.listdir(folder)) == sorted(FILES)
    assert LiveLog(folder).replay().differing == 0


# A command that puts links to a precious file and folder where the log is written.
SWAP = """
import os, sys
folder, victim, elsewhere = sys.argv[1:]
for name in os.listdir(folder):
    os.rename(os.path.join(folder, name), os.path.join(folder, "kept." + name))
    os.symlink(victim, os.path.join(folder, name))
os.symlink(victim, os.path.join(folder, "live.json"))
os.rename(folder, folder + ".moved")
os.symlink(elsewhere, folder)
"""


def test_a_command_that_puts_links_there_changes_nothing_else(tmp_path: Path) -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")
    victim, elsewhere, folder = (tmp_path / name for name in ("victim", "elsewhere", "out"))
    victim.write_text(PRECIOUS)
    elsewhere.mkdir()
    names = [str(path) for path in (folder, victim, elsewhere)]
    report = live(PATH, [sys.executable, "-c", SWAP, *names], out=folder)
    assert report.exit_code == 0
    assert victim.read_text() == PRECIOUS
    assert os.listdir(elsewhere) == []
    moved = tmp_path / "out.moved"
    assert not (moved / "live.json").is_symlink()
    assert json.loads((moved / "live.json").read_text())["report"]["status"] == 0
    assert (moved / "kept.packets.bin").exists(), shlex.join(os.listdir(moved))
