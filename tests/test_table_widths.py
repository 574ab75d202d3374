"""Tables on a narrow terminal: no word and no number is broken, and what is left out is named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.cli.models_text import models_text
from airtcp.cli.text import fits, grid, page


def lines(monkeypatch: pytest.MonkeyPatch, width: int, table: object) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return page([table]).splitlines()


def test_heads_break_at_their_joints_and_numbers_never(monkeypatch: pytest.MonkeyPatch) -> None:
    table = grid(["loss_rate", "mean_interval"], [["0.1", "12.5 ± 0.3"]], numbers=2)
    found = lines(monkeypatch, 20, table)
    assert [line.split() for line in found[:2]] == [["loss_", "mean_"], ["rate", "interval"]]
    assert found[-1].split("  ")[-1].strip() == "12.5 ± 0.3"


def test_text_wraps_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    table = grid(["name", "value"], [["a packet that waits", "0.00316228"]], numbers=1)
    words = " ".join(lines(monkeypatch, 20, table)[2:]).split()
    assert words[:2] == ["a", "packet"]
    assert "0.00316228" in words


def test_a_table_that_wraps_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert not fits(grid(["a", "b"], [["one two three four", "five"]]))
    assert fits(grid(["loss_rate", "b"], [["1", "five"]]))
    assert not fits(grid(["goodput_of_all_flows", "b"], [["1", "five"]]), heads=True)


def test_a_remark_on_several_points_is_one_line() -> None:
    models = pd.DataFrame(
        {
            "tcp.variant": ["reno"] * 3,
            "model": ["mathis"] * 3,
            "within_range": [False] * 3,
            "throughput_pps": [1.0, 2.0, 3.0],
            "error_percent": [float("nan")] * 3,
            "verdict": [""] * 3,
            "remark": [f"loss_rate = {rate} is outside 0 to 0.003" for rate in (0.01, 0.02, 0.3)],
        }
    )
    said = [one for one in models_text(models, {"tcp.variant": "variant"}) if "outside" in str(one)]
    assert said == ["mathis: loss_rate = 0.01, 0.02, 0.3 are outside 0 to 0.003."]


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
    assert "95 %" in shown.partition("Not shown")[0]
    assert "Not shown for want of width: resent_share, timeouts; --metric shows them." in shown
    assert "over 3 independent values" in shown
    assert "queue: drop-tail: 1MB; fq-codel: 1000 packets." in shown
