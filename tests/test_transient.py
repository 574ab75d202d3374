"""Runs whose beginning weighs in their means are named by `airtcp run`."""

import json

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.campaign.executor import ThreadExecutor
from airtcp.campaign.journal import open_journal
from airtcp.cli.main import main
from airtcp.engines import sweeps
from airtcp.simulation.transient import MOST_POINTS

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
    whole, rest = (runs.summary()["goodput_bps"][0] for runs in (result.simulation, later))
    assert found.mean == pytest.approx(whole, rel=1e-9)
    assert found.rest == pytest.approx(rest, rel=0.02)
    assert whole > 1.05 * rest
    file = tmp_path / "link.json"
    file.write_text(json.dumps(BEGINNING))
    said = CliRunner().invoke(main, ["run", str(file)]).output
    assert "the initial transient biases the means" in " ".join(said.split())
    report = CliRunner().invoke(main, ["run", str(file), "--out", str(tmp_path / "out")])
    assert report.exit_code == 0
    assert "the initial transient biases" in (tmp_path / "out" / "report.html").read_text()


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


SAID = "the initial transient biases the means"


def test_simulations_look_for_it_when_they_are_asked():
    assert SAID in at.simulate(BEGINNING).transient
    later = BEGINNING | {"stop": BEGINNING["stop"] | {"time": "60s", "warmup": "20s"}}
    assert at.simulate(later).transient == ""


def interrupted(*args: object, **options: object) -> None:
    raise KeyboardInterrupt


def test_a_sweep_tells_it_of_a_few_points_and_keeps_what_was_asked_for(tmp_path, monkeypatch):
    windows = [2000 + place for place in range(MOST_POINTS + 2)]
    axis = {"tcp": {"variant": "sack", "window": windows}}
    file = tmp_path / "link.json"
    file.write_text(json.dumps(BEGINNING | axis))
    words = ["sweep", str(file), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    assert f"of {MOST_POINTS} points looked at, most at tcp.window = " in " ".join(
        done.stderr.split()
    )
    with open_journal(tmp_path / "out" / "runs.sqlite") as journal:
        assert journal.tally.runs == 8 * (MOST_POINTS + 2)
    monkeypatch.setattr(sweeps, "sample_transients", lambda *_, **__: 1 / 0)
    again = CliRunner().invoke(main, words)
    assert (again.exit_code, again.stderr) == (0, done.stderr)  # the manifest has it
    said = json.loads((tmp_path / "out" / "manifest.json").read_text())["transient"]
    assert said in " ".join(done.stderr.split())
    more = CliRunner().invoke(main, [*words, "--replications", "9"])
    assert isinstance(more.exception, ZeroDivisionError)  # another sweep is looked at anew


def test_a_look_that_was_ended_is_taken_again(tmp_path, monkeypatch):
    file = tmp_path / "link.json"
    file.write_text(json.dumps(BEGINNING))
    words = ["sweep", str(file), "--out", str(tmp_path / "out")]
    with monkeypatch.context() as ended:
        ended.setattr(sweeps, "sample_transients", interrupted)
        assert CliRunner().invoke(main, words).exit_code == 130
    assert SAID in " ".join(CliRunner().invoke(main, words).stderr.split())


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of threads of all executors that are made."""
    numbers, made = [], ThreadExecutor.__init__

    def noted(self: ThreadExecutor, jobs: int) -> None:
        numbers.append(jobs)
        made(self, jobs)

    monkeypatch.setattr(ThreadExecutor, "__init__", noted)
    return numbers


THREE = ["--jobs", "3"]
SHORT = BEGINNING | {"stop": {"time": "5s", "replications": 2}}


def test_the_runs_that_look_for_it_take_the_threads_that_were_asked_for(tmp_path, threads):
    file = tmp_path / "link.json"
    file.write_text(json.dumps(SHORT))
    assert at.simulate(SHORT, jobs=3).transients is not None
    for words in (["sweep", "--out", str(tmp_path / "out")], ["contest", "--variants", "reno"]):
        before = len(threads)
        assert CliRunner().invoke(main, [*words, str(file), *THREE]).exit_code == 0
        assert len(threads) > before + 1
    assert set(threads) == {3}


def test_the_runs_that_look_for_it_take_the_executor_that_was_asked_for(tmp_path, monkeypatch):
    names = []

    def executor_of(name: str, threads: int) -> ThreadExecutor:
        names.append(name)
        return ThreadExecutor(threads)

    monkeypatch.setattr(sweeps, "executor_of", executor_of)
    file = tmp_path / "link.json"
    file.write_text(json.dumps(SHORT))
    words = ["sweep", str(file), "--out", str(tmp_path / "out"), "--executor", "dask-local:2"]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert names == ["dask-local:2", "dask-local:2"]


def test_a_complete_sweep_shows_its_table_though_ctrl_c_ends_the_look(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeps, "sample_transients", interrupted)
    file = tmp_path / "link.json"
    file.write_text(json.dumps(SHORT))
    done = CliRunner().invoke(main, ["sweep", str(file), "--out", str(tmp_path / "out")])
    assert (done.exit_code, done.stderr) == (130, "interrupted\n")
    assert "goodput" in done.stdout


def test_a_contest_tells_it(tmp_path):
    file = tmp_path / "link.json"
    file.write_text(json.dumps(BEGINNING))
    done = CliRunner().invoke(main, ["contest", str(file), "--variants", "reno,cubic"])
    assert done.exit_code == 0
    assert SAID in " ".join(done.stderr.split())
