"""Our own TCP on the emulated path, in real time: nothing here asserts how long anything takes."""

import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import airtcp
from airtcp.campaign.executor import Task
from airtcp.cli.main import main
from airtcp.live import LiveLog, TransferReport, controls, endpoint, transfer
from airtcp.live.content import CONTENT_PERIOD, expected_digest, write_content
from airtcp.live.engine import LiveRequest
from airtcp.live.executor import LiveExecutor
from airtcp.live.referee import sent_packets_of_log, sent_packets_of_trace
from campaigns import kept
from test_live import missing

EXAMPLES = Path(__file__).parent.parent / "examples"
HOP = {"rate": "10Mbps", "delay": "5ms"}
BSD = {"rate": "3416kbps", "delay": "8ms"}
SIZE = 100_000


def path(variant: str, profile: str = "rfc", **hop: object) -> dict:
    """A scenario of one hop and a flow of `SIZE` bytes.

    No ACK is delayed: on a wire the last one is not, because it acknowledges the FIN.
    """
    rfc = {"window": 20, "delayed_ack": "0s"}
    return {
        "profile": profile,
        "tcp": {"variant": variant} | (rfc if profile == "rfc" else {}),
        "path": {"hop": [(BSD if profile == "bsd" else HOP) | hop]},
        "flow": [{"size": f"{SIZE}B"}],
        "stop": {"time": "60s"},
    }


@pytest.fixture
def _granted() -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")


def simulated(scenario: dict) -> dict:
    """The simulated run of the same scenario, with seed and replication of the live one."""
    runs = airtcp.simulate(scenario, replications=1, seed=1).runs
    return runs.to_pylist()[0]


@pytest.mark.parametrize(
    ("variant", "profile", "drop"),
    [
        ("tahoe", "bsd", []),
        ("reno", "bsd", [[20, 1]]),
        ("tahoe-probing", "bsd", [[20, 1]]),
        ("skip-probing", "bsd", [[12, 1], [30, 1]]),
        ("newreno", "rfc", [[14, 1], [15, 1]]),
        ("sack", "rfc", [[14, 1], [16, 1], [18, 1]]),
    ],
)
def test_what_is_sent_is_what_the_simulator_sends(
    variant: str, profile: str, drop: list[list[int]]
) -> None:
    scenario = path(variant, profile, drop=drop)
    model, found = simulated(scenario), transfer(scenario, stack="scenario")
    assert found.tcp == "airtcp"
    assert found.complete
    assert found.identical
    counts = (found.info["sent"], found.resent, found.probes, found.timeouts)
    assert counts == tuple(model[name] for name in ("sent", "resent", "probes", "timeouts"))
    assert found.overhead == pytest.approx(model["overhead"], rel=1e-12)
    assert found.efficiency == pytest.approx(model["efficiency"], rel=1e-12)
    assert found.transfer_time >= model["transfer_time"]  # who is late can only add to it


@pytest.mark.usefixtures("_granted")
@pytest.mark.parametrize("sender", ["near", "far"])
def test_content_to_and_from_linux_is_identical(sender: str) -> None:
    lossy = {"kind": "iid", "loss_rate": 0.05}
    scenario = path("newreno", channel=lossy, back={"channel": lossy})
    found = transfer(scenario, stack="newreno", peer="kernel", sender=sender)
    assert found.identical
    assert found.complete
    assert found.acked == SIZE
    assert found.tcp == ("airtcp" if sender == "near" else "kernel")
    assert found.retransmissions > 0


# The TCP of Linux


def linux(congestion: str = "cubic", **hop: object) -> dict:
    """The transfer by the rules of Linux, over a round trip that no lateness makes much longer."""
    return {
        "profile": "linux",
        "tcp": {"congestion": congestion},
        "path": {"hop": [{"rate": "10Mbps", "delay": "20ms", "queue": 100} | hop]},
        "flow": [{"packets": 100}],
        "stop": {"time": "60s"},
    }


@pytest.mark.parametrize("congestion", ["reno", "cubic"])
@pytest.mark.parametrize("drop", [[[12, 1]], [[12, 1], [14, 1], [15, 1]], [[30, 1], [30, 2]]])
def test_linux_on_the_wire_sends_in_the_order_of_the_simulator(
    congestion: str, drop: list[list[int]], tmp_path: Path
) -> None:
    scenario = linux(congestion, drop=drop)
    found = transfer(scenario, stack="scenario", out=tmp_path)
    assert (found.tcp, found.complete, found.identical) == ("airtcp", True, True)
    model, events = simulated(scenario), airtcp.trace(scenario)
    sent = sent_packets_of_log(LiveLog(tmp_path), found.timeouts)
    assert sent.numbers == sent_packets_of_trace(events).numbers
    assert set(sent.retransmitted_numbers) >= {number for number, _ in drop}
    counts = (found.info["sent"], found.resent, found.timeouts, found.info["fast_retransmits"])
    names = ("sent", "resent", "timeouts", "fast_retransmits")
    assert counts == tuple(model[name] for name in names)
    assert found.transfer_time >= model["transfer_time"]  # both with the handshake
    assert found.efficiency == pytest.approx(model["efficiency"], rel=1e-12)
    assert found.overhead == pytest.approx(model["overhead"], rel=1e-12)


@pytest.mark.usefixtures("_granted")
@pytest.mark.parametrize("sender", ["near", "far"])
@pytest.mark.parametrize("congestion", ["reno", "cubic", "bbr"])
def test_linux_of_ours_and_of_the_kernel_understand_each_other(
    congestion: str, sender: str
) -> None:
    if sender == "far" and not controls.has_control(congestion):
        pytest.skip(f"the kernel has no {congestion}")
    lossy = {"kind": "iid", "loss_rate": 0.05}
    scenario = linux(congestion, channel=lossy, back={"channel": lossy})
    found = transfer(scenario, stack="scenario", peer="kernel", sender=sender)
    assert (found.complete, found.identical) == (True, True)
    assert found.tcp == ("airtcp" if sender == "near" else "kernel")
    assert found.packet == 1448
    assert found.acked == 100 * 1448
    assert found.retransmissions > 0


@pytest.mark.usefixtures("_granted")
def test_the_kernel_gets_what_a_scenario_of_linux_says(tmp_path: Path) -> None:
    """SACK and timestamps stand in the SYN, the control and a setting in the namespace."""
    scenario = linux("reno", drop=[[12, 1]])
    scenario["tcp"] |= {"sack": False, "timestamps": False, "sysctl": {"tcp_window_scaling": 0}}
    found = transfer(scenario, out=tmp_path)
    assert (found.tcp, found.complete, found.packet) == ("kernel", True, 1460)
    assert found.report.unset == ()
    assert found.overhead == pytest.approx(simulated(scenario)["overhead"], rel=1e-12)
    capture = (tmp_path / "near.pcapng").read_bytes()
    at = capture.index(bytes([0x45, 0, 0, 44]))  # a SYN with its MSS alone
    assert capture[at + 33] == 0x02
    assert capture[at + 40 : at + 44] == bytes([2, 4, 1460 >> 8, 1460 & 0xFF])


@pytest.mark.usefixtures("_granted")
def test_engines_answer_a_scenario_of_linux() -> None:
    scenario = linux(drop=[[12, 1]]) | {"live": {"stack": ["kernel", "airtcp"]}}
    table = airtcp.run(scenario, engine="simulation,live", replications=1).table
    assert list(table["live_tcp"]) == ["kernel", "airtcp"]
    assert list(table["live_note"]) == ["", ""]
    assert (table["live_transfer_time"] > 0).all()
    assert table["live_efficiency"].to_numpy() == pytest.approx(table["simulation_efficiency"])


def test_the_stack_of_linux_is_named_by_its_control() -> None:
    assert transfer(linux(), size=20_000, stack="reno").complete
    with pytest.raises(airtcp.InputError, match=r"stack = 'reno-probing': .*allowed: reno, cubic"):
        transfer(linux(), stack="reno-probing")


# Transfers with either stack


def test_a_transfer_without_end_is_cut_and_what_came_is_checked(tmp_path: Path) -> None:
    found = transfer(path("sack"), size=0, seconds=2.0, stack="scenario", out=tmp_path)
    assert not found.complete
    assert math.isnan(found.transfer_time)
    assert found.identical
    assert found.report.exit_code == 0
    assert 0 < found.acked <= 10e6 / 8 * found.seconds
    log = LiveLog(tmp_path)
    assert log.replay().differing == 0
    assert found.info["sent"] <= np.count_nonzero(log.records["direction"] == 0)


def test_what_is_changed_on_the_way_is_found_out(tmp_path: Path) -> None:
    file = tmp_path / "content"
    write_content(file, 1, SIZE)
    digest = expected_digest(file, SIZE)
    content = bytearray(file.read_bytes())
    assert len(content) == SIZE
    content[SIZE // 2] ^= 1
    file.write_bytes(content)
    assert expected_digest(file, SIZE) != digest
    write_content(file, 1, 10 * CONTENT_PERIOD)
    assert file.stat().st_size == CONTENT_PERIOD
    with file.open("ab") as more:
        more.write(file.read_bytes()[:5])
    assert expected_digest(file, CONTENT_PERIOD + 5) == digest_of_repeated(file)


def digest_of_repeated(file: Path) -> str:
    """Of a file that holds the content once and its first bytes again."""

    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_transfer_that_never_connected_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["airtcp.live.transfer"], "EXTRA_SECONDS", 0.5)
    deaf = path("newreno", channel={"kind": "iid", "loss_rate": 1.0})
    found = transfer(deaf, seconds=0.5, stack="scenario")
    assert found.sent == 0
    assert str(found) == "no data was sent: no connection could be made"


# A receiver that is asked to stop with every read, and finds no more than was queued.
ASKED = """
import os, signal, socket, sys
from airtcp.live import endpoint

ours, theirs = socket.socketpair()
ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
theirs.sendall(bytes(endpoint.CHUNK + 5))

class Connection(socket.socket):
    def recv_into(self, buffer):
        amount = super().recv_into(buffer)
        os.kill(os.getpid(), signal.SIGTERM)
        return amount

class Server(socket.socket):
    def accept(self):
        return Connection(fileno=ours.detach()), None

endpoint.socket.create_server = lambda address: Server()
endpoint.receive(0, "digest", sys.argv[1])
"""


def test_who_is_asked_to_stop_reads_what_was_acknowledged(tmp_path: Path) -> None:
    file = tmp_path / "received.json"
    address = {"AIRTCP_ADDRESS": "not asked for"}
    subprocess.run([sys.executable, "-c", ASKED, str(file)], check=True, env=os.environ | address)
    assert json.loads(file.read_text())["bytes"] == endpoint.CHUNK + 5


def test_probes_on_the_wire_are_well_formed(tmp_path: Path) -> None:
    if shutil.which("tshark") is None:
        pytest.skip("needs tshark")
    found = transfer(path("reno-probing", "bsd", drop=[[20, 1]]), stack="scenario", out=tmp_path)
    assert found.probes > 0
    words = ["tshark", "-r", str(tmp_path / "near.pcapng"), "-o", "tcp.check_checksum:TRUE"]
    fields = ["_ws.malformed", "tcp.checksum.status", "tcp.option_kind", "ip.src"]
    asked = [word for field in fields for word in ("-e", field)]
    done = subprocess.run(
        [*words, "-T", "fields", *asked], capture_output=True, text=True, check=True
    )
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert not any(malformed for malformed, *_ in lines)
    assert "0" not in {status for _, status, *_ in lines if status}  # 0: bad, where it is whole
    data = [kinds.split(",") for _, _, kinds, source in lines[2:] if source == "10.77.0.1"]
    assert sum("253" in kinds for kinds in data) == found.probes


def test_needs_no_rights() -> None:
    """Both ends ours, as root who has none of root's rights over networks."""
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root, to give its rights away, and setpriv")
    command = [sys.executable, "-m", "airtcp", "live", str(EXAMPLES / "probing.toml")]
    limited = (
        "echo 0 > /proc/sys/user/max_user_namespaces &&"
        ' exec setpriv --bounding-set -sys_admin,-net_admin,-sys_nice "$@"'
    )
    nested = ["unshare", "--user", "--map-root-user", "sh", "-c", limited, "sh"]
    done = subprocess.run(
        [*nested, *command, "--stack", "--size", "50kB"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(", content identical\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--stack", "newrno"], 'error: stack = \'newrno\': unknown name "newrno"; "newreno" is a'),
        (["--stack", "newreno"], "error: stack = 'newreno': \"newreno\" is a variant of profiles"),
        (["--peer", "kernel"], "error: peer = 'kernel': must be left out, because both ends"),
        (["--stack", "reno", "--peer", "linux"], "error: peer = 'linux': must be one of airtcp,"),
        (["--stack", "reno", "--congestion", "bbr"], "error: congestion = 'bbr': must be left out"),
        (["--stack", "reno", "--size", "5"], "error: --size = '5': must be whole bytes"),
        (["--stack", "reno", "--", "true"], "error: --stack: is for the built-in transfer"),
    ],
)
def test_refusals_are_one_line(
    words: list[str], line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["live", str(EXAMPLES / "probing.toml"), *words])
    assert ended.value.code == 2
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(line)


def test_the_nearest_name_is_proposed(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["live", str(EXAMPLES / "probing.toml"), "--stack", "tahoe-probin"])
    assert 'did you mean "tahoe-probing"?' in capfd.readouterr().err


# The engine


SHORT = path("newreno") | {"flow": [{"size": "20kB"}]}
POINTS = SHORT | {"tcp": {"variant": ["newreno", "tahoe"], "window": 20}}


@pytest.mark.usefixtures("_granted")
def test_our_stack_answers_what_the_kernel_does_not_have() -> None:
    table = airtcp.run(POINTS, engine="all", replications=2).table
    assert list(table["live_tcp"]) == ["kernel", "airtcp"]
    assert list(table["live_note"]) == ["", ""]
    assert list(table["live_runs"]) == [2, 2]
    assert (table["live_transfer_time"] > 0).all()
    assert (table["simulation_transfer_time"] > 0).all()


def test_what_was_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = airtcp.run(POINTS, engine="live", stack="airtcp", replications=2, out=tmp_path).table
    more = airtcp.run(POINTS, engine="live", stack="airtcp", replications=3, out=tmp_path).table
    assert list(more["live_runs"]) == [3, 3]

    def never(*_: object, **__: object) -> TransferReport:
        raise AssertionError("it was run before")

    monkeypatch.setattr("airtcp.live.engine.transfer", never)
    again = airtcp.run(POINTS, engine="live", stack="airtcp", replications=2, out=tmp_path).table
    assert again["live_transfer_time"].equals(first["live_transfer_time"])
    with pytest.raises(AssertionError):
        airtcp.run(POINTS, engine="live", stack="airtcp", replications=2, seed=2, out=tmp_path)


def test_a_run_that_fails_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def sometimes(scenario: dict, **options: object) -> TransferReport:
        if scenario["tcp"]["variant"] == POINTS["tcp"]["variant"][0]:
            raise airtcp.InputError("it fails")
        return transfer(scenario, **options)

    monkeypatch.setattr("airtcp.live.engine.transfer", sometimes)
    table = airtcp.run(POINTS, engine="live", stack="airtcp", replications=1).table
    assert list(table["live_runs"]) == [0, 1]
    assert list(table["live_note"]) == ["it fails", ""]


def test_the_time_is_announced() -> None:
    endless = {key: value for key, value in POINTS.items() if key != "flow"}
    cases = [
        (endless, None, "live: 6 runs in real time, 3 at once: 2 min 0 s"),
        (endless, 1, "live: 6 runs in real time: 6 min 0 s"),
        (POINTS, 1, "live: 6 runs in real time: at least 0 min 1 s"),
    ]
    for scenario, jobs, line in cases:
        given = airtcp.Scenario.from_dict(scenario)
        asked = LiveRequest.from_options(
            given, replications=3, seed=1, stack="auto", live_jobs=jobs
        )
        assert asked.announcement() == line


def test_after_a_run_that_failed_others_can_be_run() -> None:
    def fails(*_: object) -> bytes:
        raise OSError("the machine is broken")

    runs = LiveExecutor(fails, 1)
    runs.submit(Task(0, "", 1, number) for number in range(2))
    with pytest.raises(OSError, match="is broken"):
        runs.wait()
    assert runs.close() == []
    assert transfer(SHORT, stack="scenario").complete


def children(process: int) -> list[int]:
    """Of all its threads."""
    found: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        found += map(int, thread.read_text().split())
    return found


def until(condition: object) -> None:
    """Wait for what must come: the test hangs, and its runner says so, if it does not."""
    while not condition():
        time.sleep(0.01)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_behind_and_what_is_finished_is_kept(
    end: signal.Signals, tmp_path: Path
) -> None:
    scenario = airtcp.Scenario.from_dict(POINTS)
    (tmp_path / "some.toml").write_text(scenario.to_toml())
    endless = scenario.replace("flow[0].size", "1000MB").replace("tcp.variant", ["reno", "tahoe"])
    (tmp_path / "endless.toml").write_text(endless.to_toml())
    words = [sys.executable, "-c", RUN, "run", str(tmp_path / "endless.toml")]
    options = ["--engine", "live", "--stack", "airtcp", "--live-jobs", "4", "--replications", "2"]
    process = subprocess.Popen([*words, *options], stderr=subprocess.PIPE, text=True)
    until(lambda: len(children(process.pid)) == 4)
    workers = children(process.pid)
    process.send_signal(end)
    said = process.communicate()[1]
    assert process.returncode == (130 if end == signal.SIGINT else -end)
    until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert said.startswith("live: 4 runs in real time, 4 at once: at least ")
    if end == signal.SIGINT:
        assert "interrupted: 0 of 4 runs" in said


@pytest.mark.parametrize("peer", ["airtcp", "kernel"])
def test_ctrl_c_ends_a_transfer_and_says_how_far_it_came(peer: str, tmp_path: Path) -> None:
    if peer == "kernel" and missing():
        pytest.skip(f"not granted here: {missing()}")
    words = [sys.executable, "-m", "airtcp", "live", str(EXAMPLES / "probing.toml"), "--stack"]
    words += [
        "--size",
        "1000MB",
        "--peer",
        peer,
        "--out",
        str(tmp_path),
        "--quiet",
        "--snap",
        "2000",
    ]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    capture = tmp_path / "near.pcapng"
    until(lambda: capture.exists() and children(process.pid))
    until(lambda: capture.stat().st_size > 0)  # a buffer of packets was written
    (worker,) = children(process.pid)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == 130
    assert "INCOMPLETE: " in said
    assert said.endswith(" of 1000000000 bytes, it was interrupted; the data arrived unchanged\n")
    assert not Path(f"/proc/{worker}").exists()
    assert LiveLog(tmp_path).replay().differing == 0


@pytest.mark.usefixtures("_granted")
def test_ctrl_c_in_a_terminal_ends_the_kernel_s_transfer_and_says_how_far_it_came(
    tmp_path: Path,
) -> None:
    """A terminal tells every program of the run."""
    if shutil.which("setsid") is None:
        pytest.skip("needs setsid")
    endless = {key: value for key, value in path("newreno").items() if key != "flow"}
    (tmp_path / "some.toml").write_text(airtcp.Scenario.from_dict(endless).to_toml())
    words = ["setsid", "--ctty", sys.executable, "-m", "airtcp", "live"]
    words += [str(tmp_path / "some.toml"), "--for", "600s", "--quiet", "--snap", "2000"]
    terminal, ours = os.openpty()
    process = subprocess.Popen(
        [*words, "--out", str(tmp_path / "out")],
        stdin=ours,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.close(ours)
    capture = tmp_path / "out" / "near.pcapng"
    until(lambda: capture.exists() and capture.stat().st_size > 0)
    os.write(terminal, b"\x03")
    said = process.communicate()[0]
    os.close(terminal)
    assert process.returncode == 130, said
    assert "Mbit/s" in said
    assert said.count("\n") == 1


# With the usual answer to Ctrl-C, which a shell takes from what it starts in the background.
RUN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from airtcp.cli.main import main; main(sys.argv[1:])"
)


def test_rows_are_written_as_they_come(tmp_path: Path) -> None:
    """One that is killed goes on where it was."""
    scenario = airtcp.Scenario.from_dict(POINTS | {"flow": [{"size": "200kB"}]})
    (tmp_path / "some.toml").write_text(scenario.to_toml())
    words = [sys.executable, "-m", "airtcp", "run", str(tmp_path / "some.toml")]
    options = ["--engine", "live", "--stack", "airtcp", "--live-jobs", "1", "--replications", "20"]
    out = tmp_path / "out"
    process = subprocess.Popen(
        [*words, *options, "--out", str(out)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    until(lambda: len(kept(out / "runs.sqlite")) > 2)
    process.kill()
    process.wait()
    found = airtcp.results(out)
    assert not found.complete
    assert len(found.live.to_pandas()) >= 3
