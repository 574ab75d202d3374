"""Ratings of calls on the command line: shown by --links, asked for by --metric, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.metrics import voice

SCENARIO = """
profile = "linux"
tcp = {congestion = "cubic"}
stop = {time = "3s", replications = 2}
[[path.hop]]
rate = "10Mbps"
delay = "20ms"
queue = [50, {kind = "fq-codel"}]
[[flow]]
[[traffic]]
rate = "80kbps"
packet = "200B"
[[traffic]]
rate = "1Mbps"
packet = "1500B"
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "call.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return str(path)


def airtcp(*words: str, code: int = 0) -> str:
    result = CliRunner(env={"COLUMNS": "120"}).invoke(main, [*words])
    assert result.exit_code == code, result.output
    return result.output


def rows(text: str, head: str) -> list[list[str]]:
    """The cells of the first table whose head has a word, without its head."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if head in line and "source" in line)
    return [line.split() for line in lines[first + 2 : first + 6]]


def test_links_show_how_a_call_is_understood(file: str) -> None:
    found = rows(airtcp("run", file, "--links"), "MOS")
    summary = at.simulate(at.Scenario.load(file), links=True).summary_of("traffic")
    for row, expected in zip(found, summary.to_dict("records"), strict=True):
        value = row[row.index("\N{RIGHTWARDS ARROW}") + 2]
        if expected["source"] == 0:
            assert float(value) == pytest.approx(expected["voice_mos"], abs=0.01)
        else:
            assert value == "-", "1 Mbit/s is no call"


def test_a_run_shows_in_its_first_table_how_a_call_is_understood(file: str) -> None:
    said = airtcp("run", file, "--replications", "2")
    assert "Links:" not in said
    summary = at.simulate(at.Scenario.load(file), links=True).summary_of("traffic")
    calls = summary[summary["source"] == 0]["voice_mos"].tolist()
    lines = said.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("drop-tail 50 packets"))
    for line, expected in zip(lines[first : first + 2], calls, strict=True):
        assert f"{expected:.1f}"[:3] in line
    assert "call delay" in said


def test_without_a_call_nothing_is_rated(file: str) -> None:
    assert "voice_mos" not in airtcp("run", file, "--links", "--set", "traffic[0].rate=90kbps")


@pytest.mark.parametrize("metric", ["voice_mos", "voice_r", "delay_p99", "offered_bps"])
def test_metrics_of_cross_traffic_may_be_asked_for(file: str, metric: str) -> None:
    said = airtcp("run", file, "--links", "--metric", metric, "--metric", "utilisation")
    assert all(row[-1] != "-" for row in rows(said, metric))
    assert "utilisation" in said
    assert "goodput" in said, "of flows the usual ones"
    assert "link_loss_rate" not in said, "of links what was asked for"
    entry = json.loads(airtcp("run", file, "--links", "--metric", metric, "--format", "json"))
    assert metric in entry["traffic"][0]


def test_a_metric_of_both_is_shown_of_both(file: str) -> None:
    said = airtcp("run", file, "--links", "--metric", "delay_p95")
    remark = " ".join(said.split()).count("goodput_bps of all flows")  # on the beginning
    assert said.count("goodput") == remark
    assert said.count("delay") >= 2
    assert rows(said, "delay_p95")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--metric", "voice_mos", "--set", "traffic[0].rate=90kbps"],
            "metric = 'voice_mos': is a metric of cross-traffic (--links counts it), not of flows",
        ),
        (
            ["--links", "--metric", "voice_mos", "--precision", "0.1"],
            "metric = 'voice_mos': must be one of flows, such as throughput_pps, where a precision"
            " is asked",
        ),
        (
            ["--links", "--metric", "voice_moss"],
            "(did you mean 'voice_mos'?)",
        ),
    ],
)
def test_refusals(file: str, words: list[str], message: str) -> None:
    found = airtcp("run", file, *words, code=2)
    assert message in found
    assert len(found.splitlines()) == 1


def test_where_there_is_no_cross_traffic_the_refusal_says_so(tmp_path: Path) -> None:
    path = tmp_path / "alone.toml"
    path.write_text(SCENARIO.partition("[[traffic]]")[0], encoding="utf-8")
    found = airtcp("run", str(path), "--links", "--metric", "voice_mos", code=2)
    assert "is a metric of cross-traffic, but the scenario has none ([[traffic]])" in found


def test_a_report_repeats_what_was_asked(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    airtcp("run", file, "--links", "--metric", "voice_mos", "--out", str(out))
    assert "--metric voice_mos" in (out / "report.html").read_text(encoding="utf-8")


def test_a_sweep_says_how_to_look_at_calls(file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    said = airtcp("sweep", file, "--links", "--metric", "voice_mos", "--out", out)
    assert f"airtcp results {out} --traffic --metric voice_mos" in said
    assert f"airtcp results {out}\n" in said
    assert "MOS" in airtcp("results", out, "--traffic", "--metric", "voice_mos")
    refused = airtcp("results", out, "--metric", "voice_mos", code=2)
    assert "'voice_mos': is a metric of cross-traffic; ask by --traffic" in refused


@pytest.mark.parametrize(
    ("rate", "packet", "expected"),
    [
        ("80kbps", "200B", True),
        ("93.6kbps", "234B", True),
        ("64kbps", "160B", True),
        ("80kbps", "100B", False),
        ("600kbps", "1500B", False),
        ("81kbps", "200B", False),
    ],
)
def test_what_a_call_is(rate: str, packet: str, expected: bool) -> None:
    assert voice.is_call({"rate": rate, "packet": packet}) is expected


def test_the_first_table_of_a_report_has_the_worst_call(file: str, tmp_path: Path) -> None:
    airtcp("run", file, "--out", str(tmp_path / "out"), "--links")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    heads = page.partition('<table class="data">')[2].partition("</tr>")[0]
    assert ">call MOS<" in heads
    assert ">call delay (ms)<" in heads
    links = page.partition('id="links"')[2].partition("</table>")[0]
    assert ">link<" in links
    assert "hop 0" not in links
    assert "utilisation (%)" in links
