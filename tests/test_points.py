"""The points of documents with axes in any place: their order, their coordinates, their number."""

from __future__ import annotations

import copy
import itertools
import json
import os
import pickle
import random
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from airtcp import InputError, Scenario
from airtcp.scenario.scenario import MOST_CACHED_POINTS, shorten_value, value_at

DOCUMENTS = int(os.environ.get("AIRTCP_FUZZ", "60"))
Json = dict[str, Any]
MB = 1024 * 1024


class Axis(list[Any]):
    """Values of which a point has one; an item may be such a range, or a table with axes."""


class Spaced(dict[str, Any]):
    """A range, whose numbers are known."""

    values: list[Any]


# Documents


def spaced(draw: random.Random, values: list[Any]) -> Spaced:
    found = Spaced({"from": values[0], "to": values[-1], "points": len(values), "scale": "linear"})
    found.values = values
    return found


def axis(draw: random.Random, values: list[Any]) -> Any:
    """One of the values, or several, some of them perhaps as a range, or twice."""
    if draw.random() < 0.6:
        return draw.choice(values)
    if isinstance(values[0], int) and draw.random() < 0.3:
        return spaced(draw, values)
    several = Axis(draw.choices(values, k=draw.randint(1, 3)))
    if isinstance(values[0], int) and draw.random() < 0.3:
        several.append(spaced(draw, values))
    return several


def table(draw: random.Random, keys: Json) -> Json:
    """The keys in any order, each with a value or an axis; a tuple is a choice of values."""
    chosen = list(keys)
    draw.shuffle(chosen)
    made = {key: keys[key]() if callable(keys[key]) else keys[key] for key in chosen}
    return {
        key: axis(draw, list(value)) if isinstance(value, tuple) else value
        for key, value in made.items()
        if isinstance(value, tuple) or value is not None
    }


def channel(draw: random.Random) -> Json:
    return draw.choice(
        [
            lambda: table(draw, {"kind": "iid", "loss_rate": (0.1, 0.2, 0.3)}),
            lambda: table(draw, {"kind": "two-state", "p_gb": (0.1, 0.2), "p_bg": (0.3, 0.5)}),
            lambda: table(draw, {"kind": "burst", "loss_rate": (0.1, 0.2), "mean_burst": (2, 3)}),
        ]
    )()


def channels(draw: random.Random) -> Any:
    if draw.random() < 0.5:
        return channel(draw)
    return Axis(channel(draw) for _ in range(draw.randint(1, 3)))


def slots(draw: random.Random) -> Json:
    return table(
        draw,
        {
            "title": draw.choice([None, 'A "title",\nof two lines']),
            "profile": "zorzi",
            "tcp": lambda: table(
                draw,
                {"variant": ("tahoe", "reno"), "window": (4, 5, 6), "timeout": (1000, 2000)},
            ),
            "channel": lambda: channels(draw),
            "link": lambda: table(draw, {"rate": ("1Mbps", "1000kbps", "2Mbps"), "packet": "1kB"}),
            "ack": lambda: table(draw, {"delay": (0, 1, 2)}),
            "stop": {"slots": 1000},
        },
    )


def hop(draw: random.Random) -> Json:
    keys = {"rate": ("1Mbps", "2Mbps"), "delay": ("10ms", "0.01s", "20ms"), "queue": (2, 3, 4)}
    if draw.random() < 0.4:
        keys["channel"] = lambda: channels(draw)  # type: ignore[assignment]
    if draw.random() < 0.3:
        keys["back"] = lambda: table(draw, {"delay": ("1ms", "2ms")})  # type: ignore[assignment]
    return table(draw, keys)


def path(draw: random.Random) -> Json:
    return table(
        draw,
        {
            "profile": draw.choice(["ns2", "rfc"]),
            "flow": [table(draw, {"start": ("0s", "1s"), "count": (1, 2)}) for _ in range(2)],
            "tcp": lambda: table(draw, {"variant": ("tahoe", "reno"), "window": (10, 11, 12)}),
            "path": lambda: {"hop": [hop(draw) for _ in range(draw.randint(1, 2))]},
            "stop": {"time": "1s"},
        },
    )


def product(value: Any) -> list[Any]:
    """Values of a part of a document, by the plain rule: the first axis varies slowest."""
    if isinstance(value, Spaced):
        return value.values
    if isinstance(value, Axis):
        return [choice for item in value for choice in product(item)]
    if isinstance(value, dict):
        rows = itertools.product(*map(product, value.values()))
        return [dict(zip(value, row, strict=True)) for row in rows]
    if isinstance(value, list):
        return [list(row) for row in itertools.product(*map(product, value))]
    return [value]


def documents() -> list[Json]:
    return [document for document, _ in documents_with_points()]


@cache
def documents_with_points() -> list[tuple[Json, list[str]]]:
    """Documents with at most 120 points, and these points, each read as a document of its own."""
    found: list[tuple[Json, list[str]]] = []
    for seed in itertools.count():
        draw = random.Random(seed)
        document = draw.choice([slots, path])(draw)
        single = product(document)
        if len(single) > 120:
            continue
        points = [Scenario.from_dict(document).points()[0].json for document in single]
        if len(set(points)) == len(points):
            found.append((document, points))
        else:  # an axis has a value twice
            with pytest.raises(InputError, match="give each value of an axis once"):
                Scenario.from_dict(document)
        if len(found) == DOCUMENTS:
            return found
    raise AssertionError


def texts(scenario: Scenario) -> list[str]:
    return [point.json for point in scenario.points()]


# Their points


def test_points_are_the_product_of_the_axes_in_the_order_of_the_document() -> None:
    several = 0
    for document, points in documents_with_points():
        assert texts(Scenario.from_dict(document)) == points, document
        several += len(points) > 10
    assert several > DOCUMENTS / 10


def test_toml_and_json_and_copies_keep_the_order() -> None:
    for document in documents():
        scenario = Scenario.from_dict(document)
        expected = texts(scenario)
        assert texts(Scenario.from_dict(tomllib.loads(scenario.to_toml()))) == expected, document
        written = json.dumps(scenario.to_dict())
        assert texts(Scenario.from_dict(json.loads(written))) == expected
        for copied in (copy.deepcopy(scenario), pickle.loads(pickle.dumps(scenario))):
            assert copied == scenario
            assert texts(copied) == expected


def test_coordinates_are_the_paths_that_vary_over_all_points() -> None:
    always = {"tcp.variant", "channel.kind"}
    for document in documents():
        points = Scenario.from_dict(document).points()
        seen = [dict(flat(point.data)) for point in points]
        paths = {path for leaves in seen for path in leaves}
        differ = {p for p in paths if len({json.dumps(leaves.get(p)) for leaves in seen}) > 1}
        shown = set(points[0].coordinates)
        assert differ <= shown <= differ | always, document
        for point in points:
            for name, value in point.coordinates.items():
                assert value == shorten_value(value_at(point.data, name))


def flat(data: Any, above: str = "") -> list[tuple[str, Any]]:
    if isinstance(data, dict):
        return [
            leaf
            for key, value in data.items()
            for leaf in flat(value, f"{above}.{key}".lstrip("."))
        ]
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return [leaf for i, entry in enumerate(data) for leaf in flat(entry, f"{above}[{i}]")]
    return [(above, data)]


def test_equal_points_are_found() -> None:
    for document in documents():
        points = Scenario.from_dict(document).points()
        first = {point.json: place for place, point in reversed(list(enumerate(points)))}
        assert points.distinct().tolist() == sorted(first.values())


def test_points_are_a_sequence() -> None:
    points = Scenario.from_dict(grid(3, 4)).points()
    assert len(points) == 12
    assert points[-1] is points[11]
    assert points[2:5] == [points[2], points[3], points[4]]
    assert list(points) == points[:]
    for wrong in (12, -13):
        with pytest.raises(IndexError):
            points[wrong]


# A million of them


def grid(windows: int, rates: int) -> Json:
    window = {"from": 1, "to": windows, "points": windows, "scale": "linear"}
    rate = {"from": 0.001, "to": 0.1, "points": rates, "scale": "log"}
    return {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe", "window": window, "timeout": 2000},
        "channel": {"kind": "iid", "loss_rate": rate},
        "stop": {"slots": 1000},
    }


def test_more_points_than_are_kept() -> None:
    points = Scenario.from_dict(grid(101, 100)).points()
    assert len(points) == len(points.distinct()) == 10_100 > MOST_CACHED_POINTS
    assert points[345] is not points[345]
    assert points[345].hash == points[345].hash
    assert points[345].data["tcp"]["window"] == 4
    assert list(points[0].coordinates) == [
        "tcp.variant",
        "tcp.window",
        "channel.kind",
        "channel.loss_rate",
    ]


def test_more_than_a_million_points_are_refused() -> None:
    way_out = "split an axis over several documents"
    with pytest.raises(InputError, match=rf"^scenario: more than 1000000 points; {way_out}$"):
        Scenario.from_dict(grid(1000, 1001))
    many = {**grid(3, 3), "channel": [grid(3, 100_001)["channel"]] * 10}
    with pytest.raises(InputError, match=r"^scenario: channel: more than 1000000 points; split an"):
        Scenario.from_dict(many)


MEASURED = """
import atexit, pathlib, sys
status = pathlib.Path("/proc/self/status")
file, *sys.argv = sys.argv[1:]
atexit.register(lambda: pathlib.Path(file).write_text(status.read_text()))
from airtcp.__main__ import main
main()
"""


def command(folder: Path, *words: str) -> tuple[str, str, int]:
    """(stdout, stderr, most memory in bytes) of airtcp in a process of its own."""
    call = [sys.executable, "-c", MEASURED, str(folder / "status"), "airtcp", *words]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=300)
    fields = (line.split() for line in (folder / "status").read_text().splitlines())
    (kilobytes,) = (int(field[1]) for field in fields if field[0] == "VmHWM:")
    return done.stdout, done.stderr, kilobytes * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_plan_of_a_million_points_takes_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "million.json"
    file.write_text(json.dumps(grid(1000, 1000)))
    out, err, memory = command(tmp_path, "plan", str(file), "--budget", "0.1", "--format", "json")
    assert err == ""
    assert json.loads(out)["points"] == 10**6
    assert memory < 200 * MB


VALUES = {
    "long.toml": ("window = [" + "9," * 10**7 + "9]", "more than 4000000 commas or lines"),
    "lines.toml": ("window = [" + "9,\n" * 10**7 + "9]", "more than 4000000 commas or lines"),
    "bytes.toml": ("window = 9#" + "9" * 2**26, "longer than the 67108864 bytes of the longest"),
    "long.json": ('{"tcp": [' + "9," * 10**7 + "9]}", "more than 4000000 commas or lines"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", VALUES)
def test_too_many_values_are_refused_before_they_are_read(name: str, tmp_path: Path) -> None:
    text, said = VALUES[name]
    file = tmp_path / name
    file.write_text(text)
    _, err, memory = command(tmp_path, "plan", str(file))
    assert err.startswith(f"error: {file}: {said}")
    assert err.count("\n") == 1
    assert memory < 2**27 + 100 * MB  # of the longest document twice, as bytes and as a text


class Countless(list[int]):
    """A list nobody can go through."""

    def __iter__(self) -> Any:
        raise AssertionError("it was gone through")


@pytest.mark.parametrize("given", [range(10**12), Countless([1] * 2_000_001)])
def test_long_lists_are_refused_before_they_are_gone_through(given: Any) -> None:
    with pytest.raises(InputError, match=r"^scenario: tcp\.window: more than 2000000 values in"):
        Scenario.from_dict({"profile": "zorzi", "tcp": {"variant": "tahoe", "window": given}})


def test_many_lists_are_too_many_values_too() -> None:
    tables = [{"kind": "iid", "loss_rate": [0.5] * 10**6}] * 3
    with pytest.raises(InputError, match=r"^scenario: channel\[1\]\.loss_rate: more than 2000000"):
        Scenario.from_dict({**grid(2, 2), "channel": tables})


def test_too_long_a_text_is_refused() -> None:
    with pytest.raises(InputError, match=r"^scenario: longer than the 67108864 bytes"):
        Scenario.from_dict({**grid(2, 2), "title": "x" * 2**26})
