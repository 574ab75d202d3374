"""docs/evidence/rfc_and_ns2.md is up to date: its tables are played again."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts" / "compare_profiles.py"


def test_the_tables_of_ns_and_the_rfcs_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
