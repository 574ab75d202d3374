"""Scenarios of packets on a path: typed classes, numbered tables, values from files."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from airtcp import Scenario, spec
from airtcp.errors import InputError
from airtcp.scenario.tables import MOST_CHANGES, MOST_ROWS
from schemas import documents

TEXT = """
profile = "ns2"
[tcp]
variant = ["tahoe", "sack"]
window = 50
packet = "1024B"
[[path.hop]]
rate = "1.5Mbps"
delay = "10ms"
queue = 50
[[path.hop]]
rate = "0.8Mbps"
delay = "100ms"
queue = "64kB"
channel = {kind = "sojourn", good = "100packets", bad = "8bits"}
gate = {kind = "on-off", up = "2s", down = "0.3s"}
drop = [[14, 1], [28, 1]]
delays = [{at = "1.5s", delay = "1.2s"}, {at = "1.7s", delay = "100ms"}]
back = {channel = {kind = "sojourn", good = "1000packets", bad = "3bits"}}
[[flow]]
packets = 500
[[flow]]
start = "1s"
count = 2
variant = "reno"
[stop]
time = "20s"
replications = 3
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    file = tmp_path / "x.toml"
    file.write_text(TEXT, encoding="utf-8")
    return Scenario.load(file)


def test_the_dataclasses_say_the_same_as_a_file(scenario: Scenario) -> None:
    hop = spec.Hop(
        rate="0.8Mbps",
        delay="100ms",
        queue="64kB",
        channel=spec.Sojourn(good="100packets", bad="8bits"),
        gate=spec.OnOff(up="2s", down="0.3s"),
        drop=[(14, 1), (28, 1)],
        delays=[
            spec.DelayChange(at="1.5s", delay="1.2s"),
            spec.DelayChange(at="1.7s", delay="100ms"),
        ],
        back=spec.Back(channel=spec.Sojourn(good="1000packets", bad="3bits")),
    )
    built = Scenario(
        profile="ns2",
        tcp=spec.Ns2Tcp(variant=["tahoe", "sack"], window=50, packet="1024B"),
        path=spec.Path(hop=[spec.Hop(rate="1.5Mbps", delay="10ms", queue=50), hop]),
        flow=[spec.Flow(packets=500), spec.Flow(start="1s", count=2, variant="reno")],
        stop=spec.Stop(time="20s", replications=3),
    )
    assert built == scenario
    assert hash(built) == hash(scenario)
    assert built.to_dict()["path"] == scenario.to_dict()["path"]
    assert [p.json for p in built.points()] == [p.json for p in scenario.points()]
    assert built.path is not None
    assert built.path.hop[1].drop == ((14, 1), (28, 1))
    assert (built.family, built.replications) == ("path", 3)
    documents().validate(built.to_dict())


def test_round_trips(scenario: Scenario, tmp_path: Path) -> None:
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    for name, text in (("b.toml", scenario.to_toml()), ("b.json", json.dumps(scenario.to_dict()))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        again = Scenario.load(tmp_path / name)
        assert [p.hash for p in again.points()] == [p.hash for p in scenario.points()]


def test_coordinates_have_numbers_in_their_paths(scenario: Scenario) -> None:
    assert list(scenario.points()[0].coordinates) == ["tcp.variant"]
    swept = scenario.replace(
        {
            "path.hop[1].delay": ["20ms", "100ms"],
            "path.hop[1].gate": [
                spec.OnOff(up="2s", down="0.3s"),
                spec.Periodic(up="1s", down="1s"),
            ],
            "flow[0].packets": [100, 500],
            "tcp.variant": "sack",
        }
    )
    assert len(swept) == 8
    assert swept.points()[5].coordinates == {
        "tcp.variant": "sack",
        "path.hop[1].delay": "100ms",
        "path.hop[1].gate.kind": "on-off",
        "path.hop[1].gate.up": "2s",
        "path.hop[1].gate.down": "300ms",
        "flow[0].packets": 500,
    }


def test_lists_that_vary_are_told_apart_by_a_text(scenario: Scenario) -> None:
    traces = [spec.LossTrace(lost=[0, 1]), spec.LossTrace(lost=[0, 1] * 50)]
    points = scenario.replace({"path.hop[0].channel": traces, "tcp.variant": "reno"}).points()
    found = [point.coordinates["path.hop[0].channel.lost"] for point in points]
    assert found[0] == "[0, 1]"
    assert re.fullmatch(r"\[0, 1.*\.\.\. \(100 entries, [0-9a-f]{8}\)", found[1])


def test_every_value_of_a_hop_is_in_the_hash(scenario: Scenario) -> None:
    first = scenario.points()[0].hash
    for path, value in {
        "path.hop[1].drop": [[14, 1]],
        "path.hop[1].delays[1].delay": "101ms",
        "path.hop[0].queue": 51,
        "path.hop[1].gate.loses": "nothing",
        "flow[1].count": 1,
        "stop.time": "21s",
        "tcp.boot": 0.01,
    }.items():
        assert scenario.replace(path, value).points()[0].hash != first, path
    for path, value in {"title": "x", "stop.replications": 9, "tcp.dupacks": 3}.items():
        assert scenario.replace(path, value).points()[0].hash == first, path


def test_replace_goes_through_lists(scenario: Scenario) -> None:
    changed = scenario.replace("path.hop[1].delay", "20ms")
    assert changed.to_dict()["path"]["hop"][1]["delay"] == "20ms"
    assert scenario.to_dict()["path"]["hop"][1]["delay"] == "100ms"
    assert len(scenario.replace("flow[1]", None).to_dict()["flow"]) == 1
    assert "gate" not in scenario.replace("path.hop[1].gate", None).to_dict()["path"]["hop"][1]
    alone = scenario.replace("flow", None)
    assert alone.replace("flow[0].packets", 40).to_dict()["flow"] == [{"packets": 40}]


REPLACED = {
    "no such hop": ("path.hop[2].delay", "1ms", "path.hop has [0] to [1], counted from 0"),
    "no list": ("tcp[0].window", 3, "tcp is {'variant': ['tahoe', 'sack'], 'window': 50, 'packet'"),
    "list without number": ("path.hop.delay", "1ms", "write path.hop[0].delay"),
    "below a value": ("stop.time[0]", "1s", "stop.time is '20s', which is not a list"),
    "beyond an empty list": ("path.hop[0].drop[1]", [1, 1], "path.hop[0].drop has no element yet"),
    "unknown key": ("path.hop[1].dealy", "1ms", 'path.hop[1]: unknown key "dealy"; did you mean'),
    "bad value": ("path.hop[1].delay", "5", 'path.hop[1].delay: "5" is not a time'),
    "no number": ("path.hop[x].delay", "5ms", 'path: unknown key "hop[x]"'),
}


@pytest.mark.parametrize(("path", "value", "words"), REPLACED.values(), ids=REPLACED.keys())
def test_replace_refuses_mistakes(scenario: Scenario, path: str, value: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario.replace(path, value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


BASE: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack"},
    "path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]},
}
MISTAKES = {
    "a profile that is a number": (
        {"profile": 3},
        "profile: 3 is not one of zorzi, ns2, rfc, bsd, linux",
    ),
    "no path": ({"path": None}, 'path: missing; such as [[path.hop]] with rate = "1Mbps"'),
    "a kind alone": (
        {"path.hop[0].channel": "iid"},
        '"iid" is not a table with a `kind`, one of: iid, two-state, burst,',
    ),
    "a number of a kind": ({"path.hop[0].channel": {"kind": 3}}, "kind: 3 is not one of iid, two-"),
    "a precision alone": ({"stop.precision": 0.1}, "write stop.precision.relative"),
    "a size of packets": (
        {"profile": "ns2", "tcp.window": "64kB"},
        "tcp.window: 64000B is a size, but profile ns2 counts packets; give a whole number",
    ),
    "the kernel's control": (
        {"tcp.congestion": "bbr"},
        "airtcp live FILE --set tcp.congestion=reno --congestion bbr",
    ),
    "a control of Linux": ({"tcp.congestion": "bbr"}, "profile linux has it; the kernel may"),
    "a control that the kernel alone has": (
        {"tcp.congestion": "bic"},
        "the kernel may have it: airtcp live FILE --set tcp.congestion=reno --congestion bic",
    ),
    "the kernel's variant among others": (
        {"tcp.variant": ["sack", "BBR"]},
        "airtcp live FILE --set tcp.variant=sack --congestion bbr",
    ),
    "a variant that is a control of Linux": (
        {"tcp.variant": "bbr"},
        '"bbr" is a congestion control: tcp.congestion = "bbr", in profile linux; the kernel',
    ),
    "the growth of a profile without": (
        {"profile": "bsd", "tcp": {"variant": "reno", "growth": "cubic"}},
        '"growth", now called "congestion", is a key of profiles rfc and linux, not of bsd',
    ),
    "a key of another profile": (
        {"tcp.tick": "1ms"},
        '"tick" is a key of profiles ns2 and bsd, not of rfc',
    ),
    "a key of slots": ({"tcp.timeout": 9}, '"timeout" is a key of profile zorzi, not of rfc'),
    "a section of slots": (
        {"channel": {"kind": "iid", "loss_rate": 0.1}},
        "path a hop has one: path.hop[0].channel",
    ),
    "a method": ({"analysis": {"method": "exact"}}, '"analysis" is a key of profile zorzi'),
    "no hops": ({"path.hop": []}, "path.hop: the list is empty"),
    "queue of one": ({"path.hop[0].queue": 1}, "path.hop[0].queue: 1 is not a whole number"),
    "slots": ({"stop.slots": 9}, '"slots" is a key of profile zorzi, not of rfc'),
    "list of times": (
        {"stop.time": ["1s", "2s"]},
        "stop.time: a list is not allowed here; only values of tcp, link,",
    ),
}


@pytest.mark.parametrize(("changes", "words"), MISTAKES.values(), ids=MISTAKES.keys())
def test_the_profile_decides_which_keys_there_are(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_dict(BASE).replace(changes)
    assert words in str(caught.value)


def test_slots_have_no_path() -> None:
    slots = {"profile": "zorzi", "tcp": {"variant": "reno"}, "path": {"hop": []}}
    with pytest.raises(
        InputError, match='"path" is a key of profiles ns2, rfc, bsd and linux, not'
    ):
        Scenario.from_dict(slots)
    with pytest.raises(InputError, match=r"scenario: channel: missing"):
        Scenario(profile="zorzi", tcp=spec.ZorziTcp(variant="reno"))
    with pytest.raises(InputError, match=r"scenario: path: missing"):
        Scenario(profile="ns2", tcp=spec.Ns2Tcp(variant="reno"))


# Values from files


def with_channel(folder: Path, **table: Any) -> Scenario:
    hop = {"rate": "1Mbps", "delay": "1ms", "channel": {"kind": "trace", **table}}
    return Scenario.from_dict({**BASE, "path": {"hop": [hop]}}, source="x.toml", folder=folder)


def test_files_become_part_of_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "scenarios"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "losses.csv").write_text("packet,lost\n1,0\n2,1\n\n3,0\n", encoding="utf-8")
    (folder / "toggles.csv").write_text("\ufefftime\n3\n3.3\n 6.25 \n", encoding="utf-8")
    (folder / "delays.csv").write_text("delay,time\n1.2,1.5\n0.1,1.7\n", encoding="utf-8")
    text = """
profile = "ns2"
tcp.variant = "reno"
[[path.hop]]
rate = "1Mbps"
delay = "1ms"
channel = {kind = "trace", file = "data/losses.csv", clock = "1ms"}
gate = {file = "toggles.csv", kind = "schedule"}
delays = "delays.csv"
[path.hop.back]
delays = "delays.csv"
channel = {kind = "series", of = [{kind = "trace", file = "data/losses.csv"}]}
"""
    (folder / "x.toml").write_text(text, encoding="utf-8")
    scenario = Scenario.load(folder / "x.toml")
    hop = scenario.to_dict()["path"]["hop"][0]
    changes = [{"at": "1.5s", "delay": "1.2s"}, {"at": "1.7s", "delay": "0.1s"}]
    trace = {"kind": "trace", "lost": [0, 1, 0]}
    assert hop["channel"] == {**trace, "clock": "1ms"}
    assert hop["gate"] == {"kind": "schedule", "toggles": ["3.0s", "3.3s", "6.25s"]}
    assert hop["delays"] == changes
    assert hop["back"] == {"delays": changes, "channel": {"kind": "series", "of": [trace]}}
    documents().validate(scenario.to_dict())
    (folder / "y.toml").write_text(scenario.to_toml(), encoding="utf-8")
    hashes = [point.hash for point in scenario.points()]
    assert [point.hash for point in Scenario.load(folder / "y.toml").points()] == hashes
    (folder / "data" / "losses.csv").write_text("lost\n0\n1\n1\n", encoding="utf-8")
    assert [point.hash for point in Scenario.load(folder / "x.toml").points()] != hashes
    monkeypatch.chdir(folder)
    built = spec.Hop(rate="1Mbps", delay="1ms", gate=spec.Schedule(file="toggles.csv"))
    here = Scenario(profile="ns2", tcp=spec.Ns2Tcp(variant="reno"), path=spec.Path(hop=[built]))
    assert here.to_dict()["path"]["hop"][0]["gate"]["toggles"] == hop["gate"]["toggles"]


def test_a_document_with_files_obeys_the_schema() -> None:
    hop = {
        "rate": "1Mbps",
        "delay": "1ms",
        "delays": "x.csv",
        "channel": {"kind": "trace", "file": "x.csv"},
        "gate": {"kind": "schedule", "file": "x.csv"},
    }
    documents().validate({**BASE, "path": {"hop": [hop]}})
    both = {"kind": "trace", "file": "x.csv", "lost": [0]}
    with pytest.raises(jsonschema.ValidationError):
        documents().validate({**BASE, "path": {"hop": [{**hop, "channel": both}]}})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "losses.csv: No such file or directory"),
        (b"", "line 1: no column 'lost'"),
        (b"lots\n1\n", "losses.csv: line 1: no column 'lost' (there is 'lots')"),
        (b"lost\n", "losses.csv: no rows below its header"),
        (b"lost\n0\n2\n", "losses.csv: line 3: lost: '2' is not 0 or 1"),
        (b"a,lost\n0,1\n0\n", "losses.csv: line 3: lost: '' is not 0 or 1"),
        (b"lost\n0\n\nnan\n", "losses.csv: line 4: lost: 'nan' is not 0 or 1"),
        (b"lost\n\xff\n", "losses.csv: not UTF-8 text (at byte 5)"),
        (b"lost\n" + b"0\n" * (MOST_ROWS + 1), "losses.csv: line 1000002: more than 1000000 rows"),
    ],
)
def test_a_mistake_in_a_file_names_file_line_and_value(
    content: bytes | None, words: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "losses.csv").write_bytes(content)
    with pytest.raises(InputError) as caught:
        with_channel(tmp_path, file="losses.csv")
    line = str(caught.value)
    assert line.startswith(f"x.toml: path.hop[0].channel.file: {tmp_path}")
    assert words in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"file": "x.csv", "lost": [0]}, "channel.lost: give either this or file, 'x.csv'"),
        ({"file": 3}, "channel.file: file = 3: must be the name of a file"),
        ({"file": ["a.csv", "b.csv"]}, "channel.file: file = ['a.csv', 'b.csv']: must be the name"),
        ({}, "channel.lost: missing"),
    ],
)
def test_what_names_no_file(table: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        with_channel(tmp_path, **table)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("1,0.1\n1,0.2\n", "line 3: time: 1 comes after 1, but times must increase"),
        ("1,0.1\n2,-0.2\n", "line 3: delay: '-0.2' is not a time in s, 0 or more"),
        (
            "".join(f"{i},0\n" for i in range(MOST_CHANGES + 1)),
            "line 100002: more than 100000 rows",
        ),
        ("1,0.1\ninf,0\n", "line 3: time: 'inf' is not a time in s"),
    ],
)
def test_delays_from_a_file(rows: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("time,delay\n" + rows, encoding="utf-8")
    hop = {"rate": "1Mbps", "delay": "1ms", "back": {"delays": "d.csv"}}
    with pytest.raises(InputError) as caught:
        Scenario.from_dict({**BASE, "path": {"hop": [hop]}}, folder=tmp_path)
    assert f"path.hop[0].back.delays: {tmp_path / 'd.csv'}: {words}" in str(caught.value)


def test_repr_of_a_long_list_is_short(tmp_path: Path) -> None:
    scenario = with_channel(tmp_path, lost=[0, 1] * 5000)
    assert len(repr(scenario)) < 600
    assert len(scenario._repr_html_()) < 2000
