"""The command line: results on stdout, one line and exit code 2 for every mistake."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import airtcp
from airtcp import Scenario, _native, simulate
from airtcp.cli.main import main
from airtcp.cli.names import KINDS_OF_NAMES
from airtcp.errors import InputError
from airtcp.scenario.tables import document_schema
from campaigns import kept
from hung import HUNG

EXAMPLES = Path(__file__).parent.parent / "examples"
TEXT = """
title = "Test"
profile = "zorzi"
[tcp]
variant = ["tahoe", "newreno"]
window = 8
[channel]
kind = "iid"
loss_rate = [0.01, 0.1]
[stop]
slots = 20_000
replications = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "x.toml"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def good(*arguments: str) -> str:
    result = call(*arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def state(out: Path) -> dict[str, bytes]:
    """The files of a folder; of the journal its runs, its bytes are SQLite's."""
    files = {path.name: path for path in out.rglob("*") if path.is_file()}
    found = {name: path.read_bytes() for name, path in files.items() if "sqlite" not in name}
    return found | {"runs.sqlite": repr(kept(out / "runs.sqlite")).encode()}


# Results


def test_the_table_fits_80_columns_and_explains_itself(file: str) -> None:
    lines = good("run", file, "--replications", "6").splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[0] == "Test"
    assert "6 replications of 20 000 slots, seed 1" in lines[1]
    head = lines[3].split()
    assert head == [
        "variant",
        "loss_rate",
        "lower",
        "analysis",
        "simulation",
        "z",
        "verdict",
    ]
    assert lines[5].split()[:2] == ["tahoe", "0.01"]
    text = " ".join(lines)
    assert "95 % confidence interval of the mean (Student's t, " in text
    assert "Analysis and simulation agree within 2 % at" in text
    assert "of 4 points" in text


def test_one_run_has_no_interval_and_the_table_says_so(file: str) -> None:
    text = good("run", file, "--replications", "1")
    assert "no interval; use --replications 2 or more" in text
    assert "±" not in text


def test_json_and_csv_hold_the_same(file: str) -> None:
    table = good("run", file, "--seed", "7", "--jobs", "2")
    data = json.loads(good("run", file, "--seed", "7", "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(good("run", file, "--seed", "7", "--format", "csv"))))
    assert data["airtcp"] == airtcp.__version__
    assert (data["seed"], data["replications"], data["confidence"]) == (7, 3, 0.95)
    assert Scenario.from_dict(data["scenario"]) == Scenario.load(file)
    assert len(rows) == len(data["rows"]) == 4
    for first, second in zip(rows, data["rows"], strict=True):
        assert list(first) == list(second)
        assert first["tcp.variant"] == second["tcp.variant"]
        for name in ("analysis_throughput", "simulation_throughput", "simulation_low", "z"):
            assert float(first[name]) == second[name]
        assert f"{second['simulation_throughput']:.5f}" in table
        assert f"{second['analysis_throughput']:.5f}" in table
    together = data["joint_verdicts"][0]
    agree = sum(row["verdict"] == "agree" for row in data["verdicts"][:4])
    assert (together["metric"], together["agree"]) == ("throughput", agree)
    assert together["sentence"][1:] in " ".join(table.split())


def test_json_has_null_where_there_is_no_number(file: str) -> None:
    text = good("run", file, "--engine", "analysis", "--set", "ack.delay=3", "--format", "json")
    rows = json.loads(text, parse_constant=pytest.fail)["rows"]
    assert all(row["analysis_throughput"] is row["simulation_throughput"] is None for row in rows)
    assert all(row["note"] == "the model does not cover ACK delay" for row in rows)


def test_one_engine(file: str) -> None:
    analysis = good("run", file, "--engine", "analysis")
    assert "simulation" not in analysis
    simulation = good("run", file, "--engine", "simulation")
    assert "analysis" not in simulation.lower()
    assert "±" in simulation


def test_no_analysis_is_explained_under_the_table(file: str) -> None:
    text = good("run", file, "--set", "ack.delay=[0,2]", "--set", "tcp.inflation=true")
    assert "No analysis at 4 of 8 points: the model does not cover ACK delay." in text
    assert "No analysis at 4 of 8 points: the model does not cover window inflation." in text


@pytest.mark.parametrize(
    ("assignment", "path", "value"),
    [
        ("tcp.variant=reno", "tcp.variant", "reno"),
        ('tcp.variant="reno"', "tcp.variant", "reno"),
        ("tcp.variant=[reno, tahoe]", "tcp.variant", ["reno", "tahoe"]),
        ("tcp.window=[6,8]", "tcp.window", [6, 8]),
        ("stop.slots=1_000", "stop.slots", 1000),
        ("tcp.inflation=true", "tcp.inflation", True),
        ("link.rate=2Mbps", "link.rate", "2Mbps"),
        ("title=a = b", "title", "a = b"),
        (
            'channel.loss_rate={from=0.1, to=0.2, points=2, scale="log"}',
            "channel.loss_rate",
            {"from": 0.1, "to": 0.2, "points": 2, "scale": "log"},
        ),
    ],
)
def test_set_takes_toml_values_and_bare_words(
    file: str, assignment: str, path: str, value: object
) -> None:
    text = good("run", file, "--engine", "analysis", "--format", "json", "--set", assignment)
    expected = Scenario.load(file).replace(path, value).to_dict()
    assert json.loads(text)["scenario"] == expected


def test_out_holds_everything_and_a_second_call_reuses_it(file: str, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    first = good("run", file, "--out", str(out), "--format", "csv")
    assert (out / "table.csv").read_text(encoding="utf-8") == first
    assert Scenario.load(out / "scenario.toml") == Scenario.load(file)
    assert "<html" in (out / "report.html").read_text(encoding="utf-8")
    before = state(out)
    assert before.keys() >= {"runs.sqlite", "manifest.json", "part-00000.parquet"}
    assert airtcp.results(out).runs.equals(simulate(Scenario.load(file)).runs)
    assert good("run", file, "--out", str(out), "--format", "csv") == first
    assert state(out) == before
    assert good("run", file, "--out", str(out)).endswith(f"\n\nReport: {out / 'report.html'}\n")


# Packets on a path

PATH = """
title = "Test"
profile = "ns2"
[tcp]
variant = ["tahoe", "sack"]
[[path.hop]]
rate = "1.5Mbps"
delay = "10ms"
[[path.hop]]
rate = "0.8Mbps"
delay = ["20ms", "100ms"]
queue = 50
channel = {kind = "iid", loss_rate = 0.01}
[[flow]]
milestone = 200
[stop]
time = "20s"
replications = 3
"""


@pytest.fixture
def path_file(tmp_path: Path) -> str:
    path = tmp_path / "path.toml"
    path.write_text(PATH, encoding="utf-8")
    return str(path)


def test_a_path_has_a_table_that_fits_and_explains_itself(path_file: str) -> None:
    lines = good("run", path_file).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[:2] == ["Test", "profile ns2, 3 replications of 20s, seed 1"]
    assert lines[3].split() == ["goodput", "delay", "delay", "p95", "resent"]
    units = ["(kbit/s)", "(ms)", "(ms)", "(%)", "timeouts"]
    assert lines[4].split() == ["variant", "delay", *units]
    assert lines[6].split()[:2] == ["tahoe", "20ms"]
    assert lines[6].count("±") >= 2
    text = " ".join(lines)
    assert "goodput: payload handed to the application in order, per second." in text
    assert "Not shown for lack of width: transfer_time." in text
    why = (
        'the formulas assume the timer of RFC 6298 or of Linux: profile = "rfc" or "linux", not ns2'
    )
    assert f"No analysis at 4 of 4 points: {why}." in text
    flows = good("run", path_file, "--set", "flow[0].count=2", "--replications", "1").splitlines()
    assert any(line.startswith("variant  delay  flow") for line in flows[3:6])
    assert "±" not in "".join(flows)
    alone = good("run", path_file, "--engine", "analysis").splitlines()
    assert " ".join(alone[3:5]) == f"No analysis at 4 of 4 points: {why}."
    alone = good("run", path_file, "--engine", "simulation")
    assert "analysis" not in alone.lower()


def test_metrics_that_are_asked_for_are_shown(path_file: str, file: str, tmp_path: Path) -> None:
    asked = ["--metric", "throughput_pps", "--metric", "lost_share"]
    lines = good("run", path_file, "--replications", "2", *asked).splitlines()
    assert lines[3].split() == ["variant", "delay", "packets/s", "lost_share", "(%)"]
    slots = good("run", file, "--metric", "timeouts_per_slot").splitlines()
    heads = [word for line in slots[3:6] for word in line.split()]
    assert heads.count("timeouts_per_") == heads.count("slot") == 2  # of analysis and simulation
    assert "verdict" in heads
    folder = str(tmp_path / "sweep")
    text = good(
        "sweep", path_file, "--out", folder, "--replications", "2", "--metric", "goodput_bps"
    )
    assert f"airtcp results {folder} --metric goodput_bps" in " ".join(text.split())
    figure = str(tmp_path / "f.svg")
    good("plot", folder, "-x", "delay", "--by", "variant", "--metric", "goodput_bps", "-o", figure)
    line = mistake("run", path_file, "--metric", "godput_bps")
    assert "metric = 'godput_bps': must be one of" in line


def test_packets_of_different_lengths_are_no_common_measure(path_file: str) -> None:
    lengths = ["--set", "tcp.packet=[500B,1000B]", "--replications", "2"]
    text = " ".join(good("run", path_file, *lengths, "--metric", "throughput_pps").split())
    assert "packets/s of packets with 500 to 1000 bytes of payload are no common measure" in text
    assert "Warning" not in good("run", path_file, *lengths)
    assert "Warning" not in good("run", path_file, "--metric", "throughput_pps")


def test_a_path_in_json_and_csv(path_file: str) -> None:
    data = json.loads(good("run", path_file, "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(good("run", path_file, "--format", "csv"))))
    assert (data["points_compared"], data["intervals_containing_analysis"]) == (0, 0)
    assert len(rows) == len(data["rows"]) == 4
    for first, second in zip(rows, data["rows"], strict=True):
        assert list(first) == list(second)
        assert list(first)[:3] == ["tcp.variant", "path.hop[1].delay", "replications"]
        for name in ("simulation_throughput_pps", "simulation_goodput_bps_low"):
            assert float(first[name]) == second[name]


def test_set_reaches_into_hops(path_file: str) -> None:
    changed = {"path.hop[1].delay": "7ms", "path.hop[1].queue": [10, 20], "tcp.variant": "reno"}
    sets = ["path.hop[1].delay=7ms", "path.hop[1].queue=[10,20]", "tcp.variant=reno"]
    options = [word for assignment in sets for word in ("--set", assignment)]
    text = good("run", path_file, "--replications", "1", "--format", "json", *options)
    assert json.loads(text)["scenario"] == Scenario.load(path_file).replace(changed).to_dict()


def test_out_of_a_path_holds_everything_and_is_reused(path_file: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = good("run", path_file, "--out", str(out), "--format", "csv")
    assert (out / "table.csv").read_text(encoding="utf-8") == first
    assert Scenario.load(out / "scenario.toml") == Scenario.load(path_file)
    before = state(out)
    names = {"runs.sqlite", "manifest.json", "table.csv", "scenario.toml", "report.html"}
    assert before.keys() >= names
    assert airtcp.results(out).runs.num_rows == 12
    assert good("run", path_file, "--out", str(out), "--format", "csv") == first
    assert state(out) == before


def test_files_lie_beside_the_scenario(path_file: str, tmp_path: Path) -> None:
    (tmp_path / "losses.csv").write_text("lost\n0\n0\n1\n", encoding="utf-8")
    channel = 'path.hop[1].channel={kind="trace", file="losses.csv"}'
    text = good("run", path_file, "--replications", "1", "--format", "json", "--set", channel)
    hop = json.loads(text)["scenario"]["path"]["hop"][1]
    assert hop["channel"] == {"kind": "trace", "lost": [0, 0, 1]}


PATH_MISTAKES = {
    "no such hop": (
        "path.hop[5].delay=1ms",
        "path.hop[5].delay: path.hop has [0] to [1], counted from 0",
    ),
    "unknown key": ("path.hop[1].dealy=1ms", '--set path.hop[1].dealy: unknown key "dealy"'),
    "no unit": ("path.hop[1].delay=5", 'such as "10ms"; write it with its unit: "5ms" or "5s"'),
    "no unit of a rate": ("path.hop[1].rate=50", 'unit: "50Mbps", "50kbps" or "50bps"'),
    "no unit of many bit/s": ("path.hop[1].rate=20e6", 'write it with its unit: "20Mbps"'),
    "half a unit": ("path.hop[1].rate=50Mb", '(units: bps, kbps, Mbps, Gbps): "50Mbps"'),
    "half a unit of time": (
        "path.hop[1].delay=5m",
        '(units: ns, us, ms, s, min, h): "5ms" or "5min"',
    ),
    "packets in quotes": (
        'path.hop[1].queue="20 packets"',
        "packets are counted without quotes: 20",
    ),
    "a length without a unit": (
        'path.hop[1].channel={kind="sojourn", good=8, bad="1s"}',
        'write it with its unit: "8packets", "8bits" or "8s"',
    ),
    "dotted number": ("path.hop.1.delay=1ms", "path.hop is a list: write path.hop[1].delay"),
    "no number": ("path.hop.delay=1ms", "path.hop is a list: write path.hop[0].delay"),
    "no list": ('path.hop={rate="1Mbps"}', "is not a list; write [[path.hop]]"),
    "cubic": (
        "tcp.variant=cubic",
        '"cubic" is a congestion control: tcp.congestion = "cubic", in profiles rfc and linux',
    ),
    "vegas": (
        "tcp.variant=vegas",
        '"vegas" is a congestion control: tcp.congestion = "vegas", in profile rfc',
    ),
    "dctcp": (
        "tcp.variant=dctcp",
        '"dctcp" is a congestion control: tcp.congestion = "dctcp", in profile rfc',
    ),
    "prague": (
        "tcp.variant=prague",
        '"prague" is a congestion control: tcp.congestion = "prague", in profile rfc',
    ),
    "no file": (
        'path.hop[1].channel={kind="trace", file="no.csv"}',
        "--set path.hop[1].channel: path.hop[1].channel.file: ",
    ),
    "other profile": (
        "tcp.congestion=cubic",
        '--set tcp.congestion: "congestion" is a key of profiles rfc and linux, not of ns2',
    ),
    "the old name of a key": (
        "tcp.growth=cubic",
        '"growth", now called "congestion", is a key of profiles rfc and linux, not of ns2',
    ),
    "other profiles": (
        "tcp.header=40B",
        '--set tcp.header: "header" is a key of profiles rfc, bsd and linux, not of ns2',
    ),
    "misspelt key of another profile": (
        "tcp.initial_rt=1s",
        'unknown key "initial_rt"; "initial_rto" is a key of profile rfc (allowed: variant,',
    ),
    "watch of other profile": (
        "tcp.spurious=eifel",
        '--set tcp.spurious: "spurious" is a key of profile rfc, not of ns2',
    ),
    "slots": ("stop.slots=9", '--set stop.slots: "slots" is a key of profile zorzi, not of ns2'),
    "variant of slots": (
        "tcp.variant=oldtahoe",
        '"oldtahoe" is a variant of profile zorzi, not of ns2; did you mean "tahoe"?',
    ),
    "the kernel's": (
        "tcp.variant=bbr",
        '"bbr" is a congestion control: tcp.congestion = "bbr", in profile linux; the kernel may'
        " have it: airtcp live FILE --set tcp.variant=sack --congestion bbr",
    ),
}


@pytest.mark.parametrize(("change", "words"), PATH_MISTAKES.values(), ids=PATH_MISTAKES.keys())
def test_a_mistake_in_a_path_is_one_line(path_file: str, change: str, words: str) -> None:
    assert words in mistake("run", path_file, "--set", change)


def test_cite_names_what_a_path_uses() -> None:
    text = good("cite", str(EXAMPLES / "handover.toml"))
    for key in ("ns2", "elaarag2000", "rfc2018", "rfc6582"):
        assert f"{{{key}," in text


# Other commands


def test_a_reproduction_names_its_page_or_how_to_get_one(tmp_path: Path) -> None:
    hint = "\n\nFigures and a page: add --out DIR.\n"
    assert good("reproduce", "zorzi/fig1", "--quick").endswith(hint)
    told = good("reproduce", "zorzi/fig1", "--quick", "--out", str(tmp_path))
    assert told.endswith(f"\n\nReport: {tmp_path / 'fig1.html'}\n")
    assert hint not in told


def test_version_and_help() -> None:
    assert good("--version") == f"airtcp {airtcp.__version__}\n"
    for arguments in ([], ["--help"]):
        assert "airtcp run examples/pedestrian.toml" in good(*arguments)
    for command in ("run", "reproduce", "list", "schema", "cite"):
        assert "Usage: " in good(command, "-h")
    assert "--engine [analysis|simulation|live|both|all]" in good("run", "--help")
    assert "With --out, DIR receives the finished runs, figures (SVG)" in good(
        "reproduce", "--help"
    )


def test_the_command_line_starts_without_the_heavy_libraries() -> None:
    code = "import sys, airtcp.cli.main; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "pandas", "pyarrow", "scipy", "matplotlib", "rich"}
    assert not heavy & set(loaded.stdout.split())


KINDS = {
    "variants",
    "congestion",
    "spurious",
    "channels",
    "gates",
    "laws",
    "models",
    "papers",
    "profiles",
    "metrics",
    "detection",
    "reduction",
    "slow_start",
    "links",
    "queues",
    "rates",
    "sizes",
    "video",
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_lists(kind: str) -> None:
    entries = json.loads(good("list", kind, "--format", "json"))
    assert entries
    table = good("list", kind)
    for entry in entries:
        assert entry["summary"]
        assert f"\n{entry['name']} " in table
    if kind in _native.registry():
        names = [name for name, _, _ in _native.registry()[kind]]
        assert [entry["name"] for entry in entries] == names
    rows = list(csv.DictReader(io.StringIO(good("list", kind, "--format", "csv"))))
    assert rows == entries


def test_list_without_a_kind_lists_everything() -> None:
    found = json.loads(good("list", "--format", "json"))
    assert set(found) == KINDS
    table = good("list")
    rows = list(csv.DictReader(io.StringIO(good("list", "--format", "csv"))))
    assert len(rows) == sum(map(len, found.values()))
    for kind, entries in found.items():
        assert f"{kind.capitalize()}\n" in table
        for entry in entries:
            assert f"\n{entry['name']} " in table
            assert any((row["kind"], row["name"]) == (kind, entry["name"]) for row in rows)


def test_brackets_are_text() -> None:
    entries = json.loads(good("list", "models", "--format", "json"))
    (summary,) = (entry["summary"] for entry in entries if entry["name"] == "zorzi")
    assert "[zorzi]" in summary
    assert "[zorzi]" in good("list", "models")


def test_one_run_of_one_point(file: str) -> None:
    text = good(
        "run", file, "--replications", "1", "--set", "tcp.variant=reno", "--set",
        "channel.loss_rate=0.1", "--set", "ack.delay=1",
    )  # fmt: skip
    assert "1 replication of 20 000 slots" in text
    assert "No analysis at 1 of 1 point: " in text


def test_no_analysis_anywhere_is_said_above_the_table(file: str) -> None:
    lines = good("run", file, "--set", "ack.delay=1", "--engine", "analysis").splitlines()
    assert lines[3] == "No analysis at 4 of 4 points: the model does not cover ACK delay."
    assert "analysis" in lines[5].split()


def test_schema() -> None:
    assert json.loads(good("schema")) == document_schema()


def test_cite_prints_what_the_file_uses() -> None:
    text = good("cite", str(EXAMPLES / "pedestrian.toml"))
    keys = [line.partition("{")[2].rstrip(",") for line in text.splitlines() if line[:1] == "@"]
    assert keys[:2] == ["airtcp", "zorzi2000"]
    assert {"jacobson1988", "rfc5681", "rfc6582", "jakes1974"} == set(keys[2:])
    assert text.count("\n}") == len(keys)


# Mistakes


RUN_MISTAKES: dict[str, tuple[list[str], list[str]]] = {
    "unknown key": (["--set", "tcp.windw=6"], ["--set tcp.windw", 'did you mean "window"']),
    "unknown section": (["--set", "tpc.window=6"], ['"tpc"', "allowed: title, profile, case, tcp"]),
    "wrong unit": (["--set", "link.rate=3MB"], ["--set link.rate", '"3MB"', "Mbps"]),
    "no unit": (["--set", "link.rate=3"], ["--set link.rate", "3", '"1.5Mbps"']),
    "negative rate": (["--set", "link.rate=-1Mbps"], ["--set link.rate", '"-1Mbps"', "1bps"]),
    "above 1": (["--set", "channel.loss_rate=1.1"], ["channel.loss_rate", "1.1", "from 0 to 1"]),
    "second above 1": (["--set", "channel.loss_rate=[1,2]"], ["loss_rate", "2", "from 0 to 1"]),
    "short timer": (["--set", "tcp.timeout=7"], ["tcp.timeout", "7", "tahoe", "at least 8"]),
    "NaN": (["--set", "channel.loss_rate=nan"], ["--set channel.loss_rate", "nan", "finite"]),
    "inf": (["--set", "channel.loss_rate=inf"], ["--set channel.loss_rate", "inf", "finite"]),
    "date": (["--set", "channel.loss_rate=2000-07-01"], ["channel.loss_rate", "2000-07-01"]),
    "wrong type": (["--set", "tcp.window=many"], ["tcp.window", '"many"', "whole number"]),
    "empty value": (["--set", "tcp.window="], ["--set tcp.window", '""', "whole number"]),
    "empty list": (["--set", "tcp.window=[]"], ["--set tcp.window", "empty", "at least one"]),
    "list of slots": (["--set", "stop.slots=[1,2]"], ["--set stop.slots", "not allowed"]),
    "set without value": (["--set", "tcp.window"], ["--set 'tcp.window'", "KEY=VALUE"]),
    "set without key": (["--set", "=3"], ["--set '=3'", "KEY=VALUE"]),
    "set below a value": (["--set", "profile.x=3"], ["--set profile.x", "'zorzi'", "no keys"]),
    "set below a title": (["--set", "title.x=1"], ["--set title.x", "'Test'", "no keys"]),
    "set below no value": (["--set", "tcp.dupacks.x=1"], ["--set tcp.dupacks.x: "]),
    "not Unicode": (["--set", "title=\udcff"], ["--set title: ", "is not Unicode text"]),
    "deep": (["--set", f"title={'[' * 60}1{']' * 60}"], ["--set title: nested too deeply"]),
    "no folder": (["--out", ""], ["out = '': must be the name of a directory"]),
    "folder not Unicode": (["--out", "o\udcff"], ["out = 'o\\udcff': must be", "Unicode"]),
    "folder with a null byte": (["--out", "o\0"], ["out = 'o\\x00': must be", "null bytes"]),
    "bad seed": (["--seed", "-1"], ["seed = -1", "from 0 to 18446744073709551615"]),
    "big seed": (["--seed", str(2**64)], ["seed = 18446744073709551616", "from 0 to"]),
    "no seed": (["--seed", "abc"], ["--seed", "'abc'", "integer"]),
    "no jobs": (["--jobs", "0"], ["jobs = 0", "from 1 to 1024"]),
    "no replications": (["--replications", "0"], ["replications = 0", "from 1 to 1000000"]),
    "engine": (
        ["--engine", "magic"],
        ["engine = 'magic'", "analysis, simulation, live, both, all"],
    ),
    "live": (["--engine", "live"], ["engine = 'live'", "idealised TCP of profile zorzi"]),
    "format": (["--format", "xml"], ["--format", "'xml'", "table", "json", "csv"]),
    "option": (["--sed", "1"], ["--sed", "--seed"]),
    "extra argument": (["another"], ["another"]),
}


def mistake(*arguments: str) -> str:
    """The one line that a mistake gets."""
    result = call(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize(("options", "words"), RUN_MISTAKES.values(), ids=RUN_MISTAKES.keys())
def test_a_mistake_in_run_is_one_line(file: str, options: list[str], words: list[str]) -> None:
    line = mistake("run", file, *options)
    for word in words:
        assert word in line, line


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("window = 8", "window = -8"), ["tcp.window", "-8", "from 1 to"]),
        (("window = 8", "windw = 8"), ["tcp: ", '"windw"', 'did you mean "window"']),
        (("window = 8", "window = 8\nwindow = 9"), ["not valid TOML", "line 7"]),
        (("0.1]", "nan]"), ["channel.loss_rate[1]", "nan", "finite"]),
        (("profile", "# profile"), ["profile", "missing", "zorzi"]),
    ],
)
@pytest.mark.parametrize("command", ["run", "cite"])
def test_a_mistake_in_the_file_names_the_file(
    command: str, change: tuple[str, str], words: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(TEXT.replace(*change), encoding="utf-8")
    line = mistake(command, str(path))
    for word in [f"error: {path}: ", *words]:
        assert word in line, line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "none.toml"], ["none.toml: no such file"]),
        (["run", "."], [".: is a directory"]),
        (["run"], ["Missing argument", "FILE"]),
        (["fly"], ["No such command", "fly"]),
        (["--fly"], ["No such option", "--fly"]),
        (["run", ""], ["file = '': must be the name of a file"]),
        (
            ["list", "planets"],
            [
                "list = 'planets'",
                "variants, congestion, detection, reduction, slow_start, spurious,",
            ],
        ),
        (["reproduce", "zorzy"], ["'zorzy'", "zorzi"]),
        (["reproduce", "zorzi/fig99"], ["'zorzi/fig99'", "zorzi/fig1"]),
        (["reproduce", "elaarag/fig1"], ["must be one of elaarag, elaarag/", "did you mean"]),
        (["reproduce", "elaarag", "fig5"], ["one target (did you mean elaarag/fig5?)"]),
        (["reproduce", "zorzi", "fig99"], ["one target (did you mean PAPER/FIGURE?)"]),
        (
            ["trace", str(EXAMPLES / "fig5.toml"), "-o", "x.csv", "--kind", "window"],
            ["--kind window: is for figures (.svg, .pdf, .png), not for x.csv"],
        ),
        (["cite", "none.toml"], ["none.toml: no such file"]),
        (
            ["cite", str(EXAMPLES / "pedestrain.toml")],
            [f"no such file (did you mean {EXAMPLES / 'pedestrian.toml'}?)"],
        ),
        (
            ["trace", str(EXAMPLES / "growth.toml"), "-o", "x.xpl"],
            [
                "has 16 points, but one is needed",
                "--set tcp.variant=reno --set tcp.congestion=reno",
            ],
        ),
        (["schema", "x"], ["x"]),
    ],
)
def test_other_mistakes(
    arguments: list[str], words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = mistake(*arguments)
    for word in words:
        assert word in line, line


@pytest.mark.parametrize(
    "options",
    [
        ["--set", "tcp.variant=" + "x" * 50_000],
        ["--set", "x" * 50_000],
        ["--set", "tcp." + "x" * 50_000 + "=3"],
        ["--set", "tcp.window=" + "9" * 4000],
        ["--seed", "9" * 4000],
        ["--format", "x" * 50_000],
    ],
)
def test_long_values_are_cut(file: str, options: list[str]) -> None:
    assert len(mistake("run", file, *options)) < 900


def test_out_that_cannot_be_used(file: str, tmp_path: Path) -> None:
    assert "x.toml: is a file, but a folder is needed" in mistake("run", file, "--out", file)
    (tmp_path / "manifest.json").mkdir()
    line = mistake("run", file, "--out", str(tmp_path))
    assert line == f"error: {tmp_path / 'manifest.json'}: is a folder, but a file is needed\n"


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_foreign_file_in_out_is_named_and_passed_over(
    command: str, file: str, tmp_path: Path
) -> None:
    (tmp_path / "runs.sqlite").write_text("something,else\n" * 99, encoding="utf-8")
    result = call(command, file, "--out", str(tmp_path))
    assert result.exit_code == 0
    assert result.stderr.startswith(f"warning: {tmp_path / 'runs.sqlite'}: file is not a database")
    assert result.stderr.endswith("; it is ignored\n")
    assert result.stderr.count("\n") == 1
    asked = {point.hash for point in Scenario.load(file).points()}
    rows = [key for key in kept(tmp_path / "runs-1.sqlite") if key[0] in asked]
    assert len(rows) == 12


# Processes


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    """airtcp as a process of its own, with the usual answer to SIGINT."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from airtcp.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def wait_for_runs(out: Path, process: subprocess.Popen[str]) -> None:
    """Until the journal of a folder holds something."""
    while not kept(out / "runs.sqlite"):
        assert process.poll() is None, "it ended too early"
        time.sleep(0.01)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_an_interrupted_run_prints_the_analysis_and_how_to_continue(
    file: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with start("run", file, "--replications", "30000", "--out", str(out)) as process:
        wait_for_runs(out, process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=HUNG)
    assert process.returncode == 130
    assert "analysis" in stdout
    assert "newreno" in stdout
    runs = len(kept(out / "runs.sqlite"))
    assert (
        stderr == f"interrupted: {runs} of 120000 runs are in {out}; the same command continues\n"
    )
    scenario = Scenario.load(file)
    resumed = simulate(scenario, journal=out / "runs.sqlite")
    assert resumed.runs.equals(simulate(scenario).runs)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_an_interrupted_reproduction_says_how_to_continue(tmp_path: Path) -> None:
    with start("reproduce", "zorzi/feedback", "--out", str(tmp_path)) as process:
        wait_for_runs(tmp_path, process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=HUNG)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == f"interrupted: finished runs are in {tmp_path}; the same command continues\n"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("command", ["run", "sweep", "reproduce"])
def test_sigterm_is_ctrl_c(command: str, file: str, tmp_path: Path) -> None:
    target = ["zorzi/feedback"] if command == "reproduce" else [file, "--replications", "30000"]
    with start(command, *target, "--out", str(tmp_path)) as process:
        wait_for_runs(tmp_path, process)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=HUNG)
    assert process.returncode == 143
    assert stderr.startswith("interrupted: ")
    assert stderr.endswith("; the same command continues\n")
    assert stderr.count("\n") == 1


def shell(line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`line` in a shell, with $AIRTCP for the command and $1, $2 for the arguments."""
    environment = {**os.environ, "AIRTCP": f"{sys.executable} -m airtcp"}
    return subprocess.run(
        ["sh", "-c", line, "sh", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=HUNG,
    )


def test_python_m_airtcp() -> None:
    for options in ([], ["-OO"]):
        command = [sys.executable, *options, "-m", "airtcp", "list", "models", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert all(entry["summary"] for entry in json.loads(done.stdout))
    command = [sys.executable, "-m", "airtcp", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"airtcp {airtcp.__version__}\n"


def test_ctrl_c_during_the_first_imports() -> None:
    code = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from airtcp.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams(closed: str, file: str) -> None:
    done = shell(f'$AIRTCP run "$1" --replications 2 {closed}', file)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("newreno" in done.stdout) == (closed == "2>&-")
    assert shell(f"$AIRTCP fly {closed}").returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(file: str, tmp_path: Path) -> None:
    done = shell("$AIRTCP list variants > /dev/full")
    expected = "error: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, expected)
    if os.geteuid() != 0:
        return  # devices of one's own are root's
    for name in ("scenario.toml", "table.csv"):
        out = tmp_path / name
        out.mkdir()
        os.mknod(out / name, stat.S_IFCHR | 0o666, os.stat("/dev/full").st_rdev)
        done = shell('$AIRTCP run "$1" --replications 2 --out "$2"', file, str(out))
        expected = f"error: {out / name}: No space left on device\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


@pytest.mark.skipif(os.name != "posix", reason="needs limits on files")
def test_a_folder_that_cannot_be_held(file: str, tmp_path: Path) -> None:
    done = shell('ulimit -f 0; $AIRTCP sweep "$1" --out "$2"', file, str(tmp_path))
    assert (done.returncode, done.stderr) == (1, f"error: {tmp_path / '.lock'}: File too large\n")


@pytest.mark.skipif(os.name != "posix", reason="needs limits on files")
def test_a_journal_that_cannot_grow(file: str, tmp_path: Path) -> None:
    line = 'ulimit -f 128; $AIRTCP sweep "$1" --replications 9999 --out "$2"'  # 64 or 128 KiB
    done = shell(line, file, str(tmp_path))
    expected = f"error: {tmp_path / 'runs.sqlite'}: Input/output error\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)
    left = kept(tmp_path / "runs.sqlite")
    assert left
    again = good("run", file, "--out", str(tmp_path), "--format", "csv")
    assert again == good("run", file, "--format", "csv")
    assert kept(tmp_path / "runs.sqlite").items() >= left.items()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
def test_a_reader_that_leaves_is_no_error() -> None:
    with start("schema") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=HUNG) in (0, 1)


def test_a_terminal_without_unicode(file: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with start("run", file, "--replications", "2", env=environment) as process:
        stdout, stderr = process.communicate(timeout=HUNG)
    assert (process.returncode, stderr) == (0, "")
    assert "newreno" in stdout


def test_the_list_of_commands_is_whole_and_in_the_order_of_use() -> None:
    """No line is cut, and none is wider than 80 columns."""
    shown = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    lines = shown.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == list(main.commands)
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)
    assert max(map(len, lines)) <= 80
    assert list(main.commands)[:4] == ["run", "explore", "list", "fit"]


def test_the_help_of_list_breaks_no_name() -> None:
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["list", "--help"]).output
    named = re.findall(r"[\w-]+", shown.partition("KIND is one of")[2].partition("Options")[0])
    assert named == list(KINDS_OF_NAMES)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--report"], "--out DIR writes DIR/report.html"),
        (["--set", "flow[0].kind=voice"], "a call is cross-traffic: [[traffic]]"),
    ],
)
def test_a_report_and_a_call_are_hinted_at(words: list[str], said: str, path_file: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "airtcp", "run", path_file, *words],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_a_log_in_the_place_of_a_scenario_names_fit(tmp_path: Path) -> None:
    log = tmp_path / "ping.txt"
    log.write_text("PING example.net (192.0.2.1) 56(84) bytes of data.\n", encoding="utf-8")
    with pytest.raises(InputError, match="airtcp fit turns it into a scenario"):
        Scenario.load(log)


def test_links_of_results_have_the_heads_of_run(path_file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    good("sweep", path_file, "--out", out, "--links")
    text = good("results", out, "--links")
    heads = text[: text.index("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * 9)]
    assert "busy" in heads
    assert "wait" in heads
    assert "mean_sojourn" not in heads
    assert "busy: utilisation, wait: mean_sojourn" in " ".join(text.split())
