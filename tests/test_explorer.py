"""The page of `airtcp explore`: its server, and what it computes beside the core.

Others are in test_explorer_runs.py and test_explorer_use.py.
"""

from __future__ import annotations

import ast
import gzip
import json
import random
import re
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from http.server import ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import special

import airtcp as at
import explorer_cases as cases
from airtcp import Scenario, _native
from airtcp.cli.explore import PAGE_FOLDER
from airtcp.cli.explore_server import create_server
from airtcp.cli.main import main
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import averaged_ratios, units_of_point
from airtcp.models.zoo import ZOO, Conditions
from airtcp.models.zoo.model import ModelAnswer
from airtcp.models.zoo.path import conditions_of_point
from airtcp.stats.intervals import mean_intervals
from explorer_page import HUNG, WEB, needs_page, node
from modules import module


@needs_page
def test_the_notices_name_packages_crates_and_measured_links() -> None:
    notices = (PAGE_FOLDER / "LICENSES-THIRD-PARTY.txt").read_text("utf-8")
    for words in ("preact 11", "serde_json 1", "from FjordLink", "(c) 2020 Microsoft"):
        assert words in notices, words


@needs_page
def test_the_core_is_less_than_one_and_a_half_megabytes_on_the_way() -> None:
    core = (PAGE_FOLDER / "airtcp.wasm").read_bytes()
    assert len(gzip.compress(core, 9)) < 1_500_000


def test_a_new_page_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = module("explorer")
    for name in ("PAGE_FOLDER", "BUILT", "OLD"):
        monkeypatch.setattr(explorer, name, tmp_path / name)
    for content in ("first", "second"):
        (tmp_path / "BUILT").mkdir()
        (tmp_path / "BUILT" / f"{content}.html").write_text(content, encoding="utf-8")
        explorer.swap()
        assert [path.name for path in tmp_path.rglob("*")] == ["PAGE_FOLDER", f"{content}.html"]


def test_a_site_has_the_page_where_it_can_be_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    explorer = module("explorer")
    built, site = tmp_path / "built", tmp_path / "site"
    for folder, text in ((built, "page"), (site, "how to get it")):
        folder.mkdir()
        (folder / "index.html").write_text(text, encoding="utf-8")
    monkeypatch.setattr(explorer, "PAGE_FOLDER", built)
    monkeypatch.setattr(sys, "argv", ["explorer.py", "--site", str(site)])
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "index.html").write_text("page", encoding="utf-8")
    build = lambda: (tmp_path / "kept").rename(built)  # noqa: E731
    monkeypatch.setattr(explorer, "build", build)
    for lacking, text in (("no node", "how to get it"), ("", "page")):
        monkeypatch.setattr(explorer, "lacking", lambda said=lacking: said)
        assert explorer.main() == 0
        assert (site / "index.html").read_text("utf-8") == text
        assert built.exists() == (lacking == "")
    said = f"{site} is without the page of airtcp explore: no node\n"
    assert capsys.readouterr().err == said


# The server.


def test_without_the_page_a_line_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airtcp.cli.explore.PAGE_FOLDER", tmp_path)
    done = CliRunner().invoke(main, ["explore"])
    assert done.exit_code == 2
    assert done.stderr == (
        "error: this installation is without the page: run make web in a clone of the repository\n"
    )


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    """A server of a small folder with a document."""
    (tmp_path / "index.html").write_text("<p>page", encoding="utf-8")
    (tmp_path / "airtcp.wasm").write_bytes(b"wasm")
    (tmp_path / "page.js").write_text("0", encoding="utf-8")
    with create_server(tmp_path, b'{"profile": "zorzi"}') as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def response_to(server: ThreadingHTTPServer, path: str, **headers: str) -> HTTPResponse:
    """The answer to a request."""
    connection = HTTPConnection(*server.server_address[:2], timeout=HUNG)
    connection.request("GET", path, headers=headers)
    return connection.getresponse()


def test_types_and_policy_are_those_that_a_browser_needs(served: ThreadingHTTPServer) -> None:
    types = {
        "/": "text/html; charset=utf-8",
        "/page.js": "text/javascript; charset=utf-8",
        "/airtcp.wasm": "application/wasm",
        "/given.json": "application/json",
    }
    for path, kind in types.items():
        answer = response_to(served, path)
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
    assert response_to(served, "/given.json").read() == b'{"profile": "zorzi"}'


def test_it_serves_this_machine_and_this_folder_alone(served: ThreadingHTTPServer) -> None:
    assert served.server_address[0] == "127.0.0.1"
    for foreign in ("elsewhere.example:80", "elsewhere.example", "127.0.0.1.example", "[", ""):
        assert response_to(served, "/given.json", Host=foreign).status == 403, foreign
    assert response_to(served, "/%2e%2e/%2e%2e/etc/passwd").status == 404
    assert response_to(served, "/nothing").status == 404


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.1:80", "LOCALHOST:8080"])
def test_it_answers_with_and_without_a_port_in_the_name(
    served: ThreadingHTTPServer, host: str
) -> None:
    assert response_to(served, "/given.json", Host=host).status == 200


def test_a_folder_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    with create_server(tmp_path, None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        assert response_to(server, "/secret/").status == 404
        assert response_to(server, "/given.json").status == 404
        server.shutdown()
        thread.join()


def test_the_command_serves_the_scenario_until_it_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>page", encoding="utf-8")
    script = (
        "import signal, sys; from pathlib import Path; import airtcp.cli.explore as explore;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "explore.PAGE_FOLDER = Path(sys.argv.pop(1)); from airtcp.cli.main import main; main()"
    )
    example = WEB.parent / "examples" / "window.toml"
    words = ["explore", str(example), "--set", "tcp.window=9", "--no-browser"]
    command = [sys.executable, "-c", script, str(tmp_path), *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            port = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#given\n", line)
            assert port is not None, line
            connection = HTTPConnection("127.0.0.1", int(port[1]), timeout=HUNG)
            connection.request("GET", "/given.json")
            assert json.loads(connection.getresponse().read())["tcp"]["window"] == 9
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=HUNG)
        finally:
            process.kill()
    assert (process.returncode, said) == (130, "interrupted\n")


# Computations of the page itself.


LINK = {"rate": "2Mbps", "delay": "20ms", "queue": 50}
SHORT = {"profile": "rfc", "path": {"hop": [LINK]}, "stop": {"time": "1s", "replications": 2}}
CUBIC = {"kind": "cubic", "beta": 0.6, "c": 1.0}
# Documents, what chooses two of their points, and the places of these.
PAIRS: list[tuple[dict[str, Any], list[dict[str, Any]], list[int]]] = [
    (SHORT | {"tcp": {"variant": "sack"}}, [{}, {}], [0, 0]),
    (
        SHORT | {"tcp": {"variant": ["reno", "sack", "tahoe"]}},
        [{}, {"tcp.variant": "tahoe"}],
        [0, 2],
    ),
    (
        SHORT | {"tcp": {"variant": ["reno", "sack"], "window": [20, 30]}},
        [{"tcp.window": 30}, {"tcp.variant": "sack", "tcp.window": 20}],
        [1, 2],
    ),
    (
        SHORT
        | {"tcp": {"variant": ["reno", "sack"]}}
        | {
            "case": [
                {"name": "a", "path.hop[0].drop": [[3, 1]]},
                {"name": "b", "path.hop[0].drop": []},
            ]
        },
        [{}, {}],
        [0, 1],
    ),
    (
        SHORT
        | {"tcp": {"variant": "sack", "window": [20, 30]}}
        | {
            "case": [
                {"name": "a", "tcp.congestion": CUBIC},
                {"name": "b"},
                {"name": "c", "tcp.dupacks": 4},
            ]
        },
        [{"case": "a", "tcp.window": 30}, {"case": "c", "tcp.window": 20}],
        [1, 4],
    ),
]


@pytest.fixture(scope="module")
def computed() -> dict[str, Any]:
    """Answers of the page to `asked`, and `asked` itself."""
    asked = {
        "quantiles": [[p, n] for p in (0.6, 0.95, 0.975, 0.9995) for n in (1, 2, 3, 9, 29, 1000)],
        "intervals": intervals(),
        "metrics": [runs_of(scenario) for scenario in scenarios()],
        "documents": documents(),
        "fragments": broken(),
        "state": STATE,
        "forms": cases_of_copies(),
        "series": series(),
        "paths": [described(point) for scenario in paths() for point in scenario.points()],
        "points": [point_of(hop) for hop in HOPS],
        "pairs": [
            {
                "document": document,
                "choices": choices,
                "points": [
                    {"scenario": point.data} for point in Scenario.from_dict(document).points()
                ],
            }
            for document, choices, _ in PAIRS
        ],
    }
    return {"asked": asked, **node("statistics.mjs", asked)}


def intervals() -> list[list[float]]:
    draw = np.random.default_rng(1)
    some = [draw.lognormal(size=n).tolist() for n in (2, 3, 10, 30, 100)]
    return [*some, [3.3] * 7, [0.1, 0.1, 0.1], [5.0], (1e6 + draw.normal(size=20)).tolist()]


def scenarios() -> list[Scenario]:
    loss = {"kind": "iid", "loss_rate": 0.03}
    hop = {"rate": "5Mbps", "delay": "10ms", "queue": 20, "channel": loss}
    slots = {"profile": "zorzi", "tcp": {"variant": "reno", "window": 8}, "channel": loss}
    path = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    made = [
        slots | {"stop": {"slots": 2000}},
        path | {"stop": {"time": "4s"}},
        path | {"profile": "linux", "tcp": {"congestion": "cubic"}, "stop": {"time": "4s"}},
    ]
    return [Scenario.from_dict(document) for document in made]


def runs_of(scenario: Scenario) -> dict[str, Any]:
    """Counts of six runs, and their scales, as the page has them."""
    point = scenario.points()[0]
    names = layout_of(point).names
    runner = _native.Runner(1)
    runner.submit(0, point.compiled, 1, range(6), False)
    rows = []
    while runner.outstanding:
        rows += runner.wait()
    counts = [np.frombuffer(row[2], "<i8").tolist() for row in sorted(rows)]
    [[bits, slot, fragments]] = units_of_point(point).tolist()
    scales = {"family": point.family, "payloadBits": bits}
    scales |= {"slotSeconds": slot, "fragments": fragments} if point.family == "slot" else {}
    return {"runs": [dict(zip(names, count, strict=True)) for count in counts], "scales": scales}


def documents() -> list[Any]:
    hostile = {
        "title": '<script>alert("1")</script>\n\t\x7f\\ é\U0001f4f6 \x9b31m \u202eend\u2066',
        "a b.c": {'"': [1, "x"]},
    }
    numbers = {"a": 1e300, "b": 1e-7, "c": -0.5, "d": 2**53, "e": [0.1, 2], "f": True, "g": {}}
    nested = {"x": [{"y": [{"z": 1}, {"z": 2}]}, {"y": []}], "t": {"from": 1, "to": 2, "points": 3}}
    return [json.loads(example.document) for example in cases.EXAMPLES] + [hostile, numbers, nested]


# Hops whose highest rate is 8 Mbit/s, or not known; 10 s of them are 10,000 packets of 8000 bits.
CHANGES = [{"at": "0s", "rate": "5Mbps"}, {"at": "1s", "rate": "8Mbps"}]
LINES = "0 8000000\n1000000000 0\n"
KNOWN: list[dict[str, Any]] = [
    {"rate": "8Mbps"},
    {"rates": CHANGES},
    {"rates": {"kind": "steps", "values": CHANGES, "end": "repeat"}},
    {"rates": {"kind": "steps", "values": LINES}},
    {"rates": {"kind": "sine", "mean": "6Mbps", "amplitude": "2Mbps", "period": "1s"}},
    {"rates": {"kind": "random-walk", "low": "0bps", "high": "8Mbps", "step": "1Mbps"}},
    {"rates": {"kind": "autoregressive", "levels": [{"rate": "8Mbps", "share": 1}]}},
    {"rate": "8Mbps", "opportunities": [3, 10]},
]
UNKNOWN: list[dict[str, Any]] = [{}, {"rates": "a.csv"}, {"rates": {"kind": "new"}}, {"rate": 8}]
BURST = {"rate": "1Mbps", "opportunities": [*range(0, 1000), 99_999]}
HOPS = [*KNOWN, BURST, *UNKNOWN]


def point_of(hop: dict[str, Any]) -> dict[str, Any]:
    """A point of the page with one hop and no chance in it."""
    scenario = {"path": {"hop": [hop]}, "stop": {"time": "10s"}}
    return {"scenario": scenario, "family": "path", "random": False, "payload_bits": [8000]}


def broken() -> list[str]:
    """Fragments that hold no state: cut, changed, or of something else."""
    draw = random.Random(1)
    alphabet = "ABCxyz0189-_=#%<\"'é\0"
    some = ["", "#", "#1", "#2e30", "#1e30", "#given", "#1W10", "#1bnVsbA", "#1" + "A" * 10**6]
    return some + [
        "#1" + "".join(draw.choices(alphabet, k=draw.randrange(60))) for _ in range(9991)
    ]


def close(found: Any, expected: Any, rtol: float) -> bool:
    return bool(np.allclose(np.array(found, float), expected, rtol=rtol, atol=0, equal_nan=True))


@needs_page
def test_quantiles_of_t_are_those_of_scipy(computed: dict[str, Any]) -> None:
    expected = [special.stdtrit(n, p) for p, n in computed["asked"]["quantiles"]]
    assert close(computed["quantiles"], expected, 1e-10)


@needs_page
def test_intervals_are_those_of_python(computed: dict[str, Any]) -> None:
    pairs = zip(computed["asked"]["intervals"], computed["intervals"], strict=True)
    for values, found in pairs:
        expected = mean_intervals(np.array([values]))
        for name in ("mean", "sd", "low", "high"):
            assert close(found[name], expected[name][0], 1e-9), (name, values)


@needs_page
def test_metrics_are_those_of_python(computed: dict[str, Any]) -> None:
    for asked, found in zip(computed["asked"]["metrics"], computed["metrics"], strict=True):
        runs, scales = asked["runs"], asked["scales"]
        columns = {name: np.array([run[name] for run in runs]) for name in runs[0]}
        of = [scales["payloadBits"], scales.get("slotSeconds", np.nan), scales.get("fragments", 1)]
        expected = averaged_ratios(columns, scales["family"], np.zeros(6, int), *of)
        assert found.keys() == expected.keys()
        assert {"goodput_bps"} <= found.keys()
        for name, values in expected.items():
            assert close(found[name], values, 1e-9), name


# Controls of terminals and marks that change the direction of what is read.
HIDDEN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
STATE = {
    "view": "compare",
    "metric": "goodput_bps",
    "seed": 7,
    "pair": [{"tcp.window": 3}, {}],
    "span": [0.5, 2],
}


@needs_page
def test_documents_survive_toml_and_the_address(computed: dict[str, Any]) -> None:
    every = computed["asked"]["documents"]
    for document, text, state in zip(every, computed["toml"], computed["states"], strict=True):
        assert tomllib.loads(text) == document
        assert not HIDDEN.search(text)
        assert state == {"document": document, **STATE}


@needs_page
def test_an_address_of_an_earlier_version_explores(computed: dict[str, Any]) -> None:
    assert computed["earlier"] == {
        "view": "explore",
        "document": {},
        "metric": "a",
        "seed": 0,
        "pair": [{}, {}],
        "span": None,
    }


def cases_of_copies() -> list[Any]:
    """Documents that a copy must keep."""
    texts = {
        "title": "END\x9b\u200f",
        "x": "'\"\\\n$(id) \u2028 é\U0001f4f6",
        "none": {},
        "deep": [[1], []],
    }
    return [json.loads(example.document) for example in cases.EXAMPLES] + [
        texts,
        {"a": True, "b": None},
    ]


@needs_page
def test_copies_as_python_and_as_command_keep_the_document(computed: dict[str, Any]) -> None:
    for document, python, command in zip(
        computed["asked"]["forms"], computed["python"], computed["command"], strict=True
    ):
        value = python.partition("from_dict(")[2].rpartition(")\nprint")[0]
        assert ast.literal_eval(value) == document
        head, _, rest = command.partition("\n")
        content, _, last = rest.partition("\nEND\n")
        assert (head, last) == (
            "cat > scenario.toml <<'END'",
            "airtcp run scenario.toml --seed 3\n",
        )
        kept = {key: value for key, value in document.items() if value is not None}
        assert tomllib.loads(content) == kept
        assert not HIDDEN.search(python + command)


PROBING = ("tahoe", "reno", "adaptive", "skip")


def paths() -> list[Scenario]:
    """Links of independent losses that the formulas cover, leave out, or cover out of range."""
    losses = {"kind": "iid", "loss_rate": [0.0, 2e-5, 3e-4, 2e-3, 0.02, 0.2]}
    delays = ["1ms", "20ms", "150ms", "400ms"]
    rfc: dict[str, Any] = {"profile": "rfc", "tcp": {"variant": "sack"}}
    hop = {"rate": ["2Mbps", "100Mbps"], "delay": delays, "queue": 50, "channel": losses}
    made = [
        {"profile": "linux", "tcp": {"congestion": ["reno", "cubic", "bbr"]}},
        {"profile": "linux", "tcp": {"congestion": "reno", "sack": False}},
        {"profile": "rfc", "tcp": {"variant": ["tahoe", "reno", "sack"], "window": [20, 4000]}},
        {"profile": "rfc", "tcp": {"variant": [f"{name}-probing" for name in PROBING]}},
        rfc | {"tcp": {"variant": "sack", "congestion": {"kind": "cubic", "beta": 0.6, "c": 1.0}}},
        rfc | {"tcp": {"variant": "sack", "delayed_ack": ["0s", "200ms"]}},
        rfc | {"profile": "ns2"},
        rfc | {"flow": [{"packets": 100}]},
        rfc | {"flow": [{"count": 2}]},
        rfc | {"traffic": [{"rate": "1Mbps", "packet": "500B"}]},
    ]
    stop = {"path": {"hop": [hop]}, "stop": {"time": "10s"}}
    burst = hop | {"channel": {"kind": "burst", "loss_rate": 0.01, "mean_burst": 4}}
    two = rfc | {"path": {"hop": [hop, hop]}, "stop": {"time": "10s"}}
    bursts = {
        "profile": "linux",
        "tcp": {"congestion": "reno"},
        "path": {"hop": [burst]},
        "stop": {"time": "10s"},
    }
    return [
        Scenario.from_dict(document)
        for document in [*(stop | document for document in made), two, bursts]
    ]


def described(point: at.Point) -> dict[str, Any]:
    """A point as the core describes it to the page."""
    return {"scenario": point.data, "implied": _native.implied(point.compiled)[0]}


@needs_page
def test_formulas_are_those_of_python(computed: dict[str, Any]) -> None:
    """The page answers less often, yet in its one hop as often, and with the same numbers."""
    answered = 0
    every = [point for scenario in paths() for point in scenario.points()]
    for point, found in zip(every, computed["formulas"], strict=True):
        at, hops = conditions_of_point(point), point.data["path"]["hop"]
        covered = {} if isinstance(at, str) else answers(at.conditions)
        if not covered or len(hops) > 1 or hops[0]["channel"]["kind"] != "iid":
            assert isinstance(found, str)
        else:
            [(name, answer)] = covered.items()
            assert found["name"] == name
            assert close(found["packetsPerSecond"], answer.throughput, 1e-12)
            assert found["withinRange"] == (not answer.outside)
            answered += 1
    assert answered > 200


def answers(at: Conditions) -> dict[str, ModelAnswer]:
    """The formulas of the page that cover a point, by name."""
    found = {name: ZOO[name].answer_or_refusals(at) for name in ("mathis", "rfc9438")}
    return {name: value for name, value in found.items() if isinstance(value, ModelAnswer)}


def series() -> list[list[float]]:
    """Values over 40 pixels: none, one, few, and many to a pixel."""
    draw = np.random.default_rng(3)
    return [draw.normal(size=n).tolist() for n in (0, 1, 30, 41, 4000)]


@needs_page
def test_thinned_lines_show_every_peak(computed: dict[str, Any]) -> None:
    """In each pixel the lowest and the highest value, and no more points than pixels need."""
    for lines in computed["thinned"]:
        for values, found in zip(computed["asked"]["series"], lines, strict=True):
            points = np.array(found).reshape(-1, 2)
            assert len(points) <= min(2 * len(values) + 40, 6 * 41)
            xs = 40 * np.arange(len(values)) / max(1, len(values))
            for x in range(40):
                inside = np.array(values)[np.floor(xs) == x]
                near = points[(points[:, 0] >= x - 1) & (points[:, 0] < x + 2), 1]
                assert inside.size == 0 or near.max() >= inside.max()
                assert inside.size == 0 or near.min() <= inside.min()


@needs_page
def test_a_thinned_line_of_steps_holds_each_value_until_the_next(computed: dict[str, Any]) -> None:
    """Its pieces lie along or upright, and it is that of all points where a pixel has one."""
    _, stepped = computed["thinned"]
    for values, found in zip(computed["asked"]["series"], stepped, strict=True):
        points = np.array(found).reshape(-1, 2)
        assert (np.diff(points, axis=0) == 0).any(axis=1).all()
        if len(values) == 30:
            ys = points[:, 1].tolist()
            assert ys == [values[0], *(y for pair in pairwise(values) for y in pair)]


@needs_page
def test_a_raster_keeps_every_pixel(computed: dict[str, Any]) -> None:
    """Joined rectangles cover the pixels of all points, and no others."""
    for values, found in zip(computed["asked"]["series"], computed["rastered"], strict=True):
        pixels = {
            (int(40 * i / len(values)), int(10 * value + 50)) for i, value in enumerate(values)
        }
        covered = [
            (int(x), int(y) + i)
            for x, y, _, high in np.array(found).reshape(-1, 4)
            for i in range(int(high))
        ]
        assert sorted(covered) == sorted(pixels)


@needs_page
def test_answers_are_kept_by_their_bytes(computed: dict[str, Any]) -> None:
    """A failed one is made again, one that had to go too, and the last two never."""
    assert computed["kept"] == ["x", "a", "b", "d", "b", "e", "f"]


@needs_page
def test_two_points_are_chosen_and_copied_alone(computed: dict[str, Any]) -> None:
    """Values that vary may be lists, and points may be of cases."""
    for (document, _, places), found in zip(PAIRS, computed["pairs"], strict=True):
        assert found["places"] == places
        points = Scenario.from_dict(document).points()
        alone = Scenario.from_dict(found["document"]).points()
        expected = [points[place] for place in dict.fromkeys(places)]
        assert [without_case(point) for point in alone] == [
            without_case(point) for point in expected
        ]


def without_case(point: at.Point) -> dict[str, Any]:
    return {key: value for key, value in point.data.items() if key != "case"}


@needs_page
def test_cells_of_a_table_are_no_formulas(computed: dict[str, Any]) -> None:
    assert computed["csv"] == '\'=1+1,"a""b,c",-1.5,\r\n\'\t=1,"\'\r=1",\'=,a\r\n'


@needs_page
def test_a_fragment_without_a_state_is_none(computed: dict[str, Any]) -> None:
    assert set(map(type, computed["broken"])) == {type(None)}


@needs_page
def test_the_estimate_of_work_knows_every_way_to_give_a_rate(computed: dict[str, Any]) -> None:
    """Two microseconds for a packet; what is not known counts as endless, and is asked about."""
    known, burst, unknown = np.split(
        np.array(computed["costs"], float), [len(KNOWN), len(KNOWN) + 1]
    )
    assert close(known, np.full(len(KNOWN), 0.02), 1e-9)
    # A tenth of the trace, with all of its opportunities.
    assert close(burst, np.array([1001 * 1504 * 8 / 8000 * 2e-6]), 1e-9)
    assert np.isinf(unknown).all()
    few, minutes, more, endless = computed["questions"]
    assert few == ""
    assert (minutes, more) == ("This may take 2 minutes here.", "This may take 50 minutes here.")
    assert endless == "How long this takes here is not known."


@needs_page
def test_addresses_from_2_gib_on_are_no_negative_numbers(computed: dict[str, Any]) -> None:
    assert computed["high"] == {"columns": []}
