"""Who gets what over time, in the mean over replications."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

import airtcp as at
from airtcp.cli.main import main
from airtcp.cli.timeseries_text import tidy_table, timeseries_text
from airtcp.errors import InputError
from airtcp.plot.timeseries import MOST_NAMED, caption
from airtcp.stats.bounded import bounded_means

# 1500 bytes, of which 1460 are payload, in a millisecond.
FIVE: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "packet": "1500B", "ack": "150B", "delayed_ack": "0s"},
    "path": {"hop": [{"rate": "12Mbps", "delay": "10ms"}]},
    "flow": [{"packets": 5}],
    "stop": {"time": "40ms"},
}
LOSSY = {"rate": "10Mbps", "delay": "20ms", "queue": 30}
LOSSY["channel"] = {"kind": "iid", "loss_rate": 0.01}
PAIR: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack"},
    "path": {"hop": [LOSSY]},
    "flow": [{}, {"start": "2s"}, {"start": "3.3s", "packets": 40}],
    "stop": {"time": "10s", "warmup": "1s"},
}


def test_means_over_time_that_few_runs_carry_are_marked() -> None:
    """A rare long fade: in most runs the link is as busy in a bin as it can be."""
    gate = {"kind": "on-off", "up": "20s", "down": "2s"}
    hop = {"rate": "2Mbps", "delay": "20ms", "queue": 20, "gate": gate}
    document = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    found = at.timeseries(document | {"stop": {"time": "8s"}}, width=2.0, replications=6)
    busy = found.of_link(0, "forward")
    few = busy["utilisation_carriers"]
    assert few.between(1, 2).any()
    assert "carriers" in tidy_table(found)
    text = " ".join(timeseries_text(found, "text").split())
    assert " ?" in text
    assert "too few of the 6 values differ" in text


def test_five_packets_by_hand() -> None:
    # They arrive at 11, 12, ..., 15 ms; the run ends with the ACK at 25.1 ms.
    found = at.timeseries(FIVE, width=0.005)
    got = found.rates["goodput_bps"] * 0.005 / (8 * 1460)
    assert got[:5].round(9).to_list() == [0, 0, 4, 1, 0]
    assert found.rates["goodput_bps"][6:].isna().all()
    assert found.rates["time"].to_list() == pytest.approx([0.005 * k for k in range(8)])
    ahead = found.of_link(0, "forward")
    assert ahead["utilisation"][:2].to_list() == [1.0, 0.0]
    # 4, 3, 2, 1 and 0 wait for a millisecond each, and they waited for 0 to 4 ms.
    assert ahead["mean_queue"][0] == pytest.approx(10 / 5, rel=1e-9)
    assert ahead["mean_sojourn"][0] == pytest.approx(2e-3, rel=1e-9)
    assert found.replications == 1
    assert found.chance.startswith("Nothing is random")
    assert found.busiest == (0, "forward")


def test_means_and_intervals_are_those_of_the_traces() -> None:
    found = at.timeseries(PAIR, width=0.5, replications=6)
    traces = [at.trace(PAIR, replication=r, links=True) for r in range(6)]
    for table, keys, metric, frames in (
        (found.rates, ["time", "flow"], "goodput_bps", [t.rates(0.5) for t in traces]),
        (found.fairness, ["time"], "fairness", [t.fairness(0.5) for t in traces]),
        (
            found.links,
            ["time", "hop", "direction"],
            "utilisation",
            [t.utilisation(0.5) for t in traces],
        ),
    ):
        expected = pd.concat(frames).groupby(keys, observed=True)[metric]
        aligned = expected.agg(["mean", "count", "sem"]).reset_index()
        np.testing.assert_allclose(table[metric], aligned["mean"], rtol=1e-9)
        n = aligned["count"].to_numpy()
        if metric != "utilisation":  # of links n is that of the sojourns
            assert table["n"].to_list() == n.tolist()
        half = stats.t.ppf(0.975, np.maximum(n - 1, 1)) * aligned["sem"]
        expected_low = np.where(n > 1, np.maximum(aligned["mean"] - half, 0.0), np.nan)
        if metric != "goodput_bps":  # between 0 and 1
            values = pd.concat(frames).groupby(keys, observed=True)[metric]
            apart = [group.dropna().to_numpy() for _, group in values]
            places = np.repeat(np.arange(len(apart)), [group.size for group in apart])
            expected_low = bounded_means(np.concatenate(apart), places)["low"]
        np.testing.assert_allclose(table[f"{metric}_low"], expected_low, rtol=1e-7, atol=1e-6)


def test_intervals_hold_the_mean_of_many_runs() -> None:
    # 95 % intervals of 8 runs, 20 bins and 30 seeds: 570 of 600 in the mean. The bins of a run
    # depend on each other, so that the limits are wide: 540 and 600. Control: intervals of a third
    # of that width hold about half.
    link = PAIR | {"flow": [{}], "stop": {"time": "10s"}}
    truth = at.timeseries(link, width=0.5, replications=600, seed=999).rates["goodput_bps"]
    held, thirds = 0, 0
    for seed in range(30):
        rates = at.timeseries(link, width=0.5, replications=8, seed=seed).rates
        half = (rates["goodput_bps_high"] - rates["goodput_bps_low"]) / 2
        off = (rates["goodput_bps"] - truth).abs()
        held += int((off <= half).sum())
        thirds += int((off <= half / 3).sum())
    assert 540 <= held <= 600
    assert thirds < 450


def test_flows_have_their_names_and_leave_when_they_are_done() -> None:
    flows = {"flow": [{"tcp": {"congestion": "cubic"}}, {"packets": 100, "milestone": 10}]}
    found = at.timeseries(PAIR | flows, width=1, replications=2)
    assert found.flows == ("flow 0, sack, cubic", "flow 1, sack, reno")
    short = found.rates[found.rates["flow"] == 1]
    # The milestone of 10 packets is not its end.
    bits = (short["goodput_bps"] * short["n"]).sum() / 2
    assert bits == pytest.approx(100 * 8 * 1460, rel=1e-9)
    assert short["goodput_bps"].isna().iloc[-1]
    assert (found.fairness["fairness"][5:] == 1.0).all()  # of the one that is left


def test_the_journal_keeps_runs(tmp_path: Path) -> None:
    journal = tmp_path / "runs.sqlite"
    first = at.timeseries(PAIR, width=1, replications=2, journal=journal)
    again = at.timeseries(PAIR, width=1, replications=2, journal=journal)
    assert first.rates.equals(again.rates)
    assert repr(first) == "TimeSeries(3 flows, 10 bins, 2 replications)"


@pytest.mark.parametrize(
    ("changes", "options", "said"),
    [
        ({}, {"width": 3.0}, "width = 3.0: must be a part of stop.time, 10s, such as 3.33333"),
        ({}, {"width": 0.0}, "width = 0.0: must be a number of seconds above 0"),
        ({}, {"width": 1e-9}, "for at most 100000 bins"),
        ({}, {"replications": 0}, "replications = 0"),
        ({"tcp": {"variant": ["sack", "reno"]}}, {}, "has 2 points, but one is needed"),
    ],
)
def test_refusals(changes: dict[str, Any], options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        at.timeseries(PAIR | changes, **options)
    assert said in str(refused.value)


def test_slots_have_no_flows_over_time() -> None:
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe"},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"slots": 100},
    }
    with pytest.raises(InputError, match="profile: a time series needs a path"):
        at.timeseries(slots)


# Figures and the command


def test_the_figure_has_bands_units_and_a_message(tmp_path: Path) -> None:
    found = at.timeseries(PAIR, width=0.5, replications=4)
    figure = found.figure()
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == [
        *("Goodput (Mbit/s)", "Jain's index", "Utilisation (%)"),
        *("Queue (packets)", "Sojourn (ms)"),
    ]
    assert figure.axes[-1].get_xlabel() == "Time (s)"
    assert len(figure.axes[0].collections) == 3  # a band for each flow
    said = caption(found)
    assert "bins of 0.5 s; n = 4 runs, bands: 95 % intervals of the mean, bin by bin" in said
    assert "0 → 1 is busiest" in said
    text = found.plot(tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "<image" not in text
    assert found.plot(tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


def test_one_run_has_no_bands() -> None:
    found = at.timeseries(PAIR, width=0.5, replications=1)
    assert "one run: no intervals" in caption(found)
    assert not any(axes.collections for axes in found.figure().axes)
    assert "nothing is random" in caption(at.timeseries(FIVE, width=0.005))


def test_many_flows_are_told_apart_by_their_tcp() -> None:
    flows = [{"count": 8}, {"count": 4, "tcp": {"congestion": "cubic"}}]
    found = at.timeseries(PAIR | {"flow": flows}, width=1, replications=2)
    assert len(found.flows) == 12 > MOST_NAMED
    names = [text.get_text() for text in found.figure().axes[0].get_legend().get_texts()]
    assert names == ["8 flows, sack, reno", "4 flows, sack, cubic", "mean of all"]


def call(tmp_path: Path, document: dict[str, Any], *words: str) -> Any:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    runner = CliRunner(env={"COLUMNS": "200"})
    return runner.invoke(main, ["timeseries", str(file), *words])


def test_the_command_prints_bins_and_draws_them(tmp_path: Path) -> None:
    picture = tmp_path / "x.svg"
    shown = call(tmp_path, PAIR, "--width", "2", "--replications", "3", "--plot", str(picture))
    assert shown.exit_code == 0, shown.output
    assert "over 3 replications. ±" in shown.output
    assert len([line for line in shown.output.splitlines() if " ± " in line]) == 5
    assert ">Time (s)<" in picture.read_text(encoding="utf-8")
    once = call(tmp_path, PAIR, "--width", "2", "--replications", "1").output
    assert "One run, so no intervals; use --replications 2 or more." in once
    fixed = call(tmp_path, FIVE, "--width", "0.01").output
    assert "Nothing is random in this scenario: one run" in fixed


@pytest.mark.parametrize(("queue", "unit"), [(10, "ms"), (1000, "s")])
def test_waits_have_a_unit_of_their_size(queue: int, unit: str, tmp_path: Path) -> None:
    hop = {"rate": "500kbps", "delay": "5ms", "queue": queue}
    long = {
        "profile": "linux",
        "path": {"hop": [hop]},
        "flow": [{"count": 2}],
        "stop": {"time": "10s"},
    }
    shown = call(tmp_path, long, "--width", "5", "--replications", "1").output
    heads = [line.split() for line in shown.splitlines() if "Mbit/s" in line or "kbit/s" in line]
    assert heads[-1][-1] == unit


def test_json_and_csv_have_everything(tmp_path: Path) -> None:
    words = ("--width", "2", "--replications", "3", "--format")
    data = json.loads(call(tmp_path, PAIR, *words, "json").output)
    found = at.timeseries(PAIR, width=2, replications=3)
    assert data["replications"] == 3
    assert [row["goodput_bps"] for row in data["rates"]][:1] == [found.rates["goodput_bps"][0]]
    table = pd.read_csv(io.StringIO(call(tmp_path, PAIR, *words, "csv").output))
    assert len(table) == 5 * (3 + 1 + 2 * 3)
    rates = table[table["metric"] == "goodput_bps"]
    np.testing.assert_allclose(rates["mean"], found.rates["goodput_bps"], rtol=1e-12)


def test_mistakes_come_before_the_runs(tmp_path: Path) -> None:
    refused = call(tmp_path, PAIR, "--replications", "100000", "--plot", str(tmp_path / "x.gif"))
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert "suffix = '.gif'" in refused.stderr
