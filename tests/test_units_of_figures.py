"""One unit for a quantity: at the axis of its figure, in the caption, in the table beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import airtcp as at
from airtcp.metrics.labels import axis_label
from airtcp.papers.kuusela import PAPER as KUUSELA
from airtcp.papers.kuusela.drawing import RATE_UNIT, goodput_figure
from airtcp.papers.kuusela.goodput import model_curves
from airtcp.plot.timeseries import caption
from airtcp.report.messages import metric_head
from airtcp.report.part_tables import table_message

HOP = {"rate": "2Mbps", "delay": "150ms", "queue": 20}
DOCUMENT: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": ["reno", "sack"]},
    "path": {"hop": [HOP | {"channel": {"kind": "iid", "loss_rate": 0.05}}]},
    "flow": [{"packets": 150}],
    "stop": {"time": "60s", "replications": 8},
}
UNITS = {  # of each metric here, with its length and size
    "goodput_bps": "kbit/s",
    "delay_median": "ms",
    "transfer_time": "s",
    "resent_share": "%",
    "bits_on_air": "Mbit",
    "mean_queue": "packets",
}


def bracketed(text: str) -> str:
    """The unit at the end of a label."""
    found = re.search(r"\(([^()]+)\)$", text)
    return found[1] if found else ""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[at.RunResult, Path]:
    folder = tmp_path_factory.mktemp("units")
    metrics = [name for name in UNITS if name != "mean_queue"]
    found = at.run(DOCUMENT, metric=[*metrics, "mean_queue"], links=True, out=folder)
    return found, folder


@pytest.mark.parametrize("metric", [name for name in UNITS if name != "mean_queue"])
def test_axis_caption_key_figure_and_column_have_one_unit(
    page: tuple[at.RunResult, Path], metric: str
) -> None:
    result, folder = page
    unit = UNITS[metric]
    assert bracketed(result.plot(metric).axes[0].get_ylabel()) == unit
    text = (folder / "report.html").read_text(encoding="utf-8")
    figures = re.findall(
        r'<figure.*?aria-label="([^"]*)".*?<figcaption>(.*?)</figcaption>', text, re.DOTALL
    )
    ((label, words),) = [figure for figure in figures if figure[0].startswith(_label(metric))]
    assert bracketed(label) == unit
    assert f"({unit})." in words
    values = re.findall(r"([\d.]+) ± ([\d.\u2007]+) ?\??(\S+?)[;).]", words)
    assert values
    assert {stated for *_, stated in values} == {unit}, words
    assert f">{metric_head(metric, unit)}</th>" in text
    means = result.table[f"simulation_{metric}"] / result.unit(metric)[1]
    assert float(values[-1][0]) == pytest.approx(means.min(), rel=0.01)


def _label(metric: str) -> str:
    return axis_label(metric).partition(" (")[0]


def test_engines_share_the_unit_of_the_largest_value() -> None:
    """The simulation is below 1 Mbit/s, a model at a point without an end is above."""
    document = DOCUMENT | {"flow": [{}], "stop": {"time": "5s", "replications": 2}}
    result = at.run(document | {"path": {"hop": [HOP]}})
    assert result.unit("goodput_bps") == ("Mbit/s", 1e6)
    text = at.run(document).unit("goodput_bps")
    assert text[0] == "kbit/s"


def test_a_time_series_says_waits_in_the_unit_of_their_axis() -> None:
    hop = {"rate": "100kbps", "delay": "20ms", "queue": 100}
    document: dict[str, Any] = {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "stop": {"time": "60s"},
    }
    for rate, unit in (("100kbps", "s"), ("20Mbps", "ms")):
        document["path"] = {"hop": [hop | {"rate": rate}]}
        found = at.timeseries(document, width=10.0, replications=1)
        assert found.figure().axes[-1].get_ylabel() == f"Sojourn ({unit})"
        assert re.search(rf"\d {unit} from ", caption(found))


def test_the_caption_of_a_paper_is_in_the_unit_of_its_axis() -> None:
    point = {"rate": 40000, "loss_rate": 0.0, "window": 20, "mean_interval": [20.0, 40.0]}
    table = pd.DataFrame(point | {"simulation": [21000.0, 31000.0], "runs": 4}).assign(
        simulation_low=lambda rows: rows["simulation"] - 500.0,
        simulation_high=lambda rows: rows["simulation"] + 500.0,
        reference=float("nan"),
        renewal=30000.0,
    )
    assert {"fig3", "fig4"} <= set(KUUSELA.parts)
    drawn = goodput_figure(table, model_curves("fig3", table))
    assert bracketed(drawn.axes[0].get_ylabel()) == RATE_UNIT[0]
    assert "31.0 ± 0.5 kbit/s" in table_message(table, RATE_UNIT).replace(
        "31.00 ± 0.50", "31.0 ± 0.5"
    )
