"""Commands of pages run on systems without fork, too."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"
ELSEWHERE = """
import os, sys
sys.path.insert(0, sys.argv[1])
import commands
sys.platform = "win32"
if hasattr(os, "fork"):
    del os.fork
commands.serve()
"""


@pytest.mark.parametrize(("line", "status"), [("--version", 0), ("--no-such-option", 2)])
def test_a_command_runs_where_there_is_no_fork(line: str, status: int, tmp_path: Path) -> None:
    printed, said = tmp_path / "out", tmp_path / "err"
    asked = [["airtcp", line], str(tmp_path), str(printed), str(said)]
    words = [sys.executable, "-c", ELSEWHERE, SCRIPTS]
    done = subprocess.run(
        words, input=json.dumps(asked) + "\n", capture_output=True, text=True, check=False
    )
    assert done.stdout == f"{status}\n", done.stderr
    text = (said if status else printed).read_text(encoding="utf-8")
    assert text.startswith("error: " if status else "airtcp ")
