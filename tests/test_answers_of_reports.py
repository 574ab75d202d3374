"""Reports and figures that answer the question of a scenario: delays where packets queue, calls."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import airtcp as at
from airtcp.cli.results_command import write_plot
from airtcp.plot.runs import axis_name
from airtcp.report.key_figures import key_figures

CALL: dict[str, Any] = {
    "profile": "linux",
    "path": {
        "hop": [
            {"rate": "5Mbps", "delay": "30ms", "queue": [200, {"kind": "fq-codel"}]},
        ]
    },
    "flow": [{}],
    "traffic": [{"rate": "80kbps", "packet": "200B"}],
    "stop": {"time": "10s", "replications": 2},
}
LABELS = ["drop-tail 200 packets", "fq-codel"]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> tuple[at.RunResult, str]:
    folder = tmp_path_factory.mktemp("call")
    found = at.run(CALL, links=True, out=folder)
    return found, (folder / "report.html").read_text(encoding="utf-8")


def test_key_figures_are_of_the_call_then_of_delays_then_of_goodput(
    call: tuple[at.RunResult, str],
) -> None:
    figures = key_figures(call[0], ["path.hop[0].queue"])
    assert [figure.name for figure in figures] == [
        "Best call",
        "Worst call",
        "Highest median delay",
        "Lowest median delay",
        "Highest goodput",
        "Lowest goodput",
        "Simulated",
    ]
    table = call[0].records["traffic"]
    best, worst = (re.search(r"[\d.]+", figure.value) for figure in figures[:2])
    assert best is not None
    assert worst is not None
    assert float(best[0]) == pytest.approx(table["voice_mos"].max(), abs=0.01)
    assert float(worst[0]) == pytest.approx(table["voice_mos"].min(), abs=0.01)
    assert figures[0].detail.partition(";")[0] == LABELS[1]
    assert figures[1].detail.partition(";")[0] == LABELS[0]
    assert figures[2].value.endswith(" ms")


def test_metrics_that_were_asked_for_are_the_key_figures() -> None:
    found = at.run(CALL, metric=["timeouts", "resent_share"])
    names = [figure.name for figure in key_figures(found, ["path.hop[0].queue"])]
    assert names[0] == "Highest timeouts"
    assert not any("delay" in name or "call" in name for name in names)


def test_no_delay_is_in_question_where_nothing_queues() -> None:
    hop = {"rate": "5Mbps", "delay": "30ms"}
    found = at.run(
        {**CALL, "path": {"hop": [hop]}, "traffic": [{"rate": "80kbps", "packet": "500B"}]}
    )
    assert [figure.name for figure in key_figures(found, [])] == ["Goodput", "Simulated"]


def test_entries_of_a_list_of_tables_have_one_label_each(call: tuple[at.RunResult, str]) -> None:
    result, page = call
    figure = result.plot("delay_median")
    ticks = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert ticks == LABELS
    for default in ("quantum", "1514B", "100ms"):
        assert default not in re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    assert f"<td>{LABELS[0]}</td>" in page


def test_the_hop_is_named_where_there_are_several() -> None:
    path = "path.hop[0].rate"
    assert axis_name(path, "Mbit/s", hops=1) == "Rate (Mbit/s)"
    assert axis_name(path, "Mbit/s", hops=2) == "Rate, hop 0 (Mbit/s)"
    back = "path.hop[0].back.rate"
    assert axis_name(back, "Mbit/s", hops=1) == "Rate, back (Mbit/s)"
    assert axis_name(back, "Mbit/s", hops=2) == "Rate, hop 0 back (Mbit/s)"


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> at.Results:
    return at.sweep(CALL, tmp_path_factory.mktemp("plot") / "out")


@pytest.mark.parametrize("name", ["queue", "kind"])
def test_a_list_of_tables_is_one_axis_of_a_plot(
    swept: at.Results, name: str, tmp_path: Path
) -> None:
    figure = swept.plot("goodput_bps", name)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == LABELS
    assert figure.axes[0].get_xlabel() == "Queue"
    said = write_plot(swept, str(tmp_path / "a.svg"), name, "goodput_bps")
    assert "averaged" not in said


def test_a_plot_has_the_words_and_the_size_of_its_user(swept: at.Results) -> None:
    figure = swept.plot(
        "goodput_bps", "queue", title="A $ line", xlabel="Buffer", ylabel="Rate", size=(5, 3)
    )
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == r"A \$ line"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Buffer", "Rate")
    assert figure.get_size_inches().tolist() == [5.0, 3.0]


@pytest.mark.parametrize("size", [(5,), (0.5, 3), (5, 41), ("a", "b"), 5, (float("nan"), 3)])
def test_a_size_that_no_figure_has_is_refused(swept: at.Results, size: Any) -> None:
    with pytest.raises(at.InputError, match=r"^size = .*: must be width and height from 1 to 40"):
        swept.plot("goodput_bps", "queue", size=size)


def test_the_command_takes_a_title_labels_and_a_size(swept: at.Results, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from airtcp.cli.main import main

    file = tmp_path / "a.svg"
    words = ["--title", "One", "--xlabel", "Two", "--ylabel", "Three", "--size", "5x3"]
    args = ["plot", str(swept.folder), "-x", "queue", "-y", "goodput_bps", "-o", str(file), *words]
    found = CliRunner().invoke(main, args)
    assert found.exit_code == 0, found.output
    text = file.read_text(encoding="utf-8")
    assert 'width="360pt" height="216pt"' in text
    for word in ("One", "Two", "Three"):
        assert f">{word}</text>" in text
