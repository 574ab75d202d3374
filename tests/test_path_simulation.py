"""Simulation of packets on a path: rows per flow, the metrics, the journal of whole runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats as reference

from airtcp import Scenario, _native, analyse, run, simulate
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.metrics.ratios import (
    RARE_METRICS,
    jain_index,
    metrics_of,
    ratios,
    stored_metrics,
    units_of_point,
)
from airtcp.simulation.replications import SimulationResult
from airtcp.support.units import nanoseconds, parse_quantity
from campaigns import kept, tasks_run
from hung import HUNG

DOCUMENT: dict[str, Any] = {
    "profile": "ns2",
    "tcp": {"variant": ["tahoe", "sack"], "packet": "1024B"},
    "path": {
        "hop": [
            {"rate": "1.5Mbps", "delay": "10ms", "queue": 50},
            {
                "rate": "800kbps",
                "delay": ["20ms", "100ms"],
                "queue": 50,
                "channel": {"kind": "sojourn", "good": "100packets", "bad": "8bits"},
            },
        ]
    },
    "flow": [{"packets": 300}, {"start": "1s", "count": 2, "milestone": 100}],
    "stop": {"time": "20s", "replications": 3},
}
SCENARIO = Scenario.from_dict(DOCUMENT)
ALONE = SCENARIO.replace("flow", None)
NAMES = _native.count_names(SCENARIO.points()[0].compiled)


def same(first: SimulationResult, second: SimulationResult) -> bool:
    return bool(first.runs.equals(second.runs, check_metadata=True))


@pytest.fixture(scope="session")
def result() -> SimulationResult:
    return simulate(SCENARIO, seed=3)


# The table


def test_a_row_per_run_and_flow(result: SimulationResult) -> None:
    runs = result.runs
    assert runs.num_rows == 4 * 3 * 3
    counts = NAMES
    assert runs.column_names == [
        "scenario",
        "tcp.variant",
        "path.hop[1].delay",
        "model",
        "seed",
        "replication",
        "flow",
        *counts,
        *stored_metrics("path", NAMES),
    ]
    hashes = [point.hash for point in SCENARIO.points() for _ in range(9)]
    assert runs["scenario"].to_pylist() == hashes
    assert runs["replication"].to_pylist() == [0, 0, 0, 1, 1, 1, 2, 2, 2] * 4
    assert runs["flow"].to_pylist() == [0, 1, 2] * 12
    assert repr(result) == "SimulationResult(12 runs: 4 points x 3 replications, seed 3)"


def test_the_counts_of_a_flow_agree_with_each_other(result: SimulationResult) -> None:
    n = result.to_pandas()
    assert (n["deliveries"] + n["duplicates"] == n["arrivals"]).all()
    assert (n["arrivals"] <= n["sent"]).all()
    assert (n["acked"] <= n["in_order"]).all()
    assert (n["in_order"] <= n["deliveries"]).all()
    assert (n["sent_bits"] == n["sent"] * 8192).all()
    assert (n["resent_bits"] == n["resent"] * 8192).all()
    assert (n["first_arrivals"] == n["deliveries"]).all()
    assert (n["cumulative_acks"] == n["acked"]).all()
    assert (n["spurious_timeouts"] <= n["timeouts"]).all()
    assert (n[n["flow"] == 0]["time_ns"] == 20_000_000_000).all()
    assert (n[n["flow"] > 0]["time_ns"] == 19_000_000_000).all()


def test_the_metrics_by_their_definitions(result: SimulationResult) -> None:
    n = result.to_pandas()
    seconds = n["time_ns"] / 1e9
    expected = {
        "throughput_pps": n["acked"] / seconds,
        "throughput_bps": n["acked"] * 8192 / seconds,
        "goodput_bps": n["in_order"] * 8192 / seconds,
        "efficiency": (n["sent"] - n["resent"]) / n["sent"],
        "resent_share": n["resent"] / n["sent"],
        "overhead": n["sent_bits"] / (n["in_order"] * 8192) - 1,
        "transmissions_per_delivery": n["sent"] / n["deliveries"],
        "lost_share": n["lost"] / n["sent"],
        "transfer_time": n["milestone_ns"].where(n["milestone_ns"] >= 0) / 1e9,
        "delay_first_arrival": n["first_arrival_ns"] / n["first_arrivals"] / 1e9,
        "delay_own_ack": n["own_ack_ns"] / n["own_acks"] / 1e9,
        "delay_cumulative_ack": n["cumulative_ack_ns"] / n["cumulative_acks"] / 1e9,
        "spurious_retransmissions": n["duplicates"],
        "bits_on_air": n["sent_bits"] + n["probe_bits"] + n["ack_bits"],
        "probes": n["probes"],
        "delay_median": n["delay_median_ns"] / 1e9,
        "delay_p95": n["delay_p95_ns"] / 1e9,
        "queueing_median": (n["delay_median_ns"] - n["delay_least_ns"]) / 1e9,
        "queueing_p95": (n["delay_p95_ns"] - n["delay_least_ns"]) / 1e9,
    }
    counted = {"timeouts", "spurious_timeouts", "fast_retransmits", "channel_expected"}
    assert {*expected, *counted, *RARE_METRICS} == set(metrics_of("path", NAMES))
    for name, values in expected.items():
        np.testing.assert_allclose(n[name], values, rtol=1e-12, atol=1e-15, err_msg=name)
    slow = n["path.hop[1].delay"] == "100ms"
    assert (n["delay_first_arrival"][slow] >= 0.11).all()
    assert (n["delay_own_ack"] > n["delay_first_arrival"]).all()


def test_nothing_to_divide_by() -> None:
    dead = ALONE.replace(
        {"path.hop[0].channel": {"kind": "iid", "loss_rate": 1.0}, "flow[0].milestone": 5}
    )
    late = ALONE.replace("flow[0].start", "1h")
    frame = simulate(dead, replications=1).to_pandas()
    assert (frame["throughput_pps"] == 0).all()
    assert (frame["efficiency"] < 1).all()
    for name in ("overhead", "transmissions_per_delivery", "transfer_time", "delay_own_ack"):
        assert frame[name].isna().all(), name
    frame = simulate(late, replications=1).to_pandas()
    assert frame[["throughput_pps", "efficiency", "lost_share"]].isna().to_numpy().all()


def test_payload_is_what_the_headers_leave() -> None:
    (point, *_) = SCENARIO.points()
    assert units_of_point(point)[0, 0] == 8192
    rfc = {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]},
    }
    (point,) = Scenario.from_dict(rfc).points()
    assert units_of_point(point)[0, 0] == 8 * 1460
    columns = {name: np.array([2.0]) for name in NAMES}
    columns |= {"in_order_bits": np.array([10 * 1460 * 8.0]), "probe_bits": np.array([0.0])}
    columns |= {"sent_bits": np.array([10 * 1500 * 8.0])}
    assert ratios(columns, "path", 8 * 1460)["overhead"] == pytest.approx([40 / 1460])


def test_a_clean_transfer_takes_as_long_as_published() -> None:
    """5000 packets over the clean path in 52.29 s [elaarag, section 3.1]."""
    clean = {
        "tcp.variant": "reno",
        "tcp.window": 50,
        "path.hop[1].channel": None,
        "path.hop[1].delay": "100ms",
        "flow": [{"packets": 5000}],
        "stop.time": "100s",
    }
    frame = simulate(SCENARIO.replace(clean), replications=1).to_pandas()
    assert frame["transfer_time"].tolist() == pytest.approx([52.290208], abs=1e-6)
    assert frame["efficiency"].tolist() == [1.0]


def test_the_summary_has_a_row_per_point_and_flow(result: SimulationResult) -> None:
    summary, frame = result.summary(), result.to_pandas()
    assert list(summary.columns[:4]) == ["tcp.variant", "path.hop[1].delay", "flow", "replications"]
    assert len(summary) == 12
    assert (summary["replications"] == 3).all()
    for _, row in summary.iterrows():
        rows = frame[
            (frame["tcp.variant"] == row["tcp.variant"])
            & (frame["path.hop[1].delay"] == row["path.hop[1].delay"])
            & (frame["flow"] == row["flow"])
        ]
        for metric in ("throughput_pps", "timeouts", "delay_own_ack"):
            values = rows[metric]
            if metric == "delay_own_ack":  # of all packets of all runs
                ratio = rows["own_ack_ns"].sum() / rows["own_acks"].sum() / 1e9
                off = rows["own_ack_ns"] / 1e9 - ratio * rows["own_acks"]
                values = ratio + off / rows["own_acks"].mean()
            assert row[metric] == pytest.approx(values.mean(), rel=1e-9)
            if values.std() > 0:
                low, high = reference.t.interval(0.95, 2, values.mean(), reference.sem(values))
                expected = (max(low, 0.0), high)
                assert (row[f"{metric}_low"], row[f"{metric}_high"]) == pytest.approx(expected)


def test_one_flow_has_no_column_in_the_summary() -> None:
    found = simulate(ALONE, replications=2)
    assert "flow" in found.runs.column_names
    summary = found.summary()
    assert "flow" not in summary
    assert len(summary) == 4


def test_points_with_different_numbers_of_flows() -> None:
    found = simulate(
        ALONE.replace({"flow[0].count": [1, 3], "tcp.variant": "reno"}), replications=2
    )
    summary, frame = found.summary(), found.to_pandas()
    assert summary["flow"].tolist() == [0, 0, 1, 2] * 2
    assert summary["flow[0].count"].tolist() == [1, 3, 3, 3] * 2
    last = frame[(frame["flow"] == 2) & (frame["path.hop[1].delay"] == "100ms")]
    assert summary["throughput_pps"].iloc[-1] == pytest.approx(last["throughput_pps"].mean())
    equal = found.fairness()
    assert equal["fairness"][0::2].tolist() == [1.0, 1.0]
    assert equal["fairness"][1::2].between(1 / 3, 1).all()


def test_jains_index() -> None:
    shares = np.array([[1.0, 1.0, 1.0, 1.0], [4.0, 0.0, 0.0, 0.0], [3.0, 1.0, 0.0, 0.0]])
    assert jain_index(shares) == pytest.approx([1.0, 0.25, 0.4])
    assert np.isnan(jain_index(np.zeros((1, 3)))).all()


def test_fairness_is_of_flows() -> None:
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "reno"},
        "channel": {"kind": "iid", "loss_rate": 0},
        "stop": {"slots": 100, "replications": 2},
    }
    with pytest.raises(InputError, match="fairness: a scenario on slots has one flow"):
        simulate(slots).fairness()


# Reproducibility


def test_the_same_bits_for_any_number_of_jobs(result: SimulationResult) -> None:
    assert same(result, simulate(SCENARIO, seed=3, jobs=1))
    assert same(result, simulate(SCENARIO, seed=3, jobs=5))
    assert not same(result, simulate(SCENARIO, seed=4, jobs=2))


def test_a_replication_does_not_depend_on_how_many_there_are(result: SimulationResult) -> None:
    more = simulate(SCENARIO, seed=3, replications=5).to_pandas()
    shared = more[more["replication"] < 3].reset_index(drop=True)
    assert shared.equals(result.to_pandas())


# All engines


def test_no_model_answers_and_the_table_says_so(result: SimulationResult) -> None:
    table = analyse(SCENARIO)
    why = "the formulas assume the timer of RFC 6298 or of Linux: "
    why += 'profile = "rfc" or "linux", not ns2; '
    assert table["throughput_pps"].isna().all()
    assert table["note"].str.startswith(why).all()
    both = run(SCENARIO, seed=3)
    assert both.simulation is not None
    assert same(both.simulation, result)
    summary = result.summary()
    assert (both.table["simulation_throughput_pps"] == summary["throughput_pps"]).all()
    assert (both.table["simulation_goodput_bps_low"] == summary["goodput_bps_low"]).all()
    assert both.table["note"].str.startswith(why).all()
    assert len(both.models) == 0
    assert both.table["flow"].tolist() == [0, 1, 2] * 4
    alone = run(SCENARIO, engine="analysis").table
    assert alone["note"].str.startswith(why).all()
    assert (run(SCENARIO, engine="simulation", replications=1).table["note"] == "").all()


# The journal


def test_a_run_is_kept_with_all_its_flows(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    found = simulate(SCENARIO, journal=path)
    expected = {
        (scenario, _native.MODEL_VERSION, 1, replication): rows[NAMES].to_numpy("<i8").tobytes()
        for (scenario, replication), rows in found.to_pandas().groupby(["scenario", "replication"])
    }
    assert kept(path) == expected


def test_several_scenarios_and_seeds_share_a_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.sqlite"
    simulate(ALONE, seed=9, journal=path)
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "reno"},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"slots": 100, "replications": 2},
    }
    simulate(slots, journal=path)
    first = simulate(SCENARIO, journal=path)
    before = kept(path)
    tasks = tasks_run(monkeypatch)
    assert same(simulate(SCENARIO, journal=path), first)
    assert not tasks
    more = simulate(SCENARIO, replications=4, journal=path)
    assert len(tasks) == len(SCENARIO)
    assert kept(path).items() >= before.items()
    assert same(first, simulate(SCENARIO))
    assert same(more, simulate(SCENARIO, replications=4))


LONG = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from airtcp import Scenario, simulate
simulate(Scenario.load(sys.argv[1]), replications=30_000, journal=sys.argv[2], jobs=2)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_an_interrupted_simulation_resumes(name: str, tmp_path: Path) -> None:
    sent = signal.Signals[name]
    file, journal = tmp_path / "x.toml", tmp_path / "runs.sqlite"
    file.write_text(SCENARIO.to_toml(), encoding="utf-8")
    command = [sys.executable, "-c", LONG, str(file), str(journal)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not kept(journal):
            assert process.poll() is None, "the simulation ended too early"
            time.sleep(0.01)
        process.send_signal(sent)
        _, errors = process.communicate(timeout=HUNG)
    assert process.returncode == -sent or "Interrupted: " in errors
    left = kept(journal)
    resumed = simulate(SCENARIO, replications=10, journal=journal)
    assert kept(journal).items() >= left.items()
    assert same(resumed, simulate(SCENARIO, replications=10))


# Units


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("10ms", 0.01, "s"),
        ("1.5Mbps", 1.5e6, "bit/s"),
        ("7466667ns", 0.007466667, "s"),
        ("64000B", 64000, "B"),
        ("1e18bits", 1e18, "bits"),
        ("0.5packets", 0.5, "packets"),
    ],
)
def test_quantities(text: str, number: float, unit: str) -> None:
    found = parse_quantity(text)
    assert found is not None
    assert (float(found.number), found.unit) == (number, unit)


def test_what_is_no_quantity() -> None:
    assert [parse_quantity(value) for value in ("reno", "5", 5, None, "5 miles", "slot")] == [
        None
    ] * 6


def test_nanoseconds_are_exact() -> None:
    assert nanoseconds("4.105088s") == 4_105_088_000
    assert nanoseconds("9007199254740993ns") == 9_007_199_254_740_993


def test_metadata_and_types(result: SimulationResult) -> None:
    schema = result.runs.schema
    assert Scenario.from_dict(json.loads(schema.metadata[b"scenario"])) == SCENARIO
    frame = result.to_pandas()
    assert frame["seed"].dtype == np.uint64
    assert frame["flow"].dtype == np.int64
    assert isinstance(result.summary(), pd.DataFrame)


def mixed() -> dict[str, Any]:
    """An axis of packets and bytes."""
    return {
        "profile": "rfc",
        "tcp": {"variant": "newreno"},
        "path": {"hop": [{"rate": "2Mbps", "delay": "10ms", "queue": [5, "10kB"]}]},
        "stop": {"time": "2s", "replications": 2},
    }


def test_an_axis_of_numbers_and_texts_is_a_column_of_texts() -> None:
    found = simulate(mixed())
    assert found.runs["path.hop[0].queue"].to_pylist() == ["5", "10000B"]
    assert found.summary()["path.hop[0].queue"].tolist() == [5, "10000B"]


def test_an_axis_of_numbers_and_texts_is_run(tmp_path: Path) -> None:
    file = tmp_path / "mixed.json"
    file.write_text(json.dumps(mixed()), encoding="utf-8")
    out = tmp_path / "out"
    done = CliRunner().invoke(main, ["run", str(file), "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    assert {path.name for path in out.iterdir()} >= {"manifest.json", "table.csv", "report.html"}
    again = CliRunner().invoke(main, ["run", str(file), "--format", "csv"])
    assert again.exit_code == 0, again.stderr
