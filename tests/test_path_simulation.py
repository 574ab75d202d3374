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
from airtcp._journal import LAYOUTS, Expected, FlowCounts, Key, SlotCounts, open_journal
from airtcp._metrics import METRICS, OF_A_RUN, fairness, payload_bits, ratios
from airtcp._units import nanoseconds, parse
from airtcp.cli import main
from airtcp.errors import InputError
from airtcp.simulation import SimulationResult

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
HEADER = LAYOUTS["path"].header


def same(one: SimulationResult, other: SimulationResult) -> bool:
    return bool(one.runs.equals(other.runs, check_metadata=True))


@pytest.fixture(scope="session")
def result() -> SimulationResult:
    return simulate(SCENARIO, seed=3)


# The table


def test_a_row_per_run_and_flow(result: SimulationResult) -> None:
    runs = result.runs
    assert runs.num_rows == 4 * 3 * 3
    counts = list(FlowCounts._fields)
    assert runs.column_names == [
        "scenario",
        "tcp.variant",
        "path.hop[1].delay",
        "model",
        "seed",
        "replication",
        "flow",
        *counts,
        *OF_A_RUN["path"],
    ]
    hashes = [point.hash for point in SCENARIO.points() for _ in range(9)]
    assert runs["scenario"].to_pylist() == hashes
    assert runs["replication"].to_pylist() == [0, 0, 0, 1, 1, 1, 2, 2, 2] * 4
    assert runs["flow"].to_pylist() == [0, 1, 2] * 12
    assert repr(result) == "SimulationResult(12 runs: 4 points x 3 replications, seed 3)"


def test_counts_are_what_is_written_in_rust() -> None:
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "reno"},
        "channel": {"kind": "iid", "loss_rate": 0},
    }
    (point,) = Scenario.from_dict(slots).points()
    assert tuple(_native.count_names(point.json)) == SlotCounts._fields
    assert tuple(_native.count_names(SCENARIO.points()[0].json)) == FlowCounts._fields


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
        "loss_rate": 1 - n["arrivals"] / n["sent"],
        "transfer_time": n["milestone_ns"].where(n["milestone_ns"] >= 0) / 1e9,
        "delay_first_arrival": n["first_arrival_ns"] / n["first_arrivals"] / 1e9,
        "delay_own_ack": n["own_ack_ns"] / n["own_acks"] / 1e9,
        "delay_cumulative_ack": n["cumulative_ack_ns"] / n["cumulative_acks"] / 1e9,
        "spurious_retransmissions": n["duplicates"],
        "bits_on_air": n["sent_bits"] + n["ack_bits"],
    }
    assert {*expected, "timeouts", "fast_retransmits"} == set(METRICS["path"])
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
    assert frame[["throughput_pps", "efficiency", "loss_rate"]].isna().to_numpy().all()


def test_payload_is_what_the_headers_leave() -> None:
    (point, *_) = SCENARIO.points()
    assert payload_bits(point) == 8192
    rfc = {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]},
    }
    (point,) = Scenario.from_dict(rfc).points()
    assert payload_bits(point) == 8 * 1460
    columns = {name: np.array([2.0]) for name in FlowCounts._fields}
    columns |= {"in_order": np.array([10.0]), "sent_bits": np.array([10 * 1500 * 8.0])}
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
            assert row[metric] == pytest.approx(values.mean(), rel=1e-12)
            if values.std() > 0:
                low, high = reference.t.interval(0.95, 2, values.mean(), reference.sem(values))
                assert (row[f"{metric}_low"], row[f"{metric}_high"]) == pytest.approx((low, high))


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
    assert fairness(shares) == pytest.approx([1.0, 0.25, 0.4])
    assert np.isnan(fairness(np.zeros((1, 3)))).all()


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
    assert table["throughput"].isna().all()
    assert (table["note"] == "no model answers for the profile ns2").all()
    assert (table["method"] == "").all()
    both = run(SCENARIO, seed=3)
    assert both.simulation is not None
    assert same(both.simulation, result)
    summary = result.summary()
    assert (both.table["simulation_throughput_pps"] == summary["throughput_pps"]).all()
    assert (both.table["simulation_goodput_bps_low"] == summary["goodput_bps_low"]).all()
    assert (both.table["note"] == "no model answers for the profile ns2").all()
    assert both.table["flow"].tolist() == [0, 1, 2] * 4
    with pytest.raises(InputError, match="no model answers for profile ns2; use --engine simul"):
        run(SCENARIO, engine="analysis")
    assert (run(SCENARIO, engine="simulation", replications=1).table["note"] == "").all()


# The journal


def test_a_run_is_written_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from airtcp._journal import Journal

    written: list[str] = []
    write = Journal._write
    monkeypatch.setattr(
        Journal, "_write", lambda self, lines: (written.append(lines), write(self, lines))[1]
    )
    path = tmp_path / "runs.csv"
    found = simulate(SCENARIO, journal=path)
    assert [lines.count("\n") for lines in written] == [1] + [3] * 12
    lines = path.read_text().splitlines()
    assert lines[0] == HEADER.strip()
    frame = found.to_pandas().assign(flows=3)
    rows = frame[lines[0].split(",")].itertuples(index=False)
    assert set(lines[1:]) == {",".join(map(str, row)) for row in rows}


@pytest.mark.parametrize("torn", [0.0, 0.001, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0])
def test_an_incomplete_last_run_is_dropped(torn: float, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    expected = simulate(SCENARIO, journal=path)
    whole = path.read_bytes()
    cuts = {int(torn * len(whole)), whole.rfind(b"\n", 0, len(whole) - 1) + 1}
    for cut in cuts:  # within a line, and between the flows of a run
        path.write_bytes(whole[:cut])
        assert same(simulate(SCENARIO, journal=path), expected)
        assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


def test_several_scenarios_and_seeds_share_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    simulate(ALONE, seed=9, journal=path)
    first = simulate(SCENARIO, journal=path)
    before = path.read_bytes()
    assert same(simulate(SCENARIO, journal=path), first)
    assert same(simulate(SCENARIO), first)
    assert path.read_bytes() == before
    more = simulate(SCENARIO, replications=4, journal=path)
    assert path.read_bytes().startswith(before)
    assert same(more, simulate(SCENARIO, replications=4))


def test_families_keep_apart(tmp_path: Path) -> None:
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "reno"},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"slots": 100, "replications": 2},
    }
    for first, second, words in (
        (slots, SCENARIO, "it holds runs of scenarios on slots, not of scenarios of packets"),
        (SCENARIO, slots, "it holds runs of scenarios of packets on a path, not of scenarios on"),
    ):
        path = tmp_path / f"{len(words)}.csv"
        simulate(first, replications=1, journal=path)
        before = path.read_bytes()
        with pytest.raises(InputError, match=words):
            simulate(second, journal=path)
        assert path.read_bytes() == before


GOOD = FlowCounts(
    time_ns=10**9,
    sent=10,
    resent=2,
    sent_bits=10_000,
    resent_bits=2000,
    arrivals=8,
    deliveries=7,
    duplicates=1,
    in_order=6,
    acked=5,
    acks_sent=8,
    ack_bits=2560,
    acks_arrived=7,
    timeouts=1,
    fast_retransmits=1,
    milestone_ns=-1,
    first_arrival_ns=7000,
    first_arrivals=7,
    own_ack_ns=7000,
    own_acks=6,
    cumulative_ack_ns=9000,
    cumulative_acks=5,
)
ONE = Key("0123456789abcdef", 1, 1, 0)
IMPOSSIBLE: dict[str, tuple[dict[str, int], str]] = {
    "resent": ({"resent": 11}, "11 packets resent of 10 sent"),
    "bits": ({"resent_bits": 10_001}, "10001 bits resent of 10000 sent"),
    "arrivals": ({"arrivals": 11}, "11 arrivals of 10 packets sent"),
    "deliveries": ({"deliveries": 8}, "8 deliveries and 1 duplicate of 8 arrivals"),
    "in order": ({"in_order": 8}, "8 packets in order of 7 deliveries"),
    "acked": ({"acked": 7}, "7 packets acknowledged of 6 in order"),
    "acks": ({"acks_arrived": 9}, "9 ACKs arrived of 8 sent"),
    "milestone": ({"milestone_ns": 10**9 + 1}, "a milestone after 1000000001 of 1000000000 ns"),
    "longer": ({"time_ns": 3 * 10**9}, "3000000000 ns where the scenario has 2000000000"),
    "negative": ({"timeouts": -1}, "'0123456789abcdef,1,1,0,0,1,1000000000,"),
    "large": ({"ack_bits": 2**63}, "'0123456789abcdef,1,1,0,0,1,1000000000,"),
}


@pytest.mark.parametrize(("changes", "words"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_counts_are_refused(changes: dict[str, int], words: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    known = {ONE.scenario: Expected(2 * 10**9)}
    with open_journal(path, LAYOUTS["path"], known) as journal:
        journal.add(ONE, (GOOD,))
    with open_journal(path, LAYOUTS["path"], known) as journal:
        assert journal.runs == {ONE: (GOOD,)}
        journal.add(ONE, (GOOD._replace(**changes),))
    before = path.read_bytes()
    with (
        pytest.raises(InputError) as caught,
        open_journal(path, LAYOUTS["path"], known),
    ):
        pass
    assert str(caught.value).startswith(f"{path}: line 3: {words}")
    assert str(caught.value).endswith(" is not a run")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("flows", "words"),
    [
        ([(1, 2)], "line 2: flow 1 after 0 of a run"),
        ([(0, 2), (0, 2)], "line 3: flow 0 after 1 of a run"),
        ([(0, 2), (1, 3)], "line 3: flow 1 after 1 of a run"),
        ([(2, 2)], "line 2: flow 2 of 2"),
        ([(0, 0)], "line 2: flow 0 of 0"),
        ([(0, 3)], "line 2: a run with 3 flows where the scenario has 2"),
    ],
)
def test_flows_that_form_no_run(flows: list[tuple[int, int]], words: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = [",".join(map(str, (*ONE, *flow, *GOOD))) + "\n" for flow in flows]
    path.write_text(HEADER + "".join(rows))
    known = {ONE.scenario: Expected(10**10, 2)}
    with (
        pytest.raises(InputError) as caught,
        open_journal(path, LAYOUTS["path"], known),
    ):
        pass
    assert str(caught.value).startswith(f"{path}: {words}")


def test_two_runs_exclude_each_other(tmp_path: Path) -> None:
    if os.name != "posix":
        pytest.skip("needs file locks")
    path = tmp_path / "runs.csv"
    with (
        open_journal(path, LAYOUTS["path"]),
        pytest.raises(InputError, match="in use by another run"),
    ):
        simulate(SCENARIO, journal=path)


LONG = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from airtcp import Scenario, simulate
simulate(Scenario.load(sys.argv[1]), replications=30_000, journal=sys.argv[2], jobs=2)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_simulation_resumes(sent: signal.Signals, tmp_path: Path) -> None:
    file, journal = tmp_path / "x.toml", tmp_path / "runs.csv"
    file.write_text(SCENARIO.to_toml(), encoding="utf-8")
    command = [sys.executable, "-c", LONG, str(file), str(journal)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
            assert process.poll() is None, "the simulation ended too early"
            time.sleep(0.01)
        process.send_signal(sent)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -sent or "Interrupted: " in errors
    left = journal.read_bytes()
    resumed = simulate(SCENARIO, replications=10, journal=journal)
    lines = left[: left.rfind(b"\n") + 1].splitlines()
    kept = lines[: 1 + (len(lines) - 1) // 3 * 3]
    assert journal.read_bytes().splitlines()[: len(kept)] == kept
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
    found = parse(text)
    assert found is not None
    assert (float(found.number), found.unit) == (number, unit)


def test_what_is_no_quantity() -> None:
    assert [parse(value) for value in ("reno", "5", 5, None, "5 miles", "slot")] == [None] * 6


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
    assert found.runs["path.hop[0].queue"].to_pylist() == ["5", "5", "10000B", "10000B"]
    assert found.summary()["path.hop[0].queue"].tolist() == [5, "10000B"]


def test_an_axis_of_numbers_and_texts_is_run(tmp_path: Path) -> None:
    file = tmp_path / "mixed.json"
    file.write_text(json.dumps(mixed()), encoding="utf-8")
    out = tmp_path / "out"
    done = CliRunner().invoke(main, ["run", str(file), "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    assert {one.name for one in out.iterdir()} >= {"runs.parquet", "table.csv", "report.html"}
    again = CliRunner().invoke(main, ["run", str(file), "--format", "csv"])
    assert again.exit_code == 0, again.stderr
