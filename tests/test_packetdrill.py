"""`airtcp packetdrill`: verdicts, exit codes, and the scripts that lie outside the project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from airtcp import InputError
from airtcp.cli.main import main
from airtcp.packetdrill import ScriptVerdict, find, play
from work import interrupted_at_work

ROOT = Path(__file__).parent.parent
OURS = Path(__file__).parent / "packetdrill"
RECORDINGS = Path(__file__).parent / "recordings"
SHARED = Path(os.environ.get("AIRTCP_SHARED", ROOT.parent / "shared")) / "packetdrill"

PASSES = """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 32792 <mss 1000>
   +0 > S. 0:0(0) ack 1 <mss 1460>
   +0 < . 1:1(0) ack 1 win 257
   +0 accept(3, ..., ...) = 4
   +0 %{ print(tcpi_state) }%
"""
FAILS = PASSES.replace("mss 1460", "mss 1400")
REFUSED = PASSES.replace("listen(3, 1)", "lisen(3, 1)")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["packetdrill", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "below").mkdir()
    (tmp_path / "a.pkt").write_text(PASSES, encoding="utf-8")
    (tmp_path / "below/b.pkt").write_text(FAILS, encoding="utf-8")
    (tmp_path / "below/c.pkt").write_text(REFUSED, encoding="utf-8")
    (tmp_path / "below/README").write_text("no script", encoding="utf-8")
    return tmp_path


def test_each_script_has_a_line_and_the_worst_one_the_exit_code(folder: Path) -> None:
    passes, fails, refused = folder / "a.pkt", folder / "below/b.pkt", folder / "below/c.pkt"
    done = call(str(passes))
    assert (done.exit_code, done.stdout, done.stderr) == (
        0,
        f"{passes}: passes\n",
        f"{passes}: printed: 1\n",
    )
    done = call(str(passes), str(fails))
    assert done.exit_code == 1
    wanted = "line 6: expected S. 0:0(0) ack 1 <mss 1400> at 0 s; S. 0:0(0) ack 1 win 64240"
    assert done.stdout.splitlines()[1].startswith(f"{fails}: {wanted}")
    done = call(str(folder))
    assert done.exit_code == 2
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        *(str(passes), str(fails), str(refused))
    ]
    assert f"{refused}:4:7: call 'lisen' is not known; did you mean listen?" in done.stdout


def test_verdicts_as_json(folder: Path) -> None:
    done = call(str(folder), "--format", "json")
    told = json.loads(done.stdout)
    assert [row["verdict"] for row in told] == ["passes", "fails", "refused"]
    assert told[0] == {"script": str(folder / "a.pkt"), "verdict": "passes", "printed": ["1"]}
    assert told[1]["line"] == 6
    assert (told[2]["line"], told[2]["column"]) == (4, 7)


def test_python_gives_verdicts_one_by_one(folder: Path) -> None:
    first, second, third = play([folder])
    assert isinstance(first, ScriptVerdict)
    assert (first.verdict, second.verdict, third.verdict) == ("passes", "fails", "refused")
    assert str(first) == f"{folder / 'a.pkt'}: passes"


def test_files_that_are_no_scripts_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.pkt").write_bytes(b"\xff\xfe")
    for arguments, reason in (
        ([str(tmp_path / "none.pkt")], "No such file"),
        ([str(tmp_path / "x.pkt")], "is not UTF-8 from byte 0 on"),
        ([str(tmp_path / "x.pkt"), "--format", "xml"], "'xml' is not one of"),
    ):
        done = call(*arguments)
        assert done.exit_code == 2
        assert reason in done.stderr
        assert done.stderr.count("\n") == 1
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"has no \*.pkt"):
        find([tmp_path / "empty"])


def test_our_scripts_pass() -> None:
    verdicts = list(play([OURS]))
    assert len(verdicts) >= 12
    assert [str(verdict) for verdict in verdicts if verdict.verdict != "passes"] == []


def test_recordings_of_the_kernel_pass() -> None:
    verdicts = list(play(RECORDINGS))
    assert len(verdicts) == 17
    assert [str(verdict) for verdict in verdicts if verdict.verdict != "passes"] == []


def test_public_scripts_pass() -> None:
    if not SHARED.is_dir():
        pytest.skip("the scripts are not here: they are no part of the project")
    verdicts = list(play([SHARED]))
    assert len(verdicts) == 20
    assert [str(verdict) for verdict in verdicts if verdict.verdict != "passes"] == []


def test_the_page_has_a_line_for_each_public_script() -> None:
    if not SHARED.is_dir():
        pytest.skip("the scripts are not here: they are no part of the project")
    page = (ROOT / "docs/evidence/packetdrill.md").read_text(encoding="utf-8")
    missing = [
        script.stem
        for script in find([SHARED])
        if f"`{script.parent.name}/{script.stem}`" not in page
    ]
    assert missing == []


# Values that double, that lie in each other, and that are copied; texts without end.
GREEDY = {
    "double": ("x = (1, 1)\n" + "x = (x, x)\n" * 27, "bytes in all"),
    "deep": ("x = (1, 1)\n" + "x = (x, 1)\n" * 20_000 + "print(x)\n", "40 levels"),
    "copied": (f"x = '{'a' * 65_000}'\n" + "x == x\n" * 100_000, "bytes in all"),
    "printed": (f"x = '{'a' * 65_000}'\n" + "print(x)\n" * 900, "prints more than"),
}


def test_code_that_costs_too_much_is_refused_and_the_other_scripts_are_played(
    tmp_path: Path,
) -> None:
    begin = PASSES.rpartition("+0 %{")[0]
    for name, (code, _) in GREEDY.items():
        (tmp_path / f"{name}.pkt").write_text(f"{begin}+0 %{{\n{code}}}%\n", encoding="utf-8")
    (tmp_path / "a.pkt").write_text(PASSES, encoding="utf-8")
    (tmp_path / "z.pkt").write_text(PASSES, encoding="utf-8")
    # Within a limit, so that a failure of this test is none of the machine.
    limited = ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", sys.executable, "-m", "airtcp"]
    words = [*limited, "packetdrill", str(tmp_path), "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    told = {Path(row["script"]).stem: row for row in json.loads(done.stdout)}
    assert [told.pop(name)["verdict"] for name in "az"] == ["passes", "passes"]
    assert {name: row["verdict"] for name, row in told.items()} == dict.fromkeys(GREEDY, "refused")
    for name, (_, reason) in GREEDY.items():
        assert reason in told[name]["reason"]
        assert told[name]["line"] > begin.count("\n")


@pytest.mark.parametrize("line", ["1[y]", "(1,)[y]", "y[y]", "y[1][y]"])
def test_a_complaint_about_long_values_is_short(tmp_path: Path, line: str) -> None:
    begin = PASSES.rpartition("+0 %{")[0]
    code = "x = 'a'\n" + "x = x + x\n" * 12 + f"y = ({'x, ' * 200})\n"
    (tmp_path / "long.pkt").write_text(f"{begin}+0 %{{\n{code}{line}\n}}%\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["packetdrill", str(tmp_path / "long.pkt")])
    assert "has no element" in done.output
    assert len(done.output) < 4000


def assert_ctrl_c_ends(folder: Path) -> None:
    """Once the first of its scripts has been played."""
    command = [sys.executable, "-m", "airtcp", "packetdrill", str(folder)]
    ended = interrupted_at_work(command, 0.1)
    assert ended.code == 130
    assert ended.errors.splitlines()[-1] == "interrupted"
    assert ended.seconds < 5.0


def test_ctrl_c_ends_code_that_computes(tmp_path: Path) -> None:
    # An assertion that fails is tried in every phase of the ticks, each of which takes its time.
    begin = PASSES.rpartition("+0 %{")[0]
    code = "".join(f"n{nth} = 1\n" for nth in range(60_000)) + "assert not n1"
    for number in range(9):
        text = f"{begin}+0 %{{\n{code}}}%\n"
        (tmp_path / f"{number}.pkt").write_text(text, encoding="utf-8")
    (tmp_path / "-.pkt").write_text(PASSES, encoding="utf-8")
    assert_ctrl_c_ends(tmp_path)


def test_ctrl_c_ends_a_long_script(tmp_path: Path) -> None:
    # A window that stays closed is probed for as long as the other end answers.
    text = PASSES + "   +0 write(4, ..., 1000) = 1000\n   +0 > P. 1:1001(1000) ack 1\n"
    text += "   +0 < . 1:1(0) ack 1001 win 0\n   +0 write(4, ..., 1000) = 1000\n"
    text += " +100 < . 1:1(0) ack 1001 win 0\n" * 5000
    for number in range(200):
        (tmp_path / f"{number}.pkt").write_text(text, encoding="utf-8")
    assert_ctrl_c_ends(tmp_path)
