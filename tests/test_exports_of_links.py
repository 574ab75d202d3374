"""Lines of tc and traces of Mahimahi."""

from pathlib import Path

import pytest

from airtcp import InputError, Scenario
from airtcp.export.mahimahi import hop_of, opportunities, read_trace, write_trace
from airtcp.export.netem import tc_lines


def point(hop: dict):  # type: ignore[no-untyped-def]
    document = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    return Scenario.from_dict(document).points()[0]


def test_tc_lines() -> None:
    ge = {"kind": "gilbert-elliott", "p": 0.01, "r": 0.25, "h": 0.2, "clock": "packet"}
    hop = {"rate": "1.5Mbps", "delay": "10ms", "queue": 50, "channel": ge}
    hop["back"] = {"channel": {"kind": "iid", "loss_rate": 0.015}, "delay": "12.5ms"}
    assert tc_lines(point(hop)) == [
        "tc qdisc add dev $DEV root netem delay 10000us rate 1500000bit limit 50"
        " loss gemodel 1% 25% 80% 0%  # hop 0",
        "tc qdisc add dev $DEV root netem delay 12500us rate 1500000bit limit 50"
        " loss random 1.5%  # hop 0, back",
    ]


def test_what_netem_has_not_is_said() -> None:
    hop = {"rate": "1.5Mbps", "delay": "10ms", "gate": {"kind": "on-off", "up": "1s", "down": "1s"}}
    assert tc_lines(point(hop))[0] == "# hop 0: netem has nothing for gate"
    burst = {"kind": "burst", "loss_rate": 0.1, "mean_burst": 4}
    assert (
        "channel burst" in tc_lines(point({"rate": "1Mbps", "delay": "1ms", "channel": burst}))[0]
    )


def test_a_trace_has_the_rate_and_the_outages(tmp_path: Path) -> None:
    gate = {"kind": "schedule", "toggles": ["2s", "3s"], "loses": "nothing"}
    times = opportunities(point({"rate": "12.032Mbps", "delay": "10ms", "gate": gate}), 10.0)
    assert len(times) == 9000  # one per millisecond while it is up
    assert [time for time in times if 2000 <= time < 3000] == []
    file = write_trace(times, tmp_path / "up.trace")
    assert read_trace(file) == times
    hop = hop_of(times, "10ms")
    assert hop["gate"]["toggles"] == ["1999ms", "3000ms"]
    assert point(hop).data["path"]["hop"][0]["rate"].startswith("12.03")


@pytest.mark.parametrize("text", ["", "1\n-2\n", "5\n4\n", "0\n", "a\n", "é\n"])
def test_what_is_no_trace_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.trace"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is not a trace"):
        read_trace(file)
