"""The page of `airtcp explore`: its runs equal native ones bit by bit, its statistics Python's.

Tests that need the page, Node and chromium run with AIRTCP_WEB=1 alone, and fail without these.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import special

import explorer_cases as cases
from airtcp import Scenario, _native
from airtcp.cli.explore import PAGE
from airtcp.cli.explore_server import address_of, server_of
from airtcp.cli.main import main
from airtcp.metrics.layout import layout_of
from airtcp.metrics.ratios import averaged_ratios, units
from airtcp.stats.intervals import mean_intervals
from modules import module

WEB = Path(__file__).parent.parent / "web"
RANDOM = 200
HUNG = 590  # seconds after which something does not answer, however busy the machine is


def lacking() -> str:
    """Name a thing that was not built; empty if all is there."""
    if not (PAGE / "airtcp.wasm").exists():
        return "the page is not built: make web"
    if not (WEB / "node_modules" / "playwright-core").exists():
        return "packages of web/ are not installed: make web"
    return ""


needs_page = pytest.mark.skipif(
    os.environ.get("AIRTCP_WEB") != "1",
    reason="make web-test builds the page, and tests it with AIRTCP_WEB=1",
)


def node(script: str, given: Any) -> Any:
    """Answer of a script of web/test to JSON."""
    program, chromium = shutil.which("node"), shutil.which("chromium")
    assert program is not None, "there is no node"
    assert chromium is not None, "there is no chromium"
    assert lacking() == ""
    done = subprocess.run(
        [program, str(WEB / "test" / script)],
        input=json.dumps(given),
        env=os.environ | {"CHROMIUM": chromium},
        capture_output=True,
        text=True,
        check=False,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server_of(PAGE, None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield address_of(server)
        server.shutdown()
        thread.join()


def in_page(address: str, some: list[cases.Case], seed: int) -> list[list[str]]:
    asked = {"address": address, "seed": seed, "room": cases.ROOM}
    found: list[list[str]] = node("digests.mjs", asked | {"cases": [one._asdict() for one in some]})
    return found


@needs_page
def test_runs_in_the_page_equal_native_ones(address: str) -> None:
    every = [*cases.EXAMPLES, *cases.randomised(RANDOM)]
    found = in_page(address, every, 1)
    differ = [one.name for one, of in zip(every, found, strict=True) if of != cases.digests(one, 1)]
    assert differ == []
    assert sum(map(len, found)) > 2 * RANDOM


@needs_page
def test_another_seed_is_seen(address: str) -> None:
    some = [one for one in cases.EXAMPLES if one.name in ("window", "linux", "cross_traffic")]
    found = in_page(address, some, 2)
    for one, of in zip(some, found, strict=True):
        assert not set(of) & set(cases.digests(one, 1))


# The page as people use it.

HOSTILE = [
    "<img src=x onerror='globalThis.injected = 1'>",
    "<script>globalThis.injected = 1</script>",
    "wide" * 3000,
    "\u202eright to left \x00\x1b[31m",
]


def hostile(slots: dict[str, Any]) -> list[dict[str, Any]]:
    """Documents with hostile texts, each with the place where the page shows it."""
    found = [{"document": slots | {"title": one}, "place": "h1", "text": one} for one in HOSTILE]
    for text in HOSTILE[:2]:
        named = {"case": [{"name": text, "tcp.dupacks": 2}, {"name": "b", "tcp.dupacks": 3}]}
        shown = {"place": "tbody th", "text": text}
        found.append({"document": slots | named, **shown})
        for wrong in ({text: 1}, {"tcp": slots["tcp"] | {"variant": text}}):
            found.append({"document": slots | wrong, "place": "[role=alert]", "text": text})
    return found


@pytest.fixture(scope="module")
def seen(address: str) -> dict[str, Any]:
    """Observations of a browser on the page."""
    slots = json.loads(next(one.document for one in cases.EXAMPLES if one.name == "window"))
    asked = {
        "address": address,
        "toml": (WEB.parent / "examples" / "linux.toml").read_text(encoding="utf-8"),
        "hostile": hostile(slots),
    }
    found: dict[str, Any] = node("page.mjs", asked)
    return found


@needs_page
def test_nothing_is_asked_of_others(seen: dict[str, Any], address: str) -> None:
    assert len(seen["requests"]) > 4
    assert {one for one in seen["requests"] if not one.startswith((address, "data:,"))} == set()


@needs_page
def test_everybody_can_use_the_page(seen: dict[str, Any]) -> None:
    """No serious violation of what axe-core checks, in light and dark, and nothing too wide."""
    assert seen["violations"] == []
    assert seen["overflow"] == []


@needs_page
def test_the_keyboard_moves_sliders_and_the_point(seen: dict[str, Any]) -> None:
    assert int(seen["window"]) == 25
    assert "channel.loss_rate = 0.1." in seen["caption"]


@needs_page
def test_controls_are_not_printed(seen: dict[str, Any]) -> None:
    assert sorted(seen["printed"]) == [["div", "none"], ["form", "none"], ["table", "table"]]


@needs_page
def test_the_notices_name_packages_crates_and_measured_links() -> None:
    notices = (PAGE / "LICENSES-THIRD-PARTY.txt").read_text("utf-8")
    for one in ("preact 11", "uplot 1", "serde_json 1", "from FjordLink", "(c) 2020 Microsoft"):
        assert one in notices, one


def test_a_new_page_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = module("explorer")
    for name in ("PAGE", "BUILT", "OLD"):
        monkeypatch.setattr(explorer, name, tmp_path / name)
    for content in ("first", "second"):
        (tmp_path / "BUILT").mkdir()
        (tmp_path / "BUILT" / f"{content}.html").write_text(content, encoding="utf-8")
        explorer.swap()
        assert [one.name for one in tmp_path.rglob("*")] == ["PAGE", f"{content}.html"]


@needs_page
def test_the_address_and_the_copy_are_the_scenario(seen: dict[str, Any]) -> None:
    document = tomllib.loads(seen["toml"])
    assert document["title"] == seen["first"]
    assert document["tcp"]["window"] == 25
    assert seen["again"] == seen["toml"]
    assert Scenario.from_dict(document).points()


@needs_page
def test_a_file_is_opened_or_refused(seen: dict[str, Any]) -> None:
    assert all(name in seen["linux"] for name in ("reno", "cubic", "bbr"))
    assert "x.toml: not valid TOML, in line 2: " in seen["wrong"]
    assert "tcp.congestion[1]: " in seen["refused"]
    assert 'did you mean "cubic"?' in seen["refused"]


@needs_page
def test_hostile_text_is_text(seen: dict[str, Any]) -> None:
    """In titles, names of cases, keys and refusals of values; the page has one script, its own."""
    assert [texts[0] for texts in seen["hostile"][: len(HOSTILE)]] == HOSTILE
    assert len(seen["hostile"]) == len(HOSTILE) + 6
    assert {tuple(one) for one in seen["injected"]} == {(None, 1)}


@needs_page
def test_the_policy_of_the_page_refuses_inline_scripts(seen: dict[str, Any]) -> None:
    assert seen["policy"] == ["script-src-elem", "inline"]


# The server.


def test_without_the_page_a_line_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airtcp.cli.explore.PAGE", tmp_path)
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
    with server_of(tmp_path, b'{"profile": "zorzi"}') as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def asked(server: ThreadingHTTPServer, path: str, **headers: str) -> HTTPResponse:
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
        answer = asked(served, path)
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
    assert asked(served, "/given.json").read() == b'{"profile": "zorzi"}'


def test_it_serves_this_machine_and_this_folder_alone(served: ThreadingHTTPServer) -> None:
    assert served.server_address[0] == "127.0.0.1"
    for foreign in ("elsewhere.example:80", "elsewhere.example", "127.0.0.1.example", "[", ""):
        assert asked(served, "/given.json", Host=foreign).status == 403, foreign
    assert asked(served, "/%2e%2e/%2e%2e/etc/passwd").status == 404
    assert asked(served, "/nothing").status == 404


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.1:80", "LOCALHOST:8080"])
def test_it_answers_with_and_without_a_port_in_the_name(
    served: ThreadingHTTPServer, host: str
) -> None:
    assert asked(served, "/given.json", Host=host).status == 200


def test_a_folder_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    with server_of(tmp_path, None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        assert asked(server, "/secret/").status == 404
        assert asked(server, "/given.json").status == 404
        server.shutdown()
        thread.join()


def test_the_command_serves_the_scenario_until_it_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>page", encoding="utf-8")
    script = (
        "import sys; from pathlib import Path; import airtcp.cli.explore as explore;"
        "explore.PAGE = Path(sys.argv.pop(1)); from airtcp.cli.main import main; main()"
    )
    example = WEB.parent / "examples" / "window.toml"
    words = ["explore", str(example), "--set", "tcp.window=9", "--no-browser"]
    command = [sys.executable, "-c", script, str(tmp_path), *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        port = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#given\n", line)
        assert port is not None, line
        connection = HTTPConnection("127.0.0.1", int(port[1]), timeout=HUNG)
        connection.request("GET", "/given.json")
        assert json.loads(connection.getresponse().read())["tcp"]["window"] == 9
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HUNG)
    assert (process.returncode, said) == (130, "interrupted\n")


# Computations of the page itself.


@pytest.fixture(scope="module")
def computed() -> dict[str, Any]:
    """Answers of the page to `asked`, and `asked` itself."""
    asked = {
        "quantiles": [[p, n] for p in (0.6, 0.95, 0.975, 0.9995) for n in (1, 2, 3, 9, 29, 1000)],
        "intervals": intervals(),
        "metrics": [runs_of(scenario) for scenario in scenarios()],
        "documents": documents(),
        "fragments": broken(),
        "points": [point_of(hop) for hop in HOPS],
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
    return [Scenario.from_dict(one) for one in made]


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
    [[bits, slot, fragments]] = units(point).tolist()
    scales = {"family": point.family, "payloadBits": bits}
    scales |= {"slotSeconds": slot, "fragments": fragments} if point.family == "slot" else {}
    return {"runs": [dict(zip(names, one, strict=True)) for one in counts], "scales": scales}


def documents() -> list[Any]:
    hostile = {
        "title": '<script>alert("1")</script>\n\t\x7f\\ é\U0001f4f6',
        "a b.c": {'"': [1, "x"]},
    }
    numbers = {"a": 1e300, "b": 1e-7, "c": -0.5, "d": 2**53, "e": [0.1, 2], "f": True, "g": {}}
    nested = {"x": [{"y": [{"z": 1}, {"z": 2}]}, {"y": []}], "t": {"from": 1, "to": 2, "points": 3}}
    return [json.loads(one.document) for one in cases.EXAMPLES] + [hostile, numbers, nested]


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


@needs_page
def test_documents_survive_toml_and_the_address(computed: dict[str, Any]) -> None:
    every = computed["asked"]["documents"]
    for document, text, state in zip(every, computed["toml"], computed["states"], strict=True):
        assert tomllib.loads(text) == document
        assert state == {"document": document, "metric": "goodput_bps", "seed": 7}


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
