"""ECN on real packets: queues mark what they would drop, and the log's replay marks the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airtcp
from airtcp.live import LiveLog, transfer
from test_live import missing

SCENARIO: dict[str, Any] = {
    "profile": "linux",
    "tcp": {"congestion": "cubic", "ecn": True},
    "path": {"hop": [{"rate": "20Mbps", "delay": "5ms", "queue": {"kind": "codel"}}]},
    "stop": {"time": "3s"},
}


@pytest.mark.parametrize("stack", [None, "scenario"])
@pytest.mark.parametrize("kind", ["codel", "fq-codel"])
def test_packets_are_marked_and_not_dropped(stack: str | None, kind: str, tmp_path: Path) -> None:
    if stack is None and missing():
        pytest.skip(f"not granted here: {missing()}")
    scenario = airtcp.Scenario.from_dict(SCENARIO | _over(kind))
    transfer(scenario, seconds=3.0, out=tmp_path, stack=stack)
    log = LiveLog(tmp_path)
    table = log.table.to_pandas()
    data = table[table["direction"] == "forward"]
    marked = data[data["marked"]]
    assert len(marked) > 0
    assert (marked["ecn"] == "ect0").all()
    assert (data["fate"] != "queue").all()
    assert data["connection"].nunique() == 1
    assert log.replay().differing == 0


def test_without_ecn_packets_are_dropped(tmp_path: Path) -> None:
    plain = SCENARIO | {"tcp": {"congestion": "cubic"}}
    transfer(airtcp.Scenario.from_dict(plain), seconds=3.0, out=tmp_path, stack="scenario")
    data = LiveLog(tmp_path).table.to_pandas().query("direction == 'forward'")
    assert not data["marked"].any()
    assert (data["fate"] == "queue").any()


def _over(kind: str) -> dict[str, Any]:
    hop = SCENARIO["path"]["hop"][0] | {"queue": {"kind": kind}}
    return {"path": {"hop": [hop]}}
