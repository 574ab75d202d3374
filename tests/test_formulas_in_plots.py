"""Formulas in figures of saved results: lines where they are in range, marks for lone values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import airtcp as at
from airtcp.cli.main import main
from airtcp.plot.runs import formulas_in_range
from airtcp.plot.style import CurveData, throughput_figure

LOSSES = [0.0003, 0.001, 0.003, 0.01]
HOP = {"rate": "100Mbps", "delay": "20ms", "queue": 100}


def document(losses: list[float], **tcp: Any) -> dict[str, Any]:
    return {
        "profile": "linux",
        "tcp": tcp or {"congestion": "reno"},
        "path": {"hop": [HOP | {"channel": {"kind": "iid", "loss_rate": losses}}]},
        "stop": {"time": "3s", "replications": 2},
    }


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_formulas_are_lines_of_saved_results(tmp_path: Path) -> None:
    run = at.run(document(LOSSES), out=tmp_path)
    known = formulas_in_range(run, "goodput_bps")
    results = at.results(tmp_path)
    figure = results.plot("goodput_bps", "loss_rate", logx=True)
    assert next(iter(known)) in legend(figure)
    (axes,) = figure.axes
    drawn = [1e6 * np.asarray(line.get_ydata()) for line in axes.lines]
    for name in known:
        assert any(
            len(ydata) == 4 and np.allclose(ydata, known[name], equal_nan=True) for ydata in drawn
        )
    assert not [*results.formulas("delay_median").filter(like="formula ")]
    few = results.formulas("goodput_bps", {"loss_rate": 0.001})
    assert few["path.hop[0].channel.loss_rate"].tolist() == [0.001]
    assert not any(
        "formula" in label for label in legend(results.plot("delay_median", "loss_rate"))
    )
    median = results.plot("goodput_bps", "loss_rate", estimate="median")
    assert not any("formula" in label for label in legend(median))


def test_a_formula_has_the_colour_of_its_runs_and_not_where_it_is_unknown(tmp_path: Path) -> None:
    results = at.sweep(document(LOSSES, congestion=["reno", "cubic"]), tmp_path)
    figure = results.plot("goodput_bps", "loss_rate", by="congestion", logx=True)
    words = legend(figure)
    assert "formula mathis" in words
    known = results.formulas("goodput_bps").set_index("tcp.congestion")["formula mathis"]
    assert known["reno"].notna().all()
    assert known["cubic"].isna().all()
    averaged = results.plot("goodput_bps", "loss_rate", logx=True)  # over both, one unknown
    assert not any("mathis" in label for label in legend(averaged))
    drawn = str(tmp_path / "a.svg")
    asked = ["-x", "loss_rate", "-y", "goodput_bps", "--by", "congestion", "-o"]
    assert main(["plot", str(tmp_path), *asked, drawn], standalone_mode=False) is None
    assert "formula mathis" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_a_formula_in_range_at_one_point_is_a_mark() -> None:
    run = at.run(document([0.01, 0.03, 0.1]))
    (known,) = (
        values for name, values in formulas_in_range(run, "goodput_bps").items() if "mathis" in name
    )
    assert np.isfinite(known).tolist() == [True, False, False]
    figure = run.plot("goodput_bps")
    (axes,) = figure.axes
    marks = [
        line for line in axes.lines if line.get_linestyle() == "None" and len(line.get_xdata()) == 1
    ]
    assert any(np.allclose(1e6 * np.asarray(line.get_ydata()), known.iloc[0]) for line in marks)


@pytest.mark.parametrize(
    ("y", "bars"),
    [([1.0, np.nan, np.nan], 1), ([1.0, np.nan, 2.0], 2), ([1.0, 2.0, np.nan], 0)],
)
def test_values_that_no_line_reaches_are_marks(y: list[float], bars: int) -> None:
    figure = throughput_figure([CurveData(colour="a", x=[1.0, 2.0, 3.0], y=y)])
    (axes,) = figure.axes
    alone = [line for line in axes.lines if line.get_linestyle() == "None"]
    assert sum(len(line.get_xdata()) for line in alone) == bars
