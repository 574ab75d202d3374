"""Ctrl-C and SIGTERM at any moment of a command: one line and its exit code, and no traceback.

AIRTCP_FUZZ says at how many moments; at a few if it is not set. `make fuzz` tries many.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hung import HUNG

MOMENTS = int(os.environ.get("AIRTCP_FUZZ", "3"))
SCENARIO = """
profile = "zorzi"
tcp.variant = ["tahoe", "reno"]
channel = {kind = "iid", loss_rate = 0.1}
stop.slots = 1000
"""
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """A command that imports most of what there is and ends soon."""
    file = tmp_path / "x.toml"
    file.write_text(SCENARIO)
    return ["plan", str(file), "--budget", "0.01", "--format", "csv"]


# The command, with a signal as the n-th module is looked for; for -1 it says how many there are.
AT_IMPORT = """
import os, sys
number, at = int(sys.argv.pop(1)), int(sys.argv.pop(1))
class Counting:
    found = 0
    def find_spec(self, name, *rest):
        Counting.found += hasattr(sys.modules.get("airtcp.support.signals"), "is_library_at_work")
        if Counting.found == at:
            os.kill(os.getpid(), number)
sys.argv[0] = "airtcp"
sys.meta_path.insert(0, Counting())
from airtcp.__main__ import main
try:
    main()
finally:
    at < 0 and print(Counting.found)
"""


def at_import(number: int, at: int, words: list[str]) -> tuple[int, str, str]:
    command = [sys.executable, "-c", AT_IMPORT, str(number), str(at), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HUNG)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_module_is_imported(number: int, words: list[str]) -> None:
    code, out, err = at_import(number, -1, words)
    assert (code, err) == (0, "")
    modules = int(out.splitlines()[-1])
    assert modules > 100
    for moment in range(MOMENTS):
        at = 1 + (modules - 1) * moment // MOMENTS
        code, _, err = at_import(number, at, words)
        assert (code, err) == (128 + number, "interrupted\n"), f"module {at} of {modules}"


# Where the interpreter starts, it has not come to airtcp yet.
FOREIGN = re.compile(r'File "[^"]*airtcp/(?!__init__\.py|_signals\.py)')


def test_ctrl_c_at_any_time(words: list[str]) -> None:
    command = [sys.executable, "-m", "airtcp", *words]
    begin = time.monotonic()
    subprocess.run(command, capture_output=True, check=True)
    whole = time.monotonic() - begin
    for moment in range(MOMENTS):
        delay = 1.2 * whole * moment / MOMENTS
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=HUNG)
        assert not FOREIGN.search(err), f"after {delay} s: {err}"
        if process.returncode == 130:
            assert err == "interrupted\n"
        elif process.returncode == 0:
            assert err == ""
            assert out.count("\n") >= 2
        else:  # killed before airtcp was there, by Python's own answer
            assert err == "" or err.endswith("KeyboardInterrupt\n"), err


def test_what_the_caller_ignores_stays_ignored(words: list[str]) -> None:
    line = 'trap "" INT; exec "$@"'
    command = ["sh", "-c", line, "sh", sys.executable, "-c", AT_IMPORT, "2", "50", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HUNG)
    assert (done.returncode, done.stderr) == (0, "")
