"""Axes of tables as people read them: one label, and no column per key."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.scenario.axes import TableAxes

BASE: dict[str, Any] = {
    "profile": "linux",
    "tcp": {"congestion": "cubic"},
    "path": {"hop": [{"rate": "10Mbps", "delay": "10ms", "queue": "1MB"}]},
    "stop": {"time": "2s", "replications": 2},
}
QUEUES = ["1MB", {"kind": "codel"}, {"kind": "fq-codel", "packets": 1000}, {"kind": "pie"}]
QUEUE = "path.hop[0].queue"


def scenario(queues: list[Any]) -> at.Scenario:
    return at.Scenario.from_dict(BASE).replace(QUEUE, queues)


def labels(queues: list[Any], *, short: bool = False) -> list[str]:
    swept = scenario(queues)
    axes = TableAxes.from_scenario(swept)
    return [axes.row(point.coordinates, short=short)[QUEUE] for point in swept.points()]


def test_a_label_has_the_kind_and_what_was_written() -> None:
    assert labels(QUEUES) == ["drop-tail 1MB", "codel", "fq-codel 1000 packets", "pie"]
    assert labels(QUEUES, short=True) == ["drop-tail", "codel", "fq-codel", "pie"]


@pytest.mark.parametrize(
    ("queues", "short"),
    [
        ([50, {"kind": "codel"}, "1MB"], ["drop-tail 50 packets", "codel", "drop-tail 1MB"]),
        (
            [{"kind": "codel"}, {"kind": "codel", "target": "10ms"}, {"kind": "pie"}],
            ["codel", "codel target 10ms", "pie"],
        ),
        (
            [{"kind": "fq-codel", "packets": 100}, {"kind": "fq-codel", "packets": 1000}, 9],
            ["fq-codel 100 packets", "fq-codel 1000 packets", "drop-tail"],
        ),
    ],
)
def test_a_short_label_still_tells_entries_apart(queues: list[Any], short: list[str]) -> None:
    assert labels(queues, short=True) == short
    assert len({*labels(queues)}) == len(queues)


def test_an_axis_of_every_entry_is_a_coordinate_of_its_own() -> None:
    targets = {"target": ["5ms", "7ms"]}
    swept = scenario([{"kind": "codel"} | targets, {"kind": "pie"} | targets])
    rows = [TableAxes.from_scenario(swept).row(point.coordinates) for point in swept.points()]
    assert [(row[QUEUE], row[f"{QUEUE}.target"]) for row in rows] == [
        ("codel", "5ms"),
        ("codel", "7ms"),
        ("pie", "5ms"),
        ("pie", "7ms"),
    ]


def test_coordinates_keep_their_names() -> None:
    first = scenario(QUEUES).points()[1].coordinates
    assert first[f"{QUEUE}.kind"] == "codel"
    assert first[f"{QUEUE}.target"] == "5ms"


def lines_of(*words: str, width: int = 80) -> list[str]:
    result = CliRunner(env={"COLUMNS": str(width)}).invoke(main, [*words])
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("queues") / "out"
    at.sweep(scenario(QUEUES), out)
    return str(out)


@pytest.mark.parametrize("name", ["queue", "queue.kind", f"{QUEUE}.kind"])
def test_a_ranking_compares_the_entries_in_the_units_of_results(folder: str, name: str) -> None:
    lines = lines_of("results", folder, "--rank", name)
    heads = next(line for line in lines if line.startswith("queue "))
    assert heads.split() == ["queue", "(Mbit/s)", "(Mbit/s)", "p", "n"]
    text = "\n".join(lines)
    assert all(f"\n{label} " in text for label in labels(QUEUES))
    assert "mtu" not in text


def test_by_takes_an_axis_and_programs_keep_its_columns(folder: str) -> None:
    lines = lines_of("results", folder, "--by", "queue")
    assert [line for line in lines if line.startswith("fq-codel 1000 packets")]
    table = at.results(folder).summary("goodput_bps", by="queue")
    assert {QUEUE, f"{QUEUE}.kind", f"{QUEUE}.target"} <= set(table)
    assert len(table) == len(QUEUES)


@pytest.mark.parametrize("name", ["queue", f"{QUEUE}.kind"])
def test_a_figure_has_labels_at_its_ticks(folder: str, tmp_path: Any, name: str) -> None:
    file = tmp_path / "one.svg"
    said = lines_of("plot", folder, "-x", name, "-y", "goodput_bps", "-o", str(file), width=500)
    assert said == [str(file)], "averaged over nothing"
    axes = at.results(folder).plot("goodput_bps", name).axes[0]
    ticks = [" ".join(label.get_text().split()) for label in axes.get_xticklabels()]
    assert ticks == labels(QUEUES)
    assert axes.get_xlabel() == "Queue"


def test_a_plan_is_in_the_units_of_a_run(tmp_path: Any) -> None:
    file = tmp_path / "s.toml"
    file.write_text(scenario(QUEUES).to_toml(), encoding="utf-8")
    lines = lines_of("plan", str(file))
    assert next(line.split() for line in lines if line.startswith("queue "))[1] == "(Mbit/s)"
    assert all(len(line) <= 80 for line in lines)


def test_a_run_has_one_column_for_queues_and_the_delay(tmp_path: Any) -> None:
    file = tmp_path / "s.toml"
    file.write_text(scenario(QUEUES).to_toml(), encoding="utf-8")
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["run", str(file)])
    lines = result.output.splitlines()
    heads = next(line.split() for line in lines if line.startswith("queue "))
    assert heads[:2] == ["queue", "(Mbit/s)"]
    assert any(line.startswith("fq-codel 1000 packets ") for line in lines)
    assert any("goodput" in line and "delay" in line for line in lines[:5])
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("codel", ["codel"]),
        ("fq-codel 1000 packets", ["fq-codel 1000 packets"]),
        (["fq-codel", "pie"], ["fq-codel 1000 packets", "pie"]),
        ("drop-tail", ["drop-tail 1MB"]),
        ("1MB", ["drop-tail 1MB"]),
        ("1000000B", ["drop-tail 1MB"]),
    ],
)
def test_where_takes_the_labels_of_tables(folder: str, asked: Any, shown: list[str]) -> None:
    results = at.results(folder)
    for key in ("queue", QUEUE):
        found = results.summary("goodput_bps", where={key: asked})
        assert results.axes.table(found)[QUEUE].tolist() == shown
    assert results.varying({"queue": "codel"}) == []
    assert len(results.rank("goodput_bps", "queue", where={"queue": ["codel", "pie"]})) == 2


def test_a_label_that_is_none_is_refused_with_the_labels(folder: str) -> None:
    known = "one of drop-tail 1MB, codel, fq-codel 1000 packets, pie"
    with pytest.raises(at.InputError) as refused:
        at.results(folder).summary("goodput_bps", where={"queue": "codl"})
    said = f"where {QUEUE} = 'codl': must be {known} (did you mean codel?)"
    assert str(refused.value) == said
    done = CliRunner().invoke(main, ["results", folder, "--where", "queue=pie"])
    assert done.exit_code == 0
    assert "pie" in done.output
    assert "codel" not in done.output.partition("\n\n")[2].partition("\n\n")[0]


def test_a_kind_means_all_of_its_entries(tmp_path: Any) -> None:
    queues = [50, {"kind": "codel", "target": "5ms"}, {"kind": "codel", "target": "10ms"}]
    results = at.sweep(scenario(queues), str(tmp_path / "out"))
    assert len(results.summary("goodput_bps", where={"queue": "codel"})) == 2
    assert len(results.summary("goodput_bps", where={"queue": "codel target 10ms"})) == 1
    assert len(results.summary("goodput_bps", where={"queue": 50})) == 1


def test_what_labels_leave_out_is_told_under_the_heads_of_the_table() -> None:
    queues = [["1MB", {"kind": "codel"}], [{"kind": "pie"}, {"kind": "codel", "target": "1ms"}]]
    hops = [{"rate": "10Mbps", "delay": "20ms", "queue": queue} for queue in queues]
    axes = TableAxes.from_scenario(
        at.Scenario.from_dict({"profile": "linux", "path": {"hop": hops}})
    )
    said = axes.explanations(["path.hop[0].queue", "path.hop[1].queue"])
    assert said == ["hop[0].queue: drop-tail: 1MB.", "hop[1].queue: codel: target 1ms."]
    assert axes.explanations(["path.hop[1].queue", "n"]) == ["queue: codel: target 1ms."]
