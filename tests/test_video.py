"""Video in chunks: what players ask for on links that carry more and less than they would like."""

import re
from typing import Any

import numpy as np
import pytest

import airtcp as at
from airtcp.errors import InputError
from video_reference import watch

LADDER = ["300kbps", "750kbps", "1.5Mbps", "3Mbps"]


def document(rate: str, flows: list[dict[str, Any]], **stop: object) -> dict[str, Any]:
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "path": {"hop": [{"rate": rate, "delay": "20ms", "queue": 100}]},
        "flow": flows,
        "stop": {"time": "300s"} | stop,
    }


def watched(
    rate: str, choice: object = "buffer", video: dict[str, Any] | None = None, **stop: object
) -> Any:
    """The metrics of a video alone on a link."""
    flow = {"video": {"bitrates": LADDER, "choice": choice} | (video or {})}
    return at.simulate(document(rate, [flow], **stop)).runs.to_pandas().iloc[0]


def test_a_link_that_carries_all_shows_the_highest_bitrate_without_a_stall() -> None:
    seen = watched("20Mbps", warmup="100s")
    assert seen["video_bitrate"] == 3e6
    assert seen["rebuffering"] == 0.0
    assert seen["chunks"] == pytest.approx(200 / 4, abs=1)


def test_the_first_chunk_takes_what_a_transfer_of_its_size_takes() -> None:
    alone = document("10Mbps", [{"size": "150kB"}])
    time = at.simulate(alone).runs.to_pandas()["transfer_time"][0]
    assert watched("10Mbps")["startup_delay"] == time


def test_below_the_lowest_bitrate_the_viewer_waits_for_what_the_link_does_not_carry() -> None:
    seen = watched("250kbps", time="3000s")
    assert seen["video_bitrate"] == 300e3
    # A second of video is 300 kbit: what has come has played, but for the last chunk.
    assert seen["rebuffering"] == pytest.approx(1 - seen["goodput_bps"] / 300e3, abs=0.01)
    assert 0.15 < seen["rebuffering"] < 0.25


@pytest.mark.parametrize("choice", ["buffer", "throughput"])
def test_time_is_spent_starting_playing_or_stalled(choice: str) -> None:
    run = document("1Mbps", [{"start": "7s", "video": {"bitrates": LADDER, "choice": choice}}])
    seen = at.simulate(run).runs.to_pandas().iloc[0]
    cut = at.simulate(document("1Mbps", run["flow"], batches=30)).runs.to_pandas()
    assert seen["stalls"] == cut["stalls"].sum()
    share = 1 - seen["rebuffering"]
    assert seen["chunks"] * 4 == pytest.approx((300 - 7 - seen["startup_delay"]) * share, abs=34)


@pytest.mark.parametrize("rate", ["250kbps", "500kbps", "1Mbps", "2Mbps", "6Mbps"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_transcription_of_the_paper_sees_the_same(rate: str, seed: int) -> None:
    """Chunk by chunk over the ACKs that came to the sender, on a link that loses packets."""
    run = document(rate, [{"video": {"bitrates": LADDER}}])
    run["path"]["hop"][0]["channel"] = {"kind": "iid", "loss_rate": 0.005}
    seen = at.simulate(run, replications=1, seed=seed).runs.to_pandas().iloc[0]
    events = at.trace(run, seed=seed).to_pandas()
    acks = events[events["event"] == "ack"]
    acked = np.maximum.accumulate(acks["seq"].to_numpy())
    expected = watch([300e3, 750e3, 1.5e6, 3e6], acks["time"].to_numpy(), acked, 300.0)
    for metric, value in expected.items():
        assert seen[metric] == pytest.approx(value, rel=1e-9, abs=1e-9), metric


@pytest.mark.parametrize("rate", ["500kbps", "1Mbps", "2Mbps", "3.5Mbps"])
def test_by_the_buffer_nothing_stalls_where_the_link_carries_the_lowest_bitrate(rate: str) -> None:
    """Huang et al., section 4: as the buffer runs low, the bitrate is below what comes."""
    assert watched(rate, time="900s")["stalls"] == 0


def test_twice_the_throughput_stalls() -> None:
    """The control of the test above."""
    assert watched("2Mbps", {"kind": "throughput", "share": 2.0}, time="900s")["stalls"] > 20


def test_by_throughput_the_bitrate_is_the_one_below_what_the_link_carries() -> None:
    assert watched("2Mbps", "throughput", warmup="60s")["video_bitrate"] == 1.5e6
    assert watched("1.5Mbps", "throughput", warmup="60s")["video_bitrate"] == 750e3


def test_a_video_ends() -> None:
    seen = watched("20Mbps", video={"length": "61s"})
    assert (seen["chunks"], seen["transfers"], seen["stalls"]) == (16, 16, 0)


@pytest.mark.parametrize("profile", ["rfc", "linux", "ns2", "bsd"])
def test_every_tcp_carries_it(profile: str) -> None:
    tcp = {"linux": {"congestion": "cubic"}, "bsd": {"variant": "reno", "window": "64kB"}}.get(
        profile, {"variant": "sack"}
    )
    base = document("20Mbps", [{"video": {"bitrates": LADDER}}], warmup="100s")
    seen = at.simulate(base | {"profile": profile, "tcp": tcp}).runs.to_pandas().iloc[0]
    assert seen["video_bitrate"] == 3e6
    assert seen["stalls"] == 0


@pytest.mark.parametrize(
    ("video", "said"),
    [
        ({"bitrates": []}, r"video\.bitrates"),
        (
            {"bitrates": ["1Mbps", "1Mbps"]},
            r"bitrates: 1Mbps comes after 1Mbps, but bitrates must increase",
        ),
        ({"bitrates": ["0bps", "1bps"]}, r"bitrates"),
        ({"chunk": "0s"}, r"video\.chunk: 0s is too short; must be above 0s"),
        ({"buffer": "3s"}, r"video\.buffer: 3s is less than a chunk, 4s"),
        (
            {"prebuffer": "29s"},
            r"video\.prebuffer: is too long: a buffer of 30s holds only 7 chunks of 4s",
        ),
        ({"length": "0s"}, r"video\.length: 0s is too short; must be above 0s"),
        ({"choice": "best"}, r"video\.choice"),
        (
            {"choice": {"kind": "buffer", "full": 0.2}},
            r"full: 0\.2 is not above reservoir = 0\.375",
        ),
    ],
)
def test_refusals(video: dict[str, Any], said: str) -> None:
    flow = {"video": {"bitrates": LADDER} | video}
    with pytest.raises(InputError) as refused:
        at.simulate(document("1Mbps", [flow]))
    assert re.search(said, str(refused.value)), refused.value


def test_a_video_says_itself_what_it_asks_for() -> None:
    for key, value in (
        ("sizes", {"kind": "fixed", "value": "1kB"}),
        ("size", "1kB"),
        ("packets", 3),
    ):
        with pytest.raises(InputError, match=rf"flow\[0\]\.{key}"):
            at.simulate(document("1Mbps", [{"video": {"bitrates": LADDER}, key: value}]))
