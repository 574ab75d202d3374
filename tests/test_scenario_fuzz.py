"""Mutated examples: a scenario that survives being written, or a line; little memory and time.

AIRTCP_FUZZ says how many mutants are tried; a few if it is not set. `make fuzz` tries many.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MUTANTS = int(os.environ.get("AIRTCP_FUZZ", "600"))


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory and time as Linux does")
def test_mutated_scenarios() -> None:
    script = Path(__file__).parent / "scenario_fuzz.py"
    command = [sys.executable, str(script), "0", str(MUTANTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3000)
    assert done.returncode == 0, done.stderr[-3000:]
    valid = int(done.stdout)
    assert MUTANTS / 20 < valid < MUTANTS / 2
