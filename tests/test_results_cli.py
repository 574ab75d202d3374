"""`airtcp results` and `airtcp plot`: tables, rankings, queries, figures, and what is refused."""

import csv
import io
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import matplotlib.image
import numpy as np
import pandas
import pytest
from click.testing import CliRunner, Result

import airtcp as at
import results_folder
from airtcp.cli.main import main
from airtcp.cli.results_text import MOST_ROWS
from airtcp.plot.results import results_figure
from airtcp.plot.style import svg
from results_folder import PATH, SLOTS


@pytest.fixture(scope="module")
def slots(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("cli") / "slots"
    results_folder.write(folder, SLOTS, parts=2)
    return str(folder)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("cli") / "path"
    results_folder.write(folder, PATH)
    return str(folder)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def good(*arguments: str) -> str:
    result = call(*arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def bad(*arguments: str) -> str:
    result = call(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


# results


def test_a_table_has_a_row_per_point(slots: str) -> None:
    text = good("results", slots)
    lines = text.splitlines()
    assert lines[:2] == ["Two variants", "profile zorzi, 8 points, channel iid, seed 1"]
    assert lines[3].split()[:4] == ["variant", "window", "loss_rate", "n"]
    table = at.results(slots).summary("throughput")
    for line, row in zip(lines[5:13], table.to_dict("records"), strict=True):
        cells = line.split()
        assert cells[0] == row["tcp.variant"]
        assert float(cells[4]) == pytest.approx(row["throughput"], abs=5e-4)
        mean, ends = row["throughput"], (row["throughput_low"], row["throughput_high"])
        half = max(abs(mean - end) for end in ends)  # an interval ends at 0 and 1
        assert float(cells[6]) == pytest.approx(half, rel=0.01)
    assert "throughput: share of slots that delivered a new packet" in text
    assert max(map(len, lines)) <= 80


def test_flows_and_units_of_a_path(path: str) -> None:
    lines = good("results", path, "--where", "delay=0.05s", "--metric", "goodput_bps").splitlines()
    assert lines[1] == "profile ns2, 6 points, path.hop[0].delay 50ms, seed 1"
    assert lines[3].split() == ["variant", "flow", "n", "goodput", "(kbit/s)"]
    assert [line.split()[:2] for line in lines[5:9]] == [
        [variant, flow] for variant in ("reno", "sack") for flow in "01"
    ]
    assert any(line.startswith("goodput: payload handed") for line in lines)


def test_pooling_is_said(slots: str) -> None:
    text = " ".join(good("results", slots, "--by", "variant").split())
    assert "Averaged over tcp.window, channel.loss_rate: one value per replication." in text
    one_loss = good("results", slots, "--by", "variant", "--where", "loss_rate=0.1")
    assert "Averaged over tcp.window: one" in one_loss


def test_all_formats_hold_the_summary(slots: str) -> None:
    expected = at.results(slots).summary()
    rows = list(csv.DictReader(io.StringIO(good("results", slots, "--format", "csv"))))
    assert [list(row) for row in rows] == [list(expected.columns)] * 8
    assert [float(row["goodput_bps_low"]) for row in rows] == expected["goodput_bps_low"].tolist()
    data = json.loads(good("results", slots, "--format", "json"))
    assert pandas.DataFrame(data.pop("rows")).equals(expected)
    assert data["problems"] == []
    assert (data["complete"], data["points"], data["points_done"]) == (True, 8, 8)
    assert data["scenario"] == at.Scenario.from_dict(SLOTS).to_dict()


def test_medians_stand_between_brackets(slots: str, tmp_path: Path) -> None:
    results_folder.write(tmp_path / "r", SLOTS | {"stop": {"slots": 500, "replications": 8}})
    text = good("results", str(tmp_path / "r"), "--estimate", "median", "--metric", "throughput")
    assert len(re.findall(r"0\.\d+ \[0\.\d+, 0\.\d+\]", text)) == 8
    assert "interval of the median (order statistics," in " ".join(text.split())
    few = good("results", slots, "--estimate", "median", "--metric", "throughput")
    assert "[" not in few.partition("In brackets")[0]  # four values have no interval


def test_a_long_table_is_cut_and_says_so(tmp_path: Path) -> None:
    windows = list(range(2, 2 + MOST_ROWS + 3))
    document = SLOTS | {"tcp": {"variant": "reno", "window": windows}}
    document |= {"channel": {"kind": "iid", "loss_rate": 0.1}}
    document |= {"stop": {"slots": 100, "replications": 1}}
    results_folder.write(tmp_path / "r", document)
    text = good("results", str(tmp_path / "r"))
    assert text.count("\n4") + text.count("\n3") > 10
    assert "... and 3 more rows; --format csv gives all of them." in text
    assert f"\n{windows[-1]} " not in text
    assert "n = 1: one value per row, so no interval." in text
    everything = good("results", str(tmp_path / "r"), "--format", "csv")
    assert everything.count("\n") == 1 + len(windows)


def test_values_of_one_key_add_up(slots: str) -> None:
    first = good("results", slots, "--where", "window=[6, 12]", "--format", "csv")
    second = good(
        "results", slots, "--where", "window=6", "--where", "window=12", "--format", "csv"
    )
    assert first == second == good("results", slots, "--format", "csv")


def test_a_ranking_names_the_best(slots: str) -> None:
    text = good("results", slots, "--rank", "variant", "--metric", "throughput")
    expected = at.results(slots).rank("throughput")
    assert len(re.findall(r"^\d+ +0\.0?1 +(?:tahoe|newreno) ", text, re.MULTILINE)) == 8
    assert text.partition("best: not")[0].count("best") == expected["best"].sum()
    assert "Holm's correction" in " ".join(text.split())
    rows = list(
        csv.DictReader(io.StringIO(good("results", slots, "--rank", "variant", "--format", "csv")))
    )
    assert [row["tcp.variant"] for row in rows] == expected["tcp.variant"].tolist()
    data = json.loads(
        good(
            "results",
            slots,
            "--rank",
            "variant",
            "--metric",
            "transmissions_per_delivery",
            "--format",
            "json",
        )
    )
    assert data["better"] == "low"


def test_a_query_is_answered(slots: str) -> None:
    pytest.importorskip("duckdb")
    query = 'SELECT "tcp.window" AS w, count(*) AS n FROM runs GROUP BY w ORDER BY w'
    assert good("results", slots, "--sql", query, "--format", "csv") == "w,n\n6,16\n12,16\n"
    assert good("results", slots, "--sql", query).split()[-4:] == ["6", "16", "12", "16"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "thoughput"], "metric = 'thoughput': must be one of"),
        (["--by", "widow"], "did you mean 'tcp.window'?"),
        (["--where", "window"], "--where 'window': must be KEY=VALUE such as tcp.variant=reno"),
        (["--where", "window=5"], "where tcp.window = 5: must be one of 6, 12 (did you mean 6?)"),
        (["--confidence", "2"], "confidence = 2.0: must be a probability in (0, 1)"),
        (["--estimate", "mode"], "estimate = 'mode': must be one of mean, median"),
        (["--sql", "SELECT 1", "--by", "window"], "--by: cannot be combined with --sql"),
        (["--rank", "window", "--by", "variant"], "--rank: needs a single --metric, and cannot"),
        (["--rank", "variant", "--better", "more"], "better = 'more': must be one of high, low"),
        (["--better", "high"], "--better: needs --rank"),
    ],
)
def test_wrong_options_are_one_line(slots: str, options: list[str], message: str) -> None:
    assert message in bad("results", slots, *options)


def test_a_folder_without_results_is_one_line(tmp_path: Path) -> None:
    assert "has no results: manifest.json is missing" in bad("results", str(tmp_path))
    assert "no such folder" in bad("plot", f"{tmp_path}/x", "-x", "a", "-y", "b", "-o", "c.svg")


def test_damaged_files_are_named_on_stderr(slots: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(slots, tmp_path / "r"))
    (folder / "data/part-00001.parquet").write_bytes(b"PAR1 torn")
    result = call("results", str(folder))
    assert result.exit_code == 0
    assert (
        "part-00001.parquet: damaged (its SHA-256 is not the manifest's); skipped" in result.stderr
    )
    assert result.stderr.startswith("warning: ")
    assert "tcp.variant tahoe" in result.stdout
    assert len(re.findall(r"^\d+ +0\.0?1 ", result.stdout, re.MULTILINE)) == 4
    data = json.loads(call("results", str(folder), "--format", "json").stdout)
    assert len(data["problems"]) == 1


def test_a_damaged_journal_of_a_sweep_that_has_not_ended_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    at.sweep(SLOTS, folder, jobs=1)
    results_folder.change_manifest(folder, complete=False, files=[], runs=0, rows=0)
    with closing(sqlite3.connect(folder / "runs.sqlite")) as connection, connection:
        connection.execute("DELETE FROM runs WHERE replication = 1 AND series = 2")
    assert bad("results", str(folder)) == (
        f"error: {folder / 'runs.sqlite'}: is damaged (it was given 32 runs and holds 31);"
        " airtcp sweep computes lost runs again\n"
    )


def test_a_sweep_that_has_not_ended_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    results_folder.write(folder, SLOTS)
    results_folder.change_manifest(folder, complete=False, files=[])
    at.simulate(SLOTS, replications=3, jobs=1, journal=folder / "runs.sqlite")
    text = " ".join(good("results", str(folder)).split())
    assert "The sweep has not ended: 0 of 8 points complete" in text


# plot


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_a_figure_is_written(slots: str, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / "new" / f"x.{suffix}"
    options = ["-x", "loss_rate", "-y", "throughput", "--by", "variant", "--logx", "-o", str(out)]
    said = good("plot", slots, *options)
    assert said == f"{out}: averaged over tcp.window\n"
    first = out.read_bytes()
    good("plot", slots, *options)
    assert out.read_bytes() == first  # the same results give the same file
    if suffix == "svg":
        text = first.decode()
        assert "Packet loss rate" in text
        assert "Throughput (packets per slot)" in text
        assert "newreno" in text
    if suffix == "png":
        assert matplotlib.image.imread(out).std() > 0.05


def test_quantities_are_numbers_at_an_axis(path: str) -> None:
    results = at.results(path)
    figure = results_figure(results, "delay", "throughput_bps", by=["variant", "flow"])
    (axes,) = figure.axes
    assert axes.get_xlabel() == "One-way delay (ms)"
    assert axes.get_ylabel() == "Throughput (kbit/s)"
    table = results.summary("throughput_bps")
    drawn = [
        line for line in axes.lines if len(line.get_xdata()) == 3 and line.get_marker() == "None"
    ]
    lines = {tuple(line.get_ydata()) for line in drawn if line.get_linestyle() != "None"}
    for _, rows in table.groupby(["tcp.variant", "flow"]):
        assert tuple(rows["throughput_bps"] / 1e3) in lines
    assert {tuple(line.get_xdata()) for line in drawn} == {(10.0, 50.0, 200.0)}
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [
        "reno, flow 0",
        "reno, flow 1",
        "sack, flow 0",
        "sack, flow 1",
        "simulated, 95 %",
    ]


def test_error_bars_are_the_intervals(slots: str) -> None:
    results = at.results(slots)
    figure = results_figure(
        results, "window", "throughput", where={"loss_rate": 0.1}, by=["variant"]
    )
    table = results.summary("throughput", where={"loss_rate": 0.1})
    bars = [
        tuple(np.ravel(segment[:, 1]))
        for container in figure.axes[0].containers
        for segment in container[2][0].get_segments()
    ]
    expected = list(zip(table["throughput_low"], table["throughput_high"], strict=True))
    np.testing.assert_allclose(sorted(bars), sorted(expected), rtol=1e-12)


def test_words_at_an_axis_are_places(slots: str) -> None:
    figure = results_figure(at.results(slots), "variant", "throughput", by=["window"], logx=True)
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["tahoe", "newreno"]
    assert axes.get_xscale() == "linear"
    places = sorted(x for container in axes.containers for x in container[0].get_xdata())
    np.testing.assert_allclose(places, [-0.125, 0.125, 0.875, 1.125])
    assert axes.get_xlabel() == "TCP variant"


def test_a_third_key_makes_panels(tmp_path: Path) -> None:
    document = SLOTS | {"tcp": SLOTS["tcp"] | {"timeout": [50, 100]}}
    results_folder.write(tmp_path / "r", document)
    results = at.results(tmp_path / "r")
    figure = results_figure(
        results,
        "loss_rate",
        "throughput",
        by=["variant", "window", "timeout"],
        logx=True,
        logy=True,
    )
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["timeout 50", "timeout 100"]
    assert {axes.get_yscale() for axes in figure.axes} == {"log"}


def test_many_points_have_few_marks(tmp_path: Path) -> None:
    losses = [round(0.01 + 0.005 * i, 3) for i in range(60)]
    document = SLOTS | {"tcp": {"variant": "reno"}, "channel": {"kind": "iid", "loss_rate": losses}}
    document |= {"stop": {"slots": 200, "replications": 2}}
    results_folder.write(tmp_path / "r", document)
    figure = results_figure(at.results(tmp_path / "r"), "loss_rate", "throughput")
    sizes = sorted(len(line.get_xdata()) for line in figure.axes[0].lines)
    assert sizes[-1] == 60  # the line
    assert len(figure.axes[0].containers[0][0].get_xdata()) == 20
    assert figure.legends[0].get_texts()[0].get_text() == "mean"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-x", "window", "-y", "throughput", "-o", "x.gif"], "suffix = '.gif': must be one of"),
        (["-x", "windows", "-y", "throughput", "-o", "x.svg"], "did you mean 'tcp.window'?"),
        (["-x", "window", "-y", "throughputs", "-o", "x.svg"], "did you mean 'throughput'?"),
        (["-x", "window", "-y", "throughput", "--by", "window", "-o", "x.svg"], "different keys"),
        (["-x", "window", "-y", "overhead", "--logy", "-o", "x.svg"], "metric = 'overhead'"),
    ],
)
def test_figures_that_cannot_be_drawn(
    slots: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in bad("plot", slots, *options)
    assert list(tmp_path.iterdir()) == []


def test_a_logarithmic_ordinate(slots: str, path: str, tmp_path: Path) -> None:
    results = at.results(slots)
    table = results.summary("timeouts_per_slot")
    assert (table["timeouts_per_slot_low"] == 0.0).any()  # such an interval reaches the edge
    figure = results_figure(
        results, "loss_rate", "timeouts_per_slot", by=["variant", "window"], logy=True
    )
    least = table["timeouts_per_slot"].min()
    assert least / 10.0 < figure.axes[0].get_ylim()[0] < least
    svg(figure)
    lossless = SLOTS | {"channel": {"kind": "iid", "loss_rate": [0.0, 0.1]}}
    results_folder.write(tmp_path / "r", lossless)
    with pytest.raises(at.InputError, match=r"^logy: timeouts_per_slot is not above 0 everywhere"):
        results_figure(
            at.results(tmp_path / "r"), "window", "timeouts_per_slot", by=["loss_rate"], logy=True
        )
    with pytest.raises(at.InputError, match=r"^logx: channel.loss_rate = 0.0: must be above 0"):
        results_figure(at.results(tmp_path / "r"), "loss_rate", "throughput", logx=True)
    with pytest.raises(at.InputError, match=r"^metric: has no values"):
        results_figure(at.results(path), "delay", "transfer_time")


def test_series_that_could_not_be_told_apart_are_refused(tmp_path: Path) -> None:
    document = SLOTS | {"tcp": {"variant": "reno", "window": list(range(4, 12))}}
    results_folder.write(tmp_path / "r", document | {"stop": {"slots": 100, "replications": 2}})
    results = at.results(tmp_path / "r")
    with pytest.raises(at.InputError, match="has 8 values, but only 7 colours can be told apart"):
        results_figure(results, "loss_rate", "throughput", by=["window"])
    where = {"window": list(range(4, 11))}
    assert results_figure(results, "loss_rate", "throughput", by=["window"], where=where)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--live --simulated", "--live and --simulated: give only one of them, or none for all"),
        (
            "--engine analysis --simulated",
            "--simulated and --engine analysis: give only one of them, or none for all",
        ),
    ],
)
def test_two_engines_are_refused_as_they_were_typed(options: str, line: str) -> None:
    asked = ["plot", "out", "-x", "a", "-y", "b", "-o", "c.svg", *options.split()]
    found = CliRunner().invoke(main, asked)
    assert (found.exit_code, found.output) == (2, f"error: {line}\n")
