"""Flows in figures and key figures: names, of which those that carry the same are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import airtcp as at
from airtcp.plot.results import results_figure
from airtcp.plot.runs import CoordinateRoles
from airtcp.report.messages import places_of
from airtcp.report.runs import write_run_report

HOP = {"rate": "5Mbps", "delay": "10ms", "queue": ["100kB", {"kind": "fq-codel"}]}
PAGES = {
    "arrivals": {"kind": "exponential", "mean": "500ms"},
    "sizes": {"kind": "exponential", "mean": "20kB"},
}


def document(**more: Any) -> dict[str, Any]:
    stop = {"time": "10s", "replications": 3}
    flows = [{}, PAGES]
    return {"profile": "linux", "path": {"hop": [HOP]}, "flow": flows, "stop": stop} | more


@pytest.fixture(scope="module")
def run() -> Any:
    return at.run(document(), engine="simulation")


def test_flows_are_names_and_no_line_joins_them(run: Any) -> None:
    figure = run.plot("goodput_bps")
    (axes,) = figure.axes
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert ticks == ["drop-tail 100kB", "fq-codel"]
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:2] == ["flow 0: bulk", "flow 1: transfers"]
    assert all(line.get_linestyle() == "None" for line in axes.lines)
    assert all(line.get_linestyle() == "None" for line in figure.legends[0].get_lines())


def test_no_coordinate_is_both_place_and_colour() -> None:
    table = pd.DataFrame({"tcp.congestion": ["bbr", "cubic"] * 4, "path.queue": ["a", "b"] * 4})
    table["flow"] = [0, 0, 0, 0, 1, 1, 1, 1]
    table["path.rate"] = ["a", "a", "b", "b"] * 2
    roles = CoordinateRoles.of(table, ["tcp.congestion", "path.queue", "path.rate", "flow"])
    used = [*roles.tick_coordinates, *roles.colour, *roles.line, *roles.panel]
    assert sorted(used) == ["flow", "path.queue", "path.rate", "tcp.congestion"]
    many = pd.DataFrame({"flow": range(30), "tcp.congestion": "cubic"})
    assert CoordinateRoles.of(many, ["tcp.congestion", "flow"]).tick_coordinates == ("flow",)


def test_key_figures_compare_flows_that_carry_the_same(run: Any, tmp_path: Path) -> None:
    page = write_run_report(run, tmp_path).read_text(encoding="utf-8")
    keys = page.partition('id="key-figures"')[2].partition('id="results"')[0]
    assert "Highest median completion" in keys
    assert "Highest goodput of bulk flows" in keys
    assert "Lowest goodput of bulk flows" in keys
    figures = page.partition('id="results"')[2]
    assert "Goodput of flows of many transfers is" in " ".join(figures.split())


def test_a_part_of_a_law_is_told_with_what_it_is_of() -> None:
    table = pd.DataFrame({"path.hop[0].jitter.max": ["1ms", "5ms"]})
    assert places_of(table, [*table]) == ["jitter max 1ms", "jitter max 5ms"]


def test_a_flow_on_the_abscissa_of_results_is_a_name(tmp_path: Path) -> None:
    figure = results_figure(at.sweep(document(), tmp_path), "flow", "goodput_bps")
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        "flow 0: bulk",
        "flow 1: transfers",
    ]


def test_a_figure_has_all_of_a_dozen_panels() -> None:
    hop = HOP | {"delay": ["1ms", "2ms"], "queue": [20, 30, 40], "rate": ["4Mbps", "5Mbps"]}
    tcp = {"congestion": ["cubic", "reno"]}
    stop = {"time": "1s", "replications": 2}
    found = at.run(
        document(path={"hop": [hop]}, tcp=tcp, flow=[{}, {}], stop=stop), engine="simulation"
    )
    assert len(found.plot("goodput_bps").axes) == 8
