"""Axes of live runs only, which the simulation does not see."""

from __future__ import annotations

import copy
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.cli.results_command import results_to_draw
from airtcp.errors import InputError
from airtcp.live import controls, transfer
from airtcp.live import points as live_points
from airtcp.live.engine import METRIC_FUNCTIONS
from airtcp.plot.results import results_figure
from campaigns import kept, tasks_run
from test_live import missing

RATES = [0.01, 0.05]
PATH: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "congestion": "cubic", "window": 20},
    "path": {
        "hop": [
            {
                "rate": "1Mbps",
                "delay": "10ms",
                "queue": 20,
                "channel": {"kind": "iid", "loss_rate": RATES},
            }
        ]
    },
    "flow": [{"size": "20kB"}],
    "live": {"congestion": ["cubic", "bbr"]},
    "stop": {"time": "60s", "replications": 3},
}
GOODPUT = {"cubic": 1000.0, "bbr": 2000.0}


def with_live(**live: Any) -> dict[str, Any]:
    return copy.deepcopy(PATH) | {"live": live}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, int]]:
    """In the place of real packets and of what this kernel has: the runs that were made."""
    done: list[tuple[Any, int]] = []

    def measured(data: dict[str, Any], *, own: bool, seed: int, replication: int) -> dict[str, Any]:
        name = live_points.live_congestion_of(data)
        done.append((name, own))
        return dict.fromkeys(METRIC_FUNCTIONS, GOODPUT[name] + replication + 100 * own) | {
            "valid": True
        }

    monkeypatch.setattr("airtcp.live.engine.metrics_of_run", measured)
    monkeypatch.setattr(controls, "available_controls", lambda: ("bbr", "cubic", "reno"))
    monkeypatch.setattr(controls, "has_control", lambda name: name in controls.available_controls())
    return done


def test_it_changes_no_name_of_a_point() -> None:
    plain = copy.deepcopy(PATH)
    del plain["live"]
    without = [point.hash for point in at.Scenario.from_dict(plain).points()]
    points = at.Scenario.from_dict(PATH).points()
    assert [point.hash for point in points] == [name for name in without for _ in range(2)]
    assert [point.coordinates["live.congestion"] for point in points] == ["cubic", "bbr"] * 2
    assert "bbr" not in json.dumps(at.Scenario.from_dict(plain).to_dict())


def test_points_that_differ_in_it_share_one_simulation(
    runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks_run(monkeypatch)
    found = at.run(PATH, engine="simulation,live")
    assert len(tasks) == len(RATES) * 3
    assert sorted(runs) == [("bbr", False)] * 6 + [("cubic", False)] * 6
    table = found.table
    assert list(table["live.congestion"]) == ["cubic", "bbr"] * 2
    assert list(table["live_goodput_bps"]) == [1001.0, 2001.0] * 2
    simulated = table["simulation_goodput_bps"].to_numpy()
    assert (simulated[::2] == simulated[1::2]).all()
    assert simulated[0] != simulated[2]


def test_a_verdict_needs_the_same_control(runs: list[Any]) -> None:
    verdicts = at.run(PATH, engine="simulation,live").verdicts
    said = verdicts[verdicts["metric"] == "goodput_bps"]
    assert list(said["verdict"][1::2]) == ["not comparable"] * 2
    assert set(said["why"][1::2]) == {"live under bbr, simulated under cubic"}
    assert "not comparable" not in set(said["verdict"][::2])


def test_live_and_simulated_runs_of_one_replication_are_pairs(
    runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By themselves means of 3 runs that scatter by 15 % or more show no agreement within 2 %."""
    scenario = at.Scenario.from_dict(with_live() | {"flow": [{"size": "300kB"}]})
    scenario = scenario.replace("path.hop[0].channel.loss_rate", [0.03, 0.06])
    table = at.simulate(scenario).runs.to_pandas()
    hashes = {point.json: point.hash for point in scenario.points()}
    goodput = table.set_index(["scenario", "replication"])["goodput_bps"]

    def measured(data: Any, *, replication: int, **_: Any) -> dict[str, Any]:
        name = next(value for text, value in hashes.items() if json.loads(text) == data)
        near = goodput[name, replication] * (1.0 + 1e-4 * replication)
        return dict.fromkeys(METRIC_FUNCTIONS, near) | {"valid": True}

    monkeypatch.setattr("airtcp.live.engine.metrics_of_run", measured)
    found = at.run(scenario, engine="simulation,live")
    scatter = goodput.groupby("scenario").std() / goodput.groupby("scenario").mean()
    assert (scatter > 0.15).all()
    verdicts = found.verdicts[found.verdicts["metric"] == "goodput_bps"]
    assert list(verdicts["verdict"]) == ["agree"] * len(RATES)
    joint = found.joint_verdicts.set_index("metric").loc["goodput_bps"]
    assert joint["high"] - joint["low"] < 0.01


def test_folders_and_commands_compare_by_it(runs: list[Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    at.run(PATH, engine="simulation,live", out=out)
    keys = {key[0][16:] for key in kept(out / "runs.sqlite")}
    assert keys == {"", "+live/kernel/cubic", "+live/kernel/bbr"}
    found = at.results(out)
    rate = "path.hop[0].channel.loss_rate"
    assert found.coordinates == ("tcp.variant", rate)
    assert len(found.summary("goodput_bps")) == len(RATES)
    live = found.live
    assert live.coordinates == ("tcp.variant", rate, "live.congestion", "stack")
    assert live.varying() == [rate, "live.congestion"]
    assert set(live.metrics) == {*METRIC_FUNCTIONS, "valid"}
    assert not {"congestion", "live.congestion"} & set(found._rows.counts)
    ranking = live.rank("goodput_bps", "live.congestion")
    assert list(ranking["live.congestion"]) == ["bbr", "cubic"] * 2
    words = ["results", str(out), "--by", "live.congestion", "--metric", "goodput_bps"]
    said = CliRunner().invoke(main, [*words, "--live"])
    assert "2.00100" in said.output
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    line = (
        "error: by = 'live.congestion': belongs to live runs; ask by --engine live on the command"
    )
    assert refused.output == f"{line} line, by results.of('live') in Python\n"
    again = len(runs)
    at.run(PATH, engine="simulation,live", out=out)
    assert len(runs) == again


def test_whose_tcp_is_an_axis_too(runs: list[Any]) -> None:
    found = at.run(with_live(stack=["kernel", "airtcp"]), engine="live").table
    assert list(found["live.stack"]) == list(found["live_tcp"]) == ["kernel", "airtcp"] * 2
    assert list(found["live_goodput_bps"]) == [1001.0, 1101.0] * 2


def test_our_own_tcp_has_the_control_of_the_simulation(runs: list[Any]) -> None:
    found = at.run(PATH, engine="live", stack="airtcp").table
    assert list(found["live_runs"]) == [3, 0, 3, 0]
    line = "live.congestion bbr is the kernel's, but our own TCP uses tcp.congestion cubic"
    assert list(found["live_note"]) == ["", line] * 2
    with pytest.raises(InputError, match=line):
        transfer(with_live(congestion="bbr") | quick(), stack="scenario")


@pytest.mark.parametrize(
    ("live", "options", "line"),
    [
        (
            {"congestion": ["cubic", "bbrr"]},
            {},
            "live.congestion = 'bbrr': must be one that this kernel has: bbr, cubic, reno"
            " (net.ipv4.tcp_available_congestion_control) (did you mean 'bbr'?)",
        ),
        (
            {"stack": ["kernel", "airtcp"]},
            {"stack": "kernel"},
            "stack = 'kernel': the scenario sets live.stack already; remove one of the two",
        ),
    ],
)
def test_refusals_come_before_anything_runs(
    live: Any, options: Any, line: str, runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks_run(monkeypatch)
    with pytest.raises(InputError) as refused:
        at.run(with_live(**live), engine="simulation,live", **options)
    assert str(refused.value) == line
    assert not tasks
    assert not runs


def test_what_only_other_engines_answer_names_any_control(runs: list[Any]) -> None:
    found = at.run(with_live(congestion="of_another_os"), engine="simulation")
    assert len(found.table) == len(RATES)
    own = at.run(with_live(congestion="cubix", stack="airtcp"), engine="simulation,live").table
    assert list(own["live_runs"]) == [0, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux")
def test_the_kernel_says_what_it_has() -> None:
    assert all(map(controls.has_control, controls.available_controls()))
    assert not controls.has_control("no_such_control")


def test_the_control_of_the_scenario_is_the_kernel_s() -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")
    for name in controls.available_controls():
        assert transfer(with_live(congestion=name) | quick()).complete
    with pytest.raises(InputError, match="congestion = 'nosuch': the kernel does not allow it"):
        transfer(with_live(congestion="nosuch") | quick())
    assert transfer(with_live(stack="airtcp") | quick()).tcp == "airtcp"


def quick() -> dict[str, Any]:
    return {"path": {"hop": [{"rate": "20Mbps", "delay": "1ms"}]}, "flow": [{"size": "50kB"}]}


# Figures


def labels(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_both_engines_stand_in_one_figure(runs: list[Any], tmp_path: Path) -> None:
    at.run(PATH, engine="simulation,live", out=tmp_path)
    found = at.results(tmp_path)
    results, *beside = results_to_draw(found, "goodput_bps", [], "loss_rate")
    assert results is found
    assert [result.kind for result in beside] == ["live"]
    by = ["live.congestion"]
    figure = results_figure(results, "loss_rate", "goodput_bps", by=by, beside=beside)
    assert labels(figure) == ["simulated", "cubic", "bbr", "simulated, 95 %", "live, 95 %"]
    marks = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "s", "^")]
    full = [line.get_markerfacecolor() == line.get_color() for line in marks]
    assert full == [False, True, True]
    values = [np.asarray(line.get_ydata(), float) for line in marks]
    assert [list(value) for value in values[1:]] == [[1.001] * 2, [2.001] * 2]  # kbit/s
    low, high = figure.axes[0].get_ylim()
    assert low <= min(map(np.min, values))
    assert high >= max(map(np.max, values))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-x loss_rate -y goodput_bps --by live.congestion", ": simulated and live runs"),
        (
            "-x loss_rate -y goodput_bps",
            ": simulated and live runs, live runs also over live.congestion",
        ),
        ("-x loss_rate -y goodput_bps --simulated", ""),
        ("-x loss_rate -y goodput_bps --live --by congestion", ": live runs"),
        ("-x live.congestion -y goodput_bps --by loss_rate", ": live runs"),
        ("-x loss_rate -y delay_first_arrival", ""),
        (
            "-x loss_rate -y goodput_bps --where live.congestion=bbr",
            ": simulated and live runs",
        ),
    ],
)
def test_a_plot_says_what_it_shows(words: str, said: str, runs: list[Any], tmp_path: Path) -> None:
    at.run(PATH, engine="simulation,live", out=tmp_path / "out")
    figure = tmp_path / "figure.svg"
    asked = ["plot", str(tmp_path / "out"), *words.split(), "-o", str(figure)]
    found = CliRunner().invoke(main, asked)
    assert (found.exit_code, found.output.splitlines()[0]) == (0, f"{figure}{said}")


def test_rows_that_repeat_one_answer_say_so_without_live_runs(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(at.Scenario.from_dict(PATH).to_toml(), encoding="utf-8")
    said = CliRunner().invoke(main, ["run", str(file), "--engine", "simulation"])
    assert said.exit_code == 0, said.output
    text = " ".join(said.stdout.split())
    assert "Simulation does not depend on live.congestion: rows that differ" in text


def test_the_report_shows_what_is_shared_once(runs: list[Any], tmp_path: Path) -> None:
    at.run(PATH, engine="simulation,live", out=tmp_path)
    page = " ".join((tmp_path / "report.html").read_text().split())
    for text in (
        "Open markers are the simulation",
        "Full markers are live runs",
        "Simulation does not depend on live.congestion: rows that differ in nothing else repeat",
        "live under bbr, simulated under cubic",
    ):
        assert text in page
    figure = (tmp_path / "goodput_bps.svg").read_text()
    for label in ("simulated", "cubic", "bbr", "simulated, 95 %", "live, 95 %"):
        assert f">{label}<" in figure


# Real runs that are killed


@pytest.mark.parametrize("stack", ["airtcp", "kernel"])
def test_a_killed_command_loses_no_real_run_that_ended(stack: str, tmp_path: Path) -> None:
    if stack == "kernel" and missing():
        pytest.skip(f"not granted here: {missing()}")
    file, out = tmp_path / "x.toml", tmp_path / "out"
    document = with_live(stack=stack) | {"path": {"hop": [{"rate": "4Mbps", "delay": "5ms"}]}}
    file.write_text(at.Scenario.from_dict(document).to_toml())
    words = ["run", str(file), "--engine", "live", "--live-jobs", "2", "--replications", "8"]
    run = [sys.executable, "-m", "airtcp", *words, "--out", str(out)]
    journal = out / "runs.sqlite"
    with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while len(kept(journal)) < 3 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    there = kept(journal)
    assert 3 <= len(there) < 8
    assert len(at.results(out).to_pandas()) == len(there)
    assert subprocess.run(run, capture_output=True, check=True).stderr.startswith(b"live: 8 runs")
    after = kept(journal)
    assert len(after) == 8
    assert {key: after[key] for key in there} == there
    assert at.results(out).complete
