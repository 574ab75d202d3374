"""Engines by their names; live runs in the journal and the dataset, by a runner without packets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp import _native
from airtcp.campaign.executor import FinishedRun
from airtcp.campaign.loop import FixedReplications, Rule
from airtcp.campaign.store import Store
from airtcp.cli.main import main
from airtcp.comparison.answer import EngineTraits
from airtcp.engines import Answer, Coverage, EngineRequest, Estimates, chosen_engines
from airtcp.engines.registry import REGISTRY, create_engines
from airtcp.engines.run import announcement
from airtcp.errors import InputError
from airtcp.live.engine import METRIC_FUNCTIONS
from airtcp.live.executor import LiveExecutor
from airtcp.live.old_runs import OLD_FILE
from airtcp.scenario.scenario import Point
from airtcp.simulation.replications import SimulationRequest
from airtcp.stats.verdict import Estimate
from campaigns import kept
from hung import HUNG
from results_folder import change_manifest, signed

ENGINES = ("analysis", "simulation", "live")

PATH: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": ["newreno", "tahoe"], "window": 20},
    "path": {
        "hop": [
            {
                "rate": "1Mbps",
                "delay": "10ms",
                "queue": 20,
                "channel": {"kind": "iid", "loss_rate": 0.02},
            }
        ]
    },
    "flow": [{"size": "20kB"}],
    "stop": {"time": "60s", "replications": 3},
}
SLOTS: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": "tahoe", "window": 8, "timeout": 20},
    "channel": {"kind": "iid", "loss_rate": 0.1},
    "stop": {"slots": 1000, "replications": 2},
}


class Runner:
    """In the place of real packets: what a run gives follows from its point and number."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int]] = []
        self.invalid: set[int] = set()
        self.fails: set[str] = set()

    def __call__(
        self, data: dict[str, Any], *, own: bool, seed: int, replication: int
    ) -> dict[str, Any]:
        variant = data["tcp"]["variant"]
        self.done.append((variant, replication))
        if variant in self.fails:
            raise InputError("live: it fails")
        value = 10.0 * len(variant) + replication + own
        found = dict.fromkeys(METRIC_FUNCTIONS, value) | {"timeouts": float("nan")}
        return found | {"valid": replication not in self.invalid}


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Runner:
    if sys.platform != "linux":
        pytest.skip("Linux alone has live runs")
    found = Runner()
    monkeypatch.setattr("airtcp.live.engine.metrics_of_run", found)
    return found


def request_of(document: dict[str, Any]) -> SimulationRequest:
    scenario = at.Scenario.from_dict(document)
    options: dict[str, Any] = dict.fromkeys(("replications", "precision", "metric", "jobs"))
    return SimulationRequest.of(scenario, seed=1, **options)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("simulation", ("simulation",)),
        ("simulation,analysis", ("analysis", "simulation")),
        ("live, analysis", ("analysis", "live")),
        (("live", "both"), ENGINES),
        (["analysis"], ("analysis",)),
        ("all", ENGINES),
    ],
)
def test_engines_are_chosen_by_name(given: Any, names: tuple[str, ...]) -> None:
    assert chosen_engines(given) == names


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("analysis,simulaton", r"engine = 'simulaton': must be one of .*mean 'simulation'\?"),
        ("", "engine = '': must be one of analysis, simulation, live, both, all"),
        ((), r"engine = \(\): must be names of engines: analysis, simulation, live, both, all"),
        (7, "engine = 7: must be names of engines"),
    ],
)
def test_other_names_are_refused_in_a_line(given: Any, line: str) -> None:
    with pytest.raises(InputError, match=f"^{line}"):
        at.run(SLOTS, engine=given)


def test_a_set_leaves_out_what_slots_do_not_have() -> None:
    assert chosen_engines("all", "slot") == ("analysis", "simulation")
    with pytest.raises(InputError, match="idealised TCP of profile zorzi"):
        at.run(SLOTS, engine="simulation,live")


@pytest.mark.usefixtures("runner")
def test_every_engine_says_what_it_covers_and_how_many_runs() -> None:
    assert tuple(REGISTRY) == ENGINES
    certain = PATH | {"path": {"hop": [{"rate": "1Mbps", "delay": "10ms", "queue": 20}]}}
    order = EngineRequest(request_of(certain), stack="kernel")
    points = order.simulation_request.scenario.points()
    analysis, simulation, live = create_engines(ENGINES, order)
    assert analysis.coverage(points[0]) == "no formula covers a flow that ends"
    assert simulation.coverage(points[1]) == Coverage("simulator")
    assert [live.coverage(point) for point in points] == [
        Coverage("kernel"),
        "the kernel has no tahoe",
    ]
    needed = [
        [engine.runs_needed(p, FixedReplications(3)) for p in points]
        for engine in (analysis, simulation, live)
    ]
    assert needed == [[0, 0], [1, 1], [3, 0]]


@pytest.mark.usefixtures("runner")
def test_only_live_is_announced() -> None:
    options: dict[str, Any] = dict.fromkeys(("replications", "precision", "metric", "jobs"))
    scenario = at.Scenario.from_dict(PATH)
    assert announcement(scenario, "both", "auto", None, seed=1, **options) == ""
    said = announcement(scenario, ["simulation", "live"], "auto", 1, seed=1, **options)
    assert said.startswith("live: 6 runs in real time")


def test_engines_side_by_side(runner: Runner) -> None:
    found = at.run(PATH, engine="simulation,live", stack="airtcp")
    assert found.analysis is None
    assert list(found.table["live_tcp"]) == ["airtcp", "airtcp"]
    assert list(found.table["live_goodput_bps"]) == [72.0, 52.0]
    assert (found.table["simulation_goodput_bps"] > 0).all()
    assert len(runner.done) == 6


def test_live_runs_are_rows_of_the_dataset(runner: Runner, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    runner.invalid = {1}
    at.run(PATH, engine="simulation,live", stack="airtcp", out=tmp_path)
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == [
        "live-00000.parquet",
        "part-00000.parquet",
    ]
    found = at.results(tmp_path)
    assert (found.problems, found.complete, found.kind) == ((), True, "path")
    assert (found.manifest.engines, found.manifest.measured) == (
        ["simulation", "live"],
        {"live": 6},
    )
    assert len(found.to_pandas()) == 6
    live = found.live
    table = live.to_pandas()
    assert list(table["valid"]) == [1, 0, 1] * 2
    assert set(table["engine"]) == {"live"}
    assert set(table["stack"]) == {"airtcp"}
    assert set(table["congestion"]) == {"reno"}
    assert live.varying() == ["tcp.variant"]
    summary = live.summary(["goodput_bps", "valid"])
    assert list(summary["goodput_bps"]) == [72.0, 52.0]
    assert list(summary["valid"]) == [2 / 3] * 2
    assert list(live.rank("goodput_bps")["tcp.variant"]) == ["newreno", "tahoe"]
    assert np.isnan(live.summary("timeouts")["timeouts"]).all()


def test_commands_read_live_runs(runner: Runner, tmp_path: Path) -> None:
    runner.invalid = {2}
    out = str(tmp_path / "out")
    at.run(PATH, engine="live", stack="airtcp", out=out)
    for words in (["results", out], ["results", out, "--live", "--rank", "variant"]):
        said = CliRunner().invoke(main, words)
        assert said.exit_code == 0, said.output
        assert "INVALID: the machine did not keep up in 2 of 6 runs." in said.output
    figure = tmp_path / "live.svg"
    words = ["plot", out, "--live", "-x", "variant", "-y", "goodput_bps", "-o", str(figure)]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert figure.stat().st_size > 0


def test_a_folder_without_live_runs_says_so(tmp_path: Path) -> None:
    found = at.sweep(PATH, tmp_path)
    with pytest.raises(InputError, match="live runs were not made; airtcp run FILE"):
        _ = found.live


def test_what_is_kept_is_not_run_again(runner: Runner, tmp_path: Path) -> None:
    first = at.run(PATH, engine="live", stack="airtcp", out=tmp_path).table
    again = at.run(PATH, engine="live", stack="airtcp", out=tmp_path).table
    assert len(runner.done) == 6
    assert again.equals(first)
    at.run(PATH, engine="live", stack="airtcp", replications=4, out=tmp_path)
    assert sorted(runner.done[6:]) == [("newreno", 3), ("tahoe", 3)]
    at.run(PATH, engine="live", stack="auto", out=tmp_path)  # the kernel has newreno
    assert sorted(runner.done[8:]) == [("newreno", n) for n in range(3)]


def test_a_folder_whose_manifest_has_the_old_keys_is_read_and_resumed(
    runner: Runner, tmp_path: Path
) -> None:
    """Commit 0e2f860 and its successors wrote `stack` and `live_runs`; all else is as it was."""
    folder, engines = tmp_path / "out", "simulation,live"
    at.run(PATH, engine=engines, stack="airtcp", out=folder)
    new = ("options", "measured", "transient")
    change_manifest(folder, stack="airtcp", live_runs=6)
    written = json.loads((folder / "manifest.json").read_text())
    old = signed({key: written[key] for key in written if key not in new})
    text = json.dumps(old)
    (folder / "manifest.json").write_text(text)
    found = at.results(folder)
    assert (found.problems, found.complete) == ((), True)
    assert (found.manifest.options, found.manifest.measured) == (
        {"live": {"stack": "airtcp"}},
        {"live": 6},
    )
    assert len(found.live.to_pandas()) == 6
    at.run(PATH, engine=engines, stack="airtcp", out=folder)
    assert len(runner.done) == 6
    assert (folder / "manifest.json").read_text() == text  # nothing was to do
    at.run(PATH, engine=engines, stack="airtcp", replications=4, out=folder)
    assert len(runner.done) == 8
    begun = {"complete": False, "files": [], "runs": 0, "rows": 0, "live_runs": 0}
    (folder / "manifest.json").write_text(json.dumps(signed(old | begun)))
    assert len(at.results(folder).live.to_pandas()) == 6  # those that it asked for


def test_a_run_that_failed_is_tried_again(runner: Runner, tmp_path: Path) -> None:
    runner.fails = {"tahoe"}
    table = at.run(PATH, engine="live", stack="airtcp", out=tmp_path).table
    assert list(table["live_runs"]) == [3, 0]
    assert list(table["live_note"]) == ["", "live: it fails"]
    runner.fails = set()
    assert list(at.run(PATH, engine="live", stack="airtcp", out=tmp_path).table["live_runs"]) == [
        3,
        3,
    ]
    assert len(runner.done) == 9
    assert at.results(tmp_path).manifest.measured == {"live": 6}
    assert len(at.results(tmp_path).live.to_pandas()) == 6


def test_where_all_runs_fail_there_is_a_line(runner: Runner) -> None:
    runner.fails = {"tahoe", "newreno"}
    with pytest.raises(InputError, match=r"^live: it fails$"):
        at.run(PATH, engine="live", stack="airtcp")


def test_runs_of_the_old_file_are_found(runner: Runner, tmp_path: Path) -> None:
    first = at.Scenario.from_dict(PATH).points()[0]
    run = dict.fromkeys(METRIC_FUNCTIONS, 1.5) | {"valid": True}
    name = f"{_native.MODEL_VERSION}/{first.hash}"
    lines = [json.dumps({"key": [name, 1, "airtcp", n], "run": run}) for n in (0, 2)]
    foreign = [
        {"key": [name, 2, "airtcp", 1], "run": run},
        {"key": [name, 1, "kernel", 1], "run": run},
        {"key": [f"1/{first.hash}", 1, "airtcp", 1], "run": run},
    ]
    text = "\n".join(['{"key": ["torn', *lines, *map(json.dumps, foreign)])
    (tmp_path / OLD_FILE).write_text(text)
    table = at.run(PATH, engine="live", stack="airtcp", out=tmp_path).table
    assert sorted(runner.done) == [("newreno", 1), *(("tahoe", n) for n in range(3))]
    assert table["live_goodput_bps"][0] == pytest.approx((1.5 + 72.0 + 1.5) / 3)


KILLED = """
import json, sys, time
from airtcp.live.engine import METRIC_FUNCTIONS
from airtcp.live import engine
import airtcp
import airtcp.campaign.loop

def measured(data, *, own, seed, replication):
    time.sleep(0.005)
    return dict.fromkeys(METRIC_FUNCTIONS, float(replication)) | {"valid": True}

def ended(self, finished, keep=airtcp.campaign.loop.Campaign._store_runs):
    keep(self, finished)
    for one in finished:
        print(one.point, one.replication, flush=True)

engine.metrics_of_run = measured
airtcp.campaign.loop.Campaign._store_runs = ended
document, out = json.loads(sys.argv[1]), sys.argv[2]
airtcp.run(document, engine="live", stack="airtcp", replications=100_000, out=out)
"""


def test_a_killed_run_loses_nothing_that_ended(runner: Runner, tmp_path: Path) -> None:
    words = [sys.executable, "-c", KILLED, json.dumps(PATH), str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(20)]
        process.kill()
        said += process.stdout.readlines()
    ended = {tuple(map(int, line.split())) for line in said if line.endswith("\n")}
    points = at.Scenario.from_dict(PATH).points()
    hashes = [point.hash for point in points]
    there = {
        (hashes.index(key[:16]), number) for key, _, _, number in kept(tmp_path / "runs.sqlite")
    }
    assert len(ended) >= 20
    assert ended <= there
    unfinished = at.results(tmp_path)
    assert not unfinished.complete
    assert len(unfinished.to_pandas()) == len(there)
    at.run(PATH, engine="live", stack="airtcp", replications=5, out=tmp_path)
    names = [point.coordinates["tcp.variant"] for point in points]
    known = {(names[place], number) for place, number in there}
    assert not known & set(runner.done)
    assert at.results(tmp_path).complete


@pytest.mark.usefixtures("runner")
def test_ctrl_c_keeps_what_ended_and_shows_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    close, closing = LiveExecutor.close, Event()

    def closed(executor: LiveExecutor) -> list[FinishedRun]:
        closing.set()
        return close(executor)

    def measured(data: Any, *, replication: int, **_: Any) -> dict[str, Any]:
        if replication == 1:
            os.kill(os.getpid(), signal.SIGINT)
            assert closing.wait(HUNG)  # Ctrl-C has come to the thread that waits
            raise InputError("live: another process ended a run")
        return dict.fromkeys(METRIC_FUNCTIONS, 1.0) | {"valid": True}

    monkeypatch.setattr("airtcp.live.engine.metrics_of_run", measured)
    monkeypatch.setattr(LiveExecutor, "close", closed)
    with pytest.raises(at.Interrupted) as caught:
        at.run(PATH, engine="live", stack="airtcp", live_jobs=1, out=tmp_path)
    assert caught.value.partial is not None
    assert list(caught.value.partial.live["live_runs"]) == [1, 0]
    assert len(kept(tmp_path / "runs.sqlite")) == 1


def test_terminal_and_report_show_live_rows_with_their_validity(
    runner: Runner, tmp_path: Path
) -> None:
    runner.invalid = {0}
    scenario = tmp_path / "path.toml"
    scenario.write_text(at.Scenario.from_dict(PATH).to_toml())
    out = tmp_path / "out"
    words = ["run", str(scenario), "--engine", "simulation,live", "--stack", "kernel"]
    said = CliRunner().invoke(main, [*words, "--out", str(out)], env={"COLUMNS": "200"})
    assert said.exit_code == 0, said.output
    (newreno,) = (line for line in said.output.splitlines() if line.startswith("newreno"))
    assert "kernel" in newreno
    assert "2 of 3" in newreno
    assert "Not live: the kernel has no tahoe." in said.output
    page = (out / "report.html").read_text()
    for text in (
        "live throughput (packets/s)",
        "2 of 3",
        "Not live for some points: the kernel has no tahoe.",
    ):
        assert text in page
    assert "--engine simulation,live --stack kernel" in page


def test_a_column_says_by_whom_where_nobody_answers(runner: Runner, tmp_path: Path) -> None:
    words = ("--engine", "simulation,live", "--stack", "airtcp")
    assert "live TCP airtcp" in said_by(PATH, tmp_path, *words)  # in the head
    flows = PATH | {"flow": [{}, {}], "stop": {"time": "5s", "replications": 2}}
    text = said_by(flows, tmp_path, *words)
    assert "live TCP  " in text  # above an empty column
    assert "Not live: a live transfer has a single flow." in text
    assert "live TCP ," not in text


class Constant:
    """A fourth engine, which says the same everywhere but for one TCP."""

    name = "constant"
    families: ClassVar[tuple[str, ...]] = ("slot", "path")
    run_format = None

    def __init__(self, order: EngineRequest) -> None:
        self.points = order.simulation_request.scenario.points()

    def coverage(self, point: Point) -> Coverage | str:
        return "it has no tahoe" if point.data["tcp"]["variant"] == "tahoe" else Coverage("itself")

    def runs_needed(self, point: Point, rule: Rule) -> int:
        return 0

    def announcement(self) -> str:
        return ""

    def answer(self, store: Store, *, progress: bool) -> Answer:
        covered = [self.coverage(point) for point in self.points]
        metric = {"path": "goodput_bps", "slot": "throughput"}[self.points[0].family]
        value = Estimate.of_runs(*CONSTANT[metric], runs=4)
        none = Estimate(float("nan"))
        said = [value if isinstance(coverage, Coverage) else none for coverage in covered]
        why = [coverage if isinstance(coverage, str) else "" for coverage in covered]
        found = Estimates(self.name, {metric: said}, why)
        return Answer(self.name, lambda: found)


CONSTANT = {"goodput_bps": (1e5, 2e3), "throughput": (0.5, 0.02)}  # mean, standard deviation


@pytest.fixture
def _constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "constant", Constant)


def said_by(document: dict[str, Any], folder: Path, *words: str) -> str:
    """Output of `airtcp run` for a document, in a wide terminal."""
    file = folder / "scenario.toml"
    file.write_text(at.Scenario.from_dict(document).to_toml(), encoding="utf-8")
    done = CliRunner().invoke(main, ["run", str(file), *words], env={"COLUMNS": "250"})
    assert done.exit_code == 0, done.output
    return done.stdout


BOTH = ("--engine", "simulation,constant")


@pytest.mark.usefixtures("_constant")
def test_a_further_engine_is_a_class_and_a_line() -> None:
    assert chosen_engines("all") == (*ENGINES, "constant")
    assert chosen_engines("all", "slot") == (*ENGINES[:2], "constant")
    found = at.run(PATH, engine=("constant", "simulation"))
    assert found.engines == ("simulation", "constant")
    assert found.table["constant_goodput_bps"].dropna().tolist() == [1e5]
    pairs = found.verdicts[["metric", "engine_a", "engine_b"]].drop_duplicates()
    assert pairs.to_numpy().tolist() == [["goodput_bps", "simulation", "constant"]]
    alone = at.run(PATH, engine="constant")
    assert alone.table["constant_goodput_bps"].dropna().tolist() == [1e5]
    assert alone.verdicts.empty


@pytest.mark.usefixtures("_constant")
def test_a_further_engine_stands_in_text_json_and_csv(tmp_path: Path) -> None:
    text = said_by(PATH, tmp_path, *BOTH)
    assert "simulation goodput" in text
    assert "constant goodput" in text
    (newreno,) = (line for line in text.splitlines() if line.startswith("newreno"))
    assert "100.00 ± 3.18" in newreno
    assert "Simulation and constant " in text
    assert "No constant at 1 of 2 points: it has no tahoe." in text
    data = json.loads(said_by(PATH, tmp_path, *BOTH, "--format", "json"))
    assert [row["constant_goodput_bps"] for row in data["rows"]] == [1e5, None]
    assert {row["engine"] for row in data["coverage"]} == {"simulation", "constant"}
    assert {row["engine_b"] for row in data["verdicts"]} == {"constant"}
    head, *rows = said_by(PATH, tmp_path, *BOTH, "--format", "csv").splitlines()
    assert head.split(",")[-3:] == [f"constant_goodput_bps{end}" for end in ("", "_low", "_high")]
    low, high = map(float, rows[0].split(",")[-2:])
    assert (low, high) == pytest.approx((1e5 - 3182.4, 1e5 + 3182.4), abs=0.1)  # t of 3, 1e3


@pytest.mark.usefixtures("_constant")
def test_a_further_engine_stands_in_report_figures_and_verdicts(tmp_path: Path) -> None:
    at.run(PATH, engine="simulation,constant", out=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    words = " ".join(page.split())
    for said in (
        "Simulation of a scenario, and constant.",
        "constant goodput (kbit/s)",
        "Open markers are the simulation. Half-filled markers are constant with 95 % intervals.",
        "No constant for some points: it has no tahoe.",
        "Simulation and constant agree",
        "--engine simulation,constant",
        '<th scope="row">constant</th><td>1 of 2 points, by itself</td>',
    ):
        assert said in words, said
    assert "constant, 95 %" in (tmp_path / "goodput_bps.svg").read_text(encoding="utf-8")
    assert "constant" in (tmp_path / "verdicts.csv").read_text(encoding="utf-8")
    figure = at.run(PATH, engine="constant").plot("goodput_bps")
    assert figure.axes[0].containers


@pytest.mark.usefixtures("_constant")
def test_a_further_engine_stands_beside_the_others_on_slots(tmp_path: Path) -> None:
    document = SLOTS | {"tcp": {**SLOTS["tcp"], "variant": ["reno", "tahoe"]}}
    found = at.run(document, engine="all", out=tmp_path)
    assert [*found.other_answers] == ["constant"]
    assert found.other_answers["constant"] is found.answers[-1]
    pairs = found.joint_verdicts.query("metric == 'throughput'")
    assert [*zip(pairs["engine_a"], pairs["engine_b"], strict=True)] == [
        ("analysis", "simulation"),
        ("analysis", "constant"),
        ("simulation", "constant"),
    ]
    text = said_by(document, tmp_path, "--engine", "all")
    (reno,) = (line for line in text.splitlines() if line.startswith("reno"))
    assert "0.50000" in reno
    assert "constant" in text
    page = " ".join((tmp_path / "report.html").read_text(encoding="utf-8").split())
    assert "throughput, constant</th>" in page
    assert "Half-filled markers are constant" in page


class Line(Constant):
    """A fifth one, which has bounds and no runs."""

    name = "line"
    traits = EngineTraits(is_drawn_as_line=True)

    def answer(self, store: Store, *, progress: bool) -> Answer:
        said = [Estimate(0.6, low=0.55, high=0.65)] * len(self.points)
        found = Estimates(self.name, {"throughput": said}, [""] * len(said))
        return Answer(self.name, lambda: found, traits=self.traits)


def test_a_further_engine_without_runs_is_a_line_within_its_bounds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "line", Line)
    document = SLOTS | {"channel": {"kind": "iid", "loss_rate": [0.05, 0.1, 0.2]}}
    found = at.run(document, engine="all", out=tmp_path)
    assert found.table["line_throughput_low"].tolist() == [0.55] * 3
    lines = found.plot("throughput").axes[0].lines
    (drawn,) = (line for line in lines if list(line.get_ydata()) == [0.6] * 3)
    assert drawn.get_linestyle() == "--"
    labels = [text.get_text() for text in found.plot("throughput").legends[0].get_texts()]
    assert "tahoe, line" in labels
    text = said_by(document, tmp_path, "--engine", "all")
    assert "line lower" in text
    assert "Analysis: embedded" in text
    assert "Line: embedded" not in text
    page = " ".join((tmp_path / "report.html").read_text(encoding="utf-8").split())
    assert "Simulation of a scenario, and analysis (embedded) of it, and line." in page
    alone = said_by(document, tmp_path, "--engine", "simulation,line")
    assert "z: the simulation minus the line" in alone


@pytest.mark.parametrize("counts", [[2, 1], [1, 3, 2]])
@pytest.mark.usefixtures("_constant")
def test_points_with_different_numbers_of_flows_keep_their_own_answers(
    runner: Runner, tmp_path: Path, counts: list[int]
) -> None:
    tcp = {"variant": "newreno", "window": 20}
    document = PATH | {"tcp": tcp, "flow": [{"size": "20kB", "count": counts}]}
    engines = "simulation,live,constant"
    found = at.run(document, engine=engines, stack="airtcp", out=tmp_path / "out")
    table = found.table
    assert table["flow[0].count"].tolist() == [count for count in counts for _ in range(count)]
    answered = [72.0 if count == 1 else None for count in counts for _ in range(count)]
    live = [None if np.isnan(value) else value for value in table["live_goodput_bps"]]
    assert live == answered
    assert table["constant_goodput_bps"].tolist() == [1e5] * sum(counts)
    pairs = found.verdicts.query("engine_a == 'simulation' and engine_b == 'constant'")
    assert len(pairs) == sum(counts)
    words = ("--engine", engines, "--stack", "airtcp")
    rows = said_by(document, tmp_path, *words, "--format", "csv").splitlines()
    assert len(rows) == sum(counts) + 1
    text = said_by(document, tmp_path, *words)
    valid = [line for line in text.splitlines() if "3 of 3" in line]
    assert len(valid) == counts.count(1)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("3 of 3</td>") == counts.count(1)


class Partly(Constant):
    """An engine some of whose runs do not count."""

    name = "partly"

    def answer(self, store: Store, *, progress: bool) -> Answer:
        number = len(self.points)
        said = [Estimate.of_runs(1e5, 2e3, runs=4)] * number
        found = Estimates(self.name, {"goodput_bps": said}, [""] * number)
        return Answer(self.name, lambda: found, runs=[4] * number, valid=[0.75] * number)


def test_engines_whose_runs_count_in_part_have_a_column_each(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runner.invalid = {0}
    monkeypatch.setitem(REGISTRY, "partly", Partly)
    words = ("--engine", "simulation,live,partly", "--stack", "airtcp")
    text = said_by(PATH, tmp_path, *words)
    assert "live valid" in text
    assert "partly valid" in text
    assert text.count("2 of 3") == text.count("3 of 4") == 2
    at.run(PATH, engine="simulation,live,partly", stack="airtcp", out=tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for cell in ("live valid</th>", "partly valid</th>", "2 of 3</td>", "3 of 4</td>"):
        assert cell in page
    alone = said_by(PATH, tmp_path, "--engine", "simulation,partly")
    assert "partly valid" not in alone
    assert "3 of 4" in alone


def test_bounds_in_a_report_name_their_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "line", Line)
    at.run(SLOTS, engine="analysis,simulation,line", out=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for engine in ("analysis", "line"):
        for end in ("lower", "upper"):
            assert f"{end} bound of throughput, {engine}</th>" in page
    assert "lower bound</th>" not in page


class Named(Constant):
    """An engine that says by whom it answers, which is no TCP."""

    name = "named"

    def answer(self, store: Store, *, progress: bool) -> Answer:
        number = len(self.points)
        said = [Estimate.of_runs(1e5, 2e3, runs=4)] * number
        found = Estimates(self.name, {"goodput_bps": said}, [""] * number)
        return Answer(self.name, lambda: found, answered_by=["formula", "table"])


def test_the_column_by_whom_an_engine_answers_is_not_called_tcp_by_default(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "named", Named)
    words = ("--engine", "simulation,live,named", "--stack", "airtcp")
    text = said_by(PATH, tmp_path, *words)
    assert "live TCP airtcp" in text
    assert "named by" in text
    assert "named TCP" not in text
    at.run(PATH, engine="simulation,live,named", stack="airtcp", out=tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for cell in ("live TCP</th>", "live runs</th>", "named by</th>", "formula</td>"):
        assert cell in page
    assert "named TCP" not in page


class Bare(Line):
    """A line that knows packets sent, not the throughput; its reasons stand in `Estimates.why`."""

    def answer(self, store: Store, *, progress: bool) -> Answer:
        _, *others = self.points
        said = [Estimate(float("nan")), *(Estimate(1.2) for _ in others)]
        why = ["no formula", *("" for _ in others)]
        found = Estimates(self.name, {"transmissions_per_delivery": said}, why)
        return Answer(self.name, lambda: found, traits=self.traits)


def test_a_line_without_throughput_has_no_z_and_notes_its_reasons(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "line", Bare)
    document = SLOTS | {"channel": {"kind": "iid", "loss_rate": [0.05, 0.1, 0.2]}}
    found = at.run(document, engine="simulation,line", out=tmp_path)
    assert found.table["line_transmissions_per_delivery"].tolist()[1:] == [1.2, 1.2]
    assert found.table["z"].isna().all()
    assert found.table["note"].tolist() == ["no formula", "", ""]
    assert "z: how far" not in said_by(document, tmp_path, "--engine", "simulation,line")
    beside = at.run(document, engine="analysis,simulation,line")
    assert beside.table["z"].notna().all()
    assert beside.table["note"].tolist() == ["no formula", "", ""]


def test_a_caption_says_of_a_line_what_it_is_and_which_engine_has_bands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "line", Line)
    document = SLOTS | {"channel": {"kind": "iid", "loss_rate": [0.05, 0.1]}}
    exact = document | {"analysis": {"method": "exact"}}
    at.run(exact, engine="analysis,simulation,line", out=tmp_path)
    page = " ".join((tmp_path / "report.html").read_text(encoding="utf-8").split())
    assert "Lines (or bars) are the analysis (exact); markers are the simulation." in page
    assert "Lines (or bars) are line, bands its bounds." in page
    assert "line with 95 % intervals" not in page
    assert "lower bound</th>" in page  # of the line alone
    text = said_by(exact, tmp_path, "--engine", "analysis,simulation,line")
    assert "line lower" in text
    assert "upper bound" not in text


def test_json_counts_intervals_that_contain_the_analysis_and_no_other_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "line", Line)
    keys = ("points_compared", "intervals_containing_analysis")
    both, other = (
        json.loads(said_by(SLOTS, tmp_path, "--engine", engines, "--format", "json"))
        for engines in ("analysis,simulation", "simulation,line")
    )
    assert both["points_compared"] == 1
    assert [other[key] for key in keys] == [0, 0]
    alone = json.loads(said_by(SLOTS, tmp_path, "--engine", "line", "--format", "json"))
    facts = ("seed", "replications", "exact_points", "chance", "order", "transient")
    assert [alone[key] for key in facts] == [None, None, None, "", "", ""]
    assert (both["seed"], both["replications"]) == (1, 2)


@pytest.mark.usefixtures("_constant")
def test_the_only_markers_of_a_figure_stand_where_they_belong() -> None:
    document = SLOTS | {"channel": {"kind": "iid", "loss_rate": [0.05, 0.1]}}
    document |= {"tcp": {**SLOTS["tcp"], "variant": "reno"}}
    for engines, moved in (("analysis,constant", False), ("simulation,constant", True)):
        axes = at.run(document, engine=engines).plot("throughput").axes[0]
        markers = [
            container[0]
            for container in axes.containers
            if list(container[0].get_ydata()) == [0.5, 0.5]
        ]
        (place,) = (marker.get_transform().transform((0.1, 0.5)) for marker in markers)
        away = place - axes.transData.transform((0.1, 0.5))
        assert (abs(away[0]) > 1.0, away[1]) == (moved, 0.0)


def test_two_further_engines_have_marks_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "named", Named)
    monkeypatch.setitem(REGISTRY, "partly", Partly)
    found = at.run(PATH, engine="simulation,named,partly", out=tmp_path)
    fills = [
        answer.traits.marks.fill for answer in found.answers if answer.traits.marks is not None
    ]
    assert fills == ["none", "left", "right"]
    page = " ".join((tmp_path / "report.html").read_text(encoding="utf-8").split())
    assert "Markers filled at the left are named with 95 % intervals." in page
    assert "Markers filled at the right are partly with 95 % intervals." in page
    drawn = found.plot("goodput_bps").axes[0].containers
    assert {container[0].get_fillstyle() for container in drawn} >= {"left", "right"}


class Hearing(Constant):
    """An engine to which alone the scenario says its variant."""

    name = "hearing"
    traits = EngineTraits(own_path_prefix="tcp.")

    def answer(self, store: Store, *, progress: bool) -> Answer:
        number = len(self.points)
        said = [Estimate.of_runs(1e5 + place, 2e3, runs=4) for place in range(number)]
        found = Estimates(self.name, {"goodput_bps": said}, [""] * number)
        return Answer(self.name, lambda: found, traits=self.traits)


def test_other_engines_do_not_hear_what_is_said_to_one_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(REGISTRY, "hearing", Hearing)
    (hop,) = PATH["path"]["hop"]
    channel = {"kind": "iid", "loss_rate": [0.01, 0.02, 0.04]}
    document = PATH | {"path": {"hop": [hop | {"channel": channel}]}}
    text = said_by(document, tmp_path, "--engine", "simulation,hearing")
    assert "Simulation does not depend on tcp.variant: rows that differ" in text
    axes = at.run(document, engine="simulation,hearing").plot("goodput_bps").axes[0]
    points = [len(container[0].get_ydata()) for container in axes.containers]
    assert sorted(points) == [3, 3, 3]  # of hearing for both variants, of the simulation once


class Twin(Constant):
    """An engine that measures the ratios of the very runs that are simulated."""

    name = "twin"

    def answer(self, store: Store, *, progress: bool) -> Answer:
        runs = at.simulate(BROKEN).to_pandas()
        by_metric = {
            name: [runs[name].to_numpy()] for name in ("efficiency", "overhead", "goodput_bps")
        }
        found = Estimates.from_runs(self.name, by_metric, [range(len(runs))], [""])
        return Answer(self.name, lambda: found)


BROKEN = {  # runs so short that outages make them unlike
    "profile": "rfc",
    "tcp": {"variant": "sack", "window": 20},
    "path": {
        "hop": [
            {
                "rate": "1Mbps",
                "delay": "20ms",
                "queue": 10,
                "channel": {"kind": "burst", "loss_rate": 0.03, "mean_burst": 5},
                "gate": {"kind": "on-off", "up": "2s", "down": "0.5s"},
            }
        ]
    },
    "stop": {"time": "2s", "replications": 60},
}


def test_ratios_of_runs_are_compared_with_ratios_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "twin", Twin)
    found = at.run(BROKEN, engine="simulation,twin")
    verdicts = found.verdicts.set_index("metric")
    assert {*verdicts.index} == {"efficiency", "overhead", "goodput_bps"}
    assert verdicts["verdict"].tolist() == ["agree"] * 3
    assert np.allclose(verdicts["difference"], 0.0, atol=1e-12)
    assert found.joint_verdicts["differ"].tolist() == [0] * 3
    exact = Estimates("exact", {"overhead": [Estimate(0.5)]}, [""])
    simulated = found.answers[0].estimates
    beside = simulated.with_ratios_like(exact, "overhead")
    assert beside.per_run["overhead"][0] is simulated.per_run["overhead"][0]
    assert beside.estimates["overhead"][0] == simulated.estimates["overhead"][0]
    ratio_of_means = found.table["simulation_overhead"].item()
    assert abs(found.table["twin_overhead"].item() / ratio_of_means - 1.0) > 0.02
