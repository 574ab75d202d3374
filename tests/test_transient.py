"""Runs whose beginning weighs in their means are named by `airtcp run`."""

import json

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.campaign.journal import open_journal
from airtcp.cli.main import main
from airtcp.simulation.transient import FEW

HOP = {"rate": "50Mbps", "delay": "20ms", "queue": 500}
LOSSY = HOP | {"channel": {"kind": "iid", "loss_rate": 0.001}}
BEGINNING = {  # slow start fills a link that later losses keep empty
    "profile": "rfc",
    "tcp": {"variant": "sack", "window": 2000},
    "path": {"hop": [LOSSY]},
    "stop": {"time": "30s", "replications": 8},
}


def test_a_beginning_that_weighs_is_named_with_the_mean_without_it(tmp_path):
    result = at.run(BEGINNING)
    (found,) = result.simulation.transients
    assert found.enough
    later = at.simulate(BEGINNING | {"stop": BEGINNING["stop"] | {"warmup": f"{found.length}s"}})
    whole, rest = (one.summary()["goodput_bps"][0] for one in (result.simulation, later))
    assert found.mean == pytest.approx(whole, rel=1e-9)
    assert found.rest == pytest.approx(rest, rel=0.02)
    assert whole > 1.05 * rest
    file = tmp_path / "link.json"
    file.write_text(json.dumps(BEGINNING))
    said = CliRunner().invoke(main, ["run", str(file)]).output
    assert "the beginning of runs weighs in their means" in " ".join(said.split())
    report = CliRunner().invoke(main, ["run", str(file), "--out", str(tmp_path / "out")])
    assert report.exit_code == 0
    assert "the beginning of runs weighs" in (tmp_path / "out" / "report.html").read_text()


def test_the_one_run_without_chance_has_its_beginning():
    hop = HOP | {"queue": 20, "delay": "200ms"}
    assert at.run(BEGINNING | {"path": {"hop": [hop]}}).simulation.transients


@pytest.mark.parametrize(
    "changes",
    [
        {"stop": {"time": "60s", "warmup": "20s", "replications": 8}},
        {"flow": [{"packets": 100}]},
        {"path": {"hop": [HOP | {"rate": "1Mbps"}]}},
        {"stop": {"time": "30s", "replications": 1}},  # its noise may look like a beginning
    ],
)
def test_nothing_is_said_of_others(changes):
    assert at.run(BEGINNING | changes).simulation.transient == ""


SAID = "the beginning of runs weighs in their means"


def test_simulations_look_for_it_when_they_are_asked():
    assert SAID in at.simulate(BEGINNING).transient
    later = BEGINNING | {"stop": BEGINNING["stop"] | {"time": "60s", "warmup": "20s"}}
    assert at.simulate(later).transient == ""


def test_a_sweep_tells_it_of_a_few_points_and_keeps_what_was_asked_for(tmp_path):
    windows = [2000 + place for place in range(FEW + 2)]
    axis = {"tcp": {"variant": "sack", "window": windows}}
    file = tmp_path / "link.json"
    file.write_text(json.dumps(BEGINNING | axis))
    words = ["sweep", str(file), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    assert f"of {FEW} points looked at, most at tcp.window = " in " ".join(done.stderr.split())
    with open_journal(tmp_path / "out" / "runs.sqlite") as journal:
        assert journal.tally.runs == 8 * (FEW + 2)
    assert CliRunner().invoke(main, words).stderr == ""  # nothing was simulated


def test_a_contest_tells_it(tmp_path):
    file = tmp_path / "link.json"
    file.write_text(json.dumps(BEGINNING))
    done = CliRunner().invoke(main, ["contest", str(file), "--variants", "reno,cubic"])
    assert done.exit_code == 0
    assert SAID in " ".join(done.stderr.split())
