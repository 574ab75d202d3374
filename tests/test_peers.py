"""The comparison with other simulators, `bench/peers`: what it needs of Python's libraries."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PEERS = Path(__file__).parent.parent / "bench" / "peers"


@pytest.fixture
def without_arrow(tmp_path: Path) -> dict[str, str]:
    """An environment in which the import of pyarrow fails."""
    broken = "raise ModuleNotFoundError(\"No module named 'pyarrow'\", name='pyarrow')\n"
    (tmp_path / "pyarrow.py").write_text(broken)
    return os.environ | {"PYTHONPATH": str(tmp_path)}


def run(script: str, *arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PEERS / script), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_a_run_and_its_check_need_no_optional_library(without_arrow: dict[str, str]) -> None:
    plain = run("airtcp_run.py", "clean", "100", env=without_arrow)
    checked = run("airtcp_run.py", "clean", "1000", "5000", "--trace", env=without_arrow)
    assert plain.returncode == checked.returncode == 0, plain.stderr + checked.stderr
    assert json.loads(plain.stdout)["sent"] > 5000
    found = json.loads(checked.stdout)
    assert found["sent"] == found["delivered"] == 5000
    assert found["time"] == pytest.approx(52.290208, abs=5e-7), "the published time of ns-2"


def test_a_comparison_starts_without_one(without_arrow: dict[str, str]) -> None:
    done = run(
        "compare.py", "--only", "airtcp", "--rounds", "1", "--seconds", "10", env=without_arrow
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("5000 packets take") == 2


def test_what_needs_one_names_it_before_it_starts(without_arrow: dict[str, str]) -> None:
    done = run("compare.py", "--scaling", env=without_arrow)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "needs pyarrow: " in done.stderr
