"""A transfer that is cut is incomplete: it says so, in its line, its exit code and its file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import airtcp
from airtcp.cli.main import main
from airtcp.live import endpoint, transfer
from airtcp.live.transfer_report import TIME_OVER
from test_live import missing

CUTTER = Path(__file__).parent / "programs" / "cutter.py"
CAME = 70_080
SIZE = 3_000_000
REAL = endpoint.__file__
RESET = "the other end has reset it"
KERNEL: dict[str, list[str]] = {
    "kernel": [],
    "own": ["--stack", "newreno", "--peer", "kernel"],
}


@pytest.fixture(autouse=True)
def _granted() -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    file = tmp_path / "path.toml"
    file.write_text(
        'profile = "rfc"\n[tcp]\nvariant = "newreno"\nwindow = 20\n'
        '[[path.hop]]\nrate = "10Mbps"\ndelay = "5ms"\n'
    )
    return str(file)


Sent = Callable[..., tuple[int, str, dict]]


@pytest.fixture
def cutting(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets an end of the kernel do as `cutter.py` says."""

    def cut(how: str) -> None:
        monkeypatch.setenv("AIRTCP_CUT", how)
        monkeypatch.setenv("AIRTCP_ENDPOINT", REAL)
        monkeypatch.setattr(endpoint, "__file__", str(CUTTER))

    return cut


@pytest.fixture
def sent(
    scenario: str,
    tmp_path: Path,
    cutting: Callable[[str], None],
    capfd: pytest.CaptureFixture[str],
) -> Sent:
    """Exit code and line of `airtcp live`, and what `live.json` says of the transfer."""

    def sent(*words: str, cut: str = "") -> tuple[int, str, dict]:
        if cut:
            cutting(cut)
        with pytest.raises(SystemExit) as ended:
            main(["live", scenario, *words, "--quiet", "--out", str(tmp_path / "out")])
        said = capfd.readouterr()
        assert said.err == ""
        found = json.loads((tmp_path / "out" / "live.json").read_text())
        return int(str(ended.value.code)), said.out, found["transfer"]

    return sent


@pytest.mark.parametrize("how", ["reset", "close"])
@pytest.mark.parametrize("sender", KERNEL)
def test_a_receiver_that_ends_early(
    sender: str,
    how: str,
    sent: Sent,
) -> None:
    words = [*KERNEL[sender], "--size", f"{SIZE}B"]
    code, line, found = sent(*words, cut=f"receive:{how}")
    assert code == 1
    assert "identical" not in line
    tail = "; the data arrived unchanged" if sender == "own" else ""
    assert line.endswith(f"INCOMPLETE: {found['acked']} of {SIZE} bytes, {RESET}{tail}\n")
    assert (found["complete"], found["identical"], found["ending"]) == (False, False, RESET)
    assert found["received"] == CAME <= found["acked"] < SIZE
    assert found["intact"] is (True if sender == "own" else None)


@pytest.mark.parametrize("sender", KERNEL)
def test_a_receiver_that_is_killed(
    sender: str,
    sent: Sent,
) -> None:
    words = [*KERNEL[sender], "--size", f"{SIZE}B"]
    code, line, found = sent(*words, cut="receive:kill")
    assert code == 1
    assert line.endswith(f"INCOMPLETE: {found['acked']} of {SIZE} bytes, {RESET}\n")
    assert (found["complete"], found["identical"]) == (False, False)
    assert (found["received"], found["intact"]) == (None, None)


def test_all_that_was_acknowledged_but_not_read_is_missing(
    sent: Sent,
) -> None:
    """The kernel acknowledges what its program never reads."""
    size = CAME + 1000
    code, line, found = sent("--size", f"{size}B", cut="receive:deaf")
    assert code == 1
    assert found["acked"] == size
    assert line.endswith(f"INCOMPLETE: {size} of {size} bytes, the receiver read {CAME} of those\n")
    assert (found["complete"], found["identical"]) == (False, False)


@pytest.mark.parametrize("sender", KERNEL)
def test_a_receiver_that_closes_its_own_direction_gets_it_all(
    sender: str,
    sent: Sent,
) -> None:
    code, line, found = sent(*KERNEL[sender], "--size", "500kB", cut="receive:half")
    assert code == 0
    assert "INCOMPLETE" not in line
    assert (found["complete"], found["ending"], found["received"]) == (True, "", 500_000)
    assert found["identical"] is (True if sender == "own" else None)


@pytest.mark.parametrize("how", ["reset", "close"])
@pytest.mark.parametrize("receiver", ["kernel", "own"])
def test_a_sender_that_ends_early(
    receiver: str,
    how: str,
    sent: Sent,
) -> None:
    far = ["--sender", "far"] if receiver == "own" else []
    words = [*KERNEL[receiver], *far, "--size", f"{SIZE}B"]
    code, line, found = sent(*words, cut=f"send:{how}")
    assert code != 0
    assert "identical" not in line
    assert f"INCOMPLETE: {CAME} of {SIZE} bytes, " in line
    assert (found["complete"], found["identical"], found["received"]) == (False, False, CAME)
    if receiver == "own":
        assert found["intact"]
        assert found["ending"] == {"close": "the sender closed early"}.get(how, found["ending"])


def test_a_sender_that_is_killed_is_one_line(
    scenario: str, cutting: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    cutting("send:kill")
    with pytest.raises(SystemExit) as ended:
        main(["live", scenario, "--size", f"{SIZE}B"])
    assert ended.value.code == 2
    line = "error: live: the transfer ended with exit code 137 before it counted\n"
    assert capfd.readouterr().err == line


@pytest.mark.parametrize("ends", [[], ["--stack"], ["--stack", "--peer", "kernel"]], ids=len)
def test_the_time_is_over_first(ends: list[str], sent: Sent) -> None:
    code, line, found = sent(*ends, "--size", "1000MB", "--for", "0.3s")
    assert code == 124
    assert f"INCOMPLETE: {found['acked']} of 1000000000 bytes, {TIME_OVER}" in line
    assert (found["complete"], found["identical"], found["ending"]) == (False, False, TIME_OVER)
    assert found["intact"] is (True if ends else None)


def test_an_end_that_falls_silent(sent: Sent) -> None:
    """Every copy of a packet is lost, and Linux gives up after a few timeouts."""
    drop = ", ".join(f"[30, {copy}]" for copy in range(1, 20))
    patience = ["--sysctl", "net.ipv4.tcp_retries2=2", "--set", "tcp.min_rto=200ms"]
    words = ["--set", f"path.hop[0].drop=[{drop}]", *patience, "--size", f"{SIZE}B"]
    code, line, found = sent(*words, "--for", "60s")
    assert code == 1
    assert found["ending"] == "the other end is silent"
    assert line.endswith(f"INCOMPLETE: {30 * 1460} of {SIZE} bytes, the other end is silent\n")


def test_a_connection_that_never_came_about(sent: Sent) -> None:
    dead = "path.hop[0].exit={kind = 'iid', loss_rate = 1.0}"
    code, line, found = sent("--set", dead, "--size", "1MB", "--for", "0.3s")
    assert code == 1
    assert line == "no data was sent: no connection could be made\n"
    assert (found["complete"], found["identical"]) == (False, False)
    assert found["ending"] == "no connection could be made"


def test_a_transfer_without_end_that_is_cut(
    sent: Sent,
) -> None:
    for ends in KERNEL.values():
        code, line, found = sent(*ends, "--for", "20s", cut="receive:reset")
        assert code == 1
        assert f"INCOMPLETE: {found['acked']} bytes, {RESET}" in line
        assert (found["size"], found["identical"]) == (0, False)


def test_a_cut_run_is_no_measurement(scenario: str, cutting: Callable[[str], None]) -> None:
    cutting("receive:reset")
    given = airtcp.Scenario.load(scenario).replace("flow", [{"size": f"{SIZE}B"}])
    with pytest.raises(airtcp.InputError, match=f"^live: the transfer is incomplete: {RESET}$"):
        airtcp.run(given, engine="live", stack="kernel", replications=1)


@pytest.mark.parametrize(
    ("file", "said", "line"),
    [
        ("counted", "junk", "live: the sender's count: is not JSON"),
        ("counted", '{"seconds": 1', "live: the sender's count: is not JSON"),
        ("counted", '{"seconds": -1}', "live: the sender's count: .*is missing"),
        ("received", '{"bytes": 7}', "live: the receiver's count: sha256: is missing"),
        ("received", '{"bytes": "7", "sha256": null}', "live: the receiver's count: bytes = '7'"),
    ],
)
def test_counts_that_cannot_be_are_refused(
    file: str, said: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = {"counted": "sys.argv[6]", "received": "sys.argv[4]"}[file]
    role = {"counted": "send", "received": "receive"}[file]
    program = tmp_path / "saying.py"
    program.write_text(
        "import runpy, sys\n"
        f"runpy.run_path({endpoint.__file__!r}, run_name='__main__')\n"
        f"if sys.argv[1] == {role!r}:\n"
        f"    open({place}, 'w').write({said!r})\n"
    )
    monkeypatch.setattr(endpoint, "__file__", str(program))
    path = {"profile": "rfc", "tcp": {"variant": "newreno"}}
    path |= {"path": {"hop": [{"rate": "10Mbps", "delay": "5ms"}]}}
    with pytest.raises(airtcp.InputError, match=f"^{line}"):
        transfer(path, size=10_000, seconds=20.0)
