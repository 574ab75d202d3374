"""A link recorded saturated and under light load: short and long transfers over the fitted hop."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import airtcp
from airtcp import InputError
from airtcp.cli.main import main
from airtcp.fitted.light_load import LightLoad, difference, read_light_load
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import FittedParts, base_hop
from airtcp.fitted.two_loads import fit_two_loads
from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.links.mahimahi import write_trace
from airtcp.measured.reading import read
from airtcp.support.units import base_units_of
from simulated_captures import capture, played

SECONDS = 60
DELAY = 20.0  # ms, one way
TRAIN = 12  # packets of a recorded train
PAIRS = 400  # of recordings of one kind


@dataclass(frozen=True)
class RampedLink:
    """A link that wakes up, and serves the first packets of a busy period slowly; times in ms."""

    wait: float = 15.0
    slow: float = 6.0
    fast: float = 1.0
    slow_packets: int = 10

    def arrivals(self, packets: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        """Arrivals of packets that are sent at once over the idle link, since then."""
        gaps = self.mean_gaps(packets) * rng.uniform(0.8, 1.2, packets - 1)
        return DELAY + self.wait + np.concatenate([[0.0], np.cumsum(gaps)])

    def mean_gaps(self, packets: int) -> np.ndarray[Any, Any]:
        """Mean times between the arrivals of such packets."""
        return np.where(np.arange(packets - 1) < self.slow_packets - 1, self.slow, self.fast)

    def mean_time(self, packets: int) -> float:
        """Mean time until the last of such packets arrives."""
        return DELAY + self.wait + float(self.mean_gaps(packets).sum())


def recordings(folder: Path, link: RampedLink) -> tuple[Path, Path]:
    """A trace of the saturated link, and a table of packets of trains every 500 ms."""
    rng = np.random.default_rng(3)
    busy = link.arrivals(int(1000 * SECONDS / link.fast), rng)
    times = np.rint(busy[link.slow_packets :] - busy[link.slow_packets]).astype(int) + 1
    write_trace(times.tolist(), folder / "busy.trace")
    rows = ["time,delay_s"]
    for start in range(0, 1000 * SECONDS, 500):
        rows += [f"{start / 1e3},{after / 1e3:.6f}" for after in link.arrivals(TRAIN, rng)]
    (folder / "light.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder / "busy.trace", folder / "light.csv"


def burst_time(hop: dict[str, Any], packets: int) -> float:
    """Time (ms) until the last of packets arrives that are sent at once, after a long silence."""
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": packets, "initial_window": packets, "packet": "1500B"},
        "path": {"hop": [hop | {"queue": 100_000, "back": {"rate": "1Gbps"}}]},
        "flow": [{"start": "3.1s", "size": f"{1460 * packets}B"}],
        "stop": {"time": "30s"},
    }
    events = airtcp.trace(document).to_pandas()
    came = events[events["event"] == "arrive"]["time_ns"]
    return float(came.max()) / 1e6 - 3100.0


def test_short_and_long_transfers_are_those_of_the_link(tmp_path: Path) -> None:
    link = RampedLink()
    busy, light = recordings(tmp_path, link)
    found = airtcp.fit(busy, light=light, queue=1000, check=False)
    assert any("otherwise than saturated" in line for line in found.parts.remarks)
    hop = found.scenario.to_dict()["path"]["hop"][0]
    plain = {key: value for key, value in hop.items() if key != "trains"}
    truth = {n: link.mean_time(n) for n in (1, 4, 8, 2000)}
    for n, true in truth.items():
        assert burst_time(hop, n) == pytest.approx(true, rel=0.03, abs=5.0), n
    # The saturated recording alone is right for long transfers only.
    assert burst_time(plain, 2000) == pytest.approx(truth[2000], rel=0.05)
    for n in (4, 8):
        assert burst_time(plain | {"delay": f"{DELAY}ms"}, n) < 0.6 * truth[n]


def rates_of(rng: np.random.Generator, milliseconds: int) -> np.ndarray[Any, Any]:
    """Opportunities of a rate that changes every 100 ms, with a memory of 300 ms; ms."""
    level, found = 0.0, []
    for step in range(milliseconds // 100):
        level = 0.7 * level + float(rng.normal()) * 0.7
        number = rng.poisson(60.0 * np.exp(0.5 * level))
        found.append(100 * step + np.sort(rng.integers(1, 101, number)))
    times = np.concatenate(found)
    return np.append(times[:-1], milliseconds)


def trains_over(millis: np.ndarray[Any, Any]) -> LightLoad:
    """Trains of 10 packets every 500 ms, served by opportunities."""
    starts = np.arange(100, int(millis[-1]) - 500, 500)
    first = np.searchsorted(millis, starts, side="right")
    trains = [
        {
            "at": f"{at}ms",
            "delay": "20ms",
            "opportunities": (millis[i : i + 10] - millis[i]).tolist(),
        }
        for at, i in zip(starts.tolist(), first.tolist(), strict=True)
    ]
    return LightLoad("light", trains)


def test_recordings_of_one_kind_differ_at_the_level_of_the_test() -> None:
    rng = np.random.default_rng(5)
    found = [
        difference(trains_over(rates_of(rng, 60_000)), rates_of(rng, 60_000)) for _ in range(PAIRS)
    ]
    rejected = sum(p < TEST_LEVEL for p in found)
    assert rejected <= stats.binom.ppf(0.999, PAIRS, TEST_LEVEL)
    # It is no test that never rejects: a link half as fast under light load is told.
    slow = trains_over(2 * rates_of(rng, 30_000))
    assert difference(slow, rates_of(rng, 60_000)) < 0.001
    assert min(found) < TEST_LEVEL


def test_recordings_that_do_not_differ_give_the_plain_hop(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    write_trace(rates_of(rng, 60_000).tolist(), tmp_path / "busy.trace")
    trains = trains_over(rates_of(rng, 60_000)).trains
    rows = [
        f"{train['at'].removesuffix('ms')} 20 {' '.join(map(str, train['opportunities']))}"
        for train in trains
    ]
    (tmp_path / "light.trains").write_text("\n".join(rows) + "\n", encoding="ascii")
    assert read_light_load(tmp_path / "light.trains").trains == trains
    found = airtcp.fit(
        tmp_path / "busy.trace", light=tmp_path / "light.trains", queue=1000, check=False
    )
    hop = found.scenario.to_dict()["path"]["hop"][0]
    assert "trains" not in hop
    assert hop["delay"] == "20ms"
    assert any("finds no difference" in line for line in found.parts.remarks)


def test_a_plain_hop_has_the_delay_of_the_trains_before_tcp_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    write_trace(rates_of(rng, 60_000).tolist(), tmp_path / "busy.trace")
    (busy,) = read(tmp_path / "busy.trace")
    light = trains_over(rates_of(rng, 60_000))
    light = LightLoad("light", [train | {"delay": "33ms"} for train in light.trains])

    def plain(options: FitOptions) -> FittedParts:
        hop = base_hop(busy, options)
        assert hop.keys["delay"] == "33ms"
        return FittedParts(hop)

    parts = fit_two_loads([busy], light, FitOptions(), plain)
    assert parts.hop.keys["delay"] == "33ms"
    assert parts.hop.comments["delay"] == "the least of light"


def test_a_recording_that_ends_early_is_remarked_on() -> None:
    """The hop then begins all later busy periods with its last train."""
    rng = np.random.default_rng(8)
    millis = rates_of(rng, 20_000)
    light = trains_over(2 * rates_of(rng, 10_000))
    assert light.times[-1] == pytest.approx(19_100.0)
    early = LightLoad(
        "light", [train for train in light.trains if base_units_of(train["at"]) < 10.7]
    )
    assert early.ends_early(int(millis[-1]))
    assert not light.ends_early(int(millis[-1]))


def test_remarks_on_two_recordings(tmp_path: Path) -> None:
    """The p value, and trains of half of the time."""
    write_trace(list(range(1, 20_001)), tmp_path / "busy.trace")
    rows = [f"{500 * k} 20 0 10 20 30" for k in range(22)]
    (tmp_path / "light.trains").write_text("\n".join(rows) + "\n", encoding="ascii")
    found = airtcp.fit(tmp_path / "busy.trace", light=tmp_path / "light.trains", check=False)
    text = "\n".join(found.parts.remarks)
    assert "(p = 1e-05, 22 trains of " in text
    assert "light.trains ends at 10.5 s, " in text
    assert "busy.trace at 20 s: the last train stands for the time between" in text


def test_the_times_of_trains_are_shown(tmp_path: Path) -> None:
    """In the printed table, the report and JSON: sizes, delay and time per packet, with units."""
    write_trace(list(range(2, 20_001, 2)), tmp_path / "busy.trace")
    rows = [f"{500 * k} 2{k % 2} 0 10 20 {'30' * (k % 2)}" for k in range(40)]
    (tmp_path / "light.trains").write_text("\n".join(rows) + "\n", encoding="ascii")
    files = [str(tmp_path / name) for name in ("busy.trace", "light.trains", "fit.html")]
    words = ["fit", files[0], "--light", files[1], "--no-tcp", "--report", files[2]]
    printed = CliRunner(env={"COLUMNS": "80"}).invoke(main, words)
    assert printed.exit_code == 0, printed.output
    said = {re.split(r"  +", line.strip())[0]: line for line in printed.stdout.splitlines()}
    assert said["number"].endswith(" 40")
    assert said["packets in a train"].endswith(" 3 to 4")
    assert said["delay of the first packet, one way"].endswith(" least 20 ms, median 20.5 ms")
    assert said["time per packet in a train"].endswith(" 10 ms")
    assert said["time per packet of the saturated link"].endswith(" 2 ms")
    assert max(map(len, printed.stdout.splitlines())) <= 80
    assert "time per packet in a train" in Path(files[2]).read_text(encoding="utf-8")
    found = airtcp.fit(files[0], light=files[1], check=False)
    assert found.json()["trains"]["time_per_packet"] == pytest.approx(10.0)


@pytest.mark.parametrize("fast", ["6Mbps", "1Gbps"])
def test_trains_carry_no_more_than_the_link(fast: str) -> None:
    """A sender whose packets come one by one, behind a faster hop, begins no train per packet."""
    train = {"at": "0ms", "delay": "10ms", "opportunities": [10 * i for i in range(12)]}
    slow = {"rate": "1203200bps", "delay": "10ms", "opportunities": [10], "trains": [train]}
    document = {
        "profile": "linux",
        "tcp": {"congestion": "cubic"},
        "path": {"hop": [{"rate": fast, "delay": "1ms"}, slow | {"queue": 100}]},
        "stop": {"time": "20s", "warmup": "5s", "replications": 1},
    }
    (goodput,) = airtcp.simulate(document).runs.to_pandas()["goodput_bps"]
    assert 0.9 * 1.2032e6 < goodput <= 1.2032e6


CUBIC = {"profile": "linux", "tcp": {"congestion": "cubic"}}
SMALL_WINDOW = {"profile": "rfc", "tcp": {"variant": "sack", "window": 10, "packet": "1500B"}}


def captured(folder: Path, sender: dict[str, Any]) -> Path:
    """A capture at both ends over 8 Mbit/s, of which 27 packets fill a round trip."""
    document = sender | {
        "path": {"hop": [{"rate": "8Mbps", "delay": "20ms", "queue": 100}]},
        "stop": {"time": "30s", "replications": 1},
    }
    (folder / "busy.pcapng").write_bytes(capture(played(document, 1)))
    return folder / "busy.pcapng"


def test_a_capture_of_a_long_transfer_is_a_recording_of_the_saturated_link(tmp_path: Path) -> None:
    rows = [f"{0.5 * k},{0.03 + 0.004 * i:.6f}" for k in range(50) for i in range(8)]
    (tmp_path / "light.csv").write_text("time,delay_s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = airtcp.fit(captured(tmp_path, CUBIC), light=tmp_path / "light.csv", check=False)
    hop = found.scenario.to_dict()["path"]["hop"][0]
    assert hop["trains"][1] == {
        "at": "500000000ns",
        "delay": "30000000ns",
        "opportunities": [0, 4, 8, 12, 16, 20, 24, 28],
    }
    assert float(base_units_of(hop["rate"])) == pytest.approx(8e6, rel=0.02)
    busy = captured(tmp_path, SMALL_WINDOW)
    with pytest.raises(InputError, match=r"busy.pcapng did not saturate the link: in 0 % of"):
        airtcp.fit(busy, light=tmp_path / "light.csv", check=False)


def test_round_trips_give_half_of_the_delay_and_all_of_the_distances(tmp_path: Path) -> None:
    rows = [f"{k},{trip}" for k in range(3) for trip in (0.05, 0.054, 0.061)]
    (tmp_path / "x.csv").write_text("time,rtt_s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = read_light_load(tmp_path / "x.csv").trains
    assert [train["opportunities"] for train in found] == [[0, 4, 11]] * 3
    assert [train["delay"] for train in found] == ["25000000ns"] * 3
    assert [train["at"] for train in found] == ["0ns", "1000000000ns", "2000000000ns"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["busy.trace", "--light", "few.csv"], "few.csv has 3 trains of two packets or more"),
        (["busy.trace", "--light", "lost.csv"], "lost.csv has no delays"),
        (["busy.trace", "--light", "busy.trace"], "busy.trace has no single packets"),
        (["busy.trace", "--light", "none.csv"], "none.csv"),
        (["few.csv", "--light", "few.csv"], "few.csv has no opportunities of the saturated link"),
        (
            ["busy.trace", "--light", "few.csv", "--model", "autoregressive"],
            "autoregressive has no trains",
        ),
        (["few.csv", "--light", "few.csv", "--delay", "gamma"], "delay: gamma has no trains"),
        (["busy.trace", "--light", "few.csv", "--clock", "time"], "clock: time is of losses"),
        (["busy.trace", "--light", "few.csv", "--replay"], "replay: light replays both"),
        (
            ["few.csv", "other.csv", "--light", "few.csv"],
            "files: few.csv is the first of 2 recordings of the saturated link",
        ),
        (["busy.trace", "--light", "small.txt"], "small.txt has packets of 84 bytes"),
        (["busy.trace", "--light", "late.trains"], "line 1 has 3 as the arrival of the first"),
    ],
)
def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], line: str
) -> None:
    write_trace(list(range(1, 5000)), tmp_path / "busy.trace")
    rows = [f"{k},{delay}" for k in range(3) for delay in (0.05, 0.054)]
    (tmp_path / "few.csv").write_text("time,delay_s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "other.csv").write_text("time,delay_s\n" + "\n".join(rows[1:]), encoding="utf-8")
    pings = [
        f"[{1700000000 + 0.2 * k:.6f}] 64 bytes from 10.0.0.1: icmp_seq={k} ttl=64 time=40 ms"
        for k in range(1, 20)
    ]
    head = "PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n"
    (tmp_path / "small.txt").write_text(head + "\n".join(pings) + "\n", encoding="utf-8")
    (tmp_path / "late.trains").write_text("0 20 3 4 9\n500 20 3 5\n", encoding="ascii")
    (tmp_path / "lost.csv").write_text("lost\n" + "0\n0\n1\n" * 40, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, ["fit", *arguments, "--no-tcp"])
    assert found.exit_code == 2
    assert line in found.stderr


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0 20 0 4\n10 20 x\n", "line 2 has 'x'; must be a whole number"),
        ("0 20 0 1000000000000\n", "line 1 has '1000000000000'; must be at most 12 digits"),
        ("0 20 0 4\n10 20 3 4\n", "line 2 has 3 as the arrival of the first packet; must be 0"),
        ("0 20\n", "line 1 must have a time, a delay, and the arrival of each packet"),
        ("", "line 1 must have"),
    ],
)
def test_what_is_no_file_of_trains_is_refused(tmp_path: Path, text: str, line: str) -> None:
    (tmp_path / "light.trains").write_text(text, encoding="ascii")
    hop = {"rate": "12.032Mbps", "delay": "1ms", "opportunities": [1], "trains": "light.trains"}
    document = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    with pytest.raises(InputError, match=line):
        airtcp.Scenario.from_dict(document, folder=tmp_path)
