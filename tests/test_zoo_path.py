"""From a point on a path to the formulas: what it is for them, what they answer, beside runs."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp
from airtcp import Scenario, TwoState, _native, analyse, run, simulate
from airtcp.cli.main import main as command_line
from airtcp.comparison.models_beside import rows_in_range
from airtcp.models.path_analysis import analyse_path, reasons_without_answer
from airtcp.models.zoo import ZOO, Conditions
from airtcp.models.zoo.losses import PacketLosses, losses_of
from airtcp.models.zoo.path import PathConditions, conditions_of_point
from airtcp.models.zoo.slots import SlottedHop
from airtcp.plot.runs import formulas_in_range

HOP: dict[str, Any] = {"rate": "10Mbps", "delay": "20ms", "queue": 50}
IID = {"kind": "iid", "loss_rate": 0.01}


def scenario(hop: dict[str, Any] | None = None, **rest: Any) -> Scenario:
    tcp = {"variant": "sack", "window": 40, "delayed_ack": "0s"}
    document = {"profile": "rfc", "tcp": tcp, "path": {"hop": [{**HOP, **(hop or {})}]}}
    return Scenario.from_dict({**document, "stop": {"time": "60s", "replications": 3}, **rest})


def path_conditions(given: Scenario) -> PathConditions:
    said = conditions_of_point(given.points()[0])
    assert isinstance(said, PathConditions), said
    return said


def test_what_a_link_is_for_the_formulas() -> None:
    """By hand: 1500 B and the ACK's 40 B at 10 Mbit/s, 40 ms of delay; 1460 of 1500 B count."""
    said = path_conditions(scenario({"channel": IID}))
    rtt = 0.04 + 1540 * 8 / 1e7
    assert said.notes == ()
    assert said.conditions == Conditions(
        rtt=pytest.approx(rtt, rel=1e-12),
        loss_rate=0.01,
        burst=pytest.approx(1 / 0.99),
        window=40,
        rate=pytest.approx(1e7 * 1460 / 1500),
        slots=SlottedHop(slot_seconds=12_000 / 1e7, channel=TwoState.iid(0.01), slotted=False),
    )


def test_all_hops_of_the_way_count_and_only_they() -> None:
    """Delays and airtimes add, channels multiply, the slowest link is the bottleneck."""
    back = {"rate": "100kbps", "delay": "1ms", "channel": {"kind": "iid", "loss_rate": 0.2}}
    hops = [{**HOP, "channel": IID}, {**HOP, "rate": "2Mbps", "channel": IID, "back": back}, HOP]
    flow = [{"receiver": "2", "access_delay": "5ms"}]
    said = path_conditions(scenario(path={"hop": hops}, flow=flow))
    data, acks = 12_000 * (1 / 1e7 + 1 / 2e6), 320 * (1 / 1e7 + 1 / 1e5)
    at = said.conditions
    assert at.rtt == pytest.approx(0.02 + 0.02 + 0.02 + 0.001 + 0.01 + data + acks, rel=1e-12)
    assert at.loss_rate == pytest.approx(1 - 0.99**2, rel=1e-12)
    assert at.rate == pytest.approx(2e6 * 1460 / 1500)
    assert said.notes == ("losses of ACKs, which the formulas leave out",)


def test_a_flow_the_other_way_crosses_the_ways_back() -> None:
    back = {"rate": "1Mbps", "channel": IID}
    at = path_conditions(
        scenario({"back": back}, flow=[{"sender": "1", "receiver": "0"}])
    ).conditions
    assert (at.loss_rate, at.rate) == (0.01, pytest.approx(1e6 * 1460 / 1500))


def test_window_timer_growth_and_outages() -> None:
    tcp = {
        "variant": "newreno",
        "window": "64kB",
        "min_rto": "10ms",
        "rto_margin": "200ms",
        "congestion": {"kind": "cubic", "beta": 0.6},
    }
    gate = {"kind": "on-off", "up": "3s", "down": "500ms"}
    at = path_conditions(scenario({"gate": gate}, tcp=tcp)).conditions
    assert (at.window, at.growth, at.beta, at.c) == (64_000 // 1460, "cubic", 0.6, 0.4)
    assert at.timeout == pytest.approx(at.rtt + 0.2)
    assert (at.up, at.down, at.variant) == (3.0, 0.5, "newreno")


REFUSED = {
    "another timer": ({"profile": "ns2", "tcp": {"variant": "sack"}}, {}, "timer of RFC 6298"),
    "two flows": ({"flow": [{"count": 2}]}, {}, "the formulas cover a single flow only"),
    "an end": ({"flow": [{"packets": 9}]}, {}, "no formula covers a flow that ends"),
    "traffic": ({"traffic": [{"rate": "1Mbps", "packet": "500B"}]}, {}, "no cross-traffic"),
    "probing": ({"tcp": {"variant": "reno-probing"}}, {}, "the formulas cover no probing"),
    "arq": ({}, {"arq": {"fragment": "100B", "attempts": 3}}, "a two-state chain on slots"),
    "jitter": ({}, {"jitter": {"kind": "fixed", "value": "1ms"}}, "the formulas cover no jitter"),
    "normal jitter": (
        {},
        {"jitter": {"kind": "normal", "mean": "1ms", "deviation": "1ms"}},
        "the formulas cover no jitter",
    ),
    "reordering": ({}, {"reorder": {"probability": 0.25}}, "the formulas cover no reordering"),
    "delays": ({}, {"delays": [{"at": "1s", "delay": "3ms"}]}, "no changing delays"),
    "forced": ({}, {"drop": [[5, 1]]}, "no forced losses"),
    "copies": ({}, {"duplicate": 0.1}, "no packets that arrive twice"),
    "gate": ({}, {"gate": {"kind": "periodic", "up": "1s", "down": "1s"}}, "cover on-off only"),
    "fading": ({}, {"channel": {"kind": "rayleigh", "snr": "30dB", "doppler": "9Hz"}}, "rayleigh"),
}


@pytest.mark.parametrize(("rest", "hop", "why"), REFUSED.values(), ids=REFUSED)
def test_what_the_formulas_have_not(rest: dict[str, Any], hop: dict[str, Any], why: str) -> None:
    said = conditions_of_point(scenario(hop, **rest).points()[0])
    assert isinstance(said, str)
    assert why in said
    table = analyse(scenario(hop, **rest))
    assert len(table) == len(ZOO)
    assert table["throughput_pps"].isna().all()
    assert (table["note"] == said).all()


PER_PACKET = [
    {"kind": "burst", "loss_rate": 0.1, "mean_burst": 4.0, "clock": "packet"},
    {"kind": "gilbert-elliott", "p": 0.02, "r": 0.2, "h": 0.4, "k": 0.99, "clock": "packet"},
    {"kind": "burst", "loss_rate": 0.1, "mean_burst": 4.0},
    {"kind": "gilbert-elliott", "p": 0.02, "r": 0.2, "h": 0.4, "k": 0.99},
    {"kind": "bit-errors", "bit_error_rate": 1e-5},
    {
        "kind": "states",
        "loss": [0, 0, 1, 1],
        "transition": [[0.9, 0, 0.08, 0.02], [0, 0.4, 0.6, 0], [0.3, 0.2, 0.5, 0], [1, 0, 0, 0]],
    },
    {
        "kind": "states",
        "loss": [0.01, 0.4],
        "transition": [[0.98, 0.02], [0.2, 0.8]],
        "clock": "slot",
    },
    {"kind": "sojourn", "good": "20packets", "bad": "3packets"},
    {"kind": "sojourn", "good": "200000bits", "bad": "8bits"},
    {"kind": "trace", "lost": [1, 0, 0, 1, 1, 0, 0, 0, 0, 1]},
    {"kind": "trace", "lost": [1, 0, 0, 1, 1, 0, 0, 0, 0, 1], "start": "random"},
    {"kind": "trace", "lost": [1, 1, 1, 1, 1, 0, 0, 0, 0, 0], "start": "random", "block": 2},
    {"kind": "series", "of": [IID, {"kind": "iid", "loss_rate": 0.03}]},
]


@pytest.mark.parametrize("channel", PER_PACKET, ids=lambda parameter: str(parameter["kind"]))
def test_losses_are_those_of_drawn_fates(channel: dict[str, Any]) -> None:
    """400 000 packets: 4 % of the rate and of the mean run, some four standard errors."""
    hop = {"channel": channel}
    whole = scenario(hop).points()[0].data["path"]["hop"][0]["channel"]
    said = losses_of(whole, 12_000.0, 12_000 / 1e7)
    assert isinstance(said, PacketLosses)
    fates = np.asarray(airtcp.fates(whole, 400_000, packet="1500B", seed=1)).astype(int)
    runs = np.count_nonzero(np.diff(fates, prepend=0) == 1)
    assert said.rate == pytest.approx(fates.mean(), rel=0.04)
    assert said.burst == pytest.approx(fates.sum() / runs, rel=0.04)


@pytest.mark.parametrize(
    "channel",
    [
        {"kind": "burst", "loss_rate": 0.02, "mean_burst": 2.0},
        {"kind": "rayleigh-two-state", "loss_rate": 0.02, "doppler": 0.1},
        {"kind": "sojourn", "good": "60ms", "bad": "1ms"},
    ],
    ids=lambda parameter: str(parameter["kind"]),
)
def test_losses_in_time_are_those_of_packets_on_a_path(channel: dict[str, Any]) -> None:
    """6 %: three standard errors, and packets that follow each other at whole slots."""
    given = scenario({"channel": channel}, stop={"time": "400s", "replications": 20})
    seen = simulate(given, seed=5).summary()["lost_share"].iloc[0]
    assert path_conditions(given).conditions.loss_rate == pytest.approx(seen, rel=0.06)
    assert (
        ZOO["pftk"]
        .missing_aspect(path_conditions(given).conditions)
        .startswith("losses in runs of ")
    )


def test_runs_show_every_model_that_covers_a_point_with_its_error(tmp_path: Path) -> None:
    axes = {"tcp.congestion": ["reno", "cubic"], "path.hop[0].channel.loss_rate": [0.001, 0.03]}
    result = run(scenario({"channel": IID}).replace(axes), out=tmp_path)
    models = result.models
    assert set(models["model"]) == {"mathis", "pftk", "pftk-approximate", "rfc9438", "cubic-chain"}
    for row in models.to_dict("records"):
        same = (result.table["tcp.congestion"] == row["tcp.congestion"]) & (
            result.table["path.hop[0].channel.loss_rate"] == row["path.hop[0].channel.loss_rate"]
        )
        mean = float(result.table.loc[same, "simulation_throughput_pps"].iloc[0])
        assert row["simulation_throughput_pps"] == mean
        error = 100.0 * (row["throughput_pps"] / mean - 1.0)
        assert row["error_percent"] == pytest.approx(error, rel=1e-12)
        assert row["goodput_bps"] == pytest.approx(row["throughput_pps"] * 1460 * 8)
        assert row["within_range"] == (row["remark"] == "")
    at = path_conditions(scenario({"channel": IID | {"loss_rate": 0.03}})).conditions
    row = models[(models["model"] == "pftk") & (models["path.hop[0].channel.loss_rate"] == 0.03)]
    assert row["throughput_pps"].tolist() == [ZOO["pftk"].answer(at)]
    assert (tmp_path / "models.csv").read_text().count("\n") == len(models) + 1
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ">Models</h2>" in page
    shown, said = rows_in_range(models)
    assert page.count("<td>pftk-approximate</td>") == sum(shown["model"] == "pftk-approximate")
    assert len(shown) < len(models)
    assert said in page


def test_the_table_says_why_no_model_answers() -> None:
    slow = run(scenario({"rate": "100kbps", "channel": IID}), engine="analysis")
    assert slow.table["note"].tolist() == ["the rate, not the losses, would limit it"]
    assert len(slow.models) == 0
    assert run(scenario({"channel": IID}), engine="analysis").table["note"].tolist() == [""]


def test_models_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "lossy.toml"
    file.write_text(scenario({"channel": IID}).to_toml(), encoding="utf-8")

    def output_of(*words: str) -> str:
        done = CliRunner().invoke(command_line, list(words))
        assert done.exit_code == 0, done.output
        return done.output

    text = output_of("run", str(file), "--engine", "analysis")
    assert [line.split()[1] for line in text.splitlines() if " mathis " in line] == ["mathis"]
    rows = json.loads(output_of("run", str(file), "--format", "json"))["models"]
    assert [row["model"] for row in rows] == ["mathis", "pftk", "pftk-approximate"]
    assert all(row["error_low"] < row["error_percent"] < row["error_high"] for row in rows)
    assert {row["verdict"] for row in rows} <= {"agree", "differ", "undecided"}
    listed = json.loads(output_of("list", "models", "--format", "json"))
    ranges = {entry["name"]: (entry["source"], entry["range"]) for entry in listed}
    source, limits = ranges["mathis"]
    assert source == "mathis1997"
    box = r"loss_rate 0\.\d+ to 0\.\d+; clustering 1[^.].*; rtt .*; load [0-9. to]*"
    assert re.fullmatch(rf"profile rfc: {box}\. profile linux: {box}", limits)
    assert all(f"{{{model.source}," in _native.references() for model in ZOO.values())


def test_formulas_are_lines_of_the_figure_where_they_are_in_range() -> None:
    channel = {"kind": "iid", "loss_rate": [0.0003, 0.001, 0.003, 0.01, 0.03]}
    hop = {"rate": "100Mbps", "delay": "20ms", "queue": 100, "channel": channel}
    document = {
        "profile": "linux",
        "tcp": {"congestion": ["reno", "cubic"]},
        "path": {"hop": [hop]},
        "stop": {"time": "5s", "replications": 2},
    }
    result = run(document)
    (axes,) = result.plot("goodput_bps").axes
    known = formulas_in_range(result, "goodput_bps")
    assert [*known] == ["formula mathis", "formula pftk-approximate", "formula rfc9438"]
    mathis = known["formula mathis"].to_numpy()
    assert np.isfinite(mathis).tolist() == [True] * 4 + [False] * 6  # of reno, up to 0.01
    drawn = [line.get_ydata() for line in axes.lines if len(line.get_ydata()) == 5]
    assert any(np.allclose(1e6 * np.asarray(ydata)[:4], mathis[:4]) for ydata in drawn)
    assert formulas_in_range(result, "delay_median").empty
    said = result.models.query("model == 'mathis'").set_index("tcp.congestion")
    assert said.loc["reno", "goodput_bps"].tolist()[:4] == mathis[:4].tolist()


def test_without_any_formula_each_has_one_reason() -> None:
    queues = ["500kB", {"kind": "codel"}]
    hop = {"rate": "20Mbps", "delay": "15ms", "queue": queues}
    document = {
        "profile": "linux",
        "tcp": {"congestion": ["cubic", "bbr"]},
        "path": {"hop": [hop]},
        "stop": {"time": "1s"},
    }
    points = Scenario.from_dict(document).points()
    (why,) = set(reasons_without_answer(analyse_path(points), len(points)))
    lossy, timer = why.split("; ")
    assert lossy.startswith("each of mathis, pftk, ")
    assert lossy.endswith(" and chockalingam needs random losses")
    said = "each of outages and kuusela covers the timer of RFC 6298, not that of Linux"
    assert timer == said
    assert all(name in why for name in ZOO)
