"""The emulator with real programs, where the machine grants it: nothing here asserts a timing."""

import functools
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import airtcp
from airtcp import _native
from airtcp.cli.main import main
from airtcp.live import LiveLog, live, transfer

PROBES = Path(__file__).parent / "programs" / "probes.py"
PATH = {
    "profile": "rfc",
    "tcp": {"variant": "newreno"},
    "path": {"hop": [{"rate": "10Mbps", "delay": "5ms"}]},
}
# In both directions; several losses in 600 probes.
CHANNELS = [
    {"kind": "iid", "loss_rate": 0.1},
    {"kind": "two-state", "p_gb": 0.05, "p_bg": 0.3},
    {"kind": "burst", "loss_rate": 0.1, "mean_burst": 4, "clock": "packet"},
    {"kind": "rayleigh-two-state", "doppler": 0.05, "loss_rate": 0.1},
    {"kind": "rayleigh", "snr": "5dB", "doppler": "50Hz"},
    {"kind": "jakes", "snr": "5dB", "doppler": "50Hz"},
    {"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 0.2},
    {"kind": "sojourn", "good": "20packets", "bad": "8bits"},
    {"kind": "on-off", "on": "20ms", "off": "100ms", "loss_rate": 0.5},
    {"kind": "trace", "lost": [0, 0, 1, 0, 1, 1, 0]},
    {"kind": "states", "loss": [0, 0.5], "transition": [[0.9, 0.1], [0.4, 0.6]], "clock": "10ms"},
    {"kind": "bit-errors", "bit_error_rate": 1e-4},
    {
        "kind": "epochs",
        "every": "100ms",
        "delay": {"kind": "exponential", "mean": "2ms"},
        "loss": {"rate": 0.1, "deviation": 0.5, "handover": {"time": "20ms", "factor": 4}},
        "noise": {"every": "10ms", "delay": {"kind": "uniform", "min": "0ms", "max": "1ms"}},
    },
    {
        "kind": "series",
        "of": [{"kind": "iid", "loss_rate": 0.05}, {"kind": "iid", "loss_rate": 0.1}],
    },
]
GATES = [
    {"kind": "on-off", "up": "100ms", "down": "20ms"},
    {"kind": "periodic", "up": "70ms", "down": "30ms"},
    {"kind": "schedule", "toggles": ["100ms", "150ms"]},
    {
        "kind": "spikes",
        "interval": {"kind": "uniform", "min": "60ms", "max": "100ms"},
        "duration": {"kind": "uniform", "min": "10ms", "max": "30ms"},
    },
]


@functools.cache
def missing() -> str:
    """Why the emulator cannot run here; empty if it can."""
    try:
        live(PATH, ["true"])
    except airtcp.InputError as error:
        return str(error)
    return ""


@pytest.fixture(autouse=True)
def _granted() -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")


def probed(hop: dict, out: Path, count: int = 600) -> LiveLog:
    """The log of probes and their echoes over two hops, the second of which is `hop`."""
    scenario = PATH | {"path": {"hop": [PATH["path"]["hop"][0], hop]}}
    program = [sys.executable, str(PROBES)]
    server = shlex.join([*program, "echo"])
    report = live(scenario, [*program, "send", str(count)], server=server, seed=7, out=out)
    assert report.exit_code == 0
    return LiveLog(out)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda c: c["kind"])
def test_every_fate_is_that_of_the_replay(channel: dict, tmp_path: Path) -> None:
    hop = {"rate": "8Mbps", "delay": "3ms", "channel": channel, "back": {"channel": channel}}
    log = probed(hop, tmp_path)
    replay = log.replay()
    assert replay.differing == 0, str(replay)
    forward = log.fates[log.records["direction"] == 0]
    assert replay.packets == len(log.records) > len(forward) == 600
    assert 0 < np.count_nonzero(forward == "channel") < 600


def test_every_channel_has_been_replayed() -> None:
    kinds = {name for name, _, _ in _native.registry()["channels"]}
    assert {channel["kind"] for channel in CHANNELS} == kinds


@pytest.mark.parametrize("gate", GATES, ids=lambda g: g["kind"])
def test_gates_replay(gate: dict, tmp_path: Path) -> None:
    log = probed({"rate": "8Mbps", "delay": "3ms", "gate": gate}, tmp_path)
    assert log.replay().differing == 0


def test_a_link_layer_that_retransmits_replays(tmp_path: Path) -> None:
    arq = {"fragment": "50B", "attempts": 3, "feedback_delay": "2ms"}
    hop = {"rate": "8Mbps", "delay": "3ms", "channel": CHANNELS[0], "arq": arq}
    assert probed(hop, tmp_path).replay().differing == 0


def test_rate_delay_and_queue_are_exact(tmp_path: Path) -> None:
    log = probed({"rate": "1Mbps", "delay": "30ms", "queue": 5}, tmp_path)
    records = log.records[(log.records["direction"] == 0) & (log.fates == "delivered")]
    assert ((records["end"] - records["start"]) == 1000 * records["bits"]).all()
    assert ((records["at"] - records["end"]) == 30_000_000).all()
    assert (records["start"][1:] >= records["end"][:-1]).all()
    assert np.count_nonzero(log.fates == "queue") > 0


def test_the_table_says_where_packets_were_lost(tmp_path: Path) -> None:
    log = probed({"rate": "8Mbps", "delay": "3ms", "back": {"channel": CHANNELS[0]}}, tmp_path, 100)
    table = log.table.to_pandas()
    assert len(table) == len(log.records)
    lost = table[table["fate"] == "channel"]
    assert len(lost) > 0
    assert set(lost["direction"]) == {"back"}
    assert set(lost["hop"]) == {1}  # the hop of the scenario, which is the first on the way back
    delivered = table[table["fate"] == "delivered"]
    assert delivered["hop"].isna().all()
    assert set(delivered["direction"]) == {"forward", "back"}
    assert (delivered["end"] > delivered["start"]).all()
    assert table["number"].isna().all()
    assert lost["late"].isna().all()


def test_a_changed_log_is_found_out(tmp_path: Path) -> None:
    log = probed({"rate": "8Mbps", "delay": "3ms", "channel": CHANNELS[0]}, tmp_path, 100)
    records = log.records.copy()
    first = np.flatnonzero((records["id"] == 0) & (records["direction"] == 0))
    records["arrival"][first] += 1  # the link was idle: the transmission starts as much later
    (tmp_path / "packets.bin").write_bytes(records.tobytes())
    replay = LiveLog(tmp_path).replay()
    assert replay.differing > 0
    assert "packet" in replay.first


def cut(folder: Path) -> None:
    file = folder / "packets.bin"
    file.write_bytes(file.read_bytes()[: -8 * len(_native.live_record())])


def torn(folder: Path) -> None:
    file = folder / "packets.bin"
    file.write_bytes(file.read_bytes()[:-7])


def strange(folder: Path) -> None:
    records = LiveLog(folder).records.copy()
    records["fate"][3] = 99
    (folder / "packets.bin").write_bytes(records.tobytes())


def running_back(folder: Path) -> None:
    records = LiveLog(folder).records.copy()
    back = np.flatnonzero(records["direction"] == 1)
    records["arrival"][back[np.argmax(records["id"][back])]] = 0
    (folder / "packets.bin").write_bytes(records.tobytes())


def emptied(folder: Path) -> None:
    (folder / "live.json").write_text("{}")


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (cut, "the file was cut, or belongs to another run"),
        (torn, "do not make whole records"),
        (strange, "record 3: fate = 99: must be a code below 8, and 256 times the hop"),
        (running_back, "arrival times back decrease"),
        (emptied, "live.json: scenario: is missing"),
    ],
)
def test_a_damaged_log_is_refused(damage: Callable, line: str, tmp_path: Path) -> None:
    probed({"rate": "8Mbps", "delay": "3ms"}, tmp_path, 50)
    damage(tmp_path)
    with pytest.raises(airtcp.InputError, match=line):
        LiveLog(tmp_path)


@pytest.mark.parametrize("stack", [None, "newreno"])
def test_no_connection_is_said_and_ends_in_time(
    stack: str | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "dead.toml"
    file.write_text(
        'profile = "rfc"\n[tcp]\nvariant = "newreno"\n[[path.hop]]\nrate = "1Mbps"\n'
        'delay = "1ms"\nexit = {kind = "iid", loss_rate = 1.0}\n'
    )
    with pytest.raises(SystemExit) as ended:
        main(["live", str(file), "--for", "1s", *(["--stack", stack] if stack else [])])
    assert ended.value.code == 1
    assert capfd.readouterr().out == "no data was sent: no connection could be made\n"


def test_captures_hold_what_passed(tmp_path: Path) -> None:
    log = probed({"rate": "8Mbps", "delay": "3ms", "channel": CHANNELS[0]}, tmp_path, 100)
    if shutil.which("tshark") is None:
        pytest.skip("needs tshark")
    seen = {}
    for side in ("near", "far"):
        words = ["tshark", "-r", str(tmp_path / f"{side}.pcapng"), "-T", "fields", "-e", "ip.src"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        seen[side] = done.stdout.split()
    sent = np.bincount(log.records["direction"], minlength=2)
    left = np.bincount(log.records["direction"][log.fates == "delivered"], minlength=2)
    near, far = "10.77.0.1", "10.77.0.2"
    assert [seen["near"].count(near), seen["near"].count(far)] == [sent[0], left[1]]
    assert [seen["far"].count(near), seen["far"].count(far)] == [left[0], sent[1]]


def test_a_transfer_over_the_kernel(tmp_path: Path) -> None:
    scenario = PATH | {"tcp": PATH["tcp"] | {"window": 20}, "stop": {"time": "2s"}}
    found = transfer(scenario, seconds=2.0, out=tmp_path)
    assert found.report.unset == ()
    assert found.packet == 1460
    assert found.info["snd_mss"] == 1460
    # No more than the link carries, nor than a window per round trip.
    assert 0 < found.goodput_bps < 10e6 * 1460 / 1500
    delivered = LiveLog(tmp_path).fates == "delivered"
    assert np.count_nonzero(delivered) >= found.info["bytes_acked"] // 1460


def test_forced_losses_take_the_packets_they_name(tmp_path: Path) -> None:
    hop = PATH["path"]["hop"][0] | {"drop": [[14, 1], [15, 1]]}
    transfer(PATH | {"path": {"hop": [hop]}}, seconds=5.0, size=200_000, out=tmp_path)
    log = LiveLog(tmp_path)
    forced = log.records["number"][log.fates == "forced"]
    assert sorted(forced) == [14, 15]
    data = log.records[log.records["direction"] == 0]
    assert np.count_nonzero(data["number"] == 14) == 2
    assert log.replay().differing == 0


def test_forwards_what_the_command_says(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(
            ["live", str(examples("handover.toml")), "--", "sh", "-c", "echo $AIRTCP_PEER; exit 7"]
        )
    assert ended.value.code == 7
    said = capfd.readouterr()
    assert said.out == "10.77.0.2\n"
    (control,) = [line for line in said.err.splitlines() if "congestion control" in line]
    ran = "airtcp live: programs that choose no congestion control use the host's "
    assert control.startswith(ran)
    host = control.removeprefix(ran).split(";")[0].split(",")[0]
    sets = "; --sysctl net.ipv4.tcp_congestion_control=reno gives them the scenario's"
    assert control.removeprefix(ran + host) in (sets, ", which is the scenario's")
    with pytest.raises(SystemExit) as ended:
        main(["live", str(examples("handover.toml")), "--for", "0.2s", "--", "sleep", "60"])
    assert ended.value.code == 124


def examples(name: str) -> Path:
    return Path(__file__).parent.parent / "examples" / name


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--", "no-such-program"], "error: live: no-such-program: No such file or directory"),
        (["--for", "60", "--", "true"], "error: --for = '60': must be a time"),
        (["--server", "exit 3", "--", "true"], "error: live: --server: it ended with exit code 3"),
        (
            ["--congestion", "vegan"],
            "error: congestion = 'vegan': must be one that this kernel has",
        ),
        (["--sysctl", "kernel.hostname=x"], "error: settings = 'kernel.hostname': must be a name"),
        (["--sysctl", "net./etc/x=1"], "error: settings = 'net./etc/x': must be a name under net"),
        (["--size", "1e30B"], "error: --size = '1e30B': must be whole bytes"),
        (["--set", "tcp.packet=70kB"], "error: live: tcp.packet: an IP packet of 70000 B: from 68"),
    ],
)
def test_refusals_are_one_line(
    words: list[str], line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["live", str(examples("handover.toml")), *words])
    assert ended.value.code == 2
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(line)
    assert "os error" not in said[0]


def running(mark: str) -> list[int]:
    """Processes whose arguments hold `mark`, on the whole machine."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
        except OSError:
            continue
        if mark.encode() in words and b"airtcp" not in words:
            found.append(int(folder.name))
    return found


def until(condition: object) -> None:
    """Wait for what must come: the test hangs, and its runner says so, if it does not."""
    while not condition():
        time.sleep(0.01)


@pytest.mark.parametrize("end", ["kill the command line", "kill the emulator", "Ctrl-C"])
def test_whatever_ends_it_nothing_stays_behind(end: str) -> None:
    mark = f"98765.{os.getpid()}{len(end)}"
    # One that hides in a session of its own, with the signals of Ctrl-C ignored, as deep as it can.
    command = f"trap '' INT TERM HUP; setsid -f sleep {mark}; sleep {mark}"
    words = [sys.executable, "-m", "airtcp", "live", str(examples("handover.toml"))]
    words += ["--server", f"sleep {mark}", "--", "sh", "-c", command]
    before = os.listdir("/var/run/netns") if os.path.isdir("/var/run/netns") else []
    devices = socket.if_nameindex()
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    until(lambda: len(running(mark)) >= 3)
    if end == "Ctrl-C":
        process.send_signal(signal.SIGINT)
    elif end == "kill the command line":
        process.kill()
    else:
        os.kill(child_of(process.pid), signal.SIGKILL)
    code = process.wait()
    until(lambda: not running(mark))
    assert code == {"Ctrl-C": 130, "kill the command line": -9, "kill the emulator": 2}[end]
    assert socket.if_nameindex() == devices
    assert (os.listdir("/var/run/netns") if os.path.isdir("/var/run/netns") else []) == before


def test_ctrl_c_is_heard_while_a_server_does_not_listen(tmp_path: Path) -> None:
    mark = f"98764.{os.getpid()}"
    words = [sys.executable, "-m", "airtcp", "live", str(examples("handover.toml"))]
    words += ["--server", f"sleep {mark}", "--", "touch", str(tmp_path / "begun")]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    until(lambda: running(mark))
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    until(lambda: not running(mark))
    assert not (tmp_path / "begun").exists()


def test_a_refused_run_leaves_nothing_behind() -> None:
    """Everything that a refused run had begun to make ends with it, however early that is."""
    mark = f"AIRTCP_TEST=refused{os.getpid()}"
    words = [sys.executable, "-m", "airtcp", "live", str(examples("handover.toml"))]
    with ThreadPoolExecutor(4) as pool:
        words += ["--set", "tcp.packet=70kB", "--", "true"]
        environment = os.environ | dict([mark.split("=")])
        calls = [
            pool.submit(subprocess.run, words, env=environment, capture_output=True, check=False)
            for _ in range(4)
        ]
        assert [call.result().returncode for call in calls] == [2] * 4
    until(lambda: not with_environment(mark))


def with_environment(mark: str) -> list[int]:
    """Processes that have `mark` in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def child_of(process: int) -> int:
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])


def test_the_commands_of_the_docs_work(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    (tmp_path / "examples").symlink_to(root / "examples")
    pages = ("docs/howto/live.md", "docs/howto/kernel.md")
    lines = [
        line for page in pages for line in (root / page).read_text(encoding="utf-8").splitlines()
    ]
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    said = []
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=os.environ | path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
        said.append(heads(done.stderr.decode()))
    assert len(commands) > 4
    shown = "\n".join(lines).partition("```text\n")[2].partition("```")[0]
    assert heads(shown) == said[1]


def heads(text: str) -> list[str]:
    """Lines of airtcp without what differs from run to run and from machine to machine."""
    own = [line for line in text.splitlines() if line.startswith("airtcp live: ")]
    told = [
        line for line in own if not line.startswith(("airtcp live: INVALID", "airtcp live: not"))
    ]
    return [re.sub(r"\d+", "N", re.split(r" \(|'s ", line)[0]) for line in told]


def test_the_kernel_stands_beside_the_simulation() -> None:
    scenario = PATH | {"tcp": {"variant": ["newreno", "tahoe"], "window": 20}}
    scenario |= {"stop": {"time": "1s", "replications": 2}}
    table = airtcp.run(scenario, engine="all", stack="kernel").table
    kernel = table["live_throughput_pps"]
    assert kernel[0] > 0
    assert np.isnan(kernel[1])
    assert list(table["live_note"]) == ["", "the kernel has no tahoe"]
    assert (table["simulation_throughput_pps"] > 0).all()
