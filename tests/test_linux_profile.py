"""Profile linux from the document to tables, traces and plots."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp as at
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.live.points import reason_without_live_run
from airtcp.metrics.layout import flow_tcps

EXAMPLE = Path(__file__).parents[1] / "examples/linux.toml"
LOSSY = {
    "rate": "10Mbps",
    "delay": "10ms",
    "queue": 50,
    "channel": {"kind": "iid", "loss_rate": 0.01},
}


def linux(flows: list[dict[str, Any]] | None = None, **tcp: Any) -> at.Scenario:
    document = {
        "profile": "linux",
        "tcp": tcp,
        "path": {"hop": [LOSSY]},
        "flow": flows or [{}],
        "stop": {"time": "10s", "replications": 2},
    }
    return at.Scenario.from_dict(document)


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0)


def test_controls_are_coordinates_of_a_table() -> None:
    results = at.simulate(linux(congestion=["reno", "cubic", "bbr"]))
    frame = results.to_pandas()
    assert list(frame["tcp.congestion"].unique()) == ["reno", "cubic", "bbr"]
    assert "tcp.variant" not in frame
    means = frame.groupby("tcp.congestion")["throughput_pps"].mean()
    # 833.3 packets of 1500 B per second: BBR does not take random losses for congestion.
    assert means["bbr"] > 700.0
    assert 100.0 < means["reno"] < means["bbr"]


def test_one_control_is_shown_though_it_does_not_vary() -> None:
    (point,) = linux().points()
    assert point.coordinates == {"tcp.congestion": "cubic"}
    assert at.simulate(linux()).to_pandas()["tcp.congestion"].unique().tolist() == ["cubic"]


def test_flows_with_controls_of_their_own_are_told_apart() -> None:
    both = linux([{}, {"tcp": {"congestion": "bbr", "sysctl": {"tcp_frto": 0}}}])
    (point,) = both.points()
    names = flow_tcps(point)
    assert names[0].startswith("cubic")
    assert names[1].startswith("bbr")
    events = at.trace(both)
    assert events.variants == ["cubic", "bbr"]


def test_a_trace_shows_handshake_and_state() -> None:
    events = at.trace(linux())
    frame = events.to_pandas()
    control = frame[frame["event"] == "control"]
    assert control["seq"].tolist() == [-1, 0]
    assert control["size"].tolist() == [60, 52]
    first = frame[frame["event"].isin(["send", "resend"])].iloc[0]
    assert first["size"] == 1500
    assert first["time"] > 0.02
    assert events.facts["payload"] == 1448
    acks = frame[frame["event"] == "ack"]
    # The SYN-ACK comes first, when there is no sample of a round trip.
    assert acks["seq"].iloc[0] == 0
    srtt = acks["srtt"].iloc[1:].to_numpy(dtype=float)
    assert np.all((srtt > 0.02) & (srtt < 0.2))
    assert acks["cwnd"].iloc[0] == 10
    assert np.isinf(acks["ssthresh"].iloc[0])


@pytest.mark.parametrize("suffix", ["svg", "xpl", "pcapng", "csv"])
def test_a_trace_is_written_in_every_format(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"events.{suffix}"
    at.trace(linux()).between(0.0, 1.0).write(path)
    assert path.stat().st_size > 1000


def test_the_command_line_runs_and_plots_the_example(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = ["--set", "stop.time=3s", "--set", "stop.warmup=1s", "--replications", "2"]
    assert command("run", str(EXAMPLE), *short, "--out", str(tmp_path / "out")) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("reno", "cubic", "bbr"))
    figure = tmp_path / "figure.svg"
    plot = [
        "plot",
        str(tmp_path / "out"),
        "-x",
        "path.hop[0].channel.loss_rate",
        "-y",
        "goodput_bps",
    ]
    assert command(*plot, "-o", str(figure)) == 0
    assert figure.stat().st_size > 5000


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("tcp.congestion=cubik", "did you mean .cubic"),
        ("tcp.variant=reno", "not of linux"),
        ("tcp.sysctl.tcp_frt=0", "did you mean .tcp_frto"),
        ("tcp.sysctl.tcp_sack=0", "set tcp.sack instead"),
        ("tcp.sysctl.tcp_rmem=4096", "is not a text"),
    ],
)
def test_refusals_are_one_line(
    assignment: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("run", str(EXAMPLE), "--set", assignment) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert re.search(words, said)


def test_settings_are_those_of_the_compiled_part() -> None:
    given = {"tcp_early_retrans": 0, "tcp_rmem": "4096 65536 65536"}
    (point,) = linux(sysctl=given).points()
    assert point.data["tcp"]["sysctl"] == given
    with pytest.raises(InputError, match="three whole numbers"):
        linux(sysctl={"tcp_rmem": "4096 65536"})


def test_the_example_is_small_enough_to_read() -> None:
    document = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    assert document["profile"] == "linux"
    assert len(at.Scenario.load(EXAMPLE)) == 9


@pytest.mark.parametrize(
    ("live", "stack", "why"),
    [
        ({}, "kernel", "the kernel has no bbr3, which is only a draft"),
        ({}, "auto", ""),
        ({"stack": "airtcp"}, "kernel", ""),
        ({"congestion": "cubic"}, "kernel", ""),
    ],
)
def test_a_control_of_a_draft_is_our_own_stacks(live: dict[str, str], stack: str, why: str) -> None:
    document = linux(congestion="bbr3").to_dict() | {"live": live}
    (point,) = at.Scenario.from_dict(document).points()
    assert reason_without_live_run(point, stack) == why


def test_a_control_of_a_draft_keeps_most_of_a_link_that_loses() -> None:
    means = at.simulate(linux(congestion=["cubic", "bbr3"])).to_pandas()
    rates = means.groupby("tcp.congestion")["throughput_pps"].mean()
    assert rates["bbr3"] > 1.5 * rates["cubic"]


def test_captures_are_not_replayed_under_a_control_of_a_draft(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = Path(__file__).parents[1] / "examples/server/bbr"
    assert command("explain", str(folder), "--control", "bbr3") != 0
    said = capsys.readouterr().err
    assert "control = 'bbr3': must be one of reno, cubic, bbr" in said
