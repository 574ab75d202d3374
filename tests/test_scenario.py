"""Scenarios: files, dictionaries, dataclasses; sweeps; and one line for every mistake."""

from __future__ import annotations

import datetime
import json
import pickle
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp
from airtcp import Scenario, TwoState, spec
from airtcp.errors import InputError
from schemas import documents

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))
BASE: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": "reno"},
    "channel": {"kind": "iid", "loss_rate": 0.1},
}
RAYLEIGH = {"kind": "rayleigh-two-state", "doppler": 0.01}


def document_with(**changes: Any) -> dict[str, Any]:
    return {**BASE, **changes}


def channel(**values: Any) -> dict[str, Any]:
    return document_with(channel=values)


ITSELF: list[Any] = []
ITSELF.append(ITSELF)

# Each mistake, and what its one line must name: key, value, what is allowed.
MISTAKES: dict[str, tuple[Any, list[str]]] = {
    "no profile": ({"tcp": {}}, ["profile", "missing", "zorzi"]),
    "unknown profile": (
        document_with(profile="zorz"),
        ["profile", '"zorz"', 'did you mean "zorzi"'],
    ),
    "unknown section": (document_with(chanel={}), ['"chanel"', 'did you mean "channel"', "tcp"]),
    "unknown key": (
        document_with(tcp={"variant": "reno", "windw": 6}),
        ["tcp: ", '"windw"', 'did you mean "window"', "dupacks"],
    ),
    "no variant": (document_with(tcp={"window": 6}), ["tcp.variant", "missing"]),
    "unknown variant": (
        document_with(tcp={"variant": "cubic"}),
        ["tcp.variant", '"cubic"', "oldtahoe, tahoe, reno, newreno"],
    ),
    "window zero": (
        document_with(tcp={"variant": "reno", "window": 0}),
        ["tcp.window", "0", "from 1 to"],
    ),
    "window negative": (
        document_with(tcp={"variant": "reno", "window": -3}),
        ["tcp.window", "-3", "1"],
    ),
    "window fraction": (
        document_with(tcp={"variant": "reno", "window": 2.5}),
        ["tcp.window", "2.5", "whole number from 1"],
    ),
    "window text": (
        document_with(tcp={"variant": "reno", "window": "6"}),
        ["tcp.window", '"6"', "whole"],
    ),
    "window true": (document_with(tcp={"variant": "reno", "window": True}), ["tcp.window", "true"]),
    "window huge": (
        document_with(tcp={"variant": "reno", "window": 10**30}),
        ["tcp.window", "1000000"],
    ),
    "inflation number": (
        document_with(tcp={"variant": "reno", "inflation": 1}),
        ["tcp.inflation", "1", "true or false"],
    ),
    "empty axis": (
        document_with(tcp={"variant": []}),
        ["tcp.variant", "empty", "at least one value"],
    ),
    "nested axis": (document_with(tcp={"variant": [["reno"]]}), ["tcp.variant", "list of lists"]),
    "bad item": (
        document_with(tcp={"variant": "reno", "window": [6, 0]}),
        ["tcp.window[1]", "0", "whole number from 1"],
    ),
    "section is a number": (document_with(tcp=3), ["tcp", "3", "table"]),
    "timer too short for Reno": (
        document_with(tcp={"variant": "reno", "window": 24, "timeout": 24}),
        ["tcp.timeout", "24", "reno", "at least 25"],
    ),
    "timer too short for Tahoe": (
        document_with(tcp={"variant": "tahoe", "window": 24, "timeout": 23}),
        ["tcp.timeout", "23", "tahoe", "at least 24"],
    ),
    "rate without unit": (document_with(link={"rate": 1.5}), ["link.rate", "1.5", '"1.5Mbps"']),
    "rate in bytes": (document_with(link={"rate": "3MB"}), ["link.rate", '"3MB"', "Mbps, Gbps"]),
    "negative rate": (document_with(link={"rate": "-3Mbps"}), ["link.rate", '"-3Mbps"', "1bps"]),
    "NaN rate": (document_with(link={"rate": "nanMbps"}), ["link.rate", "nanMbps", "units"]),
    "size in bits": (document_with(link={"packet": "3Mbps"}), ["link.packet", '"3Mbps"', "KiB"]),
    "probability above 1": (
        channel(kind="iid", loss_rate=1.5),
        ["channel.loss_rate", "1.5", "from 0 to 1"],
    ),
    "probability below 0": (
        channel(kind="iid", loss_rate=-0.1),
        ["channel.loss_rate", "-0.1", "from 0 to 1"],
    ),
    "NaN": (channel(kind="iid", loss_rate=float("nan")), ["channel.loss_rate", "nan", "finite"]),
    "infinity": (channel(kind="iid", loss_rate=float("inf")), ["channel.loss_rate", "inf"]),
    "NaN in a list": (
        channel(kind="iid", loss_rate=[0.1, float("-inf")]),
        ["channel.loss_rate[1]", "-inf", "finite"],
    ),
    "a date": (
        channel(kind="iid", loss_rate=datetime.date(2000, 7, 1)),
        ["channel.loss_rate", "2000-07-01", "not a number"],
    ),
    "no kind": (channel(loss_rate=0.1), ["channel.kind", "missing", "iid, two-state, burst"]),
    "unknown kind": (channel(kind="burts"), ["channel.kind", '"burts"', 'did you mean "burst"']),
    "missing parameter": (channel(kind="burst", loss_rate=0.1), ["channel.mean_burst", "missing"]),
    "burst too short": (
        channel(kind="burst", loss_rate=0.9, mean_burst=1),
        ["channel.mean_burst", "1"],
    ),
    "no way out": (channel(kind="two-state", p_gb=0, p_bg=0), ["channel.p_bg", "both 0"]),
    "neither margin nor rate": (
        document_with(channel=RAYLEIGH),
        ["channel.loss_rate", "exactly one"],
    ),
    "margin and rate": (
        document_with(channel={**RAYLEIGH, "loss_rate": 0.1, "fading_margin_db": 10}),
        ["channel.loss_rate", "exactly one", "fading_margin_db"],
    ),
    "range without scale": (
        channel(kind="iid", loss_rate={"from": 0.1, "to": 0.2, "points": 3}),
        ["channel.loss_rate.scale", "missing"],
    ),
    "log range from 0": (
        channel(kind="iid", loss_rate={"from": 0, "to": 0.2, "points": 3, "scale": "log"}),
        ["channel.loss_rate", "positive"],
    ),
    "range of one point": (
        channel(kind="iid", loss_rate={"from": 0.1, "to": 0.2, "points": 1, "scale": "linear"}),
        ["channel.loss_rate.points", "1", "from 2"],
    ),
    "range past the end": (
        channel(kind="iid", loss_rate={"from": 0.5, "to": 1.5, "points": 3, "scale": "linear"}),
        ["channel.loss_rate", "1.5", "from 0 to 1"],
    ),
    "list of slots": (document_with(stop={"slots": [1, 2]}), ["stop.slots", "list is not allowed"]),
    "no slots": (document_with(stop={"slots": 0}), ["stop.slots", "0", "from 1 to"]),
    "replications": (
        document_with(stop={"replications": 0}),
        ["stop.replications", "0", "from 1 to"],
    ),
    "method": (
        document_with(analysis={"method": "magic"}),
        ["analysis.method", '"magic"', "embedded"],
    ),
    "negative delay": (document_with(ack={"delay": -1}), ["ack.delay", "-1", "from 0"]),
    "not Unicode": (document_with(title="a\udc80"), ["title: 'a\\udc80' is not Unicode text"]),
    "key not Unicode": (document_with(tcp={"\udc80": 1}), ["tcp: the key '\\udc80' is not a text"]),
    "out of range": (
        document_with(tcp={"variant": "reno", "window": 10**400}),
        ["tcp.window: 1000", "... is out of range"],
    ),
    "thousands of digits": (document_with(title=10**9999), ["title: <int> is out of range"]),
    "contains itself": (document_with(title=ITSELF), ["title: nested too deeply"]),
    "bytes": (
        document_with(title=b"x" * 999),
        ["title: b'xxx", "... (bytes) is not a number, text"],
    ),
    "long text": (document_with(tcp={"variant": "x" * 50_000}), ["tcp.variant", 'xx..."']),
    "key is a number": ({1: 2, **BASE}, ["key 1 ", "text"]),
}


def path(**hop: Any) -> dict[str, Any]:
    hop = {"rate": "1Mbps", "delay": "10ms", **hop}
    return {"profile": "linux", "tcp": {"congestion": "cubic"}, "path": {"hop": [hop]}}


MISTAKES |= {
    "kind in place of a table": (
        path(queue="fq_codel"),
        ["path.hop[0].queue", 'write queue = {kind = "fq-codel"}'],
    ),
    "nearly a kind": (path(channel="idd"), ['write channel = {kind = "iid"}']),
    "hop at the top": (
        {"profile": "linux", "tcp": {}, "hop": [{}]},
        ['unknown key "hop": write [[path.hop]]', "allowed"],
    ),
    "round trip of a hop": (
        path(rtt="40ms"),
        ["path.hop[0]: ", '"rtt"', "a delay, one way: half of the round trip"],
    ),
    "bandwidth": (path(bandwidth="1Mbps"), ["a hop has a rate"]),
    "words of a path on slots": (document_with(rtt="40ms"), ['unknown key "rtt"', "(allowed: "]),
    "hop on slots": (document_with(hop=[]), ['unknown key "hop"; did you mean "stop"?']),
    "words of a hop in tcp": (
        document_with(tcp={"buffer": 5}),
        ['tcp: unknown key "buffer"', "(allowed: "],
    ),
}


@pytest.mark.parametrize(("document", "words"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_line_that_names_it(document: Any, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_dict(document, source="FILE")
    line = str(caught.value)
    assert line.startswith("FILE: ")
    assert "\n" not in line
    assert len(line) < 900
    for word in words:
        assert word in line, line


def test_no_scenario_at_all() -> None:
    with pytest.raises(InputError, match="scenario: a scenario must be a table of keys"):
        Scenario.from_dict([])  # type: ignore[arg-type]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_load_and_obey_the_schema(path: Path) -> None:
    scenario = Scenario.load(path)
    documents().validate(scenario.to_dict())
    assert len(scenario.points()) == len(scenario) > 1
    assert scenario.title


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_survive_every_round_trip(path: Path, tmp_path: Path) -> None:
    scenario = Scenario.load(path)
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    for name, text in (("a.toml", scenario.to_toml()), ("a.json", json.dumps(scenario.to_dict()))):
        copy = tmp_path / name
        copy.write_text(text, encoding="utf-8")
        assert Scenario.load(copy) == scenario
        assert [p.json for p in Scenario.load(copy).points()] == [p.json for p in scenario.points()]


def test_the_dataclasses_say_the_same_as_a_file() -> None:
    built = Scenario(
        title='A "quoted" title, größer',
        profile="zorzi",
        tcp=spec.ZorziTcp(variant=["tahoe", "reno"], window=spec.Range(4, 8, 3, "linear")),
        channel=spec.RayleighTwoState(doppler=0.01, loss_rate=[0.01, 0.1]),
        ack=spec.Ack(delay=2),
    )
    read = Scenario.from_dict(
        {
            "title": 'A "quoted" title, größer',
            "profile": "zorzi",
            "tcp": {
                "variant": ["tahoe", "reno"],
                "window": {"from": 4, "to": 8, "points": 3, "scale": "linear"},
            },
            "channel": {**RAYLEIGH, "loss_rate": [0.01, 0.1]},
            "ack": {"delay": 2},
        }
    )
    assert built == read
    assert hash(built) == hash(read)
    assert built.tcp.window == spec.Range(4, 8, 3, "linear")
    assert len(built) == 12
    assert built.replications == 20


def test_a_stop_rule_is_said_in_a_file_or_in_dataclasses() -> None:
    built = Scenario(
        profile="zorzi",
        tcp=spec.ZorziTcp(variant="reno"),
        channel=spec.Iid(loss_rate=0.1),
        stop=spec.Stop(warmup=100, batches=5, precision=spec.Precision(relative=0.02, least=4)),
    )
    rule = {"relative": 0.02, "confidence": 0.95, "least": 4, "most": 10_000}
    assert built.points()[0].data["stop"]["precision"] == rule
    again = Scenario.from_dict(tomllib.loads(built.to_toml()))
    assert again.stop == built.stop
    assert again.to_dict() == built.to_dict()


def test_dictionaries_and_numpy_stand_for_dataclasses() -> None:
    scenario = Scenario(
        profile="zorzi",
        tcp={"variant": "reno", "window": np.arange(2, 5)},  # type: ignore[arg-type]
        channel=spec.Iid(loss_rate=np.float64(0.1)),
    )
    assert scenario.tcp == spec.ZorziTcp(variant="reno", window=(2, 3, 4))
    assert scenario.to_dict()["tcp"]["window"] == [2, 3, 4]


def test_dataclasses_take_numpy_arrays() -> None:
    arrays = Scenario(
        profile="zorzi",
        tcp=spec.ZorziTcp(variant="reno", window=np.array([6, 8])),  # type: ignore[arg-type]
        channel=spec.GilbertElliott(
            p=np.array([0.1, 0.2]),  # type: ignore[arg-type]
            r=0.5,
            h=np.array([0.0]),  # type: ignore[arg-type]
        ),
    )
    assert arrays.to_dict()["channel"]["p"] == [0.1, 0.2]
    assert len(arrays) == 4
    assert arrays == Scenario.from_dict(arrays.to_dict())


def test_tcp_takes_keys_of_any_profile_as_before() -> None:
    channel = spec.Iid(loss_rate=0.1)
    of_any = Scenario(profile="zorzi", tcp=spec.Tcp(variant="reno", timeout=200), channel=channel)
    of_this = Scenario(
        profile="zorzi", tcp=spec.ZorziTcp(variant="reno", timeout=200), channel=channel
    )
    assert of_any == of_this
    assert isinstance(of_any.tcp, spec.ZorziTcp)
    with pytest.raises(InputError, match=r'"header" is a key of profiles rfc, bsd and linux, not'):
        Scenario(profile="zorzi", tcp=spec.Tcp(variant="reno", header="40B"), channel=channel)


def test_dataclasses_are_checked_too() -> None:
    with pytest.raises(InputError, match=r"^scenario: channel\.loss_rate: 2 is not a number from"):
        Scenario(profile="zorzi", tcp=spec.ZorziTcp(variant="reno"), channel=spec.Iid(loss_rate=2))


def test_a_list_of_channels_is_an_axis() -> None:
    scenario = Scenario.from_dict(
        document_with(
            channel=[{"kind": "iid", "loss_rate": 0.1}, {**RAYLEIGH, "loss_rate": [0.1, 0.2]}]
        )
    )
    assert [point.coordinates for point in scenario.points()] == [
        {
            "tcp.variant": "reno",
            "channel.kind": kind,
            "channel.loss_rate": rate,
            "channel.doppler": doppler,
            "channel.clock": clock,
        }
        for kind, rate, doppler, clock in [
            ("iid", 0.1, None, None),
            ("rayleigh-two-state", 0.1, 0.01, "slot"),
            ("rayleigh-two-state", 0.2, 0.01, "slot"),
        ]
    ]
    assert scenario.channel[1] == spec.RayleighTwoState(doppler=0.01, loss_rate=(0.1, 0.2))  # type: ignore[index]


def test_the_first_axis_of_the_document_varies_slowest() -> None:
    document = {
        "channel": {"kind": "iid", "loss_rate": [0.1, 0.2]},
        "tcp": {"window": [4, 8], "variant": ["tahoe", "reno"]},
        "profile": "zorzi",
    }
    order = [tuple(p.coordinates.values()) for p in Scenario.from_dict(document).points()]
    assert order[:3] == [
        ("tahoe", 4, "iid", 0.1),
        ("reno", 4, "iid", 0.1),
        ("tahoe", 8, "iid", 0.1),
    ]
    assert order[4] == ("tahoe", 4, "iid", 0.2)


def test_coordinates_are_what_varies() -> None:
    scenario = Scenario.from_dict(
        document_with(tcp={"variant": "reno", "window": [6, 8], "dupacks": [3]})
    )
    assert list(scenario.points()[0].coordinates) == ["tcp.variant", "tcp.window", "channel.kind"]


def test_the_end_of_a_path_is_enough_where_one_key_has_it() -> None:
    scenario = Scenario.from_dict(path(queue={"kind": "codel"}))
    assert scenario.replace("rate", "5Mbps").to_dict()["path"]["hop"][0]["rate"] == "5Mbps"
    assert scenario.replace("queue", 7).to_dict()["path"]["hop"][0]["queue"] == 7
    assert scenario.replace("time", "5s").stop.time == "5s"  # it has its default
    two = path()
    two["path"]["hop"] *= 2
    with pytest.raises(InputError, match=r"one of path\.hop\[0\]\.rate, path\.hop\[1\]\.rate"):
        Scenario.from_dict(two).replace("rate", "5Mbps")
    cases = {**BASE, "case": [{"name": "a", "tcp": {"window": 6}}, {"name": "b"}]}
    changed = Scenario.from_dict(cases).replace("window", 9).to_dict()
    assert (changed["tcp"]["window"], changed["case"][0]["tcp"]["window"]) == (9, 6)
    with pytest.raises(InputError, match='unknown key "ratte"'):
        scenario.replace("ratte", "5Mbps")
    with pytest.raises(InputError, match=r"path\.hop has \[0\], counted from 0"):
        scenario.replace("path.hop[3].rate", "5Mbps")


def test_a_misspelt_field_of_a_class_is_refused_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"Hop has no 'dely'; did you mean 'delay'\? \(allowed: "):
        spec.Hop(rate="1Mbps", dely="1ms")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="did you mean 'profile'"):
        spec.Scenario(profil="linux")  # type: ignore[call-arg]


def test_replace_returns_another_scenario() -> None:
    scenario = Scenario.from_dict(BASE)
    assert scenario.replace("tcp.window", 6).tcp.window == 6
    assert scenario.tcp.window is None
    several = scenario.replace({"ack.delay": [0, 8], "channel": spec.Iid(loss_rate=0.5)})
    assert len(several) == 2
    assert several.channel == spec.Iid(loss_rate=0.5)
    assert several.replace("ack", None).ack is None
    assert scenario.replace("tcp.window", spec.Range(4, 8, 5, "linear")).points()[4].data["tcp"][
        "window"
    ] == pytest.approx(8)


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        ("tcp.window", 0, "scenario: tcp.window: 0 is not a whole number from 1 to 1000000"),
        ("tcp.windw", 6, 'scenario: tcp: unknown key "windw"; did you mean "window"?'),
        ("tcp.window.size", 6, "scenario: tcp.window"),
        ("profile.name", 6, "profile.name: profile is 'zorzi', which has no keys"),
        ("channel.loss_rate", float("nan"), "scenario: channel.loss_rate: nan is not a finite"),
        ("title", "\udc80", "scenario: title: '\\udc80' is not Unicode text"),
        ("tcp.window", 10**400, "scenario: tcp.window: 1000"),
        (None, None, 'path = None: must be a dotted path such as "tcp.window"'),
        (3, None, "path = 3: must be a dotted path"),
        (["tcp.window"], 3, "path = ['tcp.window']: must be a dotted path"),
        ({3: 4}, None, "path = 3: must be a dotted path"),
    ],
)
def test_replace_refuses_mistakes(path: Any, value: object, line: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_dict(BASE).replace(path, value)
    assert str(caught.value).startswith(line)


def test_the_hash_names_what_is_simulated_and_is_stable() -> None:
    scenario = Scenario.from_dict(document_with(stop={"slots": 1000}))
    (point,) = scenario.points()
    zero, minus = (scenario.replace("channel.loss_rate", rate).points()[0] for rate in (0.0, -0.0))
    assert zero.hash == minus.hash
    assert point.hash == "0d2225f24b89def8"
    for same in (
        scenario.replace("title", "x"),
        scenario.replace("stop.replications", 3),
        scenario.replace("stop.precision", {"relative": 0.01, "metric": "goodput_bps"}),
        scenario.replace({"stop.warmup": 0, "stop.batches": 1}),
        scenario.replace("analysis.method", "exact"),
        scenario.replace("tcp.window", 24),  # what the profile says anyway
    ):
        assert same.points()[0].hash == point.hash
    for other in (
        scenario.replace("stop.slots", 1001),
        scenario.replace("stop.warmup", 1),
        scenario.replace("stop.batches", 2),
        scenario.replace("tcp.window", 23),
        scenario.replace("channel.loss_rate", 0.1000000001),
        scenario.replace("link.rate", "2Mbps"),
    ):
        assert other.points()[0].hash != point.hash


def test_units_do_not_change_the_hash() -> None:
    first, second = (document_with(link={"rate": rate}) for rate in ("1.5Mbps", "1500kbps"))
    assert Scenario.from_dict(first).points()[0].hash == Scenario.from_dict(second).points()[0].hash


def test_a_point_knows_its_chain() -> None:
    point = Scenario.from_dict(document_with(channel={**RAYLEIGH, "loss_rate": 0.01})).points()[0]
    chain, expected = point.two_state(), TwoState.from_rayleigh(loss_rate=0.01, doppler=0.01)
    assert chain is not None
    assert (chain.p_gb, chain.p_bg) == pytest.approx((expected.p_gb, expected.p_bg), rel=1e-12)
    hidden = channel(kind="gilbert-elliott", p=0.1, r=0.2, h=0.5)
    assert Scenario.from_dict(hidden).points()[0].two_state() is None


def test_repr_says_what_was_given() -> None:
    scenario = Scenario.from_dict(document_with(tcp={"variant": ["tahoe", "reno"]}, title="a<b"))
    assert repr(scenario) == (
        "Scenario(profile='zorzi', tcp.variant=['tahoe', 'reno'], channel.kind='iid',"
        " channel.loss_rate=0.1, title='a<b') [2 points]"
    )
    assert "a&lt;b" in scenario._repr_html_()


# Files


FILES: dict[str, tuple[bytes | None, str]] = {
    "missing": (None, ": no such file"),
    "not TOML": (b"[tcp\nvariant = 1", ": not valid TOML: "),
    "open quote": (
        b'title = "a\nprofile = "zorzi"\n',
        ': not valid TOML: a text without its closing quote, in line 1: title = "a',
    ),
    "key twice": (
        b'title = "a"\n[tcp]\nwindow = 1\nwindow = 2\n',
        ": not valid TOML: the key window occurs twice in one table, the second time in line 4",
    ),
    "open apostrophe": (
        b"title = 'a\nprofile = 'zorzi'\n",
        ": not valid TOML: a text without its closing quote, in line 1: title = 'a",
    ),
    "a table where a value is": (b"title = 1\ntitle.a = 2\n", ": not valid TOML: "),
    "key twice over two lines": (b"a = [1,\n2]\na = [1,\n2]\n", ": not valid TOML: "),
    "not UTF-8": (b"title = '\xff'", ": not UTF-8 text (at byte 9)"),
    "deep": (b"a = " + b"[" * 20000, ": not a TOML scenario: nested too deeply"),
    "rather deep": (b"a = " + b"[" * 300 + b"]" * 300, ": a: nested too deeply"),
    "long number": (b"a = " + b"9" * 5000, ": not valid TOML: "),
    "empty": (b"", ": profile: missing; one of: zorzi"),
    "key of two lines": (b'"a\\nb" = 1\nprofile = "zorzi"', ': unknown key "a\\nb"'),
}


@pytest.mark.parametrize(("content", "line"), FILES.values(), ids=FILES.keys())
def test_unusable_files(content: bytes | None, line: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Scenario.load(path)
    assert str(caught.value).startswith(f"{path}{line}")
    assert "\n" not in str(caught.value)


def test_a_toml_mistake_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('profile = "zorzi"\n[tcp]\nvariant = reno\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 3"):
        Scenario.load(path)


def test_a_directory_is_no_scenario(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory; give a scenario file"):
        Scenario.load(tmp_path)
    with pytest.raises(InputError, match="null byte"):
        Scenario.load("a\0b")
    for wrong in (None, 3, b"a.toml", ""):
        with pytest.raises(InputError, match=r"^file = .*: must be the name of a file"):
            Scenario.load(wrong)  # type: ignore[arg-type]


def test_json_files(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(BASE), encoding="utf-8")
    assert Scenario.load(path) == Scenario.from_dict(BASE)
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(InputError, match="a scenario must be a table of keys"):
        Scenario.load(path)
    for text, line in {
        "{": "not valid JSON",
        '{"tcp": {"a": 1, "a": 2}}': "not valid JSON: the key 'a' occurs twice in one table",
        '{"a": ' + "[" * 900 + "]" * 900 + "}": "a: nested too deeply",
        '{"a": ' + "[" * 9999 + "]" * 9999 + "}": "nested too deeply",
        '{"title": "\\udc80"}': "title: '\\udc80' is not Unicode text",
        '{"title": 1e999}': "title: inf is not a finite number",
    }.items():
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=re.escape(line)) as caught:
            Scenario.load(path)
        assert str(caught.value).startswith(f"{path}: ")


def test_the_public_names() -> None:
    assert set(airtcp.__all__) <= set(dir(airtcp))
    for name in airtcp.__all__:
        assert getattr(airtcp, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'swep'"):
        _ = airtcp.swep  # type: ignore[attr-defined]


def test_a_path_that_only_cases_have_is_a_path() -> None:
    hop = {"rate": "2Mbps", "delay": "10ms", "queue": 20}
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "case": [
            {"name": f"{limit}", "path": {"hop": [hop | {"queue": limit}]}} for limit in (20, 30)
        ],
        "stop": {"time": "2s"},
    }
    scenario = Scenario.from_dict(document)
    assert scenario.family == "path"
    found = airtcp.simulate(scenario, replications=1, links=True)
    assert len(found.summary_of("links")) == 4
