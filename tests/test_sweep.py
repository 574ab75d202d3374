"""Sweeps in a folder: what is missing is computed, and the dataset is that of one simulation."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import airtcp
import airtcp.campaign.dataset
import airtcp.simulation.results
from airtcp import Scenario, _native, simulate
from airtcp.errors import InputError
from campaigns import damage, kept, tasks_run
from hung import HUNG

DOCUMENT: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": ["tahoe", "newreno"], "window": 8},
    "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
    "stop": {"slots": 2000, "replications": 3},
}
SCENARIO = Scenario.from_dict(DOCUMENT)
PATH: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "newreno"},
    "path": {"hop": [{"rate": "2Mbps", "delay": ["10ms", "0.02s"], "queue": [5, "10kB"]}]},
    "flow": [{"count": 2}],
    "stop": {"time": "1s", "replications": 3},
}


def fill(
    folder: Path, scenario: Scenario | dict[str, Any] = SCENARIO, **options: Any
) -> airtcp.simulation.results.Results:
    return airtcp.sweep(scenario, folder, **{"jobs": 2} | options)


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return found


def dataset(folder: Path) -> pa.Table:
    """All rows of the files that the manifest names, which are as it says."""
    said = manifest(folder)
    assert said["complete"]
    tables = []
    for entry in said["files"]:
        content = (folder / entry["name"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        tables.append(pq.read_table(folder / entry["name"]))
        assert tables[-1].num_rows == entry["rows"]
    there = {f"data/{path.name}" for path in (folder / "data").iterdir()}
    assert there >= {entry["name"] for entry in said["files"]}
    table = pa.concat_tables(tables)
    assert table.num_rows == said["rows"]
    return table


def check_same(first: pa.Table, second: pa.Table) -> None:
    """Equal, where NaN equals NaN."""
    assert first.schema.equals(second.schema)
    pd.testing.assert_frame_equal(first.to_pandas(), second.to_pandas(), check_exact=True)


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The files of the dataset, and the times at which they were written."""
    files = [folder / "manifest.json", *(folder / "data").iterdir()]
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


CASES = {
    "slot": (DOCUMENT, {}),
    "path": (PATH, {}),
    "seed": (DOCUMENT, {"seed": 2**64 - 1}),
    "more": (DOCUMENT, {"replications": 7}),
    "batches": (DOCUMENT | {"stop": {"slots": 2000, "batches": 4, "warmup": 100}}, {}),
    "path batches": (PATH | {"stop": {"time": "1s", "batches": 3, "replications": 2}}, {}),
    "precise": (DOCUMENT, {"precision": 0.02}),
    "one point": (SCENARIO.replace({"tcp.variant": "reno", "channel.loss_rate": 0.1}), {}),
}


@pytest.mark.parametrize(("scenario", "options"), CASES.values(), ids=CASES.keys())
def test_the_dataset_is_the_table_of_a_simulation(
    scenario: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    expected = simulate(scenario, **options).runs
    check_same(fill(tmp_path, scenario, **options).runs, expected)
    check_same(dataset(tmp_path), expected)
    assert manifest(tmp_path)["rows"] == expected.num_rows
    assert ("batch" in expected.column_names) == ("batches" in str(scenario))


def test_the_manifest_says_what_was_run(tmp_path: Path) -> None:
    fill(tmp_path)
    said = manifest(tmp_path)
    assert re.fullmatch("[0-9a-f]{64}", said.pop("digest"))
    (file,) = said.pop("files")
    assert (file["name"], file["rows"]) == ("data/part-00000.parquet", 12)
    assert said == {
        "format": 1,
        "complete": True,
        "airtcp": _native.__version__,
        "model": _native.MODEL_VERSION,
        "seed": 1,
        "replications": 3,
        "precision": None,
        "scenario": SCENARIO.to_dict(),
        "family": "slot",
        "coordinates": ["tcp.variant", "channel.kind", "channel.loss_rate"],
        "points": 4,
        "exact": 0,
        "links": False,
        "engines": ["simulation"],
        "options": {},
        "measured": {},
        "transient": None,
        "runs": 12,
        "rows": 12,
    }
    assert str(tmp_path) not in (tmp_path / "manifest.json").read_text(encoding="utf-8")


def test_the_manifest_says_which_precision(tmp_path: Path) -> None:
    fill(tmp_path, precision=0.02, metric="transmissions_per_slot")
    said = manifest(tmp_path)
    assert said["replications"] is None
    expected = {"relative": 0.02, "confidence": 0.95, "least": 30, "most": 10_000}
    assert said["precision"] == expected | {"metric": "transmissions_per_slot"}
    assert said["runs"] == said["rows"] == dataset(tmp_path).num_rows > 120


def test_the_same_bytes_wherever_and_however(tmp_path: Path) -> None:
    """Nothing of the folder, the number of threads or the order of events is in the files."""
    for name, jobs in (("a", 1), ("b", 3)):
        fill(tmp_path / name, PATH, jobs=jobs)
    fill(tmp_path / "c", PATH, replications=1)
    fill(tmp_path / "c", PATH)
    first, second, third = (
        {name: content for name, (_, content) in state(tmp_path / folder).items()}
        for folder in "abc"
    )
    assert first == second == third


# Runs that are there already


def test_a_second_call_computes_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fill(tmp_path)
    before = state(tmp_path)
    tasks = tasks_run(monkeypatch)
    again = fill(tmp_path)
    assert again.runs.equals(first.runs)
    assert (tasks, again.problems, state(tmp_path)) == ([], (), before)


CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "more replications": ({}, {"replications": 5}, 8),
    "fewer replications": ({}, {"replications": 2}, 0),
    "one value more": ({"channel.loss_rate": [0.01, 0.05, 0.1]}, {}, 6),
    "one value changed": ({"channel.loss_rate": [0.02, 0.1]}, {}, 6),
    "one value less": ({"channel.loss_rate": 0.1}, {}, 0),
    "another order": ({"tcp.variant": ["newreno", "tahoe"]}, {}, 0),
    "another axis": ({"tcp.window": [8, 9]}, {}, 12),
    "another title": ({"title": "x"}, {}, 0),
    "another seed": ({}, {"seed": 2}, 12),
}


@pytest.mark.parametrize(("changes", "options", "new"), CHANGES.values(), ids=CHANGES.keys())
def test_only_what_is_missing_is_computed(
    changes: dict[str, Any],
    options: dict[str, Any],
    new: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(tmp_path)
    changed = SCENARIO.replace(changes) if changes else SCENARIO
    tasks = tasks_run(monkeypatch)
    fill(tmp_path, changed, **options)
    assert len(tasks) == new
    assert dataset(tmp_path).equals(simulate(changed, **options).runs)


def test_a_precision_goes_on_from_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = 0
    for options in ({"replications": 3}, {"precision": 0.1}, {"precision": 0.02}):
        with monkeypatch.context() as watched:
            tasks = tasks_run(watched)
            fill(tmp_path, **options)
        check_same(dataset(tmp_path), simulate(SCENARIO, **options).runs)
        assert len(tasks) == manifest(tmp_path)["runs"] - runs
        runs += len(tasks)


# Errors in the folder


def test_damaged_runs_are_named_and_made_again(tmp_path: Path) -> None:
    expected = fill(tmp_path).runs
    damage(tmp_path / "runs.sqlite", replication=1, rows=3)
    found = fill(tmp_path)
    (problem,) = found.problems
    assert problem == f"{tmp_path / 'runs.sqlite'}: 3 damaged runs found and made again"
    assert found.runs.equals(expected)
    assert fill(tmp_path).problems == ()


def test_a_journal_that_lost_a_run_is_named_and_the_others_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    lose_a_run(tmp_path / "runs.sqlite")
    tasks = tasks_run(monkeypatch)
    found = fill(tmp_path, replications=5)
    (problem,) = found.problems
    reason = "it was given 12 runs and holds 11"
    assert problem == (
        f"{tmp_path / 'runs.sqlite'}: is damaged ({reason}); 11 runs of it were saved"
        " in runs-1.sqlite"
    )
    assert len(tasks) == 20 - 11
    assert found.runs.equals(simulate(SCENARIO, replications=5).runs)


def test_runs_that_are_lost_while_they_are_used_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal was sound when it was opened."""
    write = airtcp.campaign.dataset.write_dataset

    def late(*arguments: Any) -> Any:
        lose_a_run(tmp_path / "runs.sqlite")
        return write(*arguments)

    monkeypatch.setattr("airtcp.campaign.store.write_dataset", late)
    with pytest.raises(InputError) as caught:
        fill(tmp_path)
    said = "was damaged while in use: 1 run lost"
    assert str(caught.value) == f"{tmp_path / 'runs.sqlite'}: {said}"
    assert not manifest(tmp_path)["complete"]


def lose_a_run(journal: Path) -> None:
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute("DELETE FROM runs WHERE replication = 1 AND series = 2")


def test_a_foreign_journal_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_text("mine\n" * 100, encoding="utf-8")
    found = fill(tmp_path)
    (problem,) = found.problems
    assert problem.startswith(f"{tmp_path / 'runs.sqlite'}: ")
    assert problem.endswith("; it is ignored")
    assert (tmp_path / "runs.sqlite").read_text(encoding="utf-8") == "mine\n" * 100
    assert len(kept(tmp_path / "runs-1.sqlite")) == 12
    assert dataset(tmp_path).equals(found.runs)


def test_a_foreign_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    mine = [tmp_path / "x.txt", *(tmp_path / "data" / name for name in ("part-me.parquet", "x"))]
    for file in mine:
        file.write_text("mine", encoding="utf-8")
    problems = fill(tmp_path).problems
    assert [file.read_text(encoding="utf-8") for file in mine] == ["mine"] * 3
    assert [str(file) in problem for file, problem in zip(mine[1:], sorted(problems), strict=True)]


@pytest.mark.parametrize("content", [None, b"", b"mine", b"PAR1" + bytes(50) + b"PAR1"])
def test_a_damaged_part_is_written_again(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    part = tmp_path / "data" / "part-00000.parquet"
    whole = part.read_bytes()
    part.unlink() if content is None else part.write_bytes(content)
    tasks = tasks_run(monkeypatch)
    fill(tmp_path)
    assert tasks == []
    assert part.read_bytes() == whole


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"format": 2}', b"null", b"\xff"])
def test_a_damaged_manifest_is_written_again(content: bytes, tmp_path: Path) -> None:
    fill(tmp_path)
    file = tmp_path / "manifest.json"
    whole = file.read_bytes()
    file.write_bytes(content)
    fill(tmp_path)
    assert file.read_bytes() == whole


def test_files_in_place_of_folders_and_folders_in_place_of_files(tmp_path: Path) -> None:
    for number, (name, make) in enumerate(
        (("data", Path.touch), ("manifest.json", Path.mkdir), (".lock", Path.mkdir))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        make(folder / name)
        with pytest.raises(InputError, match=re.escape(str(folder / name))):
            fill(folder)


def test_a_manifest_of_an_unfinished_sweep_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airtcp.engines.sweeps.execute_campaign", lambda *rest: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fill(tmp_path)
    said = manifest(tmp_path)
    assert (said["complete"], said["runs"], said["files"]) == (False, 0, [])
    monkeypatch.undo()
    fill(tmp_path)
    assert manifest(tmp_path)["complete"]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    left = [tmp_path / "manifest.json.1.part", tmp_path / "data" / "part-00000.parquet.1.part"]
    mine = tmp_path / "film.part"
    for part in (*left, mine):
        part.write_bytes(b"half")
    assert fill(tmp_path).problems == ()
    assert not [path for path in left if path.exists()]
    assert mine.exists()


# Many files


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airtcp.campaign.dataset.ROWS_PER_GROUP", 7)
    monkeypatch.setattr("airtcp.campaign.dataset._ROWS_PER_FILE", 12)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("replications", [1, 3, 20])
@pytest.mark.parametrize("document", [DOCUMENT, PATH], ids=["slot", "path"])
def test_files_of_many_groups_have_one_schema(
    document: dict[str, Any], replications: int, tmp_path: Path
) -> None:
    fill(tmp_path, document, replications=replications)
    expected = simulate(document, replications=replications).runs
    check_same(dataset(tmp_path), expected)  # concat_tables refuses other schemas
    for entry in manifest(tmp_path)["files"]:
        file = pq.ParquetFile(tmp_path / entry["name"])
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        assert max(groups) <= 8
        assert entry["rows"] < 12 + 8


@pytest.mark.usefixtures("small_files")
def test_parts_of_an_earlier_larger_dataset_go(tmp_path: Path) -> None:
    fill(tmp_path, replications=20)
    many = len(manifest(tmp_path)["files"])
    runs = fill(tmp_path, replications=2).runs
    assert dataset(tmp_path).equals(runs)
    assert len(list((tmp_path / "data").iterdir())) == len(manifest(tmp_path)["files"]) < many


# Several at once

RUN = """
import sys
from airtcp.cli.main import main
main(["sweep", *sys.argv[1:], "--jobs", "1"])
"""


def start(file: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, str(file), "--out", str(out), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.toml"
    path.write_text(SCENARIO.to_toml(), encoding="utf-8")
    return path


def test_two_processes_in_one_folder_do_no_harm(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    processes = [start(file, out, "--replications", "100") for _ in range(2)]
    answers = [process.communicate(timeout=HUNG) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert answers[0] == answers[1]
    assert answers[0][1] == ""
    assert dataset(out).equals(simulate(SCENARIO, replications=100).runs)
    assert len(kept(out / "runs.sqlite")) == 400
    assert not list(out.rglob("*.part"))


@pytest.mark.skipif(os.name != "posix", reason="needs file locks")
def test_another_scenario_is_refused_while_the_folder_is_in_use(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start(file, out, "--replications", "30000") as process:
        while not kept(out / "runs.sqlite"):
            assert process.poll() is None
            time.sleep(0.01)
        with start(file, out, "--seed", "2") as other:
            _, errors = other.communicate(timeout=HUNG)
        process.kill()
    assert other.returncode == 2
    expected = "is in use by a run with another scenario, seed or number of replications"
    said = f"{expected}, or another --engine, --stack or --links; wait, or give another folder"
    assert errors == f"error: {out}: {said}\n"
    assert fill(out, seed=2).runs.num_rows == 12  # nobody is there any more
