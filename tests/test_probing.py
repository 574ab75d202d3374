"""Probing over On/Off errors as in Lahanas and Tsaoussidis; probes in what a run shows."""

from __future__ import annotations

import csv
import math
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import airtcp as at
from airtcp.errors import ScenarioError

RUNS = 200
NAMES = {"adaptive": "adaptive-probing", "skip": "skip-probing"}  # of the reference: here
VARIANTS = ("tahoe", "reno", "tahoe-probing", "reno-probing", "adaptive-probing", "skip-probing")


def transfer(variant: Any, on: float, loss_rate: float, **tcp: Any) -> at.Scenario:
    errors = {"kind": "on-off", "on": f"{on}s", "off": "5s", "loss_rate": loss_rate}
    hop = {"rate": "3416kbps", "delay": "8ms", "exit": errors, "back": {"exit": errors}}
    return at.Scenario.from_dict(
        {
            "profile": "bsd",
            "tcp": {"variant": variant, **tcp},
            "path": {"hop": [hop]},
            "flow": [{"size": "5242880B"}],
            "stop": {"time": "100000s"},
        }
    )


def reference() -> list[dict[str, str]]:
    text = (files("airtcp") / "data" / "lahanas_reference.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


@pytest.fixture(scope="module")
def probed() -> at.Events:
    return at.trace(transfer("reno-probing", 2.0, 0.5), seed=3, replication=0)


def test_without_errors_all_take_the_same_time_and_bytes() -> None:
    result = at.simulate(transfer(list(VARIANTS), 1.0, 0.0), replications=1, seed=1)
    summary = result.summary()
    assert len(summary) == len(VARIANTS)
    assert [f"{time:.3f}" for time in summary["transfer_time"]] == ["12.797"] * 6
    assert [f"{100 * share:.4f}" for share in summary["overhead"]] == ["1.4107"] * 6
    assert set(summary["probes"]) == {0.0}


# One row of each kind of recovery and of each On time; all of them agree, but take a minute.
@pytest.mark.parametrize(
    "row",
    [
        row
        for row in reference()
        if (row["on_s"], row["protocol"], row["error_rate_pct"])
        in {
            ("1", "tahoe", "99"),
            ("1", "reno", "20"),
            ("1", "reno-probing", "20"),
            ("1", "skip", "20"),
            ("4", "tahoe-probing", "99"),
            ("4", "adaptive", "33"),
        }
    ],
    ids=lambda row: "{on_s}s-{protocol}-{error_rate_pct}".format(**row),
)
def test_cells_agree_with_the_reference(row: dict[str, str]) -> None:
    """Within 3 standard errors and 3 % of the time, or 0.03 points of the overhead."""
    variant = NAMES.get(row["protocol"], row["protocol"])
    scenario = transfer(variant, float(row["on_s"]), float(row["error_rate_pct"]) / 100)
    summary = at.simulate(scenario, replications=RUNS, seed=1).summary()
    spread = 3 * math.sqrt(1 / RUNS + 1 / int(row["runs"]))
    known = {name: float(value) for name, value in row.items() if name != "protocol"}
    time, overhead = summary["transfer_time"][0], 100 * summary["overhead"][0]
    allowed = spread * known["time_sd_s"] + 0.03 * known["time_mean_s"]
    assert abs(time - known["time_mean_s"]) <= allowed
    assert abs(overhead - known["overhead_mean_pct"]) <= spread * known["overhead_sd_pct"] + 0.03


def test_the_counts_of_probes_are_the_events(probed: at.Events) -> None:
    scenario = transfer("reno-probing", 2.0, 0.5)
    run = at.simulate(scenario, replications=1, seed=3).runs.to_pylist()[0]
    events = probed.to_pandas()
    sent = events[events["event"] == "probe-send"]
    assert run["probes"] == len(sent) > 4
    assert run["probe_bits"] == 28 * 8 * len(sent)
    assert set(sent["size"]) == {62}
    lost = (events["event"] == "probe-drop").sum() + (events["event"] == "probe-ack-drop").sum()
    assert lost == len(sent) - (events["event"] == "probe-ack").sum() > 0
    assert sent["probe_number"].is_unique


def test_nothing_but_probes_is_sent_during_a_cycle(probed: at.Events) -> None:
    """From every first probe to the answer to the second only probes leave."""
    events = probed.to_pandas()
    at_sender = events[events["event"].isin(["send", "resend", "probe-send"])]
    kinds = ["P" if kind == "probe-send" else "d" for kind in at_sender["event"]]
    probes = at_sender["probe"].tolist()
    for before, after, first in zip(kinds, kinds[1:], probes, strict=False):
        # Data follows a second probe only: the decision.
        assert not (before == "P" and after == "d" and first == 1)


def test_metrics_leave_out_framing_and_count_the_short_last_packet() -> None:
    run = at.simulate(transfer("tahoe", 1.0, 0.0), replications=1, seed=1).runs.to_pylist()[0]
    assert run["in_order_bits"] == 8 * 5_242_880
    assert (run["in_order"], run["sent"]) == (3698, 3698)
    assert run["sent_bits"] == 8 * (5_242_880 + 3698 * 20)


def test_phases_of_clocks_are_random() -> None:
    """The first timeout of a connection that loses its first packet comes within 0.5 to 1 s."""
    hop = {"rate": "3416kbps", "delay": "8ms", "drop": [[0, 1]]}
    scenario = at.Scenario.from_dict(
        {
            "profile": "bsd",
            "tcp": {"variant": "tahoe"},
            "path": {"hop": [hop]},
            "flow": [{"packets": 3}],
            "stop": {"time": "10s"},
        }
    )
    firsts = []
    for replication in range(20):
        events = at.trace(scenario, seed=1, replication=replication)
        firsts.append(events.time[events.rows("timeout")][0])
    assert 0.5 <= min(firsts) < 0.6
    assert 0.9 < max(firsts) <= 1.0


@pytest.mark.skipif(shutil.which("tshark") is None, reason="no tshark")
def test_captures_show_probes_as_an_option(probed: at.Events, tmp_path: Path) -> None:
    path = probed.write(tmp_path / "probes.pcapng")
    fields = ["frame.interface_name", "tcp.options.experimental.exid", "tcp.options"]
    command = ["tshark", "-r", str(path), "-Y", "tcp.options.experimental", "-T", "fields"]
    command += [word for field in fields for word in ("-e", field)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    seen = [line.split("\t") for line in lines]
    assert {exid for _, exid, _ in seen} == {"0x4154"}
    sent = [
        option for place, _, option in seen if place == "sender" and option[8:10] in ("01", "03")
    ]
    rows = probed.rows("probe-send")
    kind, number = (probed.columns[name][rows] for name in ("probe", "probe_number"))
    assert sent == [f"fd084154{2 * k - 1:02x}{n:06x}" for k, n in zip(kind, number, strict=True)]
    answered = [o for place, _, o in seen if place == "sender" and o[8:10] in ("02", "04")]
    assert len(answered) == len(probed.rows("probe-ack"))


def test_figures_and_graphs_show_probes(probed: at.Events, tmp_path: Path) -> None:
    svg = probed.write(tmp_path / "probes.svg").read_text(encoding="utf-8")
    assert "probe answered" in svg
    graph = probed.write(tmp_path / "probes.xpl").read_text(encoding="utf-8")
    assert graph.count("diamond") == len(probed.rows("probe-send"))


def test_probing_runs_in_every_path_profile() -> None:
    for profile in ("ns2", "rfc", "bsd"):
        errors = {"kind": "on-off", "on": "0.5s", "off": "5s", "loss_rate": 0.5}
        hop = {"rate": "2Mbps", "delay": "20ms", "queue": 20, "channel": errors}
        scenario = at.Scenario.from_dict(
            {
                "profile": profile,
                "tcp": {"variant": list(VARIANTS[2:])},
                "path": {"hop": [hop | {"gate": {"kind": "on-off", "up": "5s", "down": "1s"}}]},
                "flow": [{"packets": 2000}],
                "stop": {"time": "10000s"},
            }
        )
        runs = at.simulate(scenario, replications=2, seed=1).runs.to_pandas()
        assert (runs["in_order"] == 2000).all()
        assert (runs["probes"] > 0).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"tcp": {"variant": "newreno"}},
            '"newreno" is a variant of profiles zorzi, ns2 and rfc, not of bsd',
        ),
        ({"tcp": {"window": "1kB"}}, "1000B holds no full packet: at least 1418B"),
        ({"tcp": {"window": 47}}, "47 packets of 1418 B exceed 65535 B: at most 46"),
        ({"tcp": {"window": "64kiB"}}, "tcp.window"),
        ({"tcp": {"ssthresh": 47}}, "tcp.ssthresh: 47 packets of 1418 B exceed 65535 B"),
        ({"tcp": {"boot": 0.1}}, 'tcp.boot: "boot" is a key of profile ns2, not of bsd'),
        ({"tcp": {"probing": {"skip": 3}}}, "tcp.probing"),
        ({"flow": [{"size": "1MB", "packets": 3}]}, "flow[0].size: give either this or packets"),
        ({"flow": [{"size": "1418B", "milestone": 2}]}, "flow[0].milestone"),
    ],
)
def test_contradictions_are_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    document = transfer("tahoe", 1.0, 0.0).to_dict()
    for key, value in changes.items():
        document[key] = document[key] | value if isinstance(value, dict) else value
    with pytest.raises(ScenarioError) as refused:
        at.Scenario.from_dict(document)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_slots_and_watches_refuse_probing() -> None:
    zorzi = {"profile": "zorzi", "channel": {"kind": "iid", "loss_rate": 0}}
    with pytest.raises(
        ScenarioError, match='"reno-probing" is a variant of profiles ns2, rfc and bsd'
    ):
        at.Scenario.from_dict(zorzi | {"tcp": {"variant": "reno-probing"}})
    rfc = transfer("tahoe", 1.0, 0.0).to_dict() | {"profile": "rfc"}
    for tcp in ({"variant": "reno-probing", "spurious": "eifel"},):
        with pytest.raises(ScenarioError, match="sends a probe at every timeout"):
            at.Scenario.from_dict(rfc | {"tcp": tcp})
