"""Points in which nothing is random are run once, are said to be exact, and stay comparable."""

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp import _native
from airtcp.campaign.executor import Task, ThreadExecutor
from airtcp.campaign.manifest import read_manifest
from airtcp.cli.main import main
from airtcp.engines.run import announcement
from airtcp.scenario.scenario import Point
from results_folder import write_rows

EXAMPLES = sorted(Path(__file__).parents[1].glob("examples/*.toml"))
SHORT = {"path": {"stop.time": "60s"}, "slot": {"stop.slots": 100_000}}
CERTAIN = {"kind": "trace", "lost": [0, 0, 0, 0, 0, 0, 0, 1]}
RANDOM = {"kind": "iid", "loss_rate": 0.05}
SENT_ONCE = "one run per point instead of 30 replications; its values are exact."


def document(channel: Any, **more: Any) -> dict[str, Any]:
    hop = {"rate": "1Mbps", "delay": "10ms", "queue": 20, "channel": channel}
    return {
        "profile": "rfc",
        "tcp": {"variant": ["reno", "sack"]},
        "path": {"hop": [hop]},
        "stop": {"time": "5s", "replications": 30},
        **more,
    }


def file_of(folder: Path, channel: Any, **more: Any) -> str:
    path = folder / "scenario.json"
    path.write_text(json.dumps(document(channel, **more)), encoding="utf-8")
    return str(path)


def several_runs(point: Point) -> set[bytes]:
    """The counts of four runs, whatever a campaign would do."""
    with closing(ThreadExecutor(1)) as executor:
        executor.submit([Task(0, point.json, seed, 2 * seed + 1) for seed in range(4)])
        counts = [run.counts for _ in range(4) for run in executor.wait()]
    assert len(counts) == 4
    return set(counts)


def few_points() -> list[Any]:
    found = []
    for path in EXAMPLES:
        scenario = at.Scenario.load(path)
        points = scenario.replace(SHORT[scenario.family]).points()
        for index in {0, len(points) - 1}:
            found.append(pytest.param(points[index], id=f"{path.stem}-{index}"))
    return found


@pytest.mark.parametrize("point", few_points())
def test_an_example_is_random_if_and_only_if_its_runs_differ(point: Point) -> None:
    assert (len(several_runs(point)) > 1) is point.is_random


def test_some_examples_are_random_and_some_are_not() -> None:
    assert {point.values[0].is_random for point in few_points()} == {True, False}


@pytest.mark.parametrize("asked", [{"replications": 30}, {"precision": 0.01}, {}])
def test_without_chance_there_is_one_run_and_its_values_are_exact(asked: dict[str, Any]) -> None:
    result = at.simulate(document(CERTAIN), **asked)
    assert result.per_point == (1, 1)
    assert result.exact == (True, True)
    assert result.runs["replication"].to_pylist() == [0, 0]
    summary = result.summary()
    assert summary["exact"].all()
    for metric in ("throughput_pps", "timeouts", "efficiency"):
        assert (summary[f"{metric}_sd"] == 0.0).all()
        assert (summary[f"{metric}_low"] == summary[metric]).all()
        assert (summary[f"{metric}_high"] == summary[metric]).all()


def test_a_search_for_a_precision_ends_at_once_where_a_metric_is_0() -> None:
    """A mean of 0 has no relative precision: the search would go on to 10 000 runs."""
    given = document({"kind": "iid", "loss_rate": 0}, tcp={"variant": "sack", "window": 10})
    result = at.simulate(given, precision=0.1, metric="timeouts")
    assert result.per_point == (1,)
    assert not result.summary()["timeouts"].any()


def test_the_values_are_those_of_every_seed_and_of_more_runs() -> None:
    first, second = (at.simulate(document(CERTAIN), seed=seed).summary() for seed in (1, 99))
    assert first.equals(second)


def test_with_chance_nothing_changes() -> None:
    result = at.simulate(document(RANDOM), replications=3)
    assert result.per_point == (3, 3)
    assert result.chance == ""
    assert "exact" not in result.summary()
    assert "exact" not in at.run(document(RANDOM), replications=3).table


def test_each_point_is_asked() -> None:
    mixed = document({"kind": "iid", "loss_rate": [0, 0.05]})
    result = at.simulate(mixed, replications=4)
    assert result.per_point == (1, 4, 1, 4)
    expected = "Nothing is random at 2 of 4 points: one run each instead of 4 replications;"
    assert result.chance == f"{expected} its values are exact."
    summary = result.summary()
    assert summary["exact"].tolist() == [True, False, True, False]
    spread = summary["throughput_pps_high"] - summary["throughput_pps_low"]
    assert ((spread == 0.0) == summary["exact"]).all()


def test_parts_of_a_run_without_chance_have_an_interval_in_time() -> None:
    result = at.simulate(document(CERTAIN).copy() | {"stop": {"time": "5s", "batches": 5}})
    assert result.per_point == (1, 1)
    assert "exact" not in result.summary()
    assert (result.summary()["throughput_pps_sd"] > 0.0).all()
    assert result.chance == (
        "Nothing is random in this scenario: one run per point instead of 30 replications."
    )


def test_slots_agree_with_the_analysis_to_rounding() -> None:
    zorzi = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe", "window": 8},
        "channel": {"kind": "iid", "loss_rate": 0},
        "stop": {"slots": 1000},
    }
    table = at.run(zorzi).table
    assert table["replications"].tolist() == [1]
    assert table["z"].tolist() == [0.0]


# The command line


def outputs_of(*words: str) -> tuple[str, str]:
    result = CliRunner().invoke(main, [*words])
    assert result.exit_code == 0, result.stderr
    return result.stdout, result.stderr


def flat(text: str) -> str:
    return " ".join(text.split())


def test_run_says_so_in_every_format(tmp_path: Path) -> None:
    file = file_of(tmp_path, CERTAIN)
    table, _ = outputs_of("run", file, "--replications", "30")
    assert f"Nothing is random in this scenario: {SENT_ONCE}" in flat(table)
    assert "±" not in table
    assert "nan" not in table.lower()
    assert table.count(" exact ") >= 4
    found = json.loads(outputs_of("run", file, "--format", "json")[0])
    assert (found["replications"], found["exact_points"]) == (1, 2)
    assert found["chance"].endswith(SENT_ONCE)
    assert all(row["exact"] is True for row in found["rows"])
    text, why = outputs_of("run", file, "--format", "csv")
    assert text.splitlines()[0].split(",")[:3] == ["tcp.variant", "replications", "exact"]
    assert why.rstrip().endswith(SENT_ONCE)


def test_the_report_says_so(tmp_path: Path) -> None:
    outputs_of("run", file_of(tmp_path, CERTAIN), "--out", str(tmp_path / "out"))
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"Nothing is random in this scenario: {SENT_ONCE}" in page
    assert "95 % intervals (" not in page
    assert "±" not in page
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe"},
        "channel": {"kind": "iid", "loss_rate": [0, 0.1]},
        "stop": {"slots": 1000, "replications": 3},
    }
    at.run(slots, out=tmp_path / "slots")
    page = (tmp_path / "slots" / "report.html").read_text(encoding="utf-8")
    assert "Nothing is random at 1 of 2 points: one run each instead of 3 replications" in page
    assert re.search(r">1[.0]* exact\s*</td>", page)
    assert (
        "1 to 3 runs per point, 95 % intervals"
        " (Student&#39;s t, assuming normal values), none where" in page
    )


def test_sweep_results_and_plan_say_so(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, CERTAIN), str(tmp_path / "out")
    sentence = f"Nothing is random in this scenario: {SENT_ONCE}"
    assert sentence in flat(outputs_of("sweep", file, "--out", out)[0])
    table = flat(outputs_of("results", out)[0])
    assert sentence in table
    assert "no interval" not in table
    assert "±" not in table
    found = json.loads(outputs_of("results", out, "--format", "json")[0])
    assert (found["exact"], found["chance"]) == (2, sentence)
    assert all(row["exact"] and row["n"] == 1 for row in found["rows"])
    ranked = flat(outputs_of("results", out, "--rank", "variant")[0])
    assert sentence in ranked
    planned = flat(outputs_of("plan", file)[0])
    assert "2 points: about 2 runs" in planned
    assert sentence in planned
    assert json.loads(outputs_of("plan", file, "--format", "json")[0])["runs"]["high"] == 2.0


def test_live_runs_are_repeated_as_asked() -> None:
    """Real time is never the same twice."""
    scenario = at.Scenario.from_dict(document(CERTAIN)).replace("tcp.variant", "sack")
    options = {"precision": None, "metric": None, "seed": 1, "jobs": None}
    line = announcement(scenario, "live", "airtcp", 1, replications=4, **options)
    assert line.startswith("live: 4 runs")


# Results folders


MIXED = document([CERTAIN, RANDOM | {"loss_rate": [0.02, 0.05]}])


def test_a_dataset_has_one_run_of_such_points(tmp_path: Path) -> None:
    found = at.sweep(MIXED, tmp_path, replications=5)
    assert (found.manifest.exact, found.manifest.points, found.manifest.runs) == (2, 6, 22)
    assert found.runs.num_rows == 22
    assert found.chance.startswith("Nothing is random at 2 of 6 points: one run each instead of 5")
    summary = found.summary("throughput_pps")
    assert summary["n"].tolist() == [1, 5, 5, 1, 5, 5]
    assert summary["exact"].tolist() == [True, False, False] * 2
    exact = summary[summary["exact"]]
    assert (exact["throughput_pps_sd"] == 0.0).all()
    medians = found.summary("throughput_pps", estimate="median")
    assert (medians["throughput_pps_low"] == medians["throughput_pps"])[medians["exact"]].all()


def test_one_run_stands_for_every_replication_of_others(tmp_path: Path) -> None:
    """One run gives the results of all replications, which older versions ran."""
    found = at.sweep(MIXED, tmp_path / "new", replications=5)
    old = old_folder(tmp_path / "old", MIXED, 5)
    for by in ("variant", "kind"):
        first, second = (result.summary("throughput_pps", by=by) for result in (found, old))
        mixed = slice(None) if by == "variant" else slice(1, None)
        columns = ["n", "throughput_pps", "throughput_pps_low", "throughput_pps_high"]
        assert first[columns][mixed].equals(second[columns][mixed])
    first, second = (result.rank("throughput_pps", "variant") for result in (found, old))
    random = (second["n"] == 5) & (first["n"] == 5)
    assert random.sum() == 4
    # Exact values, of which the new folder has one each, carry no scatter that a column would say.
    first = first.drop(columns="mean_carriers", errors="ignore")
    second = second.drop(columns="mean_carriers", errors="ignore")
    assert first[random].equals(second[random])
    alone = first[~random]
    assert (alone["n"] == 1).all()
    same = ["tcp.variant", "mean", "low", "high", "behind", "p"]
    assert alone[same].equals(second[~random][same])
    # An exact value decides; equal runs of a folder without that note exclude nobody.
    assert alone["best"].tolist() == [True, False]
    assert second[~random]["best"].all()


def test_alternatives_with_and_without_chance_are_compared(tmp_path: Path) -> None:
    """The one run meets each replication of the other."""
    mixed = document(RANDOM | {"loss_rate": [0, 0.05]})
    found = at.sweep(mixed, tmp_path / "new", replications=5)
    old = old_folder(tmp_path / "old", mixed, 5)
    first, second = (result.rank("throughput_pps", "loss_rate") for result in (found, old))
    assert (first["n"] == 5).all()
    assert first.equals(second)


def test_labelled_arrays_have_the_run_in_every_replication(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    mixed = document(RANDOM | {"loss_rate": [0, 0.05]})
    array = at.sweep(mixed, tmp_path, replications=5).to_xarray("throughput_pps")
    assert array.sizes["replication"] == 5
    assert not bool(array.isnull().any())


def old_folder(folder: Path, given: dict[str, Any], replications: int) -> at.Results:
    """A folder as versions wrote it that ran every point equally often."""
    scenario = at.Scenario.from_dict(given)
    rows = at.simulate(given, replications=replications).runs.to_pandas()
    alone = rows.groupby("scenario")["replication"].transform("max") == 0
    copies = [rows[alone].assign(replication=replication) for replication in range(1, replications)]
    import pandas as pd
    import pyarrow as pa

    every = pd.concat([rows, *copies])
    order = {point.hash: number for number, point in enumerate(scenario.points())}
    every["place"] = every["scenario"].map(order)
    every = every.sort_values(["place", "replication"]).drop(columns="place")
    write_rows(folder, scenario, pa.Table.from_pandas(every, preserve_index=False))
    without_key(folder)
    return at.results(folder)


def without_key(folder: Path) -> None:
    """Take from a manifest what older versions did not write."""
    import hashlib

    path = folder / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["exact"], content["digest"]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps(content | {"digest": digest}), encoding="utf-8")


def test_older_folders_stay_readable(tmp_path: Path) -> None:
    old = old_folder(tmp_path, document(CERTAIN), 30)
    assert old.manifest.exact == 0
    assert not old.problems
    summary = old.summary("throughput_pps")
    assert summary["n"].tolist() == [30, 30]
    assert (summary["throughput_pps_sd"] == 0.0).all()


def test_a_sweep_into_an_older_folder_leaves_one_run(tmp_path: Path) -> None:
    scenario = at.Scenario.from_dict(document(CERTAIN))
    at.sweep(scenario, tmp_path, replications=3)
    without_key(tmp_path)
    assert read_manifest(tmp_path).exact == 0
    again = at.sweep(scenario, tmp_path, replications=3)
    assert (again.manifest.exact, again.manifest.runs) == (2, 2)


def test_a_plan_counts_such_points_however_few_are_tried() -> None:
    losses = [0] * 1 + [0.01, 0.02, 0.03]
    mixed = document([CERTAIN, {"kind": "iid", "loss_rate": losses}])
    few = at.plan(mixed, replications=30, budget=1e-9)
    assert len(few.table) == 1
    assert few.exact == 4
    assert few.runs.value == 4 * 1 + 6 * 30
    every = at.plan(mixed, replications=30)
    assert every.runs == (184.0, 184.0, 184.0)
    assert sorted(every.table["replications"]) == [1] * 4 + [30] * 6
    assert np.isfinite(every.table[["cv", "precision"]].to_numpy()).all()


def test_the_compiled_part_answers() -> None:
    points = at.Scenario.from_dict(MIXED).points()
    assert [_native.is_random(point.compiled) for point in points] == [False, True, True] * 2
