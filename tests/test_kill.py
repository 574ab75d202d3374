"""A sweep that is killed again and again: nothing finished is lost, nothing is counted twice.

AIRTCP_KILLS says how often it is killed; a few times if it is not set.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import airtcp
from airtcp import Scenario, simulate
from airtcp.campaign.journal import open_journal
from campaigns import kept

KILLS = int(os.environ.get("AIRTCP_KILLS", "6"))
DOCUMENT: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": ["tahoe", "reno", "newreno"], "window": [4, 8, 16]},
    "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
    "stop": {"slots": 20_000, "replications": 25},
}
RUNS = 3 * 3 * 2 * 25

# A sweep that says after every commit which runs it has kept, and when it writes a file. It has few
# runs under way, so that it says much.
SWEEP = """
import sys
import airtcp, airtcp.campaign.dataset, airtcp.campaign.executor, airtcp.simulation.results
from airtcp.campaign.journal import Journal
airtcp.campaign.executor._TASKS_PER_THREAD = 2
def say(line=""):
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
add, replacing = Journal.add, airtcp.campaign.dataset.replace_file_with
def saying(self, runs):
    runs = list(runs)
    add(self, runs)
    say("".join(f"{series.scenario},{replication};" for series, replication, _ in runs))
def writing(path):
    say()
    return replacing(path)
Journal.add, airtcp.campaign.dataset.replace_file_with = saying, writing
say("start")
airtcp.sweep(sys.argv[1], sys.argv[2], jobs=2)
say("end")
"""


class Sweeping:
    """One process after the other on the same folder; `said` is what they have said to be kept."""

    def __init__(self, file: Path, out: Path) -> None:
        self.file, self.out = file, out
        self.said: set[tuple[str, int]] = set()

    def killed_after(self, number: int, seconds: float) -> str:
        """Start one, kill it some time after so many lines of it; returns where it was."""
        command = [sys.executable, "-c", SWEEP, str(self.file), str(self.out)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "start\n"
            lines = [process.stdout.readline() for _ in range(number)]
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
            lines += process.stdout.read().splitlines(keepends=True)
        whole = [line.strip() for line in lines if line.endswith("\n")]
        ended = "end" in whole
        assert process.returncode == -signal.SIGKILL or ended
        for part in "".join(whole).removesuffix("end").split(";")[:-1]:
            scenario, replication = part.split(",")
            assert (scenario, int(replication)) not in self.said  # it was there already
            self.said.add((scenario, int(replication)))
        return "end" if ended else self._check(anything=bool(whole))

    def _check(self, anything: bool) -> str:
        """The journal can be read, and holds what was said."""
        journal = self.out / "runs.sqlite"
        if not journal.exists():
            assert not self.said
            return "before the journal"
        with open_journal(journal):  # it says if it is damaged
            found = {(key[0], key[3]) for key in kept(journal)}
        assert found >= self.said
        if len(found) == RUNS:
            return "after the last run"
        return "between runs" if anything else "before its first run"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_sweep_killed_at_random_instants(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    scenario = Scenario.from_dict(DOCUMENT)
    file.write_text(scenario.to_toml(), encoding="utf-8")
    expected = simulate(scenario).runs
    draw, places, folders = random.Random(20), Counter[str](), 0
    while sum(places.values()) < KILLS:
        folders += 1
        sweeping = Sweeping(file, tmp_path / str(folders))
        while sum(places.values()) < KILLS:
            place = sweeping.killed_after(draw.randrange(12), draw.uniform(0.0, 0.02))
            if place == "end":
                break
            places[place] += 1
        finish(sweeping.out, file, expected)
    print(f"{KILLS} kills of sweeps into {folders} folders: {dict(places)}")


def finish(out: Path, file: Path, expected: pa.Table) -> None:
    """Let the last one come to its end: the dataset is that of an uninterrupted sweep."""
    found = airtcp.sweep(file, out)
    assert found.problems == ()
    assert found.runs.equals(expected)
    assert pq.read_table(out / "data" / "part-00000.parquet").equals(expected)
    assert len(kept(out / "runs.sqlite")) == RUNS
    assert not list(out.rglob("*.part"))
