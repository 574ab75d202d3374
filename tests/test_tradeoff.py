"""One metric against another: a point per setting, with the intervals of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.plot.tradeoff import tradeoff_figure


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Any:
    hop = {"rate": "5Mbps", "delay": "10ms", "queue": ["100kB", {"kind": "fq-codel"}]}
    document = {
        "profile": "linux",
        "tcp": {"congestion": ["cubic", "bbr"]},
        "path": {"hop": [hop | {"channel": {"kind": "iid", "loss_rate": 0.002}}]},
        "stop": {"time": "5s", "replications": 3},
    }
    return at.sweep(document, tmp_path_factory.mktemp("swept"))


def test_a_point_per_setting_has_the_intervals_of_both(swept: Any) -> None:
    figure = tradeoff_figure(swept, "delay_p95", "goodput_bps")
    (axes,) = figure.axes
    assert (axes.get_xlabel().endswith("(ms)"), axes.get_ylabel()) == (True, "Goodput (Mbit/s)")
    table = swept.summary(["delay_p95", "goodput_bps"])
    assert len(axes.containers) == len(table) == 4
    for bars, (_, row) in zip(axes.containers, table.iterrows(), strict=True):
        (x,), (y,) = bars.lines[0].get_data()
        assert (x, y) == pytest.approx((1e3 * row["delay_p95"], 1e-6 * row["goodput_bps"]))
        across, up = (np.array(line.get_segments()[0]) for line in bars.lines[2])
        assert up[:, 1] == pytest.approx([1e-6 * row[f"goodput_bps_{e}"] for e in ("low", "high")])
        assert across[1, 0] == pytest.approx(1e3 * row["delay_p95_high"])
    words = {text.get_text() for text in figure.legends[0].get_texts()}
    assert {"fq-codel", "drop-tail 100kB", "95 % intervals"} <= words


def test_plot_draws_it_and_refuses_what_it_cannot(swept: Any, tmp_path: Path) -> None:
    words = ["plot", str(swept.folder), "-x", "delay_p95", "-o", str(tmp_path / "t.svg"), "-y"]
    done = CliRunner().invoke(main, [*words, "goodput_bps", "--by", "queue"])
    assert done.exit_code == 0, done.output
    assert "averaged over tcp.congestion" in done.stdout
    assert (tmp_path / "t.svg").exists()
    with pytest.raises(InputError, match="both are delay_p95"):
        tradeoff_figure(swept, "delay_p95", "delay_p95")
    with pytest.raises(InputError, match="no setting has values of both"):
        tradeoff_figure(swept, "delay_p95", "transfer_time")
