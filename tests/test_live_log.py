"""A log that somebody has changed is replayed or refused in a line, whatever was done to it."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from airtcp import _native
from airtcp.cli.main import main
from airtcp.engines.live import LiveRunStorage
from airtcp.live import LiveLog, transfer
from airtcp.live.engine import METRIC_FUNCTIONS
from airtcp.live.folder import META_FILE, PACKETS_FILE
from airtcp.live.log import write_log
from airtcp.live.old_runs import old_run
from airtcp.live.report import LATEST_NS
from mutations import COUNT, mutated, mutated_records, mutated_text

LOSSY = {"kind": "iid", "loss_rate": 0.05}
TWICE = {"duplicate": 0.3, "jitter": {"kind": "exponential", "mean": "2ms"}, "reorder": True}
LAW = {"kind": "exponential", "mean": "5ms"}
SINE = {"mean": "2Mbps", "amplitude": "2Mbps"}
WALK = {"low": "0bps", "high": "9Mbps", "step": "2Mbps", "every": "3ms"}
CUTTING = {"kind": "on-off", "up": "50ms", "down": "5ms", "loses": "all"}
TRAFFIC = [
    {"rate": "6Mbps", "packet": "500B", "on": LAW, "off": LAW, "count": 2},
    {"sender": "2", "receiver": "1", "rate": "1Mbps", "packet": "100B", "end": "10s"},
]
HOPS = {
    "losses": [
        {"rate": "20Mbps", "delay": "1ms", "queue": 5, "drop": [[3, 1]]},
        {
            "rate": "10Mbps",
            "delay": "2ms",
            "channel": {"kind": "two-state", "p_gb": 0.02, "p_bg": 0.5},
            "gate": {"kind": "on-off", "up": "50ms", "down": "5ms"},
            "back": {"channel": LOSSY, "rate": "5Mbps"},
        },
    ],
    "arq": [
        {
            "rate": "10Mbps",
            "delay": "1ms",
            "channel": LOSSY,
            "arq": {"fragment": "300B", "attempts": 3, "feedback_delay": "1ms"},
        }
    ],
    "fading": [
        {
            "rate": "10Mbps",
            "delay": "1ms",
            "channel": {"kind": "rayleigh", "snr": "15dB", "doppler": "50Hz"},
            "gate": {"kind": "periodic", "up": "50ms", "down": "5ms"},
        }
    ],
    "opportunities": [
        {"rate": "12Mbps", "delay": "1ms", "opportunities": [1, 1, 2, 4, 5, 8], "exit": LOSSY},
    ],
    "rates": [
        {
            "rates": [
                {"at": "0s", "rate": "10Mbps"},
                {"at": "7ms", "rate": "1Mbps"},
                {"at": "20ms", "rate": "0bps"},
                {"at": "31ms", "rate": "3Mbps"},
            ],
            "delay": "1ms",
            "queue": 9,
            "back": {"rates": {"kind": "sine", "period": "9ms", **SINE}},
        },
        {"rates": {"kind": "random-walk", **WALK}, "delay": "1ms", "gate": CUTTING},
    ],
    "copies": [
        {"rate": "10Mbps", "delay": "1ms", "channel": LOSSY} | TWICE,
        {"rate": "10Mbps", "delay": "1ms", "back": TWICE} | TWICE,
    ],
    "traffic": [{"rate": "10Mbps", "delay": "1ms", "queue": 6}, {"rate": "8Mbps", "delay": "1ms"}],
}
COPIES = list(HOPS).index("copies")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Of transfers of our own stack, which need no rights."""
    folders = []
    for name, hops in HOPS.items():
        folders.append(tmp_path_factory.mktemp(name))
        given = {"profile": "rfc", "tcp": {"variant": "sack", "window": 8}, "path": {"hop": hops}}
        if name == "traffic":
            given["traffic"] = TRAFFIC
        if name == "opportunities":
            given["path"]["hop"][0]["rate"] = f"{6 * 1504 * 8 / 8}kbps"
        assert transfer(
            given, stack="scenario", size=20_000, seconds=60.0, out=folders[-1]
        ).complete
        assert LiveLog(folders[-1]).replay().differing == 0
    return folders


def replayed(folder: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `airtcp trace --replay`."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(["trace", "--replay", str(folder), "-o", str(folder / "table.csv")])
    return int(str(ended.value.code)), out.getvalue(), err.getvalue()


def test_a_log_is_written_as_csv_without_pyarrow(
    logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, target = LiveLog(logs[COPIES]), tmp_path / "table.csv"
    told = log.table.to_pandas()
    with monkeypatch.context() as here:
        here.setitem(sys.modules, "pyarrow", None)
        assert write_log(log, target) == f"{target}: {len(log.records)} packets"
    read = pandas.read_csv(target)
    pandas.testing.assert_frame_equal(read, told, check_dtype=False)


def assert_answered(folder: Path, which: str) -> int:
    """Whatever lies there is replayed, or refused in a line."""
    code, out, err = replayed(folder)
    if code == 2:
        assert err.startswith("error: "), which
        assert err.count("\n") == 1, which
        assert str(folder) in err, (which, err)
    else:
        assert code in (0, 1), which
        assert (out.count("\n"), err) == (2, ""), which
    return code


def test_a_mutated_report(logs: list[Path], tmp_path: Path) -> None:
    refused = 0
    for number in range(COUNT):
        source = logs[number % len(logs)]
        shutil.copy(source / PACKETS_FILE, tmp_path)
        genuine = (source / META_FILE).read_bytes()
        changed = json.dumps(mutated(json.loads(genuine), number)).encode()
        for text in (changed, mutated_text(genuine, number)):
            (tmp_path / META_FILE).write_bytes(text)
            refused += assert_answered(tmp_path, f"{source.name} {number}") == 2
    assert COUNT < refused <= 2 * COUNT


def test_mutated_packets(logs: list[Path], tmp_path: Path) -> None:
    refused = 0
    for number in range(COUNT):
        source = logs[number % len(logs)]
        shutil.copy(source / META_FILE, tmp_path)
        genuine = (source / PACKETS_FILE).read_bytes()
        records = np.frombuffer(genuine, dtype=np.dtype(_native.live_record()))
        for content in (mutated_records(records, number), mutated_text(genuine, number)):
            (tmp_path / PACKETS_FILE).write_bytes(content)
            refused += assert_answered(tmp_path, f"{source.name} {number}") == 2
    assert COUNT < refused <= 2 * COUNT


def changed(folder: Path, **keys: object) -> None:
    """Change keys of `live.json`."""
    meta = json.loads((folder / META_FILE).read_text())
    (folder / META_FILE).write_text(json.dumps(meta | keys))


@pytest.fixture
def log(logs: list[Path], tmp_path: Path) -> Path:
    """One that can be damaged."""
    return Path(shutil.copytree(logs[0], tmp_path / "log"))


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"seed": -1}, "seed = -1: must be a whole number from 0 to"),
        ({"seed": 1.0}, "seed = 1.0: must be a whole number from 0 to"),
        ({"replication": True}, "replication = True: must be a whole number from 0 to"),
        ({"sender_is_far": 0}, "sender_is_far = 0: must be true or false"),
        ({"report": []}, "report = []: must be a table of keys"),
        ({"scenrio": {}}, "key = 'scenrio': must be one of format, model,"),
        ({"format": 4}, "format = 4: must be a whole number from 1 to 3"),
        ({"transfer": {}}, "transfer.size: is missing"),
        ({"scenario": {"profile": "zorzi"}}, "scenario: channel: missing"),
    ],
)
def test_a_report_that_cannot_be_is_refused(keys: dict, line: str, log: Path) -> None:
    changed(log, **keys)
    code, out, err = replayed(log)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {log / META_FILE}: {line}"), err
    assert err.count("\n") == 1


@pytest.mark.parametrize("key", ["window", "variant", "packet"])
def test_the_scenario_of_a_log_is_completed_as_any_other(key: str, log: Path) -> None:
    """The profile provides a missing key; a key that it does not provide is refused."""
    scenario = json.loads((log / META_FILE).read_text())["scenario"]
    del scenario["tcp"][key]
    changed(log, scenario=scenario)
    code, _, err = replayed(log)
    assert code == (2 if key == "variant" else 0), err


def test_a_log_has_one_point(log: Path) -> None:
    scenario = json.loads((log / META_FILE).read_text())["scenario"]
    scenario["tcp"]["window"] = [4, 8]
    changed(log, scenario=scenario)
    line = f"error: {log / META_FILE}: scenario: has 2 points, but a live run has one\n"
    assert replayed(log) == (2, "", line)


def test_a_log_names_no_files(log: Path) -> None:
    scenario = json.loads((log / META_FILE).read_text())["scenario"]
    scenario["path"]["hop"][0]["delays"] = "/dev/zero"
    changed(log, scenario=scenario)
    code, _, err = replayed(log)
    assert code == 2
    assert err.startswith(f"error: {log / META_FILE}: scenario: path.hop[0].delays: ")


@pytest.mark.parametrize("name", [META_FILE, PACKETS_FILE])
def test_what_is_no_file_is_refused(name: str, log: Path) -> None:
    (log / name).unlink()
    os.mkfifo(log / name)
    assert replayed(log) == (2, "", f"error: {log / name}: is not a regular file\n")


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("direction", 2, "direction = 2: must be 0 or 1"),
        ("id", -1, "id = -1: must be a number below that of the packets"),
        ("arrival", -1, "arrival = -1: must be 0 to "),
        ("at", 2**62, f"at = {2**62}: must be its arrival to "),
        ("start", -2, "start = -2: must be -1, or 0 to `at`"),
        ("end", -2, "end = -2: must be -1 as `start`, or `start` or later"),
        ("late", -2, "late = -2: must be -1 to "),
        ("bits", 0, "bits = 0: must be 1 to "),
        ("bits", 2**62, f"bits = {2**62}: must be 1 to "),
        ("number", -2, "number = -2: must be -1 to "),
        ("fate", 512, "fate = 512: must be a code below 8, and 256 times the hop that lost it"),
        ("fate", -1, "fate = -1: must be a code below 8"),
        ("copy", 1, "copy = 1: must be a sum of 2^h for hops h of its direction that duplicate"),
        ("copy", -1, "copy = -1: must be a sum of 2^h"),
    ],
)
def test_a_record_that_cannot_be_is_refused(field: str, value: int, line: str, log: Path) -> None:
    records = LiveLog(log).records.copy()
    records[field][3] = value
    (log / PACKETS_FILE).write_bytes(records.tobytes())
    code, out, err = replayed(log)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {log / PACKETS_FILE}: record 3: {line}"), err
    assert err.count("\n") == 1


def test_packets_twice_or_with_other_fates_are_refused(log: Path) -> None:
    genuine = LiveLog(log).records
    ahead = np.flatnonzero(genuine["direction"] == 0)
    twice = genuine.copy()
    twice["id"][ahead[1]] = twice["id"][ahead[0]]
    otherwise = genuine.copy()
    otherwise["fate"][ahead[0]] = 2 if genuine["fate"][ahead[0]] != 2 else 1
    for records, line in ((twice, "another packet appears twice"), (otherwise, "live.json counts")):
        (log / PACKETS_FILE).write_bytes(records.tobytes())
        code, _, err = replayed(log)
        assert code == 2
        assert line in err


@pytest.fixture
def copies(logs: list[Path], tmp_path: Path) -> Path:
    """Of packets that come to their end up to four times on the way forward, and twice back."""
    log = Path(shutil.copytree(logs[COPIES], tmp_path / "copies"))
    records, report = LiveLog(log).records, json.loads((log / META_FILE).read_text())["report"]
    for direction, made in ((0, {0, 1, 2}), (1, {0, 1})):
        found = records[records["direction"] == direction]
        assert set(found["copy"].tolist()) >= made
        assert report["copies"][direction] == len(found) - len(set(found["id"].tolist())) > 0
    return log


def pair(records: np.ndarray) -> tuple[int, int]:
    """The places of two copies of one packet on the way forward."""
    ahead = np.flatnonzero(records["direction"] == 0)
    ids = records["id"][ahead]
    twice = next(number for number in ids if (ids == number).sum() > 1)
    first, second = ahead[ids == twice][:2].tolist()
    return first, second


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("copy", " forward appears with one copy twice"),
        ("arrival", " forward appears with two values of arrival"),
        ("bits", " forward appears with two values of bits"),
        ("number", " forward appears with two values of number"),
        ("fate", " forward appears both on the way and at its end"),
    ],
)
def test_copies_that_cannot_be_of_one_packet_are_refused(
    field: str, line: str, copies: Path
) -> None:
    records = LiveLog(copies).records.copy()
    first, second = pair(records)
    if field == "copy":
        records[field][second] = records[field][first]
    elif field == "fate":
        records[field][second] = _native.live_fates().index("on the way")
    else:
        records[field][second] += 1 if field != "arrival" else -1
    (copies / PACKETS_FILE).write_bytes(records.tobytes())
    code, _, err = replayed(copies)
    assert code == 2
    assert line in err
    assert err.count("\n") == 1


def test_a_copy_that_is_not_counted_or_not_there_is_refused(copies: Path) -> None:
    report = json.loads((copies / META_FILE).read_text())["report"]
    ahead, back = report["copies"]
    changed(copies, report=report | {"copies": [ahead - 1, back]})
    line = f"{ahead} further copies forward, but live.json counts {ahead - 1}\n"
    assert replayed(copies)[2] == f"error: {copies / PACKETS_FILE}: {line}"
    changed(copies, report=report | {"copies": [10**6, back]})
    code, _, err = replayed(copies)
    assert code == 2
    assert f"{META_FILE}: report.copies[0] = 1000000: must be below " in err


def test_a_copy_that_nobody_made_and_one_left_out_differ_from_the_replay(copies: Path) -> None:
    log = LiveLog(copies)
    genuine = log.records
    _, second = pair(genuine)
    log.records = genuine.copy()
    log.records["copy"][second] += 4  # of a third hop
    found = log.replay()
    assert found.differing == 2
    assert f"packet {genuine['id'][second]} forward" in found.first
    log.records = np.delete(genuine, second)
    assert log.replay().differing == 1
    assert str(log.replay()).startswith(f"1 of {log.replay().packets} packets and ")


@pytest.mark.parametrize("form", [1, 2])
def test_a_log_of_an_earlier_format_is_read_as_before(log: Path, form: int) -> None:
    """The first says no format and counts no copies; records have no words for what came later."""
    meta, genuine = json.loads((log / META_FILE).read_text()), LiveLog(log)
    assert meta["format"] == 3
    if form == 1:
        del meta["format"], meta["report"]["copies"]
    else:
        meta["format"] = form
    (log / META_FILE).write_text(json.dumps(meta))
    later = {"connection", "ecn"} | ({"copy"} if form == 1 else set())
    names = [name for name in genuine.records.dtype.names or () if name not in later]
    assert replayed(log)[0] == 2  # a record is shorter
    words = np.stack([genuine.records[name] for name in names], axis=1)
    assert words.shape[1] == 9 + form
    (log / PACKETS_FILE).write_bytes(words.tobytes())
    assert (LiveLog(log).records[names] == genuine.records[names]).all()
    assert LiveLog(log).replay() == genuine.replay()
    assert replayed(log)[0] == 0


# A log whose only packet comes after more outages than anybody can wait for.
ENDLESS = {"kind": "on-off", "up": "1us", "down": "1us"}


# One that owes more repetitions than it may hold.
REPEATING = {"fragment": "1B", "attempts": 1000, "feedback_delay": "9e9s"}


def test_a_replay_that_does_not_fit_is_refused(log: Path) -> None:
    meta = json.loads((log / META_FILE).read_text())
    hop = {"rate": "1000Gbps", "delay": "1ms", "arq": REPEATING}
    hop["channel"] = {"kind": "iid", "loss_rate": 0.9}
    meta["scenario"]["path"]["hop"] = [hop]
    report = meta["report"] | {"fates": [{"on the way": 8}, {}], "packets": 0, "end": LATEST_NS}
    changed(log, scenario=meta["scenario"], report=report)
    records = np.zeros(8, dtype=np.dtype(_native.live_record()))
    records["id"] = np.arange(8)
    records["bits"] = 16_000_000
    for field in ("start", "end", "late", "number"):
        records[field] = -1
    records["at"] = LATEST_NS
    records["fate"] = _native.live_fates().index("on the way")
    (log / PACKETS_FILE).write_bytes(records.tobytes())
    code, _, err = replayed(log)
    assert code == 2
    assert "scenario: path.hop[0]: more than 10000000 packets and fragments" in err


def test_ctrl_c_ends_a_replay_that_would_not_end(log: Path) -> None:
    scenario = json.loads((log / META_FILE).read_text())["scenario"]
    scenario["path"]["hop"] = [{"rate": "1Mbps", "delay": "1ms", "gate": ENDLESS}]
    report = json.loads((log / META_FILE).read_text())["report"]
    report |= {"fates": [{"on the way": 1}, {}], "packets": 0, "end": LATEST_NS}
    changed(log, scenario=scenario, report=report)
    record = np.zeros(1, dtype=np.dtype(_native.live_record()))
    for field, value in (("arrival", LATEST_NS), ("at", LATEST_NS), ("bits", 800)):
        record[field] = value
    for field in ("start", "end", "late", "number"):
        record[field] = -1
    record["fate"] = _native.live_fates().index("on the way")
    (log / PACKETS_FILE).write_bytes(record.tobytes())
    assert len(LiveLog(log).records) == 1
    words = [sys.executable, "-c", REPLAYING, str(log)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "replaying\n"
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
    assert (process.returncode, said.strip()) == (130, "interrupted")


# With the usual answer to Ctrl-C, which a shell takes from what it starts in the background.
REPLAYING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from airtcp import _native
from airtcp.cli.main import main
from airtcp.engines.live import LiveRunStorage
begin = _native.live_replay
def replay(*given):
    print("replaying", flush=True)
    return begin(*given)
_native.live_replay = replay
main(["trace", "--replay", sys.argv[1]])
"""


def test_mutated_lines_of_finished_runs() -> None:
    """An impossible run counts as not run."""
    said: dict[str, Any] = dict.fromkeys(METRIC_FUNCTIONS, 1.5) | {
        "valid": True,
        "timeouts": math.nan,
    }
    genuine = {"key": ["1/0123456789abcdef", 1, "airtcp", 0], "run": said}
    text = json.dumps(genuine)
    changes = [json.dumps(mutated(genuine, number)).encode() for number in range(COUNT)]
    changes += [mutated_text(text.encode(), number) for number in range(COUNT)]
    for line in [*changes, *(b"[" * 10**5, b'{"key": [[], 1, "a", 0], "run": 1}')]:
        found = old_run(line.decode(errors="replace"), LiveRunStorage())
        if found is not None:
            (_, _, _, replication), run = found
            assert 0 <= replication < 2**31, line
            assert len(run) == 8 * len(LiveRunStorage().metrics), line
            assert not np.isinf(np.frombuffer(run)).any(), line
    found = old_run(text, LiveRunStorage())
    assert found is not None
    assert found[0] == ("1/0123456789abcdef", 1, "airtcp", 0)
    np.testing.assert_array_equal(np.frombuffer(found[1])[:2], [1.5, 1.5])
