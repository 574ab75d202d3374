"""A further engine that measures runs, captures of packets here, is a class and a line.

What it keeps goes the way of all runs: journal, dataset, manifest, results, figures, commands.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.campaign.kept_runs import RunStorage
from airtcp.cli.main import main
from airtcp.comparison.answer import EngineTraits
from airtcp.engines import Answer, Coverage, EngineRequest, Estimates
from airtcp.engines.registry import REGISTRY
from airtcp.errors import InputError
from airtcp.live.executor import LiveExecutor
from airtcp.simulation.replications import execute_campaign
from results_folder import change_manifest

if TYPE_CHECKING:
    import pandas

    from airtcp.campaign.executor import Task
    from airtcp.campaign.loop import Rule, RunFormat
    from airtcp.campaign.store import Store
    from airtcp.scenario.scenario import Point

NAME = "capture"
FOLDER = Path("captures")  # in the current directory


@dataclass(frozen=True)
class CaptureKept(RunStorage):
    """Captures of a point: files that bear its hash, and the number of each."""

    engine: ClassVar[str] = NAME
    metrics: ClassVar[tuple[str, ...]] = ("goodput_bps", "transfer_time", "valid")
    flags: ClassVar[tuple[str, ...]] = ("valid",)
    default_metrics: ClassVar[tuple[str, ...]] = ("goodput_bps",)
    key_columns: ClassVar[Mapping[str, str]] = {"host": "Host that sent"}

    jobs: int = 1

    def with_options_of(self, order: Any) -> CaptureKept:
        return CaptureKept(order.simulation_request.threads)

    def reason_without_run(self, point: Point) -> str:
        return "" if self.files(point) else "nobody has captured it"

    def key_values(self, point: Point) -> tuple[str, ...]:
        return (self.files(point)[0].name.split("-")[1],)

    def remarks(self, runs: pandas.DataFrame) -> list[str]:
        return [f"{len(runs)} captures."]

    def files(self, point: Point) -> list[Path]:
        return sorted(FOLDER.glob(f"{point.hash}-*.pcap"))


class Capture:
    """Answers by what was captured of real senders."""

    name = NAME
    families: ClassVar[tuple[str, ...]] = ("path",)
    run_format: ClassVar[RunFormat | None] = CaptureKept()
    traits = EngineTraits(
        sentence_alone="Captures of a sender",
        sentence_beside="and captures",
        answered_by_head="host",
    )
    read: ClassVar[list[str]] = []  # captures that were measured

    def __init__(self, order: EngineRequest) -> None:
        self._asked, self._kept = order.simulation_request, CaptureKept().with_options_of(order)
        self._points = self._asked.scenario.points()

    def coverage(self, point: Point) -> Coverage | str:
        return self._kept.reason_without_run(point) or Coverage(self._kept.key_values(point)[0])

    def runs_needed(self, point: Point, rule: Rule) -> int:
        return 0 if self._kept.reason_without_run(point) else rule.least

    def announcement(self) -> str:
        return ""

    def answer(self, store: Store, *, progress: bool) -> Answer:
        kept, asked, least = self._kept, self._asked, self._asked.stop.rule.least
        points = kept.points_with_runs(self._points)
        campaign = kept.campaign(points, asked.seed, least, store.journal)

        def measured_run(task: Task) -> bytes:
            return kept.pack_run(measured(kept.files(points[task.point])[task.replication]))

        with closing(LiveExecutor(measured_run, 1)) as runs:
            execute_campaign(campaign, runs, progress, NAME)
        store.put_measured(kept, campaign, points, asked.seed)
        why = [kept.reason_without_run(point) for point in self._points]
        places = iter(range(len(points)))
        found = [[] if reason else campaign.runs(next(places), 0, least) for reason in why]
        values = [kept.unpack_runs([run for _, run in numbered]) for numbered in found]
        by_metric = {name: [value[name] for value in values] for name in kept.metrics}
        numbers = [[number for number, _ in numbered] for numbered in found]
        return Answer(
            NAME,
            partial(Estimates.from_runs, NAME, by_metric, numbers, why),
            answered_by=[
                "" if kept.reason_without_run(point) else kept.key_values(point)[0]
                for point in self._points
            ],
            runs=[len(numbered) for numbered in found],
            reasons=why,
            traits=self.traits,
        )


HEAD = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)


def measured(file: Path) -> dict[str, float]:
    """Payload over time, of packets whose first 40 bytes are headers."""
    Capture.read.append(file.name)
    packets = list(struct.iter_unpack("<IIII", file.read_bytes()[len(HEAD) :]))
    times = [seconds + micro / 1e6 for seconds, micro, _, _ in packets]
    seconds, payload = times[-1] - times[0], sum(length - 40 for *_, length in packets)
    return {"goodput_bps": 8 * payload / seconds, "transfer_time": seconds, "valid": 1.0}


LOSSY = {"kind": "iid", "loss_rate": 0.02}
PATH: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": ["newreno", "sack", "tahoe"], "window": 20},
    "path": {"hop": [{"rate": "1Mbps", "delay": "10ms", "queue": 20, "channel": LOSSY}]},
    "stop": {"time": "2s", "replications": 3},
}
GOODPUT = [32_000.0, 48_000.0]  # means of the variants that somebody captured


@pytest.fixture(autouse=True)
def _captures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captures of two of the three points, three runs each, and the engine that reads them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(REGISTRY, NAME, Capture)
    monkeypatch.setattr(Capture, "read", [])
    FOLDER.mkdir()
    for place, point in enumerate(at.Scenario.from_dict(PATH).points()[:2]):
        for run in range(3):
            # 40 packets in 10 s, of 1000 or 1500 bytes of payload, 10 more or less from run to run
            length = 40 + 500 * (2 + place) + 10 * (run - 1)
            packets = [struct.pack("<IIII", n // 4, n % 4 * 250_000, 0, length) for n in range(41)]
            payload = HEAD + b"".join(packets[:-1]) + struct.pack("<IIII", 10, 0, 0, 40)
            (FOLDER / f"{point.hash}-office-{run}.pcap").write_bytes(payload)


def said_by(*words: str) -> str:
    """Output of a command, in a wide terminal."""
    done = CliRunner().invoke(main, words, env={"COLUMNS": "250"})
    assert done.exit_code == 0, done.output
    return done.stdout


def output_of_run(*words: str) -> str:
    """Output of `airtcp run` of the scenario, with both engines."""
    Path("x.toml").write_text(at.Scenario.from_dict(PATH).to_toml(), encoding="utf-8")
    return said_by("run", "x.toml", "--engine", f"simulation,{NAME}", *words)


def test_its_answer_stands_beside_the_simulation_in_every_form() -> None:
    text = output_of_run("--out", "out")
    (newreno,) = (line for line in text.splitlines() if line.startswith("newreno"))
    for cell in ("office", "32.000 ± 0.795", "differ"):
        assert cell in newreno
    assert "No capture at 1 of 3 points: nobody has captured it." in text
    data = json.loads(output_of_run("--format", "json"))
    assert [row["capture_goodput_bps"] for row in data["rows"]] == [*GOODPUT, None]
    assert {row["engine"] for row in data["coverage"]} == {"simulation", NAME}
    head, first, *_ = output_of_run("--format", "csv").splitlines()
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert float(row["capture_goodput_bps"]) == GOODPUT[0]
    assert float(row["capture_goodput_bps_low"]) == pytest.approx(32_000 - 795.0, abs=0.1)
    page = " ".join(Path("out/report.html").read_text(encoding="utf-8").split())
    for said in (
        "Simulation of a scenario, and captures.",
        "Half-filled markers are capture with 95 % intervals.",
        '<th scope="row">capture</th><td>2 of 3 points, by office</td>',
    ):
        assert said in page
    assert "capture, 95 %" in Path("out/goodput_bps.svg").read_text(encoding="utf-8")
    assert "capture" in Path("out/verdicts.csv").read_text(encoding="utf-8")


def test_its_runs_are_kept_and_not_measured_again() -> None:
    pytest.importorskip("pyarrow")
    at.run(PATH, engine=f"simulation,{NAME}", out="out")
    assert len(Capture.read) == 6
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert manifest["engines"] == ["simulation", NAME]
    assert manifest["measured"] == {NAME: 6}
    assert sorted(path.name for path in Path("out/data").iterdir()) == [
        "capture-00000.parquet",
        "part-00000.parquet",
    ]
    before = Path("out/manifest.json").stat().st_mtime_ns
    again = at.run(PATH, engine=f"simulation,{NAME}", out="out")
    assert again.table["capture_goodput_bps"].tolist()[:2] == GOODPUT
    assert len(Capture.read) == 6
    assert Path("out/manifest.json").stat().st_mtime_ns == before
    found = at.results("out")
    assert repr(found).endswith("9 runs, 9 rows, 6 capture runs, seed 1)")
    assert (found.problems, found.complete, found.kind) == ((), True, "path")
    at.sweep(PATH, "out")
    assert [path.name for path in Path("out/data").iterdir()] == ["part-00000.parquet"]
    assert at.results("out").problems == ()


def check_rows(found: at.Results) -> None:
    """The rows of all captures, and what is told of them."""
    assert found.kind == NAME
    table = found.to_pandas()
    assert len(table) == 6
    assert set(table["engine"]) == {NAME}
    assert set(table["host"]) == {"office"}
    assert found.metrics == ["goodput_bps", "transfer_time", "valid"]
    assert found.coordinates == ("tcp.variant", "host")
    assert found.varying() == ["tcp.variant"]
    assert found.summary("goodput_bps")["goodput_bps"].tolist() == GOODPUT
    ranking = found.rank("goodput_bps", "variant")
    assert ranking["tcp.variant"].tolist() == ["sack", "newreno"]


def test_its_runs_are_read_from_files_from_the_journal_and_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyarrow")
    at.run(PATH, engine=f"simulation,{NAME}", out="out")
    check_rows(at.results("out").of(NAME))
    assert at.results("out").of("simulation").kind == "path"
    with monkeypatch.context() as without:
        without.setattr("airtcp.engines.results.is_installed", lambda _: False)
        check_rows(at.results("out").of(NAME))
    change_manifest(Path("out"), complete=False, files=[], runs=0, rows=0, measured={})
    unfinished = at.results("out")
    assert not unfinished.complete
    check_rows(unfinished.of(NAME))
    at.run(PATH, engine=NAME, out="alone")
    check_rows(at.results("alone"))


def test_commands_speak_of_its_runs() -> None:
    output_of_run("--out", "out")
    assert "DIR has capture runs as well: --engine capture shows them." in said_by("results", "out")
    text = said_by("results", "out", "--engine", NAME)
    assert "6 captures." in text
    assert "transfer" not in text  # it is not among the usual ones
    assert "transfer" in said_by("results", "out", "--engine", NAME, "--metric", "transfer_time")
    assert "best" in said_by("results", "out", "--engine", NAME, "--rank", "variant")
    refused = CliRunner().invoke(main, ["results", "out", "--where", "host=office"])
    line = "error: where = 'host': belongs to capture runs; ask by --engine capture on the command"
    assert refused.output == f"{line} line, by results.of('capture') in Python\n"
    plot = ("plot", "out", "-x", "variant", "-y", "goodput_bps", "-o", "f.svg")
    assert said_by(*plot) == "f.svg: simulated and capture runs\n"
    assert "capture, 95 %" in Path("f.svg").read_text(encoding="utf-8")
    assert said_by(*plot, "--engine", NAME) == "f.svg: capture runs\n"
    assert said_by(*plot, "--engine", "simulation") == "f.svg\n"
    host = ("plot", "out", "-x", "host", "-y", "goodput_bps", "-o", "f.svg")
    assert said_by(*host) == "f.svg: capture runs, averaged over tcp.variant\n"
    assert "Host that sent" in Path("f.svg").read_text(encoding="utf-8")
    assert "capture" in said_by("list", "metrics", "--format", "csv")


def test_help_and_refusals_name_it() -> None:
    choices = "--engine [analysis|simulation|live|capture|both|all]"
    assert choices in " ".join(said_by("run", "--help").split())
    with pytest.raises(InputError, match=r"must be one of simulation, live, capture .*mean 'capt"):
        at.sweep(PATH, "out") and at.results("out").of("capturs")
    with pytest.raises(InputError, match=r"capture runs were not made; airtcp run FILE --en"):
        at.results("out").of(NAME)


def test_other_options_are_another_campaign() -> None:
    at.run(PATH, engine=NAME, jobs=1, out="out")
    assert at.results("out").manifest.options == {NAME: {"jobs": 1}}
    digest = at.results("out").manifest.request_digest
    at.run(PATH, engine=NAME, jobs=2, out="out")
    assert at.results("out").manifest.request_digest != digest
    change_manifest(Path("out"), options={NAME: {"tasks": 2}})
    with pytest.raises(InputError, match=r"manifest.json: options: .* has no option 'tasks'"):
        at.results("out")


def test_a_version_without_the_engine_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    at.run(PATH, engine=f"simulation,{NAME}", out="both")
    at.run(PATH, engine=NAME, out="alone")
    monkeypatch.delitem(REGISTRY, NAME)
    found = at.results("both")
    assert found.problems == (
        "both/manifest.json: this version has no engine 'capture', whose runs are not shown",
    )
    assert len(found.to_pandas()) == 9
    with pytest.raises(
        InputError, match="alone: has runs of capture, an engine unknown to this version"
    ):
        at.results("alone")


def test_an_engine_of_earlier_versions_is_told_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Capture, "run_format")
    said = (
        "engine capture: has no attribute run_format, as engines of earlier versions: must be None,"
        " or"
        " a RunStorage for an engine that makes runs"
    )
    for ask in (lambda: at.run(PATH, engine=NAME, out="out"), lambda: at.sweep(PATH, "other")):
        with pytest.raises(InputError) as refused:
            ask()
        assert str(refused.value) == said


class Share(CaptureKept):
    metrics: ClassVar[tuple[str, ...]] = ("goodput_bps", "efficiency", "valid")


def test_a_mean_of_ratios_is_told_from_a_ratio_of_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_measuring_engine.CaptureKept", Share)
    monkeypatch.setattr(Capture, "run_format", Share())
    monkeypatch.setattr(
        "test_measuring_engine.measured",
        lambda file: {"goodput_bps": 1.0, "efficiency": 0.5, "valid": 1.0},
    )
    output_of_run("--out", "out")
    line = (
        f"efficiency: {NAME} runs have the mean of each run's ratio, simulated ones the ratio of"
        " the means; the two may differ a little."
    )
    asked = ("--metric", "efficiency")
    assert line in said_by("results", "out", "--engine", NAME, *asked)
    assert line not in said_by("results", "out", *asked)
    assert line not in said_by("results", "out", "--engine", NAME, "--metric", "goodput_bps")
    plot = ("plot", "out", "-x", "variant", "-o", "f.svg", "-y")
    assert line in said_by(*plot, "efficiency")
    assert line not in said_by(*plot, "goodput_bps")
