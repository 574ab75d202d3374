"""Rates of measured links: shown by busy senders, not by paced ones, and those that change."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp
from airtcp.fitted.link_rate import carried_rate, link_rate
from airtcp.fitting.capacity import estimate_capacity
from airtcp.live import LiveLog
from airtcp.measured import Intervals, Measurement, Packets, facts, read
from airtcp.measured.measurement import ARRIVED, UNKNOWN, Oddity
from airtcp.support.units import base_units_of
from simulated_captures import SENDER, capture, played

TRACES = Path(__file__).parent.parent.parent / "shared/traces/mmsys24"
JITTER = {"kind": "uniform", "min": "0s", "max": "5ms"}
SECOND = 1_000_000_000


def simulated(tmp_path: Path, control: str, end: int | None = SENDER, **hop: Any) -> Measurement:
    """A capture of 20 s over 20 Mbit/s and 20 ms each way."""
    link = {"rate": "20Mbps", "delay": "20ms", "queue": 100} | hop
    document = {
        "profile": "linux",
        "tcp": {"congestion": control},
        "path": {"hop": [link]},
        "stop": {"time": "20s", "replications": 1},
    }
    path = tmp_path / "capture.pcapng"
    path.write_bytes(capture(played(document, 1), end))
    return read(path)[0]


def rate_in(found: Any) -> float:
    assert found.key == "rate"
    return float(base_units_of(found.value))


@pytest.mark.parametrize("end", [SENDER, None], ids=["one end", "both ends"])
@pytest.mark.parametrize(
    ("control", "hop"),
    [
        ("cubic", {"queue": 20}),
        ("cubic", {}),
        ("cubic", {"jitter": JITTER}),
        ("bbr", {"queue": 20}),
        ("bbr", {"channel": {"kind": "iid", "loss_rate": 0.05}}),
    ],
)
def test_trains_that_waited_show_the_rate(
    tmp_path: Path, control: str, hop: dict[str, Any], end: int | None
) -> None:
    found = link_rate(simulated(tmp_path, control, end, **hop))
    assert found is not None
    assert rate_in(found) == pytest.approx(20e6, rel=0.03)
    assert "waited for one another" in found.source


def test_a_rate_that_others_may_share_says_so(tmp_path: Path) -> None:
    """Two flows of BBR on 20 Mbit/s: each keeps its half busy, which looks like a link of that."""
    document = {
        "profile": "linux",
        "tcp": {"congestion": "bbr"},
        "path": {"hop": [{"rate": "20Mbps", "delay": "20ms", "queue": 100}]},
        "flow": [{"count": 2}],
        "stop": {"time": "10s", "replications": 1},
    }
    path = tmp_path / "capture.pcapng"
    path.write_bytes(capture(played(document, 1), SENDER))
    found = airtcp.fit(path, check=False)
    assert rate_in(link_rate(found.chosen[0])) < 15e6
    (note,) = (
        remark for remark in found.parts.remarks if "what the link gave this connection" in remark
    )
    assert "traffic beside it" in note
    assert "--rate" in note


def test_a_sender_held_back_by_losses_shows_no_rate(tmp_path: Path) -> None:
    """Some 4 Mbit/s over a link of 20: neither of them is a rate that the record shows."""
    measurement = simulated(tmp_path, "cubic", channel={"kind": "iid", "loss_rate": 0.01})
    assert link_rate(measurement) is None
    least = carried_rate(measurement.packets)
    assert least is not None
    assert least < 15e6
    found = airtcp.fit(measurement.source, check=False)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert float(base_units_of(hop["rate"])) == 20e6
    text = " ".join(found.parts.remarks)
    assert "assumed, and the answer depends on it: rate 20Mbps (--rate)" in text
    assert f"at least {least / 1e6:.4g}Mbps" in text


def test_a_delay_that_changes_elsewhere_is_no_queue_of_a_paced_sender() -> None:
    """One packet every 10 ms; for a while the way is 30 ms longer."""
    n = 4000
    delay = np.full(n, 20_000_000)
    delay[1000:3000] += 30_000_000
    packets = Packets(
        time=np.arange(n) * 10_000_000,
        fate=np.full(n, ARRIVED, dtype=np.int8),
        delay=delay.astype(np.int64),
        size=np.full(n, 1200, dtype=np.int32),
        cause=np.full(n, UNKNOWN, dtype=np.int8),
        delays="one way",
    )
    assert estimate_capacity(packets, paced=True) is None
    # Bursts of 20 that a queue pulls apart, to one packet per ms, are seen.
    burst = np.arange(n) // 20 * 100_000_000
    waits = np.arange(n) % 20 * 1_000_000 + 20_000_000
    queued = replace(packets, time=burst.astype(np.int64), delay=waits.astype(np.int64))
    found = estimate_capacity(queued, paced=True)
    assert found is not None
    assert found.rate == pytest.approx(8 * 1200 / 1e-3)


def test_a_probe_shows_no_rate_however_often_it_is_sent() -> None:
    n = 4000
    packets = Packets(
        time=np.arange(n) * 1_000_000,
        fate=np.full(n, ARRIVED, dtype=np.int8),
        delay=np.full(n, 20_000_000, dtype=np.int64),
        size=np.full(n, 84, dtype=np.int32),
        cause=np.full(n, UNKNOWN, dtype=np.int8),
        delays="round trip",
    )
    assert link_rate(Measurement("x", "ping", packets=packets, is_probing=True)) is None


def test_what_a_log_told_nobody_is_a_note(tmp_path: Path) -> None:
    lines = [f"{0.2 * k:.3f}\t{k}\t{40.0 + k % 7}" for k in range(400) if k % 50 != 7]
    path = tmp_path / "trips.txt"
    path.write_text("\n".join(lines))
    found = airtcp.fit(path, check=False)
    note = found.parts.remarks[0]
    assert "rate 20Mbps (--rate), queue 100 (--queue)" in note
    assert "delay" not in note.removeprefix("not in the files")
    told = airtcp.fit(path, check=False, rate="5Mbps", queue=50)
    assert not any("assumed" in remark for remark in told.parts.remarks)


# Counts


def iperf3_udp(end: dict[str, Any], seconds: int = 10) -> dict[str, Any]:
    """A test of a client of UDP at 20 Mbit/s, which sends 1726 packets of 1448 bytes a second."""
    of_second = {"seconds": 1, "bytes": 1726 * 1448, "packets": 1726, "sender": True}
    streams = [of_second | {"start": k, "end": k + 1, "omitted": False} for k in range(seconds)]
    return {
        "start": {"connecting_to": {}, "test_start": {"protocol": "UDP", "reverse": 0}},
        "intervals": [{"streams": [stream]} for stream in streams],
        "end": end,
    }


def sums(lost: int, seconds: float = 10.0) -> dict[str, Any]:
    whole = {"seconds": seconds, "packets": 17260, "lost_packets": lost}
    return {
        "sum": whole | {"bytes": 17260 * 1448},
        "sum_sent": whole | {"bytes": 17260 * 1448, "lost_packets": 0},
        "sum_received": whole | {"bytes": (17260 - lost) * 1448},
    }


def written(tmp_path: Path, document: dict[str, Any]) -> Path:
    path = tmp_path / "iperf3.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("keys", [("sum", "sum_sent", "sum_received"), ("sum",)])
def test_a_client_of_udp_knows_losses_from_the_end(tmp_path: Path, keys: tuple[str, ...]) -> None:
    end = {key: summary for key, summary in sums(345).items() if key in keys}
    (measurement,) = read(written(tmp_path, iperf3_udp(end)))
    counted = measurement.intervals
    assert counted is not None
    assert (counted.sent.tolist(), counted.lost.tolist()) == ([17260], [345])
    assert counted.received[0] == pytest.approx((17260 - 345) * 1448)
    found = facts(measurement)
    assert found.loss is not None
    assert found.loss.value == pytest.approx(345 / 17260)
    assert 0.015 < found.loss.low < found.loss.high < 0.025
    assert found.silence_count is None  # one count over 10 s shows none


def test_a_client_of_udp_without_sums_says_that_losses_are_unknown(tmp_path: Path) -> None:
    found = airtcp.fit(written(tmp_path, iperf3_udp({})), check=False)
    assert any("the file does not show losses" in remark for remark in found.parts.remarks)


def test_losses_of_udp_do_not_count_twice(tmp_path: Path) -> None:
    found = airtcp.fit(written(tmp_path, iperf3_udp(sums(345))), check=False)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert float(base_units_of(hop["rate"])) == pytest.approx(1726 * 1448 * 8, rel=1e-3)
    assert hop["channel"]["loss_rate"] == pytest.approx(345 / 17260)
    assert any("pace of the sender of UDP" in remark for remark in found.parts.remarks)


def counts(received: Any, seconds: float = 0.1, **more: Any) -> Measurement:
    received = np.array(received, dtype=np.float64)
    n, step = len(received), round(seconds * SECOND)
    unknown = np.full(n, np.nan)
    intervals = Intervals(
        start=np.arange(n) * step,
        length=np.full(n, step),
        sent=unknown,
        lost=unknown,
        received=received,
        delay=unknown,
    )
    return Measurement("x", "iperf3", intervals=intervals, **more)


def test_writes_into_a_buffer_are_no_rate() -> None:
    """4 Mbit/s, written in pieces of 0.5 MB: one in a second, and none in most intervals."""
    writes = np.zeros(1000)
    writes[::10] = 500_000
    found = link_rate(counts(writes, oddities=(Oddity("sender", "writes"),)))
    assert found is not None
    assert rate_in(found) == pytest.approx(4e6, rel=0.01)
    assert "windows of 10 s" in found.source


def test_a_rate_that_changes_becomes_rates_with_its_outage() -> None:
    received = np.repeat([5e5, 0.0, 1e6, 2e5], 100)  # in 0.1 s, 10 s of each
    found = link_rate(counts(received))
    assert found is not None
    assert found.key == "rates"
    steps = found.value["values"]
    assert len(steps) == 40
    assert [base_units_of(steps[at]["rate"]) for at in (0, 10, 20, 30)] == [40e6, 0, 80e6, 16e6]
    assert "the rate changes" in found.note


def test_a_rate_that_hardly_changes_stays_one() -> None:
    chance = np.random.default_rng(1)
    found = link_rate(counts(1e5 * (1.0 + 0.1 * chance.standard_normal(600))))
    assert found is not None
    assert rate_in(found) == pytest.approx(8e6, rel=0.1)
    assert "--rate" in found.note


@pytest.mark.skipif(not TRACES.is_dir(), reason="needs the traces")
@pytest.mark.parametrize(("length", "most"), [("2m", 100e6), ("5m", 15e6)])
def test_starlink_becomes_rates_of_its_mean(length: str, most: float) -> None:
    path = next(TRACES.glob(f"*-{length}-*.json"))
    found = airtcp.fit(path, check=False)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    rates = np.array([float(base_units_of(row["rate"])) for row in hop["rates"]["values"]])
    counted = found.chosen[0].intervals
    assert counted is not None
    mean = 8e9 * counted.received.sum() / counted.length.sum()
    assert rates.mean() == pytest.approx(mean, rel=0.02)
    assert rates.max() < most
    assert any("the rate changes" in remark for remark in found.parts.remarks)
    stop = tomllib.loads(found.toml)["stop"]["time"]
    assert float(base_units_of(stop)) == (120 if length == "2m" else 300)


def test_the_emulator_was_told_rate_delay_and_queue() -> None:
    """The folder of a live run has the scenario of its link."""
    folder = Path(__file__).parent / "stored/model7/log"
    (hop,) = LiveLog(folder).path
    there, _ = read(folder)
    assert there.emulated_hop == {key: hop[key] for key in ("rate", "delay", "queue")}
    found = link_rate(there)
    assert found is not None
    assert rate_in(found) == float(base_units_of(hop["rate"]))
    assert found.source == "as the emulator was told"
