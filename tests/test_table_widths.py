"""Tables on a narrow terminal: no word and no number is broken, and what is left out is named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from rich.table import Table

import airtcp as at
from airtcp.cli.main import main
from airtcp.cli.models_text import models_text
from airtcp.cli.text import breaks_words, cell_texts, fits, make_table, render_page
from airtcp.scenario.axes import TableAxes


def lines(monkeypatch: pytest.MonkeyPatch, width: int, table: object) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return render_page([table]).splitlines()


def test_heads_break_at_their_joints_and_numbers_never(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(["loss_rate", "mean_interval"], [["0.1", "12.5 ± 0.3"]], numbers=2)
    found = lines(monkeypatch, 20, table)
    assert [line.split() for line in found[:2]] == [["loss_", "mean_"], ["rate", "interval"]]
    assert found[-1].split("  ")[-1].strip() == "12.5 ± 0.3"


def test_text_wraps_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table(["name", "value"], [["a packet that waits", "0.00316228"]], numbers=1)
    words = " ".join(lines(monkeypatch, 20, table)[2:]).split()
    assert words[:2] == ["a", "packet"]
    assert "0.00316228" in words


def test_a_table_that_wraps_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert not fits(make_table(["a", "b"], [["one two three four", "five"]]))
    assert fits(make_table(["loss_rate", "b"], [["1", "five"]]))
    assert not fits(make_table(["goodput_of_all_flows", "b"], [["1", "five"]]), heads=True)


def test_a_remark_on_several_points_is_one_line() -> None:
    models = pd.DataFrame(
        {
            "tcp.variant": ["reno"] * 3,
            "model": ["mathis"] * 3,
            "within_range": [False, False, True],
            "throughput_pps": [1.0, 2.0, 3.0],
            "error_percent": [float("nan")] * 3,
            "verdict": [""] * 3,
            "remark": [f"loss_rate = {rate} is outside 0 to 0.003" for rate in (0.01, 0.02, 0.3)],
        }
    )
    text = models_text(models, {"tcp.variant": "variant"}, TableAxes())
    said = [part for part in text if "outside" in str(part)]
    assert said == ["mathis: loss_rate = 0.01, 0.02, 0.3 are outside 0 to 0.003."]


def test_points_at_which_no_model_is_in_range_have_a_line_and_no_rows() -> None:
    rows = {
        "channel.loss_rate": [0.001, 0.001, 0.2, 0.2],
        "model": ["mathis", "pftk"] * 2,
        "within_range": [True, False, False, False],
        "throughput_pps": [1234.0, 1111.0, 22.0, 33.0],
        "simulation_throughput_pps": [1200.0, 1200.0, 25.0, 25.0],
        "error_percent": [2.8, -7.4, -12.0, 32.0],
        "verdict": [""] * 4,
        "remark": ["", "rtt = 40.6 ms is outside 100 to 500 ms"] * 2,
    }
    models = pd.DataFrame(rows)
    heads = {"channel.loss_rate": "loss_rate"}
    text = models_text(models, heads, TableAxes())
    cells = cell_texts(*[part for part in text if isinstance(part, Table)])
    assert "1234" in cells
    assert "1111" in cells
    assert not {"22", "33"} & {*cells}
    assert any(
        str(part).startswith("At 1 of 2 points no model is within its range") for part in text
    )
    assert "pftk: rtt = 40.6 ms is outside 100 to 500 ms." in text
    lines = models_text(models[2:], heads, TableAxes())
    assert all(isinstance(line, str) for line in lines)
    assert any(
        str(line).startswith("At 1 of 1 point no model is within its range") for line in lines
    )


@pytest.mark.parametrize(
    ("part", "heads"),
    [
        ("chockalingam/table1", ["quantity", "printed", "exact"]),
        ("zorzi/table1", ["quantity", "printed", "computed"]),
    ],
)
def test_a_reproduction_shows_its_values_and_their_quantity(part: str, heads: list[str]) -> None:
    runner = CliRunner(env={"COLUMNS": "80"})
    result = runner.invoke(main, ["reproduce", part, "--quick"])
    assert result.exit_code == 0, result.output
    found = [line.split() for line in result.output.splitlines() if "quantity" in line]
    assert any(set(heads) <= set(words) for words in found)
    assert all(len(line) <= 80 for line in result.output.splitlines())


def test_delays_stay_in_a_table_of_three_axes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hop = {"rate": ["5Mbps", "10Mbps"], "delay": "20ms"}
    queues = ["1MB", {"kind": "codel"}, {"kind": "fq-codel", "packets": 1000}]
    document = {
        "profile": "linux",
        "tcp": {"congestion": ["cubic", "reno"]},
        "path": {"hop": [{**hop, "queue": queues}]},
        "stop": {"time": "5s", "replications": 3},
    }
    at.sweep(document, tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["results", str(tmp_path)], standalone_mode=False) is None
    shown = " ".join(capsys.readouterr().out.split())
    assert "delay p95" in shown.partition("Not shown")[0]
    assert "Not shown for lack of width: resent_share, timeouts; --metric shows them." in shown
    assert "(Student's t, 3 independent values)" in shown
    assert "queue: drop-tail: 1MB; fq-codel: 1000 packets." in shown


RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
QUEUES = [
    {"kind": "codel"},
    {"kind": "fq-codel"},
    {"kind": "fq-codel", "interval": "50ms", "target": "2ms"},
]
CHANNELS = [
    {"kind": "iid", "loss_rate": 0.0031622776},
    {"kind": "gilbert-elliott", "p": 0.01, "r": 0.3, "h": 0.5, "k": 1.0},
]


def crowded(**rest: object) -> dict[str, object]:
    """More coordinates than 80 columns have room for, beside the metrics of the question."""
    hop = {"rate": ["9.6kbps", "100Mbps"], "delay": ["1us", "100ms"], "queue": QUEUES}
    return {
        "profile": "linux",
        "tcp": {"congestion": ["cubic", "reno"]},
        "path": {"hop": [hop | {"channel": CHANNELS}]},
        "stop": {"time": "200ms", "replications": 2},
        **rest,
    }


def lines_of_run(document: dict[str, object], *options: str, tmp_path: Path) -> list[str]:
    file = tmp_path / "x.toml"
    file.write_text(at.Scenario.from_dict(document).to_toml(), encoding="utf-8")
    found = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["run", str(file), *options])
    assert found.exit_code == 0, found.output
    return found.output.splitlines()


def heads(lines: list[str]) -> list[str]:
    """The words above the rules of tables."""
    rules = [
        place
        for place, line in enumerate(lines)
        if line.startswith("\N{BOX DRAWINGS LIGHT HORIZONTAL}")
    ]
    return " ".join(line for place in rules for line in lines[place - 3 : place]).split()


def test_many_axes_leave_the_delay_and_break_no_word(tmp_path: Path) -> None:
    lines = lines_of_run(crowded(), tmp_path=tmp_path)
    assert {"goodput", "delay"} <= set(heads(lines))
    words = {word.strip(",.;") for line in lines for word in line.split()}
    assert {"codel", "fq-codel", "gilbert-elliott", "9.6kbps"} <= words
    assert not words & {"fq-code", "codel-", "gilbert-", "elliott", "loss_rat", "e", "l"}
    assert all(len(line) <= 80 for line in lines)


def test_a_call_beside_flows_of_several_hops_keeps_its_opinion(tmp_path: Path) -> None:
    hop = {"rate": "2Mbps", "delay": "5ms", "queue": QUEUES[:2]}
    document = {
        "profile": "rfc",
        "tcp": {"variant": ["newreno", "sack"]},
        "path": {"hop": [hop, hop | {"channel": {"kind": "iid", "loss_rate": [0.001, 0.01]}}]},
        "flow": [{"count": 2}, {"tcp": {"congestion": "cubic"}}],
        "traffic": [{"rate": "80kbps", "packet": "200B"}],
        "stop": {"time": "2s", "replications": 3},
    }
    lines = lines_of_run(document, tmp_path=tmp_path)
    assert {"goodput", "delay", "MOS"} <= set(heads(lines))
    assert all(len(line) <= 80 for line in lines)


def test_metrics_that_were_asked_for_stand_in_tables_that_fit(tmp_path: Path) -> None:
    names = ("goodput_bps", "delay_median", "delay_p95", "resent_share", "timeouts", "efficiency")
    options = [word for name in names for word in ("--metric", name)]
    lines = lines_of_run(crowded(), *options, tmp_path=tmp_path)
    assert {"goodput", "delay", "p95", "resent", "timeouts", "efficiency"} <= set(heads(lines))
    assert all(len(line) <= 80 for line in lines)


def test_words_break_only_where_none_of_the_widths_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert not breaks_words(make_table(["a", "b"], [["one two three four", "five"]]))
    assert breaks_words(make_table(["a", "b"], [["gilbert-elliott", "0.0031622"]], numbers=1))
