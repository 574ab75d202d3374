"""Events on links and of cross-traffic: tables and figures of a trace."""

from __future__ import annotations

import copy
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import airtcp
from airtcp import Events, InputError
from airtcp.cli.main import main
from airtcp.events.links import TABLES
from airtcp.events.over_time import bin_edges, usual_width, utilisation
from airtcp.plot.link_series import delivered_rate, one_way_delays, round_trips
from airtcp.plot.links import LINK_FIGURES, delays, queue_lengths, rates

# 1500 bytes in a millisecond, and five packets at once.
FIVE: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "packet": "1500B", "ack": "150B", "delayed_ack": "0s"},
    "path": {"hop": [{"rate": "12Mbps", "delay": "10ms"}]},
    "flow": [{"packets": 5}],
    "stop": {"time": "1s"},
}
MS = 1_000_000
LOSSY = {"kind": "iid", "loss_rate": 0.05}
GATE = {"kind": "schedule", "toggles": ["150ms", "300ms"]}


def busy_network() -> dict[str, Any]:
    """Two flows in both directions over two hops, with cross-traffic, losses and an outage."""
    hop = {"rate": "2Mbps", "delay": "5ms", "queue": 8}
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": 30},
        "path": {
            "hop": [
                {**hop, "near": "phone", "far": "mast", "channel": LOSSY, "gate": GATE},
                {**hop, "far": "server"},
            ]
        },
        "flow": [
            {"sender": "server", "receiver": "phone"},
            {"sender": "phone", "receiver": "server"},
        ],
        "traffic": [{"rate": "400kbps", "packet": "500B", "sender": "mast", "receiver": "server"}],
        "stop": {"time": "5s"},
    }


@pytest.fixture(scope="module")
def five() -> Events:
    return airtcp.trace(FIVE, links=True)


@pytest.fixture(scope="module")
def busy() -> Events:
    return airtcp.trace(busy_network(), links=True)


def call(tmp_path: Path, document: dict[str, Any], *arguments: str) -> Result:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return CliRunner().invoke(main, ["trace", str(file), *arguments])


# Tables


def test_five_packets_at_once_wait_a_millisecond_more_each(five: Events) -> None:
    queue = five.to_pandas("queue")
    assert list(queue["time_ns"]) == [0, MS, 2 * MS, 3 * MS, 4 * MS]
    assert list(queue["packets"]) == [4, 3, 2, 1, 0]
    assert list(queue["bytes"]) == [6000, 4500, 3000, 1500, 0]
    assert set(queue["direction"]) == {"forward"}
    sojourn = five.to_pandas("sojourn")
    ahead = sojourn[sojourn["direction"] == "forward"]
    assert list(ahead["sojourn_ns"]) == [0, MS, 2 * MS, 3 * MS, 4 * MS]
    assert list(ahead["flow"]) == [0] * 5
    assert ahead["source"].isna().all()
    busy = five.to_pandas("busy")
    # ACKs of 0.1 ms, one for each packet, a millisecond apart.
    assert list(busy["time_ns"]) == [0, *(11 * MS + i * MS for i in range(5))]
    assert list(busy["end_ns"]) == [5 * MS, *(111 * MS // 10 + i * MS for i in range(5))]
    assert len(five.to_pandas("drops")) == len(five.to_pandas("traffic")) == 0


def test_names_of_nodes_and_directions(busy: Events) -> None:
    links = busy.links
    assert links is not None
    assert [links.label(link) for link in range(4)] == [
        "phone → mast",
        "mast → server",
        "server → mast",
        "mast → phone",
    ]
    drops = busy.to_pandas("drops")
    places = drops[["hop", "direction", "near", "far"]].drop_duplicates().astype(str)
    assert {tuple(row) for row in places.to_numpy()} <= {
        ("0", "forward", "phone", "mast"),
        ("0", "back", "phone", "mast"),
        ("1", "forward", "mast", "server"),
        ("1", "back", "mast", "server"),
    }
    assert set(drops["cause"]) >= {"queue", "channel", "gate", "vanished"}


def test_losses_are_those_of_the_packets(busy: Events) -> None:
    drops, traffic = busy.to_pandas("drops"), busy.to_pandas("traffic")
    of_flows = drops[drops["flow"].notna() & (drops["cause"] != "vanished")]
    assert len(of_flows) == len(busy.rows("drop", "ack-drop")) > 0
    assert list(of_flows["time_ns"]) == sorted(of_flows["time_ns"])
    lost = traffic[traffic["event"] == "drop"]
    assert len(lost) == drops["source"].notna().sum() > 0
    counts = traffic["event"].value_counts()
    assert 0 <= counts["send"] - counts["drop"] - counts["arrive"] < 20
    assert traffic["cause"].notna().equals(traffic["event"] == "drop")


def test_a_trace_without_links_has_cross_traffic_and_the_same_events(
    busy: Events, tmp_path: Path
) -> None:
    plain = airtcp.trace(busy_network())
    plain.write(tmp_path / "plain.csv")
    busy.write(tmp_path / "busy.csv")
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "busy.csv").read_bytes()
    assert plain.to_pandas("traffic").equals(busy.to_pandas("traffic"))
    with pytest.raises(InputError, match=r"table = queue: .* airtcp.trace\(..., links=True\)"):
        plain.to_pandas("queue")
    with pytest.raises(InputError, match=r"one of events, queue, sojourn.*did you mean"):
        busy.to_pandas("queues")
    with pytest.raises(InputError, match="links: needs events from"):
        Events(plain.columns, plain.facts).to_pandas("queue")


def test_a_part_of_the_time(five: Events) -> None:
    part = five.between(0.0005, 0.0025)
    assert list(part.to_pandas("queue")["time_ns"]) == [MS, 2 * MS]
    assert len(part.to_pandas("busy")) == 1  # it reaches into it
    assert part.take(slice(0, 0)).to_pandas("queue").equals(part.to_pandas("queue"))


@pytest.mark.parametrize("table", TABLES)
def test_files_hold_what_pandas_shows(table: str, tmp_path: Path) -> None:
    out = tmp_path / "x.parquet"
    result = call(tmp_path, busy_network(), "-o", str(out), "--table", table)
    assert result.exit_code == 0, result.output
    events = airtcp.trace(busy_network(), links=True)
    assert pq.read_table(out).equals(events.to_arrow(table))
    frame = events.to_pandas(table)
    assert result.stdout.replace(" ", "").endswith(f"{len(frame)}rowsof1run\n")
    assert call(tmp_path, busy_network(), "-o", str(tmp_path / "x.csv"), "--table", table)
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines[0] == ",".join(frame.columns)
    assert len(lines) == 1 + len(frame)


def test_points_of_a_sweep_follow_one_another(tmp_path: Path) -> None:
    document = copy.deepcopy(FIVE)
    document["flow"][0]["packets"] = [1, 5]
    out = tmp_path / "x.csv"
    assert call(tmp_path, document, "-o", str(out), "--table", "sojourn").exit_code == 0
    with out.open(encoding="utf-8") as file:
        packets = [row["flow[0].packets"] for row in csv.DictReader(file)]
    assert packets == ["1"] * 2 + ["5"] * 10


# Series


def test_delays_by_hand(five: Events) -> None:
    time, delay, again = one_way_delays(five, 0)
    expected = [0.011, 0.012, 0.013, 0.014, 0.015]
    np.testing.assert_allclose(time, expected, rtol=1e-12)
    np.testing.assert_allclose(delay, expected, rtol=1e-12)
    assert not again.any()
    time, trip = round_trips(five, 0)
    np.testing.assert_allclose(trip, np.add(expected, 0.0101), rtol=1e-12)
    np.testing.assert_allclose(time, trip, rtol=1e-12)


def test_what_was_lost_is_late_and_shows_no_round_trip() -> None:
    document = copy.deepcopy(FIVE)
    document["path"]["hop"][0]["drop"] = [[1, 1]]
    events = airtcp.trace(document, links=True)
    _, delay, again = one_way_delays(events, 0)
    assert again.sum() == 1
    assert len(delay) == 5
    assert delay[again] > 1.5 * delay[~again].max()
    assert len(round_trips(events, 0)[0]) == 1  # of the packet before it


def test_volumes_and_busy_times_are_kept(busy: Events) -> None:
    links = busy.links
    assert links is not None
    bins = bin_edges(0.0, 5.0, 0.3)
    assert bins[-1] == 5.0
    assert len(bins) == 18
    for link in range(links.count):
        table = links.records_of("busy")[links.records_of("busy")["link"] == link]
        whole = (table["end_ns"] - table["time_ns"]).sum() / 1e9
        part = utilisation(links, link, bins)
        np.testing.assert_allclose((part * np.diff(bins)).sum(), whole, rtol=1e-9)
        assert part.min() >= 0.0
        assert part.max() <= 1.0 + 1e-9
    arrivals = busy.to_pandas()
    for flow, node in ((0, 0), (1, 2)):
        there = arrivals[(arrivals["flow"] == flow) & (arrivals["node"] == node)]
        size = there[there["event"] == "arrive"]["size"].sum()
        volume = (delivered_rate(busy, links, flow, bins) * np.diff(bins)).sum() / 8.0
        np.testing.assert_allclose(volume, size, rtol=1e-9)
    arrived = busy.to_pandas("traffic")
    size = arrived[arrived["event"] == "arrive"]["size"].sum()
    volume = (delivered_rate(busy, links, 2, bins) * np.diff(bins)).sum() / 8.0
    np.testing.assert_allclose(volume, size, rtol=1e-9)


def test_widths_of_bins() -> None:
    assert [usual_width(time) for time in (100.0, 60.0, 1.0, 150.0)] == [1.0, 1.0, 0.01, 2.0]


# Figures


def texts(figure: Any) -> set[str]:
    return {axes.get_title(loc="left") for axes in figure.axes}


def test_a_panel_per_link_and_unit(busy: Events) -> None:
    figure = queue_lengths(busy)
    assert len(figure.axes) == 8
    assert texts(figure) == {"phone → mast", "mast → phone", "mast → server", "server → mast"}
    units = {axes.get_ylabel() for axes in figure.axes}
    assert units == {"Waiting (packets)", "Waiting (kB)", "Waiting (B)"}
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert {"lost: queue", "lost: channel", "lost: gate", "lost: link down"} <= labels


def test_the_line_of_the_queue_is_what_waits(five: Events) -> None:
    line = queue_lengths(five, start=0.0005, end=0.0025).axes[0].lines[0]
    assert list(line.get_xdata()) == [0.0005, 0.001, 0.002, 0.0025]
    assert list(line.get_ydata()) == [4, 3, 2, 2]


def test_delays_and_rates_name_everybody(busy: Events) -> None:
    figure = delays(busy)
    assert {"Data: first sent to first arrival", "ACKs: newest segment to ACK"} <= texts(figure)
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    assert names == {"flow 0", "flow 1", "cross-traffic 0", "sent again"}
    upper, lower = rates(busy, width=0.5).axes
    assert [text.get_text() for text in upper.get_legend().get_texts()][-1] == "cross-traffic 0"
    assert len(lower.get_legend().get_texts()) == 4
    alone = rates(busy, flow=1).axes[0]
    assert [text.get_text() for text in alone.get_legend().get_texts()] == ["flow 1"]


@pytest.mark.parametrize("kind", LINK_FIGURES)
def test_many_flows_and_runs_of_one_event(kind: str, tmp_path: Path) -> None:
    document = copy.deepcopy(FIVE)
    document["flow"] = [{"packets": 3, "count": 50}]
    assert airtcp.trace(document, links=True).plot(kind).axes
    document = {**copy.deepcopy(FIVE), "stop": {"time": "100ns"}}
    document["flow"] = [{"packets": 1}]
    events = airtcp.trace(document, links=True)
    assert len(events) == 1
    assert events.plot(kind).axes
    out = tmp_path / "x.svg"
    assert call(tmp_path, document, "-o", str(out), "--kind", kind).exit_code == 0
    assert ">Time (s)<" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kind", "queue", "--from", "7", "--to", "8"), "--from 7, --to 8: no event lies"),
        (("--kind", "rate", "--flow", "1"), "flow = 1: must be a whole number from 0 to 0"),
        (("--table", "queue"), "--table queue: is for tables (.csv, .parquet), not for"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    result = call(tmp_path, FIVE, "-o", str(tmp_path / "x.svg"), *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "x.svg").exists()


def test_a_figure_of_links_shows_one_run(tmp_path: Path) -> None:
    document = copy.deepcopy(FIVE)
    document["flow"][0]["packets"] = [1, 5]
    result = call(tmp_path, document, "-o", str(tmp_path / "x.svg"), "--kind", "delay")
    assert result.exit_code == 2
    assert "has 2 points, but one is needed" in result.stderr
