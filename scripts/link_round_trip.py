"""Send real traffic over link profiles, capture it at one end, fit it, and compare.

`python scripts/link_round_trip.py [NAME...]` (`make link-round-trip`; root, ping and tcpdump) runs
each case through `airtcp live`, fits the record as a user would, and prints a row per parameter: of
the profile, found, and the range in which it must lie: the fit's 95 % interval for a loss rate, and
a fixed tolerance for a rate (3 %) and a round trip (3 ms). CUBIC then runs over the profile and
over the fitted link. The exit code is 1 if a parameter lies outside its range, or the goodputs
differ by more than 10 % and two standard errors of their difference; 2 for an unknown NAME.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import airtcp
from airtcp import Scenario
from airtcp.errors import unknown_name
from airtcp.support.units import base_units_of

Json = dict[str, Any]
OTHERS = {"rate": "2Mbps", "delay": "20ms", "queue": 50}  # for what a profile leaves open
ALIKE = 0.1  # difference of goodputs that counts as none
LATE = 0.003  # seconds: airtimes of a packet, and what the emulator may be late
PING = 84  # bytes of a ping with its headers
SPREAD = 0.03  # of the rate of trains: framing, and the stamps of a busy machine
SINK = """
import socket
connection, _ = socket.create_server(("", 5001)).accept()
while connection.recv(65536):
    pass
"""
SOURCE = """
import os, socket, time
connection = socket.create_connection((os.environ["AIRTCP_PEER"], 5001))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    connection.send(bytes(16384))
"""


@dataclass(frozen=True)
class Row:
    """A parameter: of the profile, found, and the range in which it must lie."""

    name: str
    asked: float
    found: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """True if the parameter of the profile lies in the range."""
        return self.low <= self.asked <= self.high


@dataclass(frozen=True)
class Pings:
    """Pings from the near side."""

    count: int
    interval: float

    def record(self, folder: Path) -> Path:
        """Send them over link.toml in a folder, and give the log."""
        command = f"ping -D -i {self.interval} -c {self.count} $AIRTCP_PEER > ping.txt; true"
        live(folder, [], command)
        return folder / "ping.txt"


@dataclass(frozen=True)
class Upload:
    """An upload by the kernel's CUBIC, captured by tcpdump on the near side."""

    seconds: float

    def record(self, folder: Path) -> Path:
        """Send it over link.toml in a folder, and give the capture."""
        (folder / "sink.py").write_text(SINK, encoding="utf-8")
        (folder / "source.py").write_text(SOURCE.format(seconds=self.seconds), encoding="utf-8")
        command = (
            "tcpdump -i any -p -U -Z root -s 128 -w upload.pcap tcp port 5001 2> tcpdump.txt & "
            f"sleep 2; {sys.executable} source.py; sleep 2; kill $!; wait $!; true"
        )
        live(folder, ["--server", f"{sys.executable} sink.py"], command)
        return folder / "upload.pcap"


def live(folder: Path, words: list[str], command: str) -> None:
    """Run a command over link.toml. Raises `RuntimeError` if the emulator failed or was late."""
    program = [sys.executable, "-m", "airtcp", "live", "link.toml", *words, "--", "sh", "-c"]
    done = subprocess.run(
        [*program, command], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode or "INVALID" in done.stderr:
        raise RuntimeError(done.stderr)


Compared = Callable[[Json, airtcp.Fit], Row]


def loss_rate(hop: Json, fitted: airtcp.Fit) -> Row:
    """The rate of losses, with the interval of the fit."""
    found = fitted.json()["facts"][0]["loss"]
    return Row(
        "loss rate", hop["channel"]["loss_rate"], found["value"], found["low"], found["high"]
    )


def round_trip(hop: Json, fitted: airtcp.Fit) -> Row:
    """The round trip of an idle link: the least of a delay that changes, with a ping's airtimes."""
    there = [number(hop["delay"])]
    there += [
        number(delay["delay"])
        for delay in hop.get("delays", [])
        if number(delay["at"]) < fitted.facts[0].duration
    ]
    back = {**hop, **hop.get("back", {})}
    asked = min(there) + number(back["delay"])
    if fitted.chosen[0].is_probing:
        asked += sum(8.0 * PING / number(way["rate"]) for way in (hop, back))
    found = 2.0 * number(fitted.scenario.to_dict()["path"]["hop"][0]["delay"])
    return Row("round trip (s)", asked, found, found - LATE, found + LATE)


def rate(hop: Json, fitted: airtcp.Fit) -> Row:
    """The rate of the link."""
    found = number(fitted.scenario.to_dict()["path"]["hop"][0]["rate"])
    low, high = found * (1.0 - SPREAD), found * (1.0 + SPREAD)
    return Row("rate (bit/s)", number(hop["rate"]), found, low, high)


def told_rate(hop: Json) -> str:
    """The rate of packets, which pings do not show: a code makes their fragments longer."""
    code = hop.get("channel", {}).get("code")
    if code is None:
        return str(hop["rate"])
    length, told = map(int, re.findall(r"\d+", code))
    bits = 8 * int(number(hop["arq"]["fragment"]))
    return f"{number(hop['rate']) * bits / (length * -(-bits // told)):.6g}bps"


def number(text: str) -> float:
    """A quantity in its basic unit."""
    return float(base_units_of(text))


@dataclass(frozen=True)
class Case:
    """A profile, the keys that its scenario gives, the traffic, and the parameters compared."""

    link: str
    own: tuple[str, ...]
    traffic: Pings | Upload
    compared: tuple[Compared, ...]


CASES = (
    Case("wifi-noise", ("rate", "delay", "queue"), Pings(1500, 0.02), (loss_rate, round_trip)),
    Case("geo-satellite", ("rate", "queue"), Pings(150, 0.1), (round_trip,)),
    Case("cellular-united-states-39", (), Upload(10.0), (rate, round_trip)),
    Case("lte-verizon-driving", ("delay", "queue"), Upload(60.0), ()),
    Case("lte-att-driving", ("delay", "queue"), Upload(60.0), ()),
    Case("umts-tmobile-driving", ("delay", "queue"), Upload(90.0), ()),
    Case("gprs-spikes", (), Pings(600, 0.5), (round_trip,)),
    Case("starlink-2025", ("rate", "queue"), Pings(3000, 0.05), ()),
    Case("starlink-fjord", ("rate", "queue"), Pings(3000, 0.05), (round_trip,)),
    Case("rayleigh-car", ("delay", "queue"), Upload(20.0), ()),
    Case("rayleigh-car", ("delay", "queue"), Pings(1500, 0.02), ()),
    Case("rayleigh-pedestrian", ("delay", "queue"), Upload(20.0), ()),
)


def rows(case: Case) -> Iterator[Row]:
    """Every comparison of a case, the goodput of CUBIC last."""
    own = {key: OTHERS[key] for key in case.own}
    scenario = Scenario.from_dict(document({"link": case.link, **own}))
    hop = scenario.points()[0].data["path"]["hop"][0]
    known: Json = {"rate": told_rate(hop)} if isinstance(case.traffic, Pings) else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "link.toml").write_text(scenario.to_toml(), encoding="utf-8")
        record = case.traffic.record(folder)
        fitted = airtcp.fit(record, queue=hop["queue"], check=False, **known)
    for compare in case.compared:
        yield compare(hop, fitted)
    asked = goodputs(scenario)
    found = goodputs(Scenario.from_dict(document(fitted.scenario.to_dict()["path"]["hop"][0])))
    spread = [delays.std(ddof=1) / np.sqrt(len(delays)) for delays in (asked, found)]
    slack = ALIKE * asked.mean() + 2.0 * float(np.hypot(*spread))
    yield Row(
        "goodput of cubic (bit/s)",
        float(asked.mean()),
        float(found.mean()),
        float(found.mean() - slack),
        float(found.mean() + slack),
    )


def document(hop: Json) -> Json:
    """CUBIC over one hop."""
    stop = {"time": "30s", "replications": 10}
    return {
        "profile": "linux",
        "tcp": {"congestion": "cubic"},
        "path": {"hop": [hop]},
        "stop": stop,
    }


def goodputs(scenario: Scenario) -> NDArray[np.float64]:
    """The goodput of each run."""
    runs = airtcp.simulate(scenario, seed=1).to_pandas()["goodput_bps"].to_numpy(float)
    return runs if len(runs) > 1 else np.repeat(runs, 2)  # nothing is random


def main() -> int:
    """Print a row per parameter."""
    known = [case.link for case in CASES]
    names = sys.argv[1:] or known
    for name in names:
        if name not in known:
            print(unknown_name("link-round-trip", name, known), file=sys.stderr)
            return 2
    chosen = [case for case in CASES if case.link in names]
    outside = 0
    for case in chosen:
        for row in rows(case):
            outside += not row.holds
            print(
                f"{case.link:28} {row.name:26} {row.asked:12.6g} {row.found:12.6g}"
                f"  {row.low:.6g} to {row.high:.6g}  {'' if row.holds else 'OUTSIDE'}",
                flush=True,
            )
    return int(outside > 0)


if __name__ == "__main__":
    raise SystemExit(main())
