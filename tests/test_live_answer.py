"""Answers of the emulator's process: nobody else can give them, impossible ones are refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from airtcp.errors import InputError
from airtcp.live import live
from airtcp.live.worker import parse_worker_report
from mutations import COUNT, mutated, mutated_text
from test_live import PATH, missing

FORGER = str(Path(__file__).parent / "programs" / "forger.py")
COMMAND = Path(sys.executable).with_name("airtcp")
HANDOVER = str(Path(__file__).parent.parent / "examples" / "handover.toml")
SENT = {
    "seconds": 1.5,
    "size": 20_000,
    "bytes_acked": 20_000,
    "mss": 1460,
    "sent": 14,
    "resent": 0,
    "bytes_sent": 20_000,
    "bytes_resent": 0,
    "wire_bytes": 20_560,
    "probes": 0,
    "probe_wire_bytes": 0,
    "timeouts": 0,
    "fast_retransmits": 0,
    "ending": None,
}
RECEIVED = {"bytes": 20_000, "sha256": "0123456789abcdef" * 4, "ended": True}
REPORT = {
    "status": 0,
    "time_over": False,
    "signal": None,
    "seconds": 1.6,
    "origin": 10**13,
    "end": 1_700_000_000,
    "fates": [{"delivered": 999_983, "channel": 1}, {"delivered": 17, "on the way": 2}],
    "overruns": [0, 0],
    "refused": 0,
    "packets": 1_000_000,
    "late": 0.001,
    "lateness": [0.0001, 0.0002, 0.0003, 0.0004],
    "valid": True,
    "unset": ["net.core.rmem_max = 1: Permission denied (os error 13)"],
    "control": "cubic",
    "own": [{"sent": SENT}, {"received": RECEIVED}],
    "copies": [12, 0],
}
ANSWER = {"report": REPORT}


@pytest.fixture
def _granted() -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")


@pytest.mark.usefixtures("_granted")
@pytest.mark.parametrize("mode", ["junk", "crafted"])
def test_a_command_cannot_answer_for_the_emulator(
    mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    report = live(PATH, [sys.executable, FORGER, mode, json.dumps(REPORT)])
    assert report.exit_code == 0
    assert report.packets == 0
    assert capfd.readouterr().out == "\n"  # neither descriptors nor files of others


@pytest.mark.usefixtures("_granted")
def test_a_command_has_no_more_descriptors_where_some_are_closed(tmp_path: Path) -> None:
    if not COMMAND.exists():
        pytest.skip(f"the command is not at {COMMAND}")
    told = tmp_path / "told"
    words = [sys.executable, "-c", f"import os; os.system('ls -l /proc/self/fd > {told}')"]
    line = '"$0" "$@" <&- >&- 2>&-'
    closed = ["sh", "-c", line, str(COMMAND), "live", HANDOVER, "--", *words]
    assert subprocess.run(closed, check=False).returncode == 0
    assert "memfd:" not in told.read_text()
    assert "tun" not in told.read_text()


def test_what_the_emulator_says_is_taken() -> None:
    report = parse_worker_report(0, json.dumps(ANSWER).encode())
    assert json.loads(json.dumps(vars(report))) == REPORT
    assert report.packets == 1_000_000


@pytest.mark.parametrize("code", [1, 2, -9])
def test_nothing_is_believed_of_a_worker_that_failed(code: int) -> None:
    with pytest.raises(InputError, match=f"^live: the emulator's process ended with {code}$"):
        parse_worker_report(code, json.dumps(ANSWER).encode())


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (b"", "is not JSON"),
        (b"junkjunk", "is not JSON"),
        (b'{"report": NaN}', "is not JSON"),
        (b"\xff{}", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", r"\[\]: must be a table of keys"),
        (b"{}", "{}: must be a table of one key: report or refused"),
        (b'{"report": {}, "refused": "x"}', "must be a table of one key"),
        (b'{"reprt": {}}', r"key = 'reprt': must be one of report, refused \(did you mean"),
        (b'{"report": {}}', r"report\.status: is missing"),
    ],
)
def test_what_is_no_answer_is_refused(answer: bytes, line: str) -> None:
    with pytest.raises(InputError, match=f"^live: the emulator's answer: .*{line}"):
        parse_worker_report(0, answer)


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"status": 256}, r"report\.status = 256: must be a whole number from 0 to 255"),
        ({"time_over": 0}, r"report\.time_over = 0: must be true or false"),
        ({"seconds": "1"}, r"report\.seconds = '1': must be a number from 0"),
        ({"end": -1}, r"report\.end = -1: must be a whole number"),
        ({"fates": [{}]}, r"report\.fates = \[{}\]: must be a list of 2"),
        ({"fates": [{"lost": 1}, {}]}, r"report\.fates\[0\]\.key = 'lost': must be one of"),
        ({"fates": [{}, {"queue": 1.5}]}, r"report\.fates\[1\]\.queue = 1\.5: must be a whole"),
        ({"packets": 7}, r"report\.packets = 7: must be 1000000, as delivered by fates"),
        ({"late": 1.5}, r"report\.late = 1\.5: must be a number from 0 to 1"),
        ({"unset": "none"}, r"report\.unset = 'none': must be a list of texts"),
        ({"own": [None, {"received": RECEIVED | {"sha256": "0"}}]}, r"must be a SHA-256"),
        ({"copies": [0]}, r"report\.copies = \[0\]: must be a list of 2"),
        ({"copies": [0, 19]}, r"report\.copies\[1\] = 19: must be below 19, all by fates"),
    ],
)
def test_a_report_that_cannot_be_is_refused(changed: dict, line: str) -> None:
    with pytest.raises(InputError, match=f"^live: the emulator's answer: .*{line}"):
        parse_worker_report(0, json.dumps({"report": REPORT | changed}).encode())


def test_whatever_it_says_a_report_or_a_line_comes_of_it() -> None:
    """See `mutations.COUNT` for how many."""
    genuine, refused = json.dumps(ANSWER).encode(), 0
    for number in range(COUNT):
        said = line_of(mutated_text(genuine, number))
        refused += said != ""
        said = line_of(json.dumps(mutated(ANSWER, number)).encode())
        refused += said != ""
    assert COUNT < refused <= 2 * COUNT


def line_of(answer: bytes) -> str:
    """The refusal of an answer; empty where it is believed, with a report that can be told."""
    try:
        report = parse_worker_report(0, answer)
    except InputError as error:
        line = str(error)
    else:
        assert report.exit_code in range(256), answer
        assert report.lines(), answer
        json.dumps(vars(report), allow_nan=False)
        return ""
    assert line.startswith("live: "), answer
    assert "\n" not in line, answer
    return line
