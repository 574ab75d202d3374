"""Rates of links from intervals that a sender filled: what captures and iperf3 tell, and when."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import airtcp
from airtcp.fitting.rates_filled import filled_by_packets
from airtcp.fitting.rates_memory import Memories
from airtcp.measured import Measurement, read
from simulated_captures import SENDER, capture, played

TRACES = Path(__file__).parent.parent.parent / "shared/traces/mmsys24"
LEVELS, SHARES = np.array([1e6, 4e6, 10e6]), np.array([0.3, 0.5, 0.2])
MEAN = float(LEVELS @ SHARES)
TRUTH = {
    "mean rate": MEAN,
    "standard deviation / mean": float(np.sqrt(LEVELS**2 @ SHARES - MEAN**2)) / MEAN,
    "correlation after 0.1 s": 0.95 * np.exp(-0.1),
    "correlation after 1 s": 0.95 * np.exp(-1.0),
}
PROCESS = {
    "kind": "autoregressive",
    "every": "20ms",
    "levels": [
        {"rate": f"{rate:g}bps", "share": share} for rate, share in zip(LEVELS, SHARES, strict=True)
    ],
    "memories": [{"time": "1s", "share": 0.95}],
}

SLOW = PROCESS | {"levels": [{"rate": "0bps", "share": 0.2}, {"rate": "3Mbps", "share": 0.8}]}


def captured(folder: Path, hop: dict[str, Any], seconds: int, **flow: Any) -> Path:
    """A capture at the sender over a link."""
    document = {
        "profile": "linux",
        "tcp": {"congestion": "cubic"},
        "path": {"hop": [{"delay": "20ms", "queue": 300} | hop]},
        "flow": [flow],
        "stop": {"time": f"{seconds}s", "replications": 1},
    }
    path = folder / "capture.pcapng"
    path.write_bytes(capture(played(document, 1), SENDER))
    return path


def missed(found: airtcp.Fit) -> list[str]:
    """Parameters of the true process that lie outside their intervals."""
    assert found.parts.rates is not None
    by_name = {one.name: one for one in found.parts.rates.estimates}
    return [name for name, value in TRUTH.items() if not by_name[name].covers(value)]


def remark(found: airtcp.Fit, *words: str) -> str:
    """The one remark with these words."""
    (said,) = (one for one in found.parts.remarks if all(word in one for word in words))
    return said


def test_a_capture_of_a_busy_sender_tells_the_process(tmp_path: Path) -> None:
    found = airtcp.fit(captured(tmp_path, {"rates": PROCESS}, 120), check=False)
    assert missed(found) == []
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert hop["rates"]["kind"] == "autoregressive"
    assert "rate" not in hop
    assert "gate" not in hop
    said = remark(found, "the rate changes")
    assert "of 2398 intervals of 50 ms were used" in said
    assert "before the one ahead of it had left the queue" in said


def test_a_deep_queue_is_no_jitter(tmp_path: Path) -> None:
    """A queue of a second whose delay wanders with the rate; spikes of it are times of low rate."""
    found = airtcp.fit(captured(tmp_path, {"rates": SLOW, "queue": 300}, 60), check=False)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert "rates" in hop
    assert "jitter" not in hop
    assert "gate" not in hop
    assert float(hop["delay"].removesuffix("ms")) == pytest.approx(20.0, abs=6.0)


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


def test_a_constant_rate_has_its_mean_with_an_interval(tmp_path: Path) -> None:
    found = airtcp.fit(captured(tmp_path, {"rate": "8Mbps"}, 30), check=False)
    assert found.parts.rates is None
    said = remark(found, "mean rate", "95 % interval", "intervals of")
    mean = float(said.split()[2].removesuffix("Mbps,"))
    assert mean == pytest.approx(8.0, rel=0.01)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert float(hop["rate"].removesuffix("Mbps")) == pytest.approx(8.0, rel=0.03)


def test_a_short_capture_repeats_its_rates(tmp_path: Path) -> None:
    path = captured(tmp_path, {"rates": PROCESS}, 20)
    found = airtcp.fit(path, check=False)
    hop = tomllib.loads(found.toml)["path"]["hop"][0]
    assert hop["rates"]["kind"] == "steps"
    assert "mean rate" in remark(found, "too few for a process")
    filled = filled_by_packets(one_packets(read(path)[0]))
    assert filled is not None
    rates = [float(one["rate"].removesuffix("bps").removesuffix("M")) for one in values(hop)]
    assert len(rates) == len(filled.rates.bps)


def one_packets(one: Measurement) -> Any:
    assert one.packets is not None
    return one.packets


def values(hop: dict[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = hop["rates"]["values"]
    return found


def iperf3(folder: Path, rates: np.ndarray[Any, Any], streams: int, **more: Any) -> Path:
    """A test from server to client, of intervals of 0.1 s, seen by the receiver."""
    intervals = [
        {
            "streams": [
                {
                    "start": k / 10,
                    "end": (k + 1) / 10,
                    "bytes": rate / 80.0 / streams,
                    "sender": bool(more),
                    "omitted": False,
                }
                | {name: value[k] for name, value in more.items()}
                for _ in range(streams)
            ]
        }
        for k, rate in enumerate(rates.tolist())
    ]
    start = {"connecting_to": {}, "test_start": {"protocol": "TCP", "reverse": 1}}
    path = folder / "iperf3.json"
    path.write_text(json.dumps({"start": start, "intervals": intervals, "end": {}}))
    return path


def drawn(number: int) -> np.ndarray[Any, Any]:
    """Rates of the process, every 0.1 s."""
    memories = Memories(np.array([10.0]), np.array([0.95]))
    scores = memories.scores(np.random.default_rng(1), number)
    found: np.ndarray[Any, Any] = LEVELS[
        np.searchsorted(np.cumsum(SHARES)[:-1], ndtr(scores), side="right")
    ]
    return found


def test_parallel_streams_of_iperf3_tell_the_process(tmp_path: Path) -> None:
    found = airtcp.fit(iperf3(tmp_path, drawn(3000), 8), check=False)
    assert missed(found) == []
    assert "8 streams ran in parallel" in remark(found, "the rate changes")
    assert "3000 of 3000 intervals of 100 ms were used" in remark(found, "the rate changes")


def test_one_stream_of_iperf3_does_not_tell_who_held_it_back(tmp_path: Path) -> None:
    found = airtcp.fit(iperf3(tmp_path, drawn(3000), 1), check=False)
    assert found.parts.rates is None
    assert "iperf3 -P" in remark(found, "nothing shows when the sender filled the link")


@pytest.mark.skipif(not TRACES.is_dir(), reason="needs the traces")
def test_starlink_by_iperf3_says_what_it_does_not_tell() -> None:
    down, up = (airtcp.fit(next(TRACES.glob(f"*-{k}m-*.json")), check=False) for k in (2, 5))
    assert "nothing shows when the sender filled" in remark(down, "iperf3 -P")
    assert "what the sender wrote" in remark(up, "--get-server-output")
    assert down.parts.rates is None
    assert up.parts.rates is None
