"""Cross-traffic on real packets: what it does to the packets of programs, to the nanosecond.

Sources that are on and off for fixed times, over a hop with room for all, are written down here
once more: when a packet is sent follows from its arrival and from the cross-traffic before it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import airtcp
from airtcp.cli.main import main
from airtcp.live import LiveLog, live
from airtcp.live.points import reason_without_live_run as nobody_answers
from test_live import missing
from test_live_probes import MS, PROGRAM

EXAMPLES = Path(__file__).parent.parent / "examples"
DELAY = 2 * MS
AIRTIME = 800_000  # of 1000 B at 10 Mbit/s, in ns: 8 in 10 ms while a source is on
HOP = {"rate": "10Mbps", "delay": f"{DELAY}ns"}
SOURCE = {"rate": "8Mbps", "packet": "1000B"}
BURSTS = {
    "on": {"kind": "fixed", "value": "20ms"},
    "off": {"kind": "fixed", "value": "30ms"},
}
AHEAD = {"sender": "0", "receiver": "1", "start": "7ms"} | SOURCE | BURSTS
BACK = {"sender": "2", "receiver": "1", "end": "10s"} | SOURCE
SCENARIO = {
    "profile": "rfc",
    "tcp": {"variant": "newreno", "packet": "600B"},
    "path": {"hop": [HOP, HOP]},
    "traffic": [AHEAD, BACK],
}


def leaves(direction: int, end: int) -> list[int]:
    """When cross-traffic comes to the first hop of a direction."""
    if direction == 1:
        return list(range(0, min(end, 10_000 * MS), MS))
    bursts = range(7 * MS, end, 50 * MS)
    return [begin + k * MS for begin in bursts for k in range(20) if begin + k * MS < end]


def sent(records: np.ndarray, direction: int) -> list[int]:
    """When each packet is sent on the first hop, which cross-traffic shares."""
    packets = [(int(at), 1, int(bits)) for at, bits in records[["arrival", "bits"]].tolist()]
    cross = [(at, 0, 8000) for at in leaves(direction, packets[-1][0] + 1)]
    starts, free = [], 0
    for at, is_packet, bits in sorted(packets + cross, key=lambda arrival: arrival[:2]):
        start = max(at, free)
        free = start + 100 * bits
        if is_packet:
            starts.append(start)
    return starts


@pytest.fixture
def granted() -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")


@pytest.mark.usefixtures("granted")
def test_packets_wait_for_cross_traffic_that_came_before_them(tmp_path: Path) -> None:
    server = shlex.join([*PROGRAM, "echo"])
    assert live(SCENARIO, [*PROGRAM, "send", "300"], server=server, out=tmp_path).exit_code == 0
    log = LiveLog(tmp_path)
    assert log.replay().differing == 0
    assert set(log.fates.tolist()) <= {"delivered", "on the way"}
    for direction in (0, 1):
        rows = log.records[(log.records["direction"] == direction) & (log.records["fate"] == 0)]
        rows = rows[np.argsort(rows["id"])]
        assert len(rows) >= 290
        # To the second hop nothing comes but the packets of the first.
        first = sent(rows, direction)
        ends, free = [], 0
        for start, bits in zip(first, rows["bits"].tolist(), strict=True):
            free = max(start + 100 * bits + DELAY, free) + 100 * bits
            ends.append(free)
        assert rows["end"].tolist() == ends
        waited = np.array(first) - rows["arrival"]
        assert (waited > AIRTIME // 2).sum() > 20, "cross-traffic was met"


def test_its_own_stack_answers_for_a_scenario_with_cross_traffic() -> None:
    for point in airtcp.Scenario.load(EXAMPLES / "cross_traffic.toml").points():
        assert nobody_answers(point, "airtcp") == ""


def test_more_than_can_be_sent_in_real_time_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--set", "traffic[0].rate=10Gbps", "--set", "tcp.congestion=reno"]
    example = str(EXAMPLES / "cross_traffic.toml")
    with pytest.raises(SystemExit) as ended:
        main(["live", example, *words, "--stack", "sack", "--out", str(tmp_path)])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    refusal = (
        "error: live: traffic: 833384 packets per second, counted on each hop that they cross; at"
    )
    assert said.startswith(refusal), said
    assert said.count("\n") == 1
