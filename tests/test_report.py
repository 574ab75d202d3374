"""Reports and figures of a user's run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from airtcp import Scenario, analyse, run
from airtcp.engines.analysis import answer_from_table
from airtcp.engines.run import RunResult
from airtcp.errors import InputError
from airtcp.plot.runs import CoordinateRoles, panel_count, parse_quantities
from airtcp.plot.style import CurveData, panels_figure, svg, throughput_figure
from airtcp.report.page import cell, html_table, inline_svg, maths_to_html
from airtcp.report.runs import write_run_report

SWEEP: dict[str, Any] = {
    "title": "Two variants <on> & off",
    "profile": "zorzi",
    "tcp": {"variant": ["tahoe", "newreno"], "window": 8},
    "channel": {"kind": "rayleigh-two-state", "doppler": 0.08, "loss_rate": [0.001, 0.01, 0.1]},
    "stop": {"slots": 5000, "replications": 3},
}


def document(**changes: Any) -> Scenario:
    return Scenario.from_dict(SWEEP).replace(
        {key.replace("__", "."): v for key, v in changes.items()}
    )


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    run(Scenario.from_dict(SWEEP), seed=1, out=folder)
    return folder


def test_a_run_leaves_a_page_with_everything(out: Path) -> None:
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<title>Two variants &lt;on&gt; &amp; off</title>" in page
    assert page.count("<svg") == 2
    assert not re.search(r"<script|<link|src=|@import", page)
    assert "throughput: analysis and simulation agree within 2 % at" in page
    assert "channel.loss_rate" in page
    assert "0.001, 0.01, 0.1" in page
    assert "@article{zorzi2000," in page
    assert f"airtcp run {out}/scenario.toml --seed 1 --replications 3 --out {out}" in page
    for name in ("table.csv", "manifest.json", "scenario.toml"):
        assert f'href="{name}"' in page
        assert (out / name).exists()
    assert len(re.findall(r"<td>(?:tahoe|newreno)</td>", page)) == 12  # results, verdicts
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)


@pytest.mark.parametrize(
    ("engine", "words"), [("analysis", "Analysis"), ("simulation", "Simulation")]
)
def test_one_engine_alone_has_a_page_too(tmp_path: Path, engine: str, words: str) -> None:
    result = run(document(), engine=engine)
    page = write_run_report(result, tmp_path).read_text(encoding="utf-8")
    assert f"{engine.capitalize()} " in page
    assert f"--engine {engine}" in page
    assert "nothing was delivered" not in page
    assert "95 % intervals of" not in page


def test_bounds_are_shown_only_where_they_say_more_than_the_value(tmp_path: Path) -> None:
    for method, bounded in (("exact", False), ("embedded", True)):
        result = run(document(analysis__method=method, tcp__variant="tahoe"), engine="analysis")
        page = write_run_report(result, tmp_path).read_text(encoding="utf-8")
        assert ("lower bound</th>" in page) is bounded
        assert ("bands its bounds" in page) is bounded


def test_points_without_analysis_say_why(tmp_path: Path) -> None:
    result = run(document(tcp__inflation=[False, True], tcp__variant="newreno"))
    page = write_run_report(result, tmp_path).read_text(encoding="utf-8")
    assert "No analysis for some points: the model does not cover window inflation." in page


def test_one_replication_has_no_interval_but_a_page(tmp_path: Path) -> None:
    result = run(document(tcp__variant="tahoe"), replications=1)
    assert write_run_report(result, tmp_path).exists()


def test_a_single_point_is_drawn_by_name() -> None:
    result = run(document(channel__loss_rate=0.01, tcp__variant="reno"))
    table, names = result.table, list(result.scenario.points()[0].coordinates)
    assert CoordinateRoles.of(table, names) == CoordinateRoles("", (), (), (), ("tcp.variant",))
    figure = result.plot()
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["reno"]


def test_the_longest_numeric_coordinate_is_the_abscissa() -> None:
    result = run(document(tcp__window=[4, 8], ack__delay=[0, 1]), replications=2)
    table, names = result.table, list(result.scenario.points()[0].coordinates)
    roles = CoordinateRoles.of(table, names)
    assert roles == CoordinateRoles(
        "channel.loss_rate", ("tcp.variant",), (), ("tcp.window", "ack.delay")
    )
    figure = result.plot()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [f"window {w}, delay {d}" for w in (4, 8) for d in (0, 1)]
    assert figure.axes[0].get_xscale() == "log"


def test_channels_that_differ_in_kind_share_axes() -> None:
    channels = [
        {"kind": "iid", "loss_rate": 0.01},
        {"kind": "iid", "loss_rate": 0.05},
        {"kind": "burst", "loss_rate": 0.01, "mean_burst": 4.0},
    ]
    result = run(document(channel=channels), replications=2)
    table, names = result.table, list(result.scenario.points()[0].coordinates)
    roles = CoordinateRoles.of(table, names)
    assert roles.x == "channel.loss_rate"
    assert set(roles.line) >= {"channel.kind", "channel.mean_burst"}
    assert len(result.plot().axes) == 1


def test_figures_leave_no_trace_and_repeat_to_the_byte() -> None:
    before = dict(mpl.rcParams)

    def build() -> str:
        x = np.geomspace(1e-3, 1e-1, 5)
        curve = CurveData(
            colour="Tahoe",
            line="i.i.d.",
            x=x,
            y=1 - 5 * x,
            lower=0.9 - 5 * x,
            upper=1 - 5 * x,
            points_x=x[::2],
            points=1 - 5 * x[::2],
            points_low=0.95 - 5 * x[::2],
            points_high=1.05 - 5 * x[::2],
        )
        return svg(throughput_figure([curve])) + svg(
            panels_figure([("a", [curve]), ("b", [curve])], xlabel="x", ylabel="y", zero=True)
        )

    text = build()
    assert text == build()
    assert dict(mpl.rcParams) == before
    assert "<dc:date>" not in text


def test_a_variant_has_one_colour_in_every_figure() -> None:
    x = np.array([0.1, 0.2])
    for order in (("Tahoe", "Reno"), ("Reno", "Tahoe", "NewReno")):
        figure = throughput_figure([CurveData(colour=word, x=x, y=x) for word in order])
        colours = dict(zip(order, (line.get_color() for line in figure.axes[0].lines), strict=True))
        assert colours["Tahoe"] == "#0072B2"
        assert colours["Reno"] == "#D55E00"


def test_curves_that_coincide_are_all_visible() -> None:
    x = np.array([0.1, 0.2])
    figure = throughput_figure(
        [
            CurveData(colour=word, x=x, y=x, points_x=x, points=x, points_low=x, points_high=x)
            for word in ("Tahoe", "Reno", "NewReno")
        ]
    )
    lines = [line for line in figure.axes[0].lines if line.get_linestyle() != "None"]
    widths = [line.get_linewidth() for line in lines]
    assert len(widths) == 3
    assert widths == sorted(set(widths), reverse=True)


def test_inline_figures_take_the_colours_of_the_page() -> None:
    figure = throughput_figure([CurveData(colour="a", x=[1.0, 2.0], y=[0.1, 0.2])], log_x=False)
    text = inline_svg(figure, "one", 'say "x" & <y>')
    assert text.startswith("<svg")
    assert "var(--ink)" in text
    assert 'aria-label="say &quot;x&quot; &amp; &lt;y&gt;"' in text
    assert set(re.findall(r'\bid="(\w+)-', text)) == {"one"}


def test_tables_show_numbers_briefly_and_escape_words() -> None:
    table = pd.DataFrame({"a_b": [1.23456789, np.nan, -1e-7], "word": ["<i>", "", "x"]})
    text = html_table(table, rows=2)
    assert '<th class="number">a b</th>' in text
    assert "1.23457" in text
    assert "&lt;i&gt;" in text
    assert "1 more rows" in text
    assert cell(True) == "yes"
    assert cell(-0.5) == "\N{MINUS SIGN}0.5"


def test_symbols_of_plain_text() -> None:
    assert maths_to_html("P_E <= 0.1 & f_dT") == (
        "<i>P</i><sub>E</sub> \N{LESS-THAN OR EQUAL TO} 0.1 &amp; <i>f</i><sub>d</sub>T"
    )


# Packets on a path

PATH: dict[str, Any] = {
    "title": "A path",
    "profile": "ns2",
    "tcp": {"variant": ["tahoe", "sack"]},
    "path": {
        "hop": [
            {"rate": "1.5Mbps", "delay": "10ms", "queue": 20},
            {
                "rate": ["500kbps", "1Mbps", "2Mbps"],
                "delay": "20ms",
                "channel": {"kind": "iid", "loss_rate": 0.01},
            },
        ]
    },
    "flow": [{"packets": 100}],
    "stop": {"time": "20s", "replications": 3},
}


def test_a_path_leaves_a_page_with_everything(tmp_path: Path) -> None:
    run(Scenario.from_dict(PATH), out=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert "Goodput is what the receiver's application gets in order" in page
    assert "500kbps, 1Mbps, 2Mbps" in page
    assert "path.hop[1].channel.loss_rate" in page
    assert "No analysis: the formulas assume the timer of RFC 6298" in page
    assert "@misc{elaarag2000," not in page
    assert "@manual{ns2," in page
    assert len(re.findall(r"<td>(?:tahoe|sack)</td>", page)) == 6
    assert (tmp_path / "goodput_bps.svg").exists()
    assert '<th scope="row">simulation</th><td>6 of 6 points, by simulator</td>' in page


def test_a_path_that_was_not_simulated_has_a_page(tmp_path: Path) -> None:
    scenario = Scenario.from_dict(PATH)
    result = RunResult(scenario, (answer_from_table(scenario, analyse(scenario)),))
    page = write_run_report(result, tmp_path).read_text(encoding="utf-8")
    assert "What models say of a scenario that was not simulated." in page
    assert page.count("<svg") == 0


def test_a_quantity_with_a_unit_is_an_abscissa() -> None:
    result = run(Scenario.from_dict(PATH), replications=2)
    figure = result.plot()
    (axes,) = figure.axes
    assert axes.get_xlabel() == "Rate, hop 1 (Mbit/s)"
    assert axes.get_ylabel() == "Goodput (kbit/s)"
    assert axes.get_ylim()[0] == 0.0
    lines = [line for line in axes.lines if line.get_linestyle() not in ("None", "none")]
    assert {line.get_color() for line in lines} == {"#0072B2", "#975502"}
    assert all(line.get_xdata().tolist() == [0.5, 1.0, 2.0] for line in lines)
    for quantity in ("transfer_time", "goodput_bps", "efficiency", "timeouts"):
        assert result.plot(quantity).axes
    with pytest.raises(InputError, match="quantity = 'throughput': must be one of goodput_bps"):
        result.plot("throughput")


def test_variants_alone_are_named_below_their_points() -> None:
    scenario = Scenario.from_dict(PATH).replace("path.hop[1].rate", "1Mbps")
    (axes,) = run(scenario, replications=2).plot().axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["tahoe", "sack"]


def test_flows_are_told_apart() -> None:
    scenario = Scenario.from_dict(PATH).replace("flow[0].count", 2)
    result = run(scenario, replications=2)
    assert [axes.get_title(loc="left") for axes in result.plot().axes] == ["flow 0", "flow 1"]
    assert panel_count(result) == 2


def test_units_of_axes() -> None:
    table = pd.DataFrame(
        {
            "path.hop[0].delay": ["10ms", "300ms"],
            "path.hop[0].back.delay": ["1s", "300ms"],
            "path.hop[0].queue": [20, "64000B"],
            "tcp.packet": ["576B", "1500B"],
            "path.hop[0].gate.up": ["90us", "2us"],
        }
    )
    found, units = parse_quantities(table, list(table))
    assert units == {
        "path.hop[0].delay": "ms",
        "path.hop[0].back.delay": "s",
        "tcp.packet": "bytes",
        "path.hop[0].gate.up": "\N{MICRO SIGN}s",
    }
    assert found["path.hop[0].delay"].tolist() == [10.0, 300.0]
    assert found["path.hop[0].back.delay"].tolist() == [1.0, 0.3]
    assert found["path.hop[0].queue"].tolist() == [20, "64000B"]


def test_a_long_list_does_not_fill_the_page(tmp_path: Path) -> None:
    channel = {"kind": "trace", "lost": [0, 1] * 20_000}
    scenario = Scenario.from_dict(PATH).replace("path.hop[1].channel", channel)
    result = run(scenario, replications=1, engine="simulation")
    page = write_run_report(result, tmp_path).read_text(encoding="utf-8")
    assert max(map(len, page.splitlines())) < 20_000
    assert "40000 entries" in page


def test_figures_columns_and_key_figures_are_of_the_metrics_asked_for(tmp_path: Path) -> None:
    scenario = Scenario.from_dict(PATH).replace("tcp.packet", ["500B", "1500B"])
    asked = ["throughput_pps", "efficiency"]
    result = run(scenario, engine="simulation", replications=2, metric=asked, out=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert {path.stem for path in tmp_path.glob("*.svg")} == set(asked)
    assert "Highest throughput" in page
    assert "no common measure" in page  # packets/s of packets of two lengths
    assert "--metric throughput_pps --metric efficiency" in page
    assert result.main_metric == "throughput_pps"
    assert result.coverage["by"].unique().tolist() == ["simulator"]
    assert result.coverage["runs"].tolist() == [2] * len(scenario)


@pytest.mark.parametrize(("window", "is_told"), [(None, False), ("64000B", True)])
def test_a_receive_window_that_limits_nothing_is_not_told(
    window: str | None, is_told: bool, tmp_path: Path
) -> None:
    path = {"hop": [{"rate": "2Mbps", "delay": "20ms", "queue": 10}]}
    flow = {"packets": 20} | ({} if window is None else {"tcp": {"window": window}})
    run(
        Scenario.from_dict({"profile": "linux", "path": path, "flow": [flow]}),
        replications=1,
        out=tmp_path,
    )
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    fixed = page.partition("<h3>Fixed</h3>")[2].partition("</div>")[0]
    assert "1000000000" not in fixed
    assert (str(window) in fixed) is is_told


def test_the_highest_marker_is_whole_and_no_digit_is_unknown(tmp_path: Path) -> None:
    hop = {"rate": "20Mbps", "delay": "15ms", "queue": ["500kB", {"kind": "codel"}]}
    document = {
        "profile": "linux",
        "tcp": {"congestion": ["cubic", "bbr"]},
        "path": {"hop": [hop]},
        "stop": {"time": "4s", "replications": 3},
    }
    result = run(Scenario.from_dict(document), out=tmp_path)
    for axes in result.plot("goodput_bps").axes:
        assert axes.get_ylim()[1] >= 1.049 * axes.dataLim.ymax
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    unknown = re.findall(r"([0-9.]+) ± \?", page.partition('id="results"')[0])
    assert all(len(text.replace(".", "").lstrip("0")) <= 4 for text in unknown)
    assert unknown
    assert page.count("No analysis") == 1
