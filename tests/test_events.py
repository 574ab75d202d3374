"""The event table, its files, `airtcp.trace` and the command that writes it."""

from __future__ import annotations

import csv
import json
import os
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import airtcp
from airtcp import Events, InputError, _native
from airtcp.cli.main import main
from airtcp.events.records import (
    CAUSES,
    CODE_OF_KIND,
    CONTROL_KINDS,
    KINDS,
    PROBE_ACK_KINDS,
    PROBE_KINDS,
    LazyColumns,
)
from airtcp.export import tables
from traces import MSS, TYPES, blocks, document, played, written

SWEEP = document("drop4", ["tahoe", "newreno"])
POINT = document("drop4", "newreno")
WINDOW = SWEEP["tcp"]["window"]


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """The requests to the simulator."""
    asked: list[tuple[str, int, int]] = []
    run = _native.trace

    def trace(point: _native.Point, seed: int, replication: int, *room: int) -> Any:
        asked.append((json.loads(point.json)["tcp"]["variant"], seed, replication))
        return run(point, seed, replication, *room)

    monkeypatch.setattr(_native, "trace", trace)
    return asked


def call(tmp_path: Path, document: dict[str, Any], *arguments: str) -> Result:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return CliRunner().invoke(main, ["trace", str(file), *arguments])


def refused(result: Result) -> str:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


# The table


def test_the_table_says_in_words_what_happened_and_is_null_where_nothing_applies() -> None:
    events = blocks(written())
    table = events.table
    assert table.num_rows == len(events) == len(written())
    assert table.column_names[:5] == ["time", "time_ns", "flow", "event", "node"]
    rows = table.to_pylist()
    others = {"spurious", *PROBE_KINDS, *PROBE_ACK_KINDS, *CONTROL_KINDS}
    assert {row["event"] for row in rows} == set(KINDS) - others
    assert {row["cause"] for row in rows} == {"queue", "channel", "gate", None}
    for row in rows:
        assert row["time"] == row["time_ns"] / 1e9
        lost = row["event"] in ("drop", "ack-drop")
        data = row["event"] in ("send", "resend", "drop", "arrive")
        ack = row["event"] in ("ack", "ack-drop", "ack-sent", "ack-arrive")
        assert (row["cause"] is not None) == lost
        assert row["length"] == (MSS if data else None)
        assert (row["sack"] is not None) == ack
        assert (row["window"] is None) == (row["event"] not in ("ack", "ack-sent"))
        state = row["event"] in ("send", "resend", "ack", "timeout")
        for name in ("cwnd", "ssthresh", "inflight", "dupacks", "backoff", "rto", "srtt"):
            assert (row[name] is not None) == state
        assert (row["size"] is None) == (row["event"] == "timeout")


def test_sack_blocks_are_lists_in_the_order_of_the_ack() -> None:
    rows = blocks(written()).table.to_pylist()
    acks = [row["sack"] for row in rows if row["event"] == "ack"]
    assert acks[0] == []
    assert acks[1] == [[2 * MSS, 3 * MSS]]
    assert acks[3] == [[6 * MSS, 7 * MSS], [2 * MSS, 5 * MSS]]


def test_values_that_are_not_known_yet_are_null() -> None:
    events = played("drop4", "reno")
    first, *_, last = (row for row in events.table.to_pylist() if row["event"] == "send")
    assert first["srtt"] is None
    assert first["rto"] == 6.0  # of ns-2, without a sample
    assert last["srtt"] > 0.0


def test_pandas_and_metadata() -> None:
    events = blocks(written())
    frame = events.to_pandas()
    assert frame["event"].value_counts()["timeout"] == 1
    found = {key.decode(): value.decode() for key, value in events.table.schema.metadata.items()}
    assert found["variant"] == "sack"
    assert found["unit"] == str(MSS)
    assert repr(events) == f"Events(sack, {len(events)} events, 1 flow, 1.15 s)"


def test_a_column_is_made_once() -> None:
    events = played("drop4", "sack")
    assert {name: str(column.dtype) for name, column in events.columns.items()} == TYPES
    assert all(len(events.columns[name]) == len(events) for name in TYPES)
    assert events.columns["packet"] is events.columns["packet"]
    with pytest.raises(KeyError):
        events.columns["nothing"]


def test_a_part_of_the_time_and_one_flow() -> None:
    events = blocks(written(0), written(1))
    part = events.between(0.05, 0.1)
    assert part.columns["time_ns"].min() == 50_000_000
    assert part.columns["time_ns"].max() == 100_000_000
    assert part.facts == events.facts
    assert events.between() is events
    assert set(events.of_flow(1).columns["flow"]) == {1}
    with pytest.raises(InputError, match="flow = 2: must be a whole number from 0 to 1"):
        events.of_flow(2)
    with pytest.raises(InputError, match="the end after the start"):
        events.between(2.0, 1.0)
    with pytest.raises(InputError, match="the end after the start"):
        events.between(float("nan"))


@pytest.mark.parametrize("name", ["drop4", "cut"])
def test_a_part_is_what_is_cut_out_of_the_columns(name: str) -> None:
    events = played(name, "sack")
    backwards = np.arange(len(events))[::-3]
    late = events.columns["time_ns"] > 1_500_000_000
    for rows in (slice(40, 160), slice(7, 7), late, backwards):
        part = events.take(rows)
        assert set(part.columns) == set(TYPES)
        for column, whole in events.columns.items():
            np.testing.assert_array_equal(part.columns[column], whole[rows])
    again = events.take(late).take(slice(3, 50))
    np.testing.assert_array_equal(again.columns["sack"], events.columns["sack"][late][3:50])


def test_a_part_makes_no_columns() -> None:
    events = airtcp.trace(POINT)
    part = events.between(1.0, 2.0).of_flow(0)
    for made in (events, part):
        assert isinstance(made.columns, LazyColumns)
        assert set(made.columns._made) <= {"time_ns", "flow"}
    assert 0 < len(part) < len(events)


def test_what_changes_seldom_is_written_down_when_it_changes() -> None:
    mixed = document("overflow", "reno") | {"flow": [{"count": 3}]}
    (point,) = _native.Points(json.dumps(mixed))
    tables = _native.trace(point, 1, 0)
    columns = LazyColumns(tables, _native.trace_facts(point))
    steady = columns._steady
    flows = columns["flow"][columns["cwnd"] > 0.0]
    assert np.array_equal(steady["flow"][columns._states["steady"]], flows)
    for flow in range(3):
        of_flow = steady[steady["flow"] == flow]
        assert 1 < len(of_flow) < np.count_nonzero(flows == flow) / 10
        assert np.all(of_flow[1:] != of_flow[:-1])


def test_records_are_handed_over_without_a_copy_and_stay_as_they_are() -> None:
    (point,) = _native.Points(json.dumps(POINT))
    for _, words in _native.trace(point, 1, 0).values():
        first, second = (np.frombuffer(memoryview(words), np.uint64) for _ in range(2))
        assert len(first) == len(words)
        assert not len(words) or np.shares_memory(first, second)
        assert not first.flags.writeable
        assert memoryview(words).readonly


def test_every_flow_has_its_variant() -> None:
    events = blocks(written(0), written(1), variant="tahoe", variants=["tahoe", "sack"])
    assert events.label == "tahoe, sack"
    assert events.of_flow(1).label == "sack"
    assert events.between(50.0).label == "tahoe, sack"
    assert blocks(written(0), written(1), variant="reno").variants == ["reno", "reno"]
    mixed = document("overflow", "newreno") | {
        "flow": [{"variant": "reno", "count": 2}, {"variant": "sack"}]
    }
    traced = airtcp.trace(mixed)
    assert traced.variants == ["reno", "reno", "sack"]
    assert [traced.of_flow(flow).label for flow in range(3)] == traced.variants


# Files


def test_one_run_is_in_memory_at_a_time(tmp_path: Path) -> None:
    made: list[weakref.ref[Events]] = []

    def run() -> Events:
        assert [reference() for reference in made] == [None] * len(made)
        events = blocks(written())
        made.append(weakref.ref(events.table))
        return events

    for write in (tables.write_csv, tables.write_parquet):
        made.clear()
        with (tmp_path / "x").open("wb") as file:
            write((run() for _ in range(3)), file)
        assert len(made) == 3


def test_csv(tmp_path: Path) -> None:
    events = blocks(written())
    path = events.write(tmp_path / "events.csv")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(events)
    assert [row["event"] for row in rows] == events.table["event"].to_pylist()
    resent = next(row for row in rows if row["event"] == "resend")
    assert (resent["seq"], resent["dupacks"], resent["cause"]) == (str(MSS), "3", "")
    reported = [row["sack"] for row in rows if row["event"] == "ack"]
    assert reported[3] == f"{6 * MSS}-{7 * MSS} {2 * MSS}-{5 * MSS}"
    assert reported[0] == ""


def test_parquet_gives_back_the_table(tmp_path: Path) -> None:
    events = played("drop4", "sack")
    found = pq.read_table(events.write(tmp_path / "events.parquet"))
    assert found.to_pylist() == events.table.to_pylist()
    assert found.schema.metadata[b"variant"] == b"sack"


def test_xpl(tmp_path: Path) -> None:
    events = blocks(written())
    lines = events.write(tmp_path / "x.xpl").read_text(encoding="utf-8").splitlines()
    assert lines[0].split()[0] == "timeval"
    assert lines[-1] == "go"
    assert f"line 0.100000 {MSS} 0.100000 {2 * MSS}" in lines
    at = lines.index(f"atext 0.100000 {2 * MSS}")
    assert lines[at + 1] == "R"
    assert lines.count("R") == len(events.rows("resend"))
    assert lines.count("S") == 4
    assert lines.count("3") == 1
    colours = [line for line in lines if line in ("white", "red", "yellow", "green", "purple")]
    assert colours == ["white", "red", "yellow", "green", "purple"]
    known = {"line", "darrow", "uarrow", "atext", "btext", "utick", "dtick", "htick", "x"}
    drawing = lines[lines.index("white") : -1]
    letters = {"R", "S", "T", "3", *colours, "blue", "orange", "magenta"}
    assert {line.split()[0] for line in drawing} <= known | letters


def test_an_unknown_suffix_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        blocks(written()).write(tmp_path / "x.pcap")
    for suffix in (".csv", ".parquet", ".pcapng", ".xpl", ".svg", ".pdf", ".png"):
        assert suffix in str(error.value)
    assert "did you mean '.pcapng'" in str(error.value)
    with pytest.raises(InputError, match="suffix"):
        blocks(written()).write(tmp_path / "x")
    assert not any(tmp_path.iterdir())


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "x.csv").mkdir()
    for path in (tmp_path / "file" / "x.csv", tmp_path / "x.csv"):
        with pytest.raises(InputError) as error:
            blocks(written()).write(path)
        assert str(tmp_path) in str(error.value)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("suffix", ["csv", "parquet", "pcapng", "xpl", "svg", "png"])
def test_a_full_disk_is_one_line(tmp_path: Path, native: object, suffix: str) -> None:
    target = tmp_path / f"x.{suffix}"
    target.symlink_to("/dev/full")
    result = call(tmp_path, POINT, "-o", str(target))
    assert result.exit_code == 1
    assert result.stderr == f"error: {target}: No space left on device\n"


# Tracing


def test_trace_runs_the_one_point(native: list[tuple[str, int, int]]) -> None:
    events = airtcp.trace(POINT, seed=7, replication=3)
    assert native == [("newreno", 7, 3)]
    assert isinstance(events, Events)
    assert np.array_equal(events.columns["seq"], played("drop4", "newreno").columns["seq"])
    assert events.facts["seed"] == 7
    assert events.facts["replication"] == 3
    assert events.facts["airtcp"] == airtcp.__version__
    assert json.loads(events.facts["scenario"])["tcp"]["window"] == WINDOW


def test_a_point_of_a_sweep_is_chosen(native: list[tuple[str, int, int]]) -> None:
    scenario = airtcp.Scenario.from_dict(SWEEP)
    assert airtcp.trace(scenario, point=1).label == "newreno"
    assert airtcp.trace(scenario, point=scenario.points()[0]).label == "tahoe"
    with pytest.raises(InputError) as error:
        airtcp.trace(scenario)
    assert "2 points" in str(error.value)
    assert "--set tcp.variant=tahoe" in str(error.value)
    assert "point=0 to 1" in str(error.value)
    for point in (2, -1, True, "tahoe"):
        with pytest.raises(InputError, match="point"):
            airtcp.trace(scenario, point=point)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "field"),
    [({"seed": -1}, "seed"), ({"seed": 2**64}, "seed"), ({"replication": -1}, "replication")],
)
def test_numbers_out_of_range_are_refused(
    native: object, values: dict[str, int], field: str
) -> None:
    with pytest.raises(InputError, match=field):
        airtcp.trace(POINT, **values)  # type: ignore[arg-type]


def test_what_the_simulator_refuses_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise _native.ScenarioError("profile", "zorzi has no packets to trace")

    monkeypatch.setattr(_native, "trace_facts", refuse, raising=False)
    with pytest.raises(InputError, match="profile: zorzi has no packets to trace"):
        airtcp.trace(POINT)


# The command


@pytest.mark.parametrize("suffix", ["csv", "parquet", "pcapng", "xpl", "svg", "pdf", "png"])
def test_the_command_writes_what_the_suffix_says(
    tmp_path: Path, native: list[tuple[str, int, int]], suffix: str
) -> None:
    target = tmp_path / "new" / f"x.{suffix}"
    result = call(tmp_path, POINT, "-o", str(target), "--seed", "5", "--replication", "2")
    assert result.exit_code == 0, result.stderr
    assert native == [("newreno", 5, 2)]
    assert result.stdout == f"{target}: {len(played('drop4', 'newreno'))} events of 1 run\n"
    assert target.stat().st_size > 1000


def test_the_points_of_a_sweep_follow_one_another_in_a_table(
    tmp_path: Path, native: object
) -> None:
    for suffix in ("csv", "parquet"):
        target = tmp_path / f"x.{suffix}"
        assert call(tmp_path, SWEEP, "-o", str(target)).exit_code == 0
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.column_names[:3] == ["tcp.variant", "time", "time_ns"]
    variants = table["tcp.variant"].to_pylist()
    lengths = [len(played("drop4", name)) for name in ("tahoe", "newreno")]
    assert variants == ["tahoe"] * lengths[0] + ["newreno"] * lengths[1]
    with (tmp_path / "x.csv").open(encoding="utf-8") as file:
        assert [row["tcp.variant"] for row in csv.DictReader(file)] == variants


def test_the_command_limits_the_time(tmp_path: Path, native: object) -> None:
    target = tmp_path / "x.csv"
    assert call(tmp_path, POINT, "-o", str(target), "--from", "1", "--to", "2").exit_code == 0
    with target.open(encoding="utf-8") as file:
        times = [float(row["time"]) for row in csv.DictReader(file)]
    assert 1.0 <= min(times) < max(times) <= 2.0


def test_a_time_without_events_is_refused(tmp_path: Path, native: object) -> None:
    out = ("-o", str(tmp_path / "x.csv"))
    line = refused(call(tmp_path, POINT, *out, "--from", "50"))
    assert line == "error: --from 50: no event lies in this time\n"
    line = refused(call(tmp_path, POINT, *out, "--from", "50", "--to", "60"))
    assert line == "error: --from 50, --to 60: no event lies in this time\n"
    late = POINT | {"flow": [{"start": "5s"}]}
    line = refused(call(tmp_path, late, *out))
    assert "stop.time = 4s: the run has no events" in line


@pytest.mark.parametrize("suffix", ["pcapng", "xpl"])
def test_a_sweep_is_refused_where_one_run_is_wanted(
    tmp_path: Path, native: list[Any], suffix: str
) -> None:
    line = refused(call(tmp_path, SWEEP, "-o", str(tmp_path / f"x.{suffix}")))
    assert "--set tcp.variant=tahoe" in line
    assert not native
    assert (
        call(
            tmp_path, SWEEP, "-o", str(tmp_path / f"x.{suffix}"), "--set", "tcp.variant=tahoe"
        ).exit_code
        == 0
    )


def test_mistakes_are_found_before_anything_is_run(tmp_path: Path, native: list[Any]) -> None:
    out = str(tmp_path / "x.svg")
    assert "suffix = '.txt'" in refused(call(tmp_path, POINT, "-o", str(tmp_path / "x.txt")))
    line = refused(call(tmp_path, POINT, "-o", out, "--from", "2", "--to", "1"))
    assert line == "error: --from 2, --to 1: must be seconds, with the end after the start\n"
    assert "seed = -1" in refused(call(tmp_path, POINT, "-o", out, "--seed", "-1"))
    many = SWEEP | {"tcp": SWEEP["tcp"] | {"variant": "tahoe", "window": list(range(2, 30))}}
    assert "28 points" in refused(call(tmp_path, many, "-o", out))
    assert not native
    assert not (tmp_path / "x.svg").exists()


def test_a_run_that_fails_leaves_an_older_file_alone(tmp_path: Path, native: object) -> None:
    target = tmp_path / "x.svg"
    target.write_text("older", encoding="utf-8")
    assert "flow = 9" in refused(call(tmp_path, POINT, "-o", str(target), "--flow", "9"))
    assert target.read_text(encoding="utf-8") == "older"
    assert [path.name for path in tmp_path.glob("*x.svg*")] == ["x.svg"]


# The codes of the simulator


def test_codes_of_events_are_those_of_the_simulator() -> None:
    """One of each kind, against what is counted without a trace."""
    hop = {"rate": "800kbps", "delay": "20ms", "queue": 100}
    lossy = hop | {"drop": [[14, 1], [20, 1], [20, 2]], "back": {"drop": [[3, 1], [5, 1]]}}
    given = POINT | {"path": {"hop": [hop, lossy]}}
    events = airtcp.trace(given)
    found = {kind: len(events.rows(kind)) for kind in KINDS}
    absent = {"spurious", *PROBE_KINDS, *PROBE_ACK_KINDS, *CONTROL_KINDS}
    assert all(number for kind, number in found.items() if kind not in absent)
    (counted,) = airtcp.simulate(given).runs.to_pylist()
    assert found["send"] + found["resend"] == counted["sent"]
    assert found["resend"] == counted["resent"]
    assert found["timeout"] == counted["timeouts"]
    assert found["spurious"] == counted["spurious_timeouts"]
    assert found["ack"] == counted["acks_arrived"]
    assert found["ack-sent"] == counted["acks_sent"]
    assert (found["drop"], found["ack-drop"]) == (3, 2)
    node = events.columns["node"]
    assert (node[events.rows("arrive")] == 2).sum() == counted["arrivals"]
    assert set(node[events.rows("ack-arrive")]) == {1}
    lost = events.columns["cause"][events.rows("drop", "ack-drop")]
    assert set(lost) == {CAUSES.index("forced") + 1}


@pytest.mark.parametrize(
    ("name", "cause"), [("overflow", "queue"), ("fast", "channel"), ("cut", "gate")]
)
def test_codes_of_causes_are_those_of_the_simulator(name: str, cause: str) -> None:
    events = played(name, "newreno")
    assert set(events.columns["cause"]) == {0, CAUSES.index(cause) + 1}
    assert set(events.columns["event"][events.columns["cause"] > 0]) <= {
        CODE_OF_KIND["drop"],
        CODE_OF_KIND["ack-drop"],
    }
