"""Simulation: the table of runs, reproducibility, the journal, interruption, random streams."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

import airtcp
from airtcp import Scenario, _native, run, simulate
from airtcp.errors import InputError
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import metrics_of
from campaigns import damage, kept, tasks_run
from hung import HUNG

SCENARIO = Scenario.from_dict(
    {
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "newreno"], "window": 8},
        "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
        "stop": {"slots": 20_000, "replications": 3},
    }
)


def same(first: airtcp.SimulationResult, second: airtcp.SimulationResult) -> bool:
    return bool(first.runs.equals(second.runs, check_metadata=True))


# The table


def test_one_row_per_run_sorted() -> None:
    result = simulate(SCENARIO, seed=2**64 - 1, jobs=2)
    runs = result.runs
    assert runs.num_rows == 12
    assert runs.column_names[:7] == [
        "scenario",
        "tcp.variant",
        "channel.kind",
        "channel.loss_rate",
        "model",
        "seed",
        "replication",
    ]
    hashes = [point.hash for point in SCENARIO.points() for _ in range(3)]
    assert runs["scenario"].to_pylist() == hashes
    assert runs["replication"].to_pylist() == [0, 1, 2] * 4
    assert set(runs["seed"].to_pylist()) == {2**64 - 1}
    frame = result.to_pandas()
    assert (frame["slots"] == 20_000).all()
    assert (frame["transmissions"] >= frame["deliveries"] + frame["duplicates"]).all()
    assert (frame["deliveries"] >= frame["in_order"]).all()
    assert (frame["throughput"] == frame["deliveries"] / frame["slots"]).all()
    per_delivery = frame["transmissions"] / frame["deliveries"]
    assert (frame["transmissions_per_delivery"] == per_delivery).all()


def test_goodput_is_what_is_delivered_in_order() -> None:
    result = run(SCENARIO)
    assert result.simulation is not None
    slots = [_native.slot(point.compiled) for point in SCENARIO.points()]
    capacity = np.array([bits / seconds for seconds, bits, _ in slots])
    frame = result.simulation.to_pandas()
    mean = (frame["in_order"] / frame["slots"]).to_numpy().reshape(-1, 3).mean(axis=1)
    table = result.table
    assert table["simulation_goodput_bps"].to_numpy() == pytest.approx(mean * capacity)
    assert table["analysis_goodput_bps"].to_numpy() == pytest.approx(
        table["analysis_throughput"] * capacity
    )
    assert (table["simulation_goodput_bps_low"] <= table["simulation_goodput_bps"]).all()


def test_the_metadata_says_what_was_run() -> None:
    metadata = simulate(SCENARIO, replications=1, seed=5).runs.schema.metadata
    assert metadata[b"airtcp"].decode() == airtcp.__version__
    assert metadata[b"model"].decode() == str(_native.MODEL_VERSION)
    assert metadata[b"seed"] == b"5"
    assert Scenario.from_dict(json.loads(metadata[b"scenario"])) == SCENARIO


def test_the_summary_is_scipys() -> None:
    result = simulate(SCENARIO, replications=5)
    summary = result.summary()
    frame = result.to_pandas()
    seconds, bits, _ = _native.slot(SCENARIO.points()[0].compiled)
    frame["useful"], frame["in_order_useful"] = frame["deliveries"], frame["in_order"]
    frame["seconds"], frame["in_order_bits"] = frame["slots"] * seconds, frame["in_order"] * bits
    for index, point in enumerate(SCENARIO.points()):
        rows = frame[frame["scenario"] == point.hash]
        for metric, entry in metrics_of("slot", layout_of(point).names).items():
            above, below = entry.of["slot"].split(" over ")
            values = rows[above] / rows[below]
            if below not in ("slots", "seconds"):  # counts by counts: the ratio of the means
                ratio = rows[above].sum() / rows[below].sum()
                values = ratio + (rows[above] - ratio * rows[below]) / rows[below].mean()
            low, high = reference.t.interval(0.95, 4, values.mean(), reference.sem(values))
            at = summary.loc[index]
            expected = [values.mean(), values.std(), max(low, 0.0), min(high, entry.most)]
            if values.std() == 0:
                expected[2:] = [values.iloc[0]] * 2
            found = [at[metric + part] for part in ("", "_sd", "_low", "_high")]
            np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert (summary["replications"] == 5).all()
    assert list(summary.columns[:3]) == ["tcp.variant", "channel.kind", "channel.loss_rate"]


def test_one_replication_has_no_interval() -> None:
    summary = simulate(SCENARIO, replications=1).summary()
    assert summary["throughput"].notna().all()
    assert summary["throughput_low"].isna().all()


def test_nothing_delivered() -> None:
    lossy = SCENARIO.replace({"channel.loss_rate": 1.0, "stop.slots": 1000})
    summary = simulate(lossy).summary()
    assert (summary["throughput"] == 0).all()
    assert summary["transmissions_per_delivery"].isna().all()


def test_repr() -> None:
    result = simulate(SCENARIO, replications=1)
    assert repr(result) == "SimulationResult(4 runs: 4 points x 1 replication, seed 1)"
    assert "<table" in result._repr_html_()


# Reproducibility


def test_the_same_bits_for_any_number_of_jobs() -> None:
    alone = simulate(SCENARIO, seed=3, jobs=1)
    assert same(alone, simulate(SCENARIO, seed=3, jobs=2))
    assert same(alone, simulate(SCENARIO, seed=3, jobs=7))
    assert not same(alone, simulate(SCENARIO, seed=4, jobs=1))


def test_a_replication_does_not_depend_on_how_many_there_are() -> None:
    few, many = (simulate(SCENARIO, replications=n).to_pandas() for n in (2, 4))
    shared = many[many["replication"] < 2].reset_index(drop=True)
    assert shared.equals(few)


def test_variants_meet_the_same_losses() -> None:
    tahoe, _, newreno, _ = SCENARIO.points()
    assert _native.losses(tahoe.compiled, 1, 0, 999) == _native.losses(newreno.compiled, 1, 0, 999)
    assert _native.losses(tahoe.compiled, 1, 0, 999) != _native.losses(tahoe.compiled, 1, 1, 999)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"seed": -1}, "seed = -1: must be a whole number from 0 to 18446744073709551615"),
        ({"seed": 2**64}, "seed = 18446744073709551616: must be"),
        ({"seed": 1.0}, "seed = 1.0: must be"),
        ({"seed": True}, "seed = True: must be"),
        ({"jobs": 0}, "jobs = 0: must be a whole number from 1 to 1024"),
        ({"jobs": 1025}, "jobs = 1025: must be"),
        ({"replications": 0}, "replications = 0: must be a whole number from 1 to 1000000"),
        ({"replications": "3"}, "replications = '3': must be"),
    ],
)
def test_bad_options(options: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        simulate(SCENARIO, **options)
    assert str(caught.value).startswith(line)


# All engines


def test_run_puts_analysis_and_simulation_side_by_side() -> None:
    result = run(SCENARIO.replace("analysis.method", "exact"), replications=8)
    table = result.table
    assert result.analysis is not None
    assert result.simulation is not None
    assert (table["analysis_throughput"] == result.analysis["throughput"]).all()
    summary = result.simulation.summary()
    assert (table["simulation_throughput"] == summary["throughput"]).all()
    error = summary["throughput_sd"] / np.sqrt(8)
    t = (summary["throughput"] - result.analysis["throughput"]) / error
    np.testing.assert_allclose(table["z"], reference.norm.ppf(reference.t.cdf(t, 7)), rtol=1e-9)
    assert (table["z"].abs() < 4).all()  # 4 points: a false alarm has a probability of 2.5e-4
    sent = result.analysis["transmissions_per_slot"]
    assert (table["analysis_transmissions_per_slot"] == sent).all()
    assert (table["note"] == "").all()
    assert repr(result) == "RunResult(analysis and simulation of 4 points)"
    assert "<table" in result._repr_html_()


def test_a_run_is_plotted() -> None:
    result = run(SCENARIO, replications=2)
    for quantity in ("throughput", "transmissions_per_delivery"):
        assert result.plot(quantity).axes
    with pytest.raises(InputError, match="quantity = 'energy': must be one of throughput"):
        result.plot("energy")


def test_one_engine_alone() -> None:
    only = run(SCENARIO, engine="analysis")
    assert only.simulation is None
    assert only.table["simulation_throughput"].isna().all()
    only = run(SCENARIO, engine="simulation", replications=1)
    assert only.analysis is None
    assert only.table["analysis_throughput"].isna().all()
    assert list(only.table.columns) == list(run(SCENARIO, engine="analysis").table.columns)


@pytest.mark.parametrize(
    ("engine", "line"),
    [
        ("live", "engine = 'live': no kernel has the idealised TCP of profile zorzi"),
        ("analyse", "engine = 'analyse': must be one of .* \\(did you mean 'analysis'\\?\\)"),
    ],
)
def test_engines_that_do_not_answer(engine: str, line: str) -> None:
    with pytest.raises(InputError, match=line):
        run(SCENARIO, engine=engine)


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        (
            {"tcp.inflation": True, "tcp.variant": "reno"},
            "the model does not cover window inflation",
        ),
        ({"tcp.variant": "sack"}, 'the model covers SACK only with analysis.method = "exact"'),
        ({"ack.delay": 1, "ack.loss_rate": 0.1}, "ACK delay; the model does not cover ACK loss"),
        (
            {"channel": {"kind": "gilbert-elliott", "p": 0.1, "r": 0.2, "h": 0.5}},
            "the losses form no two-state chain on slots",
        ),
        (
            {"channel": {"kind": "two-state", "p_gb": 0.1, "p_bg": 0.5, "clock": "packet"}},
            "the losses form no two-state chain on slots",
        ),
    ],
)
def test_what_the_model_does_not_cover_has_a_note(changes: dict[str, Any], note: str) -> None:
    table = airtcp.analyse(SCENARIO.replace(changes))
    assert table["throughput"].isna().all()
    assert table["note"].str.contains(note, regex=False).all()


@pytest.mark.parametrize(
    ("method", "window", "note"),
    [
        ("embedded", 100_000, "window = 100000: must be a whole number from 1 to 1024"),
        ("exact", 49, 'at most 48 for method "exact"; use method "embedded"'),
    ],
)
def test_windows_beyond_the_model_have_a_note(method: str, window: int, note: str) -> None:
    wide = {"tcp.window": [8, window], "tcp.timeout": 900_000, "analysis.method": method}
    table = airtcp.analyse(SCENARIO.replace(wide))
    refused = table["tcp.window"] == window
    assert table["throughput"].isna().equals(refused)
    assert table["note"][refused].str.contains(note, regex=False).all()


def test_a_profile_without_a_model_has_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(airtcp.models.MODELS.homes, "zorzi")
    table = airtcp.analyse(SCENARIO)
    assert table["throughput"].isna().all()
    assert (table["note"] == "no model answers for the profile zorzi").all()


def test_tahoe_has_no_recovery_to_inflate() -> None:
    table = airtcp.analyse(SCENARIO.replace({"tcp.inflation": True, "tcp.variant": "tahoe"}))
    assert table["throughput"].notna().all()


@pytest.mark.parametrize("method", ["printed", "tight", "embedded", "exact"])
def test_analyse_is_the_model(method: str) -> None:
    table = airtcp.analyse(SCENARIO.replace("analysis.method", method))
    for (_, row), point in zip(table.iterrows(), SCENARIO.points(), strict=True):
        chain = point.two_state()
        assert chain is not None
        tcp = point.data["tcp"]
        answer = airtcp.models.zorzi.solve(
            tcp["variant"], chain, window=8, dupacks=3, timeout=100, method=method
        )
        expected = [answer.lower, answer.upper, answer.throughput, answer.transmissions]
        expected += [answer.timeouts, answer.fast_retransmits]
        names = ["lower", "upper", "throughput", "transmissions_per_slot"]
        names += ["timeouts_per_slot", "fast_retransmits_per_slot"]
        assert [row[name] for name in names] == pytest.approx(expected, rel=1e-12)
        assert row["method"] == method
        assert np.isnan(row["error_bound"]) == (method != "exact")


# The journal


def test_the_journal_holds_every_run_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    result = simulate(SCENARIO, journal=path)
    names = _native.count_names(SCENARIO.points()[0].compiled)
    rows = result.to_pandas()[["scenario", "replication", *names]].itertuples(index=False)
    expected = {
        (row[0], _native.MODEL_VERSION, 1, row[1]): np.array(row[2:], "<i8").tobytes()
        for row in rows
    }
    assert kept(path) == expected
    assert same(result, simulate(SCENARIO))


def test_finished_runs_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.sqlite"
    simulate(SCENARIO, replications=2, journal=path)
    before = kept(path)
    tasks = tasks_run(monkeypatch)
    result = simulate(SCENARIO, replications=3, journal=path)
    assert [task.replication for task in tasks] == [2] * 4
    assert kept(path).items() >= before.items()
    assert same(result, simulate(SCENARIO))


def test_other_scenarios_seeds_and_models_do_not_disturb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.sqlite"
    simulate(SCENARIO.replace("tcp.window", 4), journal=path)
    simulate(SCENARIO, seed=9, journal=path)
    with monkeypatch.context() as other:
        other.setattr(_native, "MODEL_VERSION", 999)
        simulate(SCENARIO, journal=path)
    tasks = tasks_run(monkeypatch)
    found = simulate(SCENARIO, journal=path)
    assert len(tasks) == 12
    assert same(found, simulate(SCENARIO))
    assert len(kept(path)) == 48


def test_damaged_runs_are_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.sqlite"
    expected = simulate(SCENARIO, journal=path)
    whole = kept(path)
    damage(path, replication=1, rows=2)
    assert kept(path) != whole
    tasks = tasks_run(monkeypatch)
    assert same(simulate(SCENARIO, journal=path), expected)
    assert [task.replication for task in tasks] == [1, 1]
    assert kept(path) == whole


def test_a_journal_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, but a file is needed"):
        simulate(SCENARIO, journal=tmp_path)
    with pytest.raises(InputError, match="is not a regular file"):
        simulate(SCENARIO, journal=os.devnull)


LONG = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from airtcp import Scenario, simulate
simulate(Scenario.load(sys.argv[1]), replications=30_000, journal=sys.argv[2], jobs=2)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_an_interrupted_simulation_resumes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    tasks = tasks_run(monkeypatch)
    resumed = simulate(SCENARIO, replications=10, journal=journal)
    assert len(tasks) == sum(key[3] < 10 for key in kept(journal).keys() - left.keys())
    assert kept(journal).items() >= left.items()
    assert same(resumed, simulate(SCENARIO, replications=10))


# Random streams


@settings(derandomize=True, deadline=None, database=None, max_examples=30)
@given(
    key=st.tuples(*[st.integers(0, 2**64 - 1)] * 2),
    counter=st.tuples(*[st.integers(0, 2**64 - 1)] * 4),
    n=st.integers(1, 64),
)
def test_philox_is_numpys(key: tuple[int, ...], counter: tuple[int, ...], n: int) -> None:
    expected = np.random.Philox(
        key=np.array(key, np.uint64), counter=np.array(counter, np.uint64)
    ).random_raw(n)
    assert _native.philox(key, counter, n) == expected.tolist()


def test_philox_is_numpys_at_length() -> None:
    expected = np.random.Philox(
        key=np.array([7, 2**63], np.uint64),
        counter=np.array([2**64 - 9, 2**64 - 1, 5, 0], np.uint64),
    )
    found = _native.philox([7, 2**63], [2**64 - 9, 2**64 - 1, 5, 0], 100_000)
    assert np.array_equal(np.array(found, np.uint64), expected.random_raw(100_000))


def fnv1a64(name: str) -> int:
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


@pytest.mark.parametrize("name", ["flow0/down/channel", "flow0/up/channel", "", "größer"])
def test_streams_have_names(name: str) -> None:
    key = np.array([42, fnv1a64(name)], np.uint64)
    expected = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 3, 0])).random(1000)
    assert _native.uniform(42, name, 3, 1000) == expected.tolist()


def test_a_channel_is_its_stream() -> None:
    """Good and bad sojourns in turn, each geometric by inversion of one number of the stream."""
    point = SCENARIO.points()[1]
    drawn = iter(_native.uniform(5, "flow0/down/channel", 2, 4000))
    bad, path = next(drawn) < 0.1, []
    while len(path) < 5000:
        leave = 0.9 if bad else 0.1
        path += [bad] * (math.floor(math.log1p(-next(drawn)) / math.log1p(-leave)) + 1)
        bad = not bad
    assert list(_native.losses(point.compiled, 5, 2, 5000)) == path[:5000]


def test_arrow_types() -> None:
    schema = simulate(SCENARIO, replications=1).runs.schema
    assert schema.field("seed").type == pa.uint64()
    assert schema.field("deliveries").type == pa.int64()
    assert schema.field("throughput").type == pa.float64()
