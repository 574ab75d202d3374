"""Why a scenario has no metric of a name, or no value of one: a line with the nearest one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airtcp.cli.main import main
from airtcp.metrics.absent import nearest_metric, reason_without_values

PATH: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack"},
    "path": {"hop": [{"rate": "10Mbps", "delay": "10ms", "queue": 30}]},
    "stop": {"time": "5s"},
}
SLOTS: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": "tahoe"},
    "channel": {"kind": "iid", "loss_rate": 0.1},
    "stop": {"slots": 1000},
}
THINK = {"kind": "fixed", "value": "200ms"}


def run(tmp_path: Path, document: dict[str, Any], metric: str) -> Any:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    runner = CliRunner(env={"COLUMNS": "300"})
    return runner.invoke(main, ["run", str(file), "--metric", metric, "--replications", "1"])


@pytest.mark.parametrize(
    ("document", "metric", "said"),
    [
        (
            PATH,
            "completion_10k",
            "needs a flow of many transfers (flow.arrivals, flow.think), and no flow is one;"
            " nearest here: 'transfer_time'",
        ),
        (PATH, "stalls", "needs a video (flow.video), and no flow is one"),
        (
            PATH,
            "ll_failures",
            "needs a link layer that retransmits (arq), and there is none;"
            " nearest here: 'transmissions_per_delivery'",
        ),
        (PATH, "utilisation", "is a metric of links (--links counts it), not of flows"),
        (
            PATH,
            "throughput",
            "is a metric of scenarios on slots, not of a scenario on a path;"
            " nearest here: 'throughput_pps'",
        ),
        (
            SLOTS,
            "timeouts",
            "is a metric of scenarios on a path, not of a scenario on slots;"
            " nearest here: 'timeouts_per_slot'",
        ),
        (PATH, "valid", "is a metric of runs that an engine measures, not of a scenario on a path"),
    ],
)
def test_a_metric_of_something_else(
    document: dict[str, Any], metric: str, said: str, tmp_path: Path
) -> None:
    result = run(tmp_path, document, metric)
    assert result.exit_code == 2
    assert result.stderr == f"error: metric = '{metric}': {said}\n"


def test_a_name_that_no_metric_has(tmp_path: Path) -> None:
    result = run(tmp_path, PATH, "goodput")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "must be one of throughput_pps, " in result.stderr
    assert result.stderr.endswith("(did you mean 'goodput_bps'?)\n")


def test_a_metric_without_values_says_why(tmp_path: Path) -> None:
    large = {"flow": [{"think": THINK, "sizes": {"kind": "fixed", "value": "500kB"}}]}
    shown = run(tmp_path, PATH | large, "completion_10k").output
    assert (
        "No value of completion_10k: no transfer of up to 10 kB was completed;"
        " nearest with values: completion_1m." in shown
    )
    shown = run(tmp_path, PATH, "transfer_time").output
    assert "No value of transfer_time: no flow ends (flow.packets, flow.size) or has a" in shown


def test_reasons() -> None:
    ends = {"flow": [{"packets": 5, "count": 1}]}
    assert "did not reach its end" in reason_without_values("transfer_time", ends)
    assert reason_without_values("completion_p95", {}) == "no transfer was completed"
    assert (
        reason_without_values("completion_long_p95", {})
        == "no transfer of above 1 MB was completed"
    )
    assert "no video began to play" in reason_without_values("startup_delay", {})
    assert reason_without_values("delay_own_ack", {}) == "the runs have nothing to divide by"
    assert nearest_metric("xyz", ["throughput_pps"]) == ""
    assert nearest_metric("transfers_1m", ["goodput_bps"]) == ""
