"""Lines of tc and traces of Mahimahi."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import airtcp
from airtcp import InputError, Scenario
from airtcp.links.mahimahi import hop_of, opportunities, read_trace, write_trace
from airtcp.links.netem import DELAY_FACTORS, tc_lines

PLAIN = {"rate": "1.5Mbps", "delay": "10ms"}


def point(hop: dict):  # type: ignore[no-untyped-def]
    document = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    return Scenario.from_dict(document).points()[0]


def test_tc_lines() -> None:
    ge = {"kind": "gilbert-elliott", "p": 0.01, "r": 0.25, "h": 0.2, "clock": "packet"}
    hop = {"rate": "1.5Mbps", "delay": "10ms", "queue": 50, "channel": ge}
    hop["back"] = {"channel": {"kind": "iid", "loss_rate": 0.015}, "delay": "12.5ms"}
    assert tc_lines(point(hop)) == [
        "tc qdisc add dev $DEV root handle 1: netem rate 1500000bit limit 50"
        "  # hop 0: transmitter and queue",
        "tc qdisc add dev $DEV parent 1:1 handle 2: netem delay 10000us limit 1000000"
        " loss gemodel 1% 25% 80% 0%  # hop 0: losses and delay",
        "tc qdisc add dev $DEV root handle 1: netem rate 1500000bit limit 50"
        "  # hop 0, back: transmitter and queue",
        "tc qdisc add dev $DEV parent 1:1 handle 2: netem delay 12500us limit 1000000"
        " loss random 1.5%  # hop 0, back: losses and delay",
    ]


def test_the_limit_of_the_queue_does_not_count_the_wire() -> None:
    """833 packets of 1500 bytes are on the wire here: a limit of 50 for both gives 6 Mbit/s."""
    queue, wire = tc_lines(point({"rate": "100Mbps", "delay": "100ms", "queue": 50}))[:2]
    assert "rate 100000000bit limit 50 " in queue
    assert "delay" not in queue
    assert "delay 100000us limit 1000000 " in wire
    assert "rate" not in wire
    far = tc_lines(point({"rate": "100Gbps", "delay": "2s", "queue": 50}))[1]
    assert "limit 625000001 " in far  # of 40 bytes


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        ({"kind": "burst", "loss_rate": 0.1, "mean_burst": 4}, "gemodel 2.777777778% 25%"),
        ({"kind": "two-state", "p_gb": 0.05, "p_bg": 0.3}, "gemodel 5% 30%"),
        ({"kind": "gilbert-elliott", "p": 0.05, "r": 0.3}, "gemodel 5% 30% 100% 0%"),
        # 1 - exp(-1/F) = 0.02 and f_d T = 0.01 per packet in the equations of [zorzi III-A].
        (
            {"kind": "rayleigh-two-state", "loss_rate": 0.02, "doppler": 0.01},
            "gemodel 0.3541284113% 17.35229215%",
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_chains_on_a_packet_clock_are_netem_s(channel: dict, words: str) -> None:
    on = {**PLAIN, "channel": {**channel, "clock": "packet"}}
    assert f"loss {words}  # hop 0" in tc_lines(point(on))[1]
    (reason, _, _) = tc_lines(point({**PLAIN, "channel": channel}))
    wanted = (
        f"# hop 0: netem has nothing for channel {channel['kind']} on the slot clock; its chain"
        ' moves per packet, as with clock = "packet"'
    )
    assert reason == wanted


def normal(mean: str, deviation: str, kind: str = "normal") -> dict:
    return {"jitter": {"kind": kind, "mean": mean, "deviation": deviation}, "reorder": True}


REORDER = {"reorder": {"probability": 0.25, "gap": 5}}
NEVER = {"reorder": {"probability": 0, "gap": 5}}
FIXED = {"jitter": {"kind": "uniform", "min": "0s", "max": "0s", "correlation": 0.5}}
LONGEST = {"jitter": {"kind": "uniform", "min": "0s", "max": "4.294967294s"}, "reorder": True}
STATES = [[0.97, 0, 0.02, 0.01], [0, 0.4, 0.6, 0], [0.3, 0.2, 0.5, 0], [1, 0, 0, 0]]

# One of every kind of line.
PRINTED = [
    {"rate": "1.5Mbps", "delay": "10ms", "queue": 50},
    {"rate": "100Gbps", "delay": "2s", "channel": {"kind": "iid", "loss_rate": 1e-7}},
    {"rate": "1000000Gbps", "delay": "0.5us", "channel": {"kind": "iid", "loss_rate": 1.0}},
    {"rate": "8bps", "delay": "0s", "queue": {"kind": "drop-tail", "packets": 1_000_000_000}},
    {"rate": "1Mbps", "delay": "0s", **FIXED, **REORDER},
    PLAIN | NEVER,
    PLAIN | LONGEST,
    PLAIN | normal("20ms", "0s"),
    PLAIN
    | {
        "reorder": {"probability": 0.25, "correlation": 0.5},
        "jitter": {"kind": "uniform", "min": "1ms", "max": "2ms", "correlation": 0.1},
    },
    *(
        {"rate": "1Mbps", "delay": "1ms", "channel": {"clock": "packet", **chain}}
        for chain in (
            {"kind": "states", "loss": [0, 0, 1, 1], "transition": STATES},
            {"kind": "burst", "loss_rate": 0.5, "mean_burst": 1},
            {"kind": "two-state", "p_gb": 1e-9, "p_bg": 1.0},
            {"kind": "rayleigh-two-state", "fading_margin_db": 20, "doppler": 0.3},
            {"kind": "gilbert-elliott", "p": 0.05, "r": 0.3, "h": 0.123456789, "k": 1.0},
        )
    ),
]


@pytest.mark.parametrize("hop", PRINTED, ids=lambda hop: hop["rate"])
def test_tc_understands_every_line(hop: dict) -> None:
    """It ends with 1 for words that it does not know, with 2 if the kernel has not what they say.

    With the module of netem in the kernel, the kernel takes them as well.
    """
    words = ["unshare", "--user", "--map-root-user", "--net"]
    for program in ("tc", "unshare"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace can be made here")
    lines = tc_lines(point(hop))
    one_way = [line for line in lines if "back" not in line]
    assert one_way
    assert not any(line.startswith("#") for line in one_way)
    bad = one_way[0].replace("netem", "netem limt")
    probe = "tc qdisc add dev $DEV root netem delay 1ms"
    codes = subprocess.run(
        [*words, "sh", "-c", "\n".join(f"{line}\necho $?" for line in (*one_way, bad, probe))],
        env=os.environ | {"DEV": "lo"},
        capture_output=True,
        text=True,
        check=False,
    )
    *taken, refused, has_netem = map(int, codes.stdout.split())
    assert refused == 1, codes.stderr
    # The probe comes last: a device that has netem already takes no second one.
    expected = 0 if "unknown" not in codes.stderr else 2
    assert taken == [expected] * len(one_way), codes.stderr
    assert has_netem == 2


def test_netem_s_own_words_are_printed() -> None:
    hop = PLAIN | {
        "delay": "0s",
        "jitter": {"kind": "normal", "mean": "40ms", "deviation": "20ms", "correlation": 0.25},
        "reorder": {"probability": 0.25, "correlation": 0.5},
        "channel": {"kind": "states", "loss": [0, 0, 1, 1], "transition": STATES},
        "back": {
            "delay": "10ms",
            "jitter": {"kind": "uniform", "min": "5ms", "max": "15ms"},
            "reorder": True,
        },
    }
    _, wire, _, back = tc_lines(point(hop))
    assert (
        " delay 40000us 20000us 25% distribution normal reorder 25% 50% gap 1 limit 1000000"
        " loss state 2% 30% 20% 60% 1% " in wire
    )
    assert " delay 20000us 5000us limit 1000000 " in back
    two = {"kind": "states", "loss": [0.01, 0.6], "transition": [[0.98, 0.02], [0.3, 0.7]]}
    assert " loss gemodel 2% 30% 60% 1% " in tc_lines(point(PLAIN | {"channel": two}))[1]
    other = {**two, "clock": "10ms"}
    reason = "# hop 0: netem has nothing for channel states"
    assert tc_lines(point(PLAIN | {"channel": other}))[0] == reason
    in_order = {"jitter": {"kind": "normal", "mean": "30ms", "deviation": "20ms"}}
    assert tc_lines(point(PLAIN | in_order))[0] == "# hop 0: netem's jitter is another"


NOTHING_DONE = {
    "no delay": ({"delay": "0s"} | FIXED | REORDER, "delay 0us"),
    "probability 0": ({"delay": "10ms"} | NEVER, "delay 10000us"),
    "probability near 0": (
        {"delay": "10ms", "reorder": {"probability": 1e-10, "gap": 5}},
        "delay 10000us",
    ),
    "deviation 0": ({"delay": "10ms"} | normal("20ms", "0s"), "delay 30000us"),
    "not cut": (
        {"delay": "40ms"} | normal("40ms", "10ms"),
        "delay 80000us 10000us distribution normal",
    ),
    "not cut, skew": (
        {"delay": "40ms"} | normal("7ms", "10ms", "pareto"),
        "delay 47000us 10000us distribution pareto",
    ),
    "cut at 0 by both": (
        {"delay": "0s"} | normal("10ms", "10ms"),
        "delay 10000us 10000us distribution normal",
    ),
    "longest": (LONGEST, "delay 2157483.647us 2147483.647us"),
}


@pytest.mark.parametrize(("keys", "words"), NOTHING_DONE.values(), ids=NOTHING_DONE)
def test_words_that_do_nothing_are_left_out(keys: dict, words: str) -> None:
    assert f" netem {words} limit " in tc_lines(point(PLAIN | keys))[1]


TOGETHER = "netem cuts delay and jitter together at 0, and this jitter is cut before delay"
UNSAID = {
    "cut": ({"delay": "40ms"} | normal("10ms", "10ms"), TOGETHER),
    "just cut": ({"delay": "40ms"} | normal("39ms", "10ms"), TOGETHER),
    "cut pareto": ({"delay": "40ms"} | normal("6ms", "10ms", "pareto"), TOGETHER),
    "cut paretonormal": ({"delay": "40ms"} | normal("15ms", "10ms", "paretonormal"), TOGETHER),
    "distribution of 0": (
        {"delay": "0s"} | normal("0s", "10ms"),
        "tc takes no distribution with a delay of 0",
    ),
    "long": (
        {"jitter": {"kind": "uniform", "min": "0s", "max": "10s"}, "reorder": True},
        "netem's jitter is at most 2.147483647s, and here it is 5s",
    ),
}


@pytest.mark.parametrize(("keys", "reason"), UNSAID.values(), ids=UNSAID)
def test_delays_that_tc_cannot_say_are_refused(keys: dict, reason: str) -> None:
    assert tc_lines(point(PLAIN | keys))[0] == f"# hop 0: {reason}"


def test_the_export_knows_how_far_the_tables_go_below_the_mean() -> None:
    """The first of iproute2's quantiles: normal, cut at 4, Pareto of shape 3, and their mixture."""
    normal, pareto = ndtri(0.5 / 16384), (1 - 1.5) / 0.75
    firsts = {
        "normal": max(normal, -4),
        "pareto": pareto,
        "paretonormal": (normal + 3 * pareto) / 4,
    }
    for kind, first in firsts.items():
        assert DELAY_FACTORS[kind] == pytest.approx(-first, abs=1e-4)


def test_what_netem_has_not_is_said() -> None:
    hop = {"rate": "1.5Mbps", "delay": "10ms", "gate": {"kind": "on-off", "up": "1s", "down": "1s"}}
    assert tc_lines(point(hop))[0] == "# hop 0: netem has nothing for gate"
    head_drop = {**PLAIN, "queue": {"kind": "head-drop", "packets": 50}}
    assert tc_lines(point(head_drop))[0] == "# hop 0: netem has nothing for queue head-drop"
    twice = {**PLAIN, "back": {"duplicate": 0.1}}
    assert tc_lines(point(twice))[2] == "# hop 0, back: netem's duplicate is another"
    short = tc_lines(point({**PLAIN, "queue": 50}))
    assert tc_lines(point({**PLAIN, "queue": {"kind": "drop-tail", "packets": 50}})) == short
    marked = {**PLAIN, "marks": {"kind": "iid", "loss_rate": 0.1}}
    assert tc_lines(point(marked))[0] == "# hop 0: netem has nothing for marks"
    in_bytes = tc_lines(point({**PLAIN, "queue": "64kB"}))
    assert in_bytes[0] == "# hop 0: netem's queue counts packets, not bytes"
    slow = tc_lines(point({"rate": "12bps", "delay": "10ms"}))[0]
    assert slow == "# hop 0: netem's rates are whole bytes per second, and 12bps is none"


def test_a_trace_has_the_rate_and_the_outages(tmp_path: Path) -> None:
    gate = {"kind": "schedule", "toggles": ["2s", "3s"], "loses": "nothing"}
    times = opportunities(point({"rate": "12.032Mbps", "delay": "10ms", "gate": gate}), 10.0)
    assert len(times) == 9000  # one per millisecond while it is up
    assert [time for time in times if 2000 <= time < 3000] == []
    file = write_trace(times, tmp_path / "up.trace")
    assert read_trace(file) == times


def test_a_trace_is_read_and_written_back(tmp_path: Path) -> None:
    times = [0, 3, 3, 3, 40, 41, 900]
    file = write_trace(times, tmp_path / "up.trace")
    hop = hop_of(read_trace(file), "10ms")
    assert hop["rate"] == f"{7 * 12032 / 0.9:.6f}bps"
    read = point(hop)
    again = write_trace(opportunities(read, 0.9), tmp_path / "again.trace")
    assert again.read_bytes() == file.read_bytes()
    assert opportunities(read, 1.8) == times + [900 + time for time in times]
    assert tc_lines(read)[0] == "# hop 0: netem has nothing for opportunities"


def test_a_scenario_names_a_trace(tmp_path: Path) -> None:
    write_trace([1, 5, 10], tmp_path / "up.trace")
    text = """profile = "rfc"
[tcp]
variant = "sack"
[[path.hop]]
rate = "3.61Mbps"
opportunities = "up.trace"
delay = "10ms"
"""
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    hop = Scenario.load(tmp_path / "x.toml").points()[0].data["path"]["hop"][0]
    assert hop["opportunities"] == [1, 5, 10]
    (tmp_path / "up.trace").write_text("5\n4\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"path.hop\[0\].opportunities: .*is not a trace"):
        Scenario.load(tmp_path / "x.toml")


def test_a_flow_that_saturates_a_trace_takes_all_of_it() -> None:
    # Three passes of 2 s, in which the rate varies; a queue that never empties.
    times = np.sort(np.random.default_rng(1).integers(0, 2000, 1500)).tolist()
    tcp = {"variant": "sack", "window": 400, "packet": "1500B"}
    document = {
        "profile": "rfc",
        "tcp": tcp,
        "path": {"hop": [hop_of(times, "10ms")]},
    }
    events = airtcp.trace(document | {"stop": {"time": "10s"}}).to_pandas()
    came = events[events["event"] == "arrive"]["time_ns"] - 10_000_000
    period = 1_000_000 * times[-1]
    sent = came[(came > period) & (came <= 4 * period)]
    assert abs(1500 * len(sent) - 3 * 1504 * len(times)) < 1500
    # They leave at opportunities, and nowhere else.
    assert set(sent % period) <= {1_000_000 * time % period for time in times}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {"rate": "3Mbps"},
            r"\[0\].rate: 3Mbps is not the mean rate of the opportunities, 3609600bps",
        ),
        (
            {"opportunities": [1, 10, 5]},
            r"opportunities\[2\]: 5 comes after 10, but times must not decrease",
        ),
        ({"opportunities": [0]}, "opportunities: the last one is 0 ms"),
        ({"opportunities": []}, "opportunities: "),
        ({"opportunities": [1, -5]}, r"opportunities\[1\]"),
        ({"opportunities": [1, 1 << 40]}, r"opportunities\[1\]"),
        (
            {"gate": {"kind": "on-off", "up": "1s", "down": "1s"}},
            "opportunities: cannot be combined with gate on one hop; put each on its own hop",
        ),
        (
            {"arq": {"fragment": "100B", "attempts": 2}},
            "opportunities: cannot be combined with arq",
        ),
        ({"slotted": True}, "opportunities: cannot be combined with slotted"),
        (
            {"back": {"opportunities": [7]}},
            r"\[0\].back.rate: 3.61Mbps is not the mean rate of the opportunities, 1718857bps",
        ),
    ],
)
def test_opportunities_that_contradict_something_are_refused(change: dict, line: str) -> None:  # type: ignore[type-arg]
    hop = {"rate": "3.61Mbps", "delay": "1ms", "opportunities": [1, 5, 10]}
    with pytest.raises(InputError, match=line):
        point(hop | change)


TRAIN = {"at": "0ms", "delay": "3ms", "opportunities": [0, 4]}
BUSY = {"rate": "12.032Mbps", "delay": "1ms", "opportunities": [1]}


@pytest.mark.parametrize(
    ("hop", "line"),
    [
        (
            {"rate": "1Mbps", "delay": "1ms", "trains": [TRAIN]},
            r"hop\[0\].trains: applies only with opportunities",
        ),
        (BUSY | {"trains": []}, r"hop\[0\].trains: "),
        (BUSY | {"trains": [TRAIN], "delays": [{"at": "1s", "delay": "2ms"}]}, "trains: .* delays"),
        (
            BUSY | {"trains": [TRAIN | {"opportunities": [0, 5, 4]}]},
            r"trains\[0\].opportunities\[2\]: 4 comes after 5, but times must not decrease",
        ),
        (BUSY | {"trains": [TRAIN | {"opportunities": []}]}, r"trains\[0\].opportunities: "),
        (
            BUSY | {"trains": [TRAIN, TRAIN]},
            r"trains\[1\].at: 0s comes after 0s, but times must increase",
        ),
        (
            BUSY | {"trains": [TRAIN | {"at": "1ms"}]},
            r"trains\[0\].at: 1ms is not before the end of the opportunities, 1ms",
        ),
        (
            BUSY | {"trains": [TRAIN | {"dealy": "1ms"}]},
            r"trains\[0\]: unknown key \"dealy\"; did you mean",
        ),
        (
            BUSY | {"back": {"rate": "1Mbps", "trains": [TRAIN]}},
            r"hop\[0\].back.trains: applies only with opportunities",
        ),
    ],
)
def test_trains_that_contradict_something_are_refused(hop: dict, line: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(InputError, match=line):
        point(hop)


def test_trains_have_no_trace_of_mahimahi_and_no_line_of_netem() -> None:
    with_trains = point(BUSY | {"trains": [TRAIN]})
    with pytest.raises(InputError, match=r"path.hop\[0\].trains: Mahimahi has no trains"):
        opportunities(with_trains, 1.0)
    assert tc_lines(with_trains)[0].startswith("# hop 0: netem has nothing for opportunities")


def test_trains_like_the_saturated_link_change_no_count() -> None:
    """On a link whose packets all come at whole milliseconds, a train can be as the busy link."""
    train = {"at": "0ms", "delay": "10ms", "opportunities": list(range(1, 41))}
    hop = BUSY | {"delay": "10ms", "queue": 30, "back": {"opportunities": [1]}}
    tcp = {"variant": "sack", "window": 100, "packet": "1504B"}
    base = {"profile": "rfc", "tcp": tcp, "stop": {"time": "20s"}}
    found = [
        airtcp.simulate(base | {"path": {"hop": [varied]}}).runs.to_pandas()
        for varied in (
            hop,
            hop | {"trains": [train]},
            hop | {"trains": [train | {"delay": "30ms"}]},
        )
    ]
    names = [name for name in found[0].columns if name != "scenario"]
    assert found[0]["goodput_bps"][0] > 1e6
    assert found[0][names].equals(found[1][names])
    assert found[2]["goodput_bps"][0] < found[0]["goodput_bps"][0]


@pytest.mark.parametrize("text", ["", "1\n-2\n", "5\n4\n", "0\n", "a\n", "é\n"])
def test_what_is_no_trace_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.trace"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is not a trace"):
        read_trace(file)
