"""Rates of links from intervals that a sender filled: what captures and iperf3 tell, and when."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp
from airtcp.fitted import filled
from airtcp.fitted.filled import FilledRate, filled_model, with_filled_rate
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.options import FitOptions
from airtcp.fitted.rates_words import rates_table
from airtcp.fitting.rates import NO_SCATTER, RateModel, fit_rates
from airtcp.fitting.rates_data import Floats, Rates
from airtcp.fitting.rates_filled import FilledIntervals, filled_by_packets
from airtcp.measured import Measurement, read
from airtcp.measured.measurement import ARRIVED, NO_DELAY, Packets
from simulated_captures import RECEIVER, SENDER, capture, played

TRACES = Path(__file__).parent.parent.parent / "shared/traces/mmsys24"
LEVELS, SHARES = np.array([1e6, 4e6, 10e6]), np.array([0.3, 0.5, 0.2])
PROCESS = {
    "kind": "autoregressive",
    "every": "20ms",
    "levels": [
        {"rate": f"{rate:g}bps", "share": share} for rate, share in zip(LEVELS, SHARES, strict=True)
    ],
    "memories": [{"time": "1s", "share": 0.95}],
}

OPTIONS = FitOptions(None, None, None, None, None, False, (), False, 1)
SLOW = PROCESS | {"levels": [{"rate": "0bps", "share": 0.2}, {"rate": "3Mbps", "share": 0.8}]}


def document(hop: dict[str, Any], seconds: int, **flow: Any) -> dict[str, Any]:
    """CUBIC over a link."""
    return {
        "profile": "linux",
        "tcp": {"congestion": "cubic"},
        "path": {"hop": [{"delay": "20ms", "queue": 300} | hop]},
        "flow": [flow],
        "stop": {"time": f"{seconds}s", "replications": 1},
    }


def captured(folder: Path, hop: dict[str, Any], seconds: int, **flow: Any) -> Path:
    """A capture at the sender over a link."""
    path = folder / "capture.pcapng"
    path.write_bytes(capture(played(document(hop, seconds, **flow), 1), SENDER))
    return path


def remark(found: airtcp.Fit, *words: str) -> str:
    """The one remark with these words."""
    (said,) = (line for line in found.parts.remarks if all(word in line for word in words))
    return said


def test_a_capture_of_a_busy_sender_tells_the_process(tmp_path: Path) -> None:
    found = airtcp.fit(captured(tmp_path, {"rates": PROCESS}, 120), check=False)
    rates = found.parts.rates
    assert rates is not None
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert hop["rates"]["kind"] == "autoregressive"
    assert "rate" not in hop
    assert "gate" not in hop
    said = remark(found, "the rate changes")
    assert "of 2398 intervals of 50 ms were used" in said
    assert "before the one ahead of it had left the queue" in said
    table = rates_table(rates)
    assert "mean rates over steps of 50 ms, in which shorter changes" in table.sentences_below[0]
    (share,) = (row for row in table.rows if row[0] == "share of time without a rate")
    assert share[1:] == ("0", NO_SCATTER)


def test_outages_are_times_of_rate_0(tmp_path: Path) -> None:
    """A queue of a second whose delay wanders with the rate: no jitter, and no second gate."""
    found = airtcp.fit(captured(tmp_path, {"rates": SLOW, "queue": 300}, 120), check=False)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert "rates" in hop
    assert "jitter" not in hop
    assert "gate" not in hop
    assert float(hop["delay"].removesuffix("ms")) == pytest.approx(20.0, abs=6.0)
    rates = values(hop) if "values" in hop["rates"] else hop["rates"]["levels"]
    assert any(rate["rate"] == "0bps" for rate in rates)
    assert found.parts.rates is not None
    if not found.parts.rates.is_rejected:
        assert all(
            estimate.low is None and "not seen" in estimate.remark
            for estimate in found.parts.rates.estimates
        )
        assert "parameters have no errors" in remark(found, "the rate changes")


@pytest.mark.parametrize(
    ("seconds", "p_value", "words"),
    [
        (60, 1.0, "the rate changes"),
        (60, 0.0, "rejects the process"),
        (20, 1.0, "too few for a process"),
    ],
)
def test_every_rate_that_changes_is_the_share_of_one_connection(
    seconds: int, p_value: float, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traffic beside it hides the rest, whether or not a process is accepted."""
    monkeypatch.setattr(filled, "fit_rates", judged(p_value))
    (measurement,) = read(captured(tmp_path, {"rates": PROCESS}, seconds))
    found = with_filled_rate(FittedHop({"rate": "4Mbps"}), (measurement,), OPTIONS, lambda *_: None)
    (said,) = found.remarks
    assert words in said
    assert "what the link gave this connection: traffic beside it, or a way back too slow" in said


@pytest.mark.parametrize("p_value", [1.0, 0.0])
def test_beside_outages_there_are_no_intervals_even_of_a_process_that_is_rejected(
    p_value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filled, "fit_rates", judged(p_value))
    rng = np.random.default_rng(1)
    bps = rng.choice([0.0, 1e6, 3e6], 600)
    for rates, is_told in ((bps, False), (bps + 1e6, True)):
        model = filled_model(FilledIntervals(Rates(20_000_000, rates)), seed=1)
        assert model is not None
        assert model.is_rejected == (p_value == 0.0)
        assert (model.estimates[0].low is not None) == is_told


def judged(p_value: float) -> Callable[..., RateModel | None]:
    """Fits with few draws and this verdict."""

    def fit(rates: Rates, **given: Any) -> RateModel | None:
        model = fit_rates(rates, **given | {"draws": 9})
        return None if model is None else replace(model, p_value=p_value)

    return fit


def departed(left_ms: list[float]) -> Packets:
    """Packets of 1500 bytes sent at once that left one after another."""
    left = np.array(left_ms) * 1e6
    n = len(left)
    return Packets(
        time=np.arange(n, dtype=np.int64),
        fate=np.zeros(n, dtype=np.int8) + ARRIVED,
        cause=np.full(n, -1, dtype=np.int8),
        delay=left.astype(np.int64) - np.arange(n),
        size=np.full(n, 1500),
        delays="one way",
        is_time_measured=True,
    )


def test_a_packet_after_an_outage_takes_its_airtime_at_its_end() -> None:
    """Packets of 4 ms, and none for a second in the middle."""
    before = 4.0 * np.arange(1, 501)
    found = filled_by_packets(departed([*before, *(before[-1] + 1000.0 + before)]))
    assert found is not None
    width = found.rates.every / 1e6
    without = (found.rates.bps == 0.0).sum() * width
    assert 1000.0 - 2 * width <= without <= 1000.0
    usual = found.rates.bps[found.rates.bps > 0.0]
    assert np.quantile(usual, [0.05, 0.95]) == pytest.approx([3e6, 3e6], rel=0.01)


def test_a_gate_of_spikes_stays_beside_rates_that_hold_no_packets() -> None:
    hop = FittedHop({"rates": {"kind": "steps", "values": [{"at": "0s", "rate": "1Mbps"}]}}, {})
    assert FilledRate(hop).changes
    assert not FilledRate(hop).holds_packets
    still = {"rates": {"kind": "steps", "values": [{"at": "0s", "rate": "0bps"}]}}
    assert FilledRate(FittedHop(still, {})).holds_packets


def test_of_several_captures_the_remark_names_the_first(tmp_path: Path) -> None:
    (measurement,) = read(captured(tmp_path, {"rates": PROCESS}, 20))
    found = with_filled_rate(
        FittedHop({"rate": "4Mbps"}), (measurement, measurement), OPTIONS, lambda *_: None
    )
    (said,) = found.remarks
    assert "capture.pcapng, the first of 2 captures" in said


def test_an_application_that_pauses_tells_no_process(tmp_path: Path) -> None:
    pauses = {
        "think": {"kind": "exponential", "mean": "300ms"},
        "sizes": {"kind": "fixed", "value": "20kB"},
    }
    found = airtcp.fit(captured(tmp_path, {"rates": PROCESS}, 60, **pauses), check=False)
    assert found.parts.rates is None
    assert "cannot be told" in remark(found, "the sender did not fill the link")


def test_losses_that_hold_a_sender_back_tell_no_process(tmp_path: Path) -> None:
    lossy = {"rates": PROCESS, "channel": {"kind": "iid", "loss_rate": 0.02}}
    found = airtcp.fit(captured(tmp_path, lossy, 60), check=False)
    assert found.parts.rates is None
    assert "cannot be told" in remark(found, "the sender did not fill the link")


def test_a_receiver_alone_does_not_tell_when_the_link_was_busy(tmp_path: Path) -> None:
    path = tmp_path / "receiver.pcapng"
    path.write_bytes(capture(played(document({"rates": PROCESS}, 20), 1), RECEIVER))
    found = airtcp.fit(path, check=False)
    assert found.parts.rates is None
    assert "no delays are known" in remark(found, "it carries at least")
    assert not any("did not keep the link busy" in line for line in found.parts.remarks)


def test_a_constant_rate_has_its_mean(tmp_path: Path) -> None:
    found = airtcp.fit(captured(tmp_path, {"rate": "8Mbps"}, 30), check=False)
    assert found.parts.rates is None
    said = remark(found, "mean rate", "whose error is not known", "intervals of")
    mean = float(said.split()[2].removesuffix("Mbps,"))
    assert mean == pytest.approx(8.0, rel=0.01)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert float(hop["rate"].removesuffix("Mbps")) == pytest.approx(8.0, rel=0.03)


def test_a_short_capture_repeats_its_rates(tmp_path: Path) -> None:
    path = captured(tmp_path, {"rates": PROCESS}, 20)
    found = airtcp.fit(path, check=False)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert hop["rates"]["kind"] == "steps"
    assert "95 %" not in remark(found, "mean rate", "too few for a process")
    seen = filled_by_packets(one_packets(read(path)[0]))
    assert seen is not None
    rates = [float(value["rate"].removesuffix("bps").removesuffix("M")) for value in values(hop)]
    assert len(rates) == len(seen.rates.bps)


def one_packets(measurement: Measurement) -> Packets:
    assert measurement.packets is not None
    return measurement.packets


def values(hop: dict[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = hop["rates"]["values"]
    return found


def iperf3(folder: Path, rates: Floats, streams: int, step: float = 0.1, **more: Any) -> Path:
    """A test from server to client, seen by the receiver."""
    intervals = [
        {
            "streams": [
                {
                    "start": k * step,
                    "end": (k + 1) * step,
                    "bytes": rate * step / 8.0 / streams,
                    "sender": False,
                    "omitted": False,
                }
                | more
                for _ in range(streams)
            ]
        }
        for k, rate in enumerate(rates.tolist())
    ]
    start = {"connecting_to": {}, "test_start": {"protocol": "TCP", "reverse": 1}}
    path = folder / "iperf3.json"
    path.write_text(json.dumps({"start": start, "intervals": intervals, "end": {}}))
    return path


def arrived(packets: Packets, number: int, step: float) -> Floats:
    """Rates in bit/s at which packets arrived, of so many steps."""
    there = packets.delay != NO_DELAY
    at = ((packets.time[there] + packets.delay[there]) / (step * 1e9)).astype(int)
    found: Floats = 8.0 / step * np.bincount(at, packets.size[there], minlength=number)[:number]
    return found


def test_streams_that_losses_hold_back_tell_no_rate(tmp_path: Path) -> None:
    """Two streams over 100 Mbit/s that loses 1 % of the packets get 4 Mbit/s."""
    lossy = {"rate": "100Mbps", "channel": {"kind": "iid", "loss_rate": 0.01}}
    path = tmp_path / "one.pcapng"
    total: Floats = np.zeros(600)
    for seed in (1, 2):
        path.write_bytes(capture(played(document(lossy, 60), seed), SENDER))
        total = total + arrived(one_packets(read(path)[0]), 600, 0.1)
    found = airtcp.fit(iperf3(tmp_path, total, 2), check=False)
    assert found.parts.rates is None
    assert "not that of the link" in remark(found, "2 parallel streams do not prove")
    assert not any("95 % interval" in line or "mean rate" in line for line in found.parts.remarks)
    assert "95 % interval" not in found.toml


def test_why_iperf3_tells_no_rate_depends_on_its_file(tmp_path: Path) -> None:
    """A user of parallel streams is not told to use them."""
    rates = 8e6 * np.random.default_rng(1).gamma(4.0, 0.25, 10)
    single, eight, sender = (
        airtcp.fit(iperf3(tmp_path, rates, streams, 1.0, sender=sends), check=False)
        for streams, sends in ((1, False), (8, False), (8, True))
    )
    said = [
        remark(single, "nothing tells when the sender filled the link"),
        remark(eight, "8 parallel streams do not prove"),
        remark(sender, "what the sender wrote"),
    ]
    assert not any("iperf3 -P" in line for line in said)
    for found, line in zip((single, eight, sender), said, strict=True):
        assert found.parts.rates is None
        assert sum(line in other.parts.remarks for other in (single, eight, sender)) == 1
        assert line in found.parts.remarks


@pytest.mark.skipif(not TRACES.is_dir(), reason="needs the traces")
def test_starlink_by_iperf3_says_what_it_does_not_tell() -> None:
    down, up = (airtcp.fit(next(TRACES.glob(f"*-{k}m-*.json")), check=False) for k in (2, 5))
    assert "nothing tells when the sender filled" in remark(down, "a capture of the test")
    assert "what the sender wrote" in remark(up, "--get-server-output")
    assert down.parts.rates is None
    assert up.parts.rates is None
