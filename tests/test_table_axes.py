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
    axes = TableAxes.of(swept)
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
    rows = [TableAxes.of(swept).row(point.coordinates) for point in swept.points()]
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
