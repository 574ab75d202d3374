"""Packets that arrive twice, late and out of order, on real packets.

A train of UDP probes goes over a hop with `duplicate` and `jitter`; the laws of what comes out are
exact, so that a failure does not depend on the machine. All tests are at level 10^-5.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, kstest

from airtcp.live import LiveLog, live, transfer
from test_live import missing
from test_live_probes import MS, PROGRAM, WORDS

PROBES, BYTES, LEVEL = 4000, 125, 1e-5
DELAY, MOST = 3 * MS, 5 * MS  # of the wire, and of the jitter
SHARE = 0.1
JITTER = {"kind": "uniform", "min": "0ms", "max": f"{MOST}ns"}
WIRE = {"duplicate": SHARE, "jitter": JITTER}
# The end of the train may overtake it: nothing answers before all have come.
BACK = {"delay": "1s"}
HOP = {"rate": "10Mbps", "delay": f"{DELAY}ns", "back": BACK}
LOSSY = {"channel": {"kind": "iid", "loss_rate": 0.1}}


@pytest.fixture(params=["overtaking", "in order"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[bool, LiveLog, np.ndarray]:
    """True if packets overtake; the log; and the numbers of the probes as the program got them."""
    if missing():
        pytest.skip(f"not granted here: {missing()}")
    overtaking = request.param == "overtaking"
    scenario = {
        "profile": "rfc",
        "tcp": {"variant": "newreno", "packet": f"{BYTES}B"},
        "path": {"hop": [HOP | WIRE | LOSSY | {"reorder": overtaking}]},
    }
    file = tmp_path / "seen.bin"
    server = shlex.join([*PROGRAM, "sink", str(file)])
    command = [*PROGRAM, "train", str(PROBES), str(BYTES)]
    assert live(scenario, command, server=server, seed=11, out=tmp_path).exit_code == 0
    return overtaking, LiveLog(tmp_path), np.fromfile(file, WORDS)["number"]


def test_the_program_gets_what_the_log_says_and_that_obeys_the_laws(
    run: tuple[bool, LiveLog, np.ndarray],
) -> None:
    overtaking, log, seen = run
    replay = log.replay()
    assert replay.differing == 0, str(replay)
    assert replay.packets + replay.copies == len(log.records)
    assert sum(log.meta["report"]["copies"]) == replay.copies
    records = log.records[(log.records["direction"] == 0) & (log.records["id"] < PROBES)]
    delivered = records[records["fate"] == 0]
    # The log has them in the order in which they were handed over.
    assert delivered["id"].tolist() == seen.tolist()
    first, second = (records[records["copy"] == copy] for copy in (0, 1))
    assert len(first) + len(second) == len(records)
    passed = first[first["fate"] == 0]
    assert_share(len(passed), PROBES, 0.9)
    assert_share(len(second), len(passed), SHARE)
    assert np.isin(second["id"], passed["id"]).all()  # what is lost has no copy
    assert (second["fate"] == 0).all()
    late = delivered["at"] - delivered["end"] - DELAY
    overtook = np.diff(delivered["id"]) < 0
    if overtaking:
        for copy in (0, 1):
            assert kstest(late[delivered["copy"] == copy], "uniform", (0, MOST)).pvalue > LEVEL
        assert overtook.sum() > len(delivered) / 4
    else:
        assert not overtook.any()
        assert (late >= 0).all()


def assert_share(found: int, of: int, wanted: float) -> None:
    """Clopper and Pearson's interval has it."""
    low, high = binomtest(found, of).proportion_ci(1 - LEVEL, "exact")
    assert low <= wanted <= high, (found, of)


@pytest.mark.parametrize("stack", ["airtcp", "kernel"])
@pytest.mark.parametrize("variant", ["newreno", "sack"])
def test_a_transfer_is_whole_over_a_wire_that_duplicates(
    variant: str, stack: str, tmp_path: Path
) -> None:
    """Two hops, both ways: also SYN, FIN and their ACKs come up to four times."""
    if stack == "kernel" and missing():
        pytest.skip(f"not granted here: {missing()}")
    hop: dict[str, Any] = {"rate": "10Mbps", "delay": "1ms", "reorder": True, "duplicate": 1.0}
    hop["jitter"] = {"kind": "exponential", "mean": "1ms"}
    hop["back"] = {name: hop[name] for name in ("reorder", "duplicate", "jitter")}
    scenario = {
        "profile": "rfc",
        "tcp": {"variant": variant, "window": 20},
        "path": {"hop": [hop, hop]},
    }
    report = transfer(
        scenario,
        stack="scenario" if stack == "airtcp" else None,
        size=100_000,
        seconds=60.0,
        out=tmp_path,
    )
    assert report.complete
    assert report.info.get("bytes_acked", 100_000) >= 100_000
    assert report.identical is not False
    log = LiveLog(tmp_path)
    assert log.replay().differing == 0
    assert set(log.records["copy"].tolist()) == {0, 1, 2, 3}
