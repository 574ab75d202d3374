"""Output of the command line on links: omissions, names of hops, one flow, old files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main

SCENARIO = """
profile = "rfc"
tcp = {variant = "sack", window = 30}
stop = {time = "2s", replications = 3}
[[path.hop]]
near = "server"
far = "access"
rate = "5Mbps"
delay = ["5ms", "20ms"]
queue = 10
[[path.hop]]
far = "phone"
rate = "1Mbps"
delay = "5ms"
queue = 10
channel = {kind = "iid", loss_rate = 0.02}
[[flow]]
[[flow]]
receiver = "access"
[[traffic]]
rate = "100kbps"
packet = "500B"
"""


def good(*words: str) -> str:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, [*words])
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words: str) -> str:
    result = CliRunner().invoke(main, [*words])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("links") / "two.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return str(file)


@pytest.fixture(scope="module")
def folder(scenario: str) -> str:
    out = str(Path(scenario).with_name("out"))
    good("sweep", scenario, "--out", out, "--links")
    return out


HEADS = {"utilisation": "busy", "mean_sojourn": "wait"}  # as in the table of run


def test_a_table_of_links_says_which_metrics_it_leaves_out(folder: str) -> None:
    text = " ".join(good("results", folder, "--links").split())
    shown, _, rest = text.partition("Also available with --metric, and in --format csv: ")
    listed = rest.partition(".")[0].split(", ")
    assert "lost_channel" in listed
    for name in at.results(folder).links.metrics:
        words = shown.replace(",", " ").replace(";", " ").split()
        assert (name in words or HEADS.get(name) in words) != (name in listed)


def test_metrics_that_were_asked_for_stand_in_several_tables(folder: str) -> None:
    asked = ("utilisation", "mean_queue", "mean_sojourn", "link_loss_rate", "delivered_bps")
    options = [word for name in asked for word in ("--metric", name)]
    lines = good("results", folder, "--links", *options).splitlines()
    assert sum(line.startswith("delay ") for line in lines) > 1
    assert sorted(word for line in lines for word in line.split() if word in asked) == sorted(asked)
    assert all(len(line) <= 80 for line in lines)


def test_a_figure_of_links_calls_hops_by_their_nodes(folder: str, tmp_path: Path) -> None:
    words = ["-x", "delay", "-y", "utilisation", "--by", "hop", "--by", "direction"]
    good("plot", folder, "--links", *words, "-o", str(tmp_path / "one.svg"))
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert "server-access" in text
    assert "access-phone" in text
    assert ">hop 0" not in text
    assert at.results(folder).links.ends_of_hops() == {
        0: ("server", "access"),
        1: ("access", "phone"),
    }


def test_a_run_without_links_takes_away_the_tables_of_one_with(
    scenario: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    good("run", scenario, "--out", str(out), "--links")
    assert (out / "links.csv").exists()
    assert (out / "traffic.csv").exists()
    good("run", scenario, "--out", str(out))
    assert not (out / "links.csv").exists()
    assert not (out / "traffic.csv").exists()
    assert "links.csv" not in (out / "report.html").read_text(encoding="utf-8")


def rows(scenario: str, target: Path, *words: str) -> list[dict[str, str]]:
    good("trace", scenario, "--set", "path.hop[0].delay=5ms", "-o", str(target), *words)
    with target.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", ["events", "sojourn", "drops"])
def test_a_table_of_one_flow_has_its_packets(table: str, scenario: str, tmp_path: Path) -> None:
    every = rows(scenario, tmp_path / "all.csv", "--table", table)
    own = rows(scenario, tmp_path / "one.csv", "--table", table, "--flow", "0")
    assert own == [row for row in every if row["flow"] == "0"]
    assert 0 < len(own) < len(every)


@pytest.mark.parametrize("table", ["queue", "busy"])
def test_a_table_of_one_flow_has_the_links_it_crosses(
    table: str, scenario: str, tmp_path: Path
) -> None:
    every = rows(scenario, tmp_path / "all.csv", "--table", table)
    own = rows(scenario, tmp_path / "one.csv", "--table", table, "--flow", "1")
    assert own == [row for row in every if row["hop"] == "0"]
    assert 0 < len(own) < len(every)


def test_a_flow_that_a_file_cannot_show_is_refused(scenario: str, tmp_path: Path) -> None:
    words = ["trace", scenario, "--set", "path.hop[0].delay=5ms", "--flow", "0"]
    said = refused(*words, "--table", "traffic", "-o", str(tmp_path / "x.csv"))
    assert "flow = 0: the table traffic has no packets of flows" in said
    said = refused(*words, "-o", str(tmp_path / "x.pcapng"))
    assert "--flow 0: a capture holds all flows" in said
    said = refused(*words[:-1], "2", "-o", str(tmp_path / "x.csv"))
    assert "flow = 2: must be a whole number from 0 to 1" in said
