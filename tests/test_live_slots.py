"""A link on slots for real packets: its channel on the wire is that of the slots."""

import sys
from pathlib import Path

import numpy as np
import pytest

import airtcp
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.links.netem import tc_lines
from airtcp.live import LiveLog, live, transfer
from airtcp.live.session import point_of
from test_live import examples, missing

SATURATING = """
import os, socket, time
end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
for number in range(400):
    end.sendto(bytes(500 - 28), (os.environ["AIRTCP_PEER"], 7007))
time.sleep(2.0)  # the slots take 0.4 s
"""
LINK = {"rate": "4Mbps", "packet": "500B"}  # a slot of 1 ms
CHANNELS = [
    {"kind": "iid", "loss_rate": 0.1},
    {"kind": "two-state", "p_gb": 0.05, "p_bg": 0.3},
    {"kind": "rayleigh-two-state", "doppler": 0.05, "loss_rate": 0.1},
    {"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 0.2, "clock": "packet"},
    {"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 0.0},
]


def on_slots(channel: dict, **more: object) -> dict:
    return {
        "profile": "zorzi",
        "tcp": {"variant": "newreno"},
        "channel": channel,
        "link": LINK,
    } | more


@pytest.fixture
def granted() -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")


@pytest.mark.usefixtures("granted")
@pytest.mark.parametrize("channel", CHANNELS, ids=lambda c: f"{c['kind']}, {c.get('clock')}")
def test_a_saturating_sender_meets_the_slots_of_the_simulation(
    channel: dict, tmp_path: Path
) -> None:
    report = live(on_slots(channel), [sys.executable, "-c", SATURATING], seed=11, out=tmp_path)
    assert report.exit_code == 0
    log = LiveLog(tmp_path)
    sent = log.records[log.records["direction"] == 0]
    lost = log.fates[log.records["direction"] == 0] == "channel"
    order = np.argsort(sent["id"])
    sent, lost = sent[order], lost[order]
    slots, into = np.divmod(sent["start"], 1_000_000)
    assert len(sent) == 400
    assert (into == 0).all()
    assert (np.diff(slots) > 0).all()
    fates = airtcp.fates(channel, int(slots[-1]) + 1, seed=11, **LINK)
    # On a clock of packets the n-th packet has the n-th fate.
    expected = fates[:400] if channel.get("clock") == "packet" else fates[slots]
    assert (lost == expected).all()
    assert 10 < np.count_nonzero(lost) < 200
    assert log.replay().differing == 0


@pytest.mark.usefixtures("granted")
def test_a_transfer_over_fragments_that_are_repeated(tmp_path: Path) -> None:
    link = {"packet": "100B", "rate": "4Mbps", "arq": {"packet": "1kB", "attempts": 3}}
    channel = {"kind": "iid", "loss_rate": 0.15}
    tcp = {"variant": "newreno", "timeout": 1000}
    ack = {"delay": 10, "loss_rate": 0.02}
    scenario = on_slots(channel, link=link, tcp=tcp, ack=ack)
    found = transfer(scenario, seconds=1.0, out=tmp_path)
    assert found.packet == 960
    assert found.report.unset == ()
    log = LiveLog(tmp_path)
    assert np.count_nonzero(log.fates == "arq") > 0
    assert set(log.fates[log.records["direction"] == 1]) >= {"channel", "delivered"}
    assert log.replay().differing == 0


def test_a_key_with_brackets_is_quoted_where_one_of_several_values_is_needed() -> None:
    hop = {"rate": ["1Mbps", "2Mbps"], "delay": "1ms", "queue": 50}
    document = {"profile": "linux", "path": {"hop": [hop]}, "stop": {"time": "1s"}}
    with pytest.raises(InputError, match=r"choose one by --set 'path\.hop\[0\]\.rate=VALUE'$"):
        point_of(document)


@pytest.mark.usefixtures("granted")
def test_of_several_values_the_first_is_taken_and_named(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["live", str(examples("pedestrian.toml")), "--", "sh", "-c", "echo $AIRTCP_PEER"]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    said = capfd.readouterr()
    assert said.out == "10.77.0.2\n"
    first = said.err.splitlines()[0]
    assert "the first of several values: channel.loss_rate = 0.001" in first
    assert "choose another by --set channel.loss_rate=" in first


def test_what_cannot_be_real_packets_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["live", str(examples("fading.toml")), "--", "true"])
    assert ended.value.code == 2
    said = capfd.readouterr().err
    assert said.startswith("error: link.packet: packets of 32 B cannot carry the traffic")
    assert said.count("\n") == 1


def test_an_option_of_the_command_before_the_dashes_is_one_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["live", str(examples("pedestrian.toml")), "curl", "-x", "there"])
    assert ended.value.code == 2
    said = capfd.readouterr().err
    assert said == "error: No such option '-x'. If it belongs to COMMAND, put -- before COMMAND.\n"


def test_a_point_on_slots_as_a_path_has_its_losses() -> None:
    """TCP over the slotted hop, simulated: what the link loses is what the slots lose."""
    scenario = airtcp.Scenario.load(examples("pedestrian.toml")).replace("channel.loss_rate", 0.1)
    path = scenario.points()[0].as_path()
    assert path.family == "path"
    hop = path.points()[0].data["path"]["hop"][0]
    assert hop["slotted"] is True
    assert hop["channel"] == scenario.points()[0].data["channel"]
    events = airtcp.trace(path.replace({"stop.time": "20s", "stop.replications": 1}), seed=5)
    table = events.table.to_pandas()
    ends = table[table["event"].isin(["arrive", "drop"])]
    slots, into = np.divmod(ends["time_ns"], 7_466_667)
    assert (into == 0).all()
    fates = airtcp.fates(hop["channel"], int(slots.max()), packet="1400B", seed=5)
    assert ((ends["event"] == "drop") == fates[slots - 1]).all()
    assert (ends["event"] == "drop").sum() > 50


def test_the_line_of_netem_says_that_there_are_no_slots() -> None:
    scenario = airtcp.Scenario.from_dict(
        on_slots({"kind": "iid", "loss_rate": 0.1}, ack={"delay": 3, "loss_rate": 0.02})
    )
    assert tc_lines(scenario.points()[0]) == [
        "# hop 0: netem has no slots, a packet starts when it comes",
        "tc qdisc add dev $DEV root handle 1: netem rate 4000000bit limit 1000000"
        "  # hop 0: transmitter and queue",
        "tc qdisc add dev $DEV parent 1:1 handle 2: netem delay 0us limit 1000000"
        " loss random 10%  # hop 0: losses and delay",
        "tc qdisc add dev $DEV root netem delay 3000us limit 1000000 loss random 2%  # hop 0, back",
    ]


def test_a_run_says_that_no_kernel_has_an_idealised_tcp() -> None:
    with pytest.raises(airtcp.InputError, match="no kernel has the idealised TCP of profile zorzi"):
        airtcp.run(on_slots(CHANNELS[0]), engine="live")
