"""Every key of a scenario says what it is for, its unit and its default, and gives an example that
the parser accepts."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
import gen

from airtcp import InputError, Scenario
from airtcp.scenario.tables import RATE_COLUMNS

Json = dict[str, Any]
UNIT = re.compile(
    r"\b(packets?|segments?|fragments?|slots?|bytes|seconds|milliseconds|microseconds|nanoseconds"
    r"|bits?|per cent|dB|Hz|numbers?|probability|share|weight|factor|ratio|correlation|divisor"
    r"|logarithm|loss rate|flags|largest value)\b|\b[0-9](?: or [0-9])?: ",
    re.IGNORECASE,
)
TIME = {"kind": "fixed", "value": "1s"}
HOP = {"rate": "2Mbps", "delay": "50ms", "queue": 50}
BASES: Json = {
    "zorzi": {"tcp": {"variant": "newreno"}, "channel": {"kind": "iid", "loss_rate": 0.01}},
    "ns2": {"tcp": {"variant": "newreno"}, "path": {"hop": [HOP]}},
    "rfc": {"tcp": {"variant": "sack"}, "path": {"hop": [HOP]}},
    "bsd": {"tcp": {"variant": "reno"}, "path": {"hop": [HOP]}},
    "linux": {"tcp": {}, "path": {"hop": [HOP]}},
}
PLACES = {  # of tables with a `kind`, and of those in them
    "gate": "path.hop.gate",
    "law": "path.hop.jitter",
    "rates": "path.hop.rates",
    "sizelaw": "flow.sizes",
    "queue": "path.hop.queue",
    "congestion": "tcp.congestion",
    "detection": "tcp.detection",
    "reduction": "tcp.reduction",
    "slowstart": "tcp.slow_start",
    "videochoice": "flow.video.choice",
    "rates.levels": "path.hop.rates.levels",
    "rates.memories": "path.hop.rates.memories",
    "path.hop.rates": "path.hop.rates",
    "path.hop.delays": "path.hop.delays",
    "path.hop.trains": "path.hop.trains",
}
LISTS = ("hop", "flow", "traffic", "levels", "memories", "delays", "trains")
TRACE: Json = {"path.hop.rate": "24064bps", "path.hop.opportunities": [1, 1000]}
# Keys that stand beside an example, by the place of the key; None: those that it replaces.
BESIDE: dict[str, Json] = {
    "tcp detection": {"tcp.variant": "sack"},
    "tcp reduction": {"tcp.variant": "sack"},
    "link arq": {"tcp.timeout": 1000},
    "link.arq": {"link.arq.fragments": 2},
    "link.arq packet": {"link.arq.fragments": None},
    "link.arq fragments": {"link.arq.fragments": 10, "tcp.timeout": 1000},
    "path.hop rates": {"path.hop.rate": None},
    "path.hop opportunities": {"path.hop.rate": "3208533bps"},
    "path.hop.back opportunities": {"path.hop.back.rate": None, "path.hop.rate": "3208533bps"},
    "path.hop trains": TRACE,
    "path.hop.back trains": {"path.hop.back.rate": None, "path.hop.rate": TRACE["path.hop.rate"]}
    | {"path.hop.back.opportunities": TRACE["path.hop.opportunities"]},
    "path.hop.trains": TRACE,
    "rates.levels": {"path.hop.rates.levels": {"rate": "4Mbps", "share": 0.7}},
    "rates.memories": {"path.hop.rates.levels": {"rate": "4Mbps", "share": 1}},
    "flow arrivals": {"flow.sizes": {"kind": "fixed", "value": "10kB"}},
    "flow think": {"flow.sizes": {"kind": "fixed", "value": "10kB"}},
    "flow sizes": {"flow.think": TIME},
    "traffic on": {"traffic.off": TIME},
    "traffic off": {"traffic.on": TIME},
    "channel rayleigh-two-state doppler": {"channel.loss_rate": 0.01},
    "channel rayleigh-two-state clock": {"channel.loss_rate": 0.01},
    **{
        f"channel trace {key}": {"channel.lost": [0, 0, 1]}
        for key in ("clock", "repeat", "start", "block")
    },
    "channel trace block": {"channel.lost": [0, 0, 1], "channel.start": "random"},
    "channel epochs memories": {"channel.delay": TIME},
    "channel.loss.handover": {"channel.loss.rate": 0.01},
    "gate schedule loses": {"path.hop.gate.toggles": ["1s"]},
    "law pareto shape": {"path.hop.jitter.mean": "1s"},
    "law pareto mean": {"path.hop.jitter.shape": 2},
    "law pareto min": {"path.hop.jitter.shape": 2},
    "law pareto deviation": {"path.hop.jitter.mean": "1s"},
    "law pareto correlation": {"path.hop.jitter.mean": "1s", "path.hop.jitter.deviation": "1ms"},
    "law log-normal sigma": {"path.hop.jitter.mean": "1s"},
    "law values repeat": {"path.hop.jitter.values": ["1s"]},
    "rates steps end": {"path.hop.rates.values": "0 1000\n1000000 2000"},
    **{f"rates steps {key}": {"path.hop.rates.file": "measured.csv"} for key in RATE_COLUMNS},
    **{
        f"sizelaw {kind}": {"flow.think": TIME}
        for kind in ("fixed", "exponential", "pareto", "log-normal", "list")
    },
    "sizelaw pareto shape": {"flow.sizes.mean": "1kB"},
    "sizelaw pareto max": {"flow.sizes.min": "1kB"},
    "sizelaw log-normal sigma": {"flow.sizes.mean": "1kB"},
    "sizelaw list repeat": {"flow.sizes.values": ["1kB"]},
    "queue priority": {"traffic": [{"rate": "1Mbps", "packet": "500B"}]},
    "videochoice": {"flow.video.bitrates": ["1Mbps"]},
}


def keys() -> Iterator[tuple[str, gen.Table, gen.Key]]:
    """Every key of every table, with each profile that has it."""
    document = gen.Document()
    sections = [document.tables["Scenario"], *document.sections()]
    kinds = [kind for kinds in document.kinds.values() for kind in kinds.values()]
    for table in (candidate for candidate in (*sections, *kinds) if candidate.name != "FlowTcp"):
        for key in table.keys.values():
            for profile in table.profiles:
                if profile in key.required:
                    yield profile, table, key


def name(profile: str, table: gen.Table, key: gen.Key) -> str:
    """A key in words."""
    return f"{profile}: {table.place} {table.kind} {key.name}".replace("  ", " ")


def test_every_key_says_what_it_is_for() -> None:
    assert [name(*key) for key in keys() if len(key[2].meaning.split()) < 2] == []


def test_every_key_has_a_default_or_is_required() -> None:
    assert [name(*key) for key in keys() if not key[2].absent(key[0])] == []


def test_every_key_has_an_example() -> None:
    assert [name(*key) for key in keys() if key[2].examples[key[0]] is None] == []


def test_every_number_has_a_unit() -> None:
    numbers = [key for key in keys() if {"integer", "number"} & set(key[2].types)]
    assert len(numbers) > 300
    assert [name(*number) for number in numbers if not UNIT.search(number[2].meaning)] == []


def beside(profile: str, table: gen.Table, key: gen.Key) -> Json:
    """The document of an example: the required keys of its table, and what else it needs."""
    document: Json = {"profile": profile, **json.loads(json.dumps(BASES[profile]))}
    place = table.place.replace("link.arq", "link.arq" if profile == "zorzi" else "path.hop.arq")
    if place.split(".")[0] == "channel" and profile != "zorzi":
        place = f"path.hop.{place}"
    place = PLACES.get(place, place)
    if is_slotted_law := place == PLACES["law"] and profile == "zorzi":
        place = "channel.noise.delay"
        put(document, "channel", {"kind": "epochs", "every": "15s", "noise": {"every": "1s"}})
    if place.startswith("path.hop.rates"):
        put(document, "path.hop.rate", None)
    if table.name == "RateChange":
        put(document, "path.hop.rates", [{}])
    if place.startswith("path.hop.rates."):
        put(document, "path.hop.rates", {"kind": "autoregressive", "every": "100ms"})
    if table.kind:
        put(document, place, {"kind": table.kind})
    if ".channel." in f".{place}" and not is_slotted_law:  # a table within one of epochs
        above = place[: f".{place}".index(".channel.") + len("channel")]
        put(document, above, {"kind": "epochs", "every": "15s", "delay": TIME})
    required = [other for other in table.keys.values() if other.required.get(profile)]
    for needed in [*required, key]:
        put(document, f"{place}.{needed.name}".lstrip("."), needed.examples[profile])
    words = [table.place, f"{table.place} {table.kind}", f"{table.place} {table.kind} {key.name}"]
    for path, value in needed_beside(words):
        if is_slotted_law:
            put(document, path.replace(PLACES["law"], place), value)
        elif profile == "zorzi":
            put(document, path, value)
        elif not path.startswith("link."):
            put(document, re.sub("^channel", "path.hop.channel", path), value)
    return document


def needed_beside(words: list[str]) -> Iterator[tuple[str, Any]]:
    """The paths and values that a table, a kind or a key needs beside itself."""
    for needed in dict.fromkeys(" ".join(word.split()) for word in words):
        yield from BESIDE.get(needed, {}).items()


def put(document: Json, path: str, value: Any) -> None:
    """Set a key, or take it away if the value is None; a table joins those of a list."""
    *above, last = path.split(".")
    for part in above:
        document = document.setdefault(part, [{}] if part in LISTS else {})
        document = document[0] if isinstance(document, list) else document
    if value is None and last != "profile":
        document.pop(last, None)
    elif last in LISTS and isinstance(value, dict):
        document.setdefault(last, []).append(value)
    elif value is not None:
        document[last] = value


EXAMPLES = {name(*key): key for key in keys()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that examples name."""
    made = tmp_path_factory.mktemp("files")
    rows = ["time,rate,value,size,lost,delay", "0,1000,1,1000,0,0.01", "10,2000,2,2000,1,0.02"]
    (made / "measured.csv").write_text("\n".join(rows))
    return made


def test_every_example_is_accepted(folder: Path) -> None:
    refused = {}
    for name_of_key, key in EXAMPLES.items():
        try:
            Scenario.from_dict(beside(*key), folder=folder)
        except InputError as error:
            refused[name_of_key] = str(error)
    assert list(refused) == ["ns2: flow size"]  # which its meaning says
