"""Ctrl-C and SIGTERM end what would otherwise go on for minutes, whatever it is at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import results_folder
from airtcp import Scenario, _native
from airtcp.models.fading import packet_errors
from airtcp.models.fading.integrand import STOP_INTEGRATION
from airtcp.support.at_once import run_in_parallel
from campaigns import kept
from hung import HUNG
from work import ended_by, interrupted_at_work

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
SOON = 20  # seconds of the processor; uncancelled, each of these takes minutes
# Of two points the first is over at once.
IDLE_FOR_A_DAY: dict[str, Any] = {
    "profile": "ns2",
    "tcp": {"variant": "reno"},
    "path": {
        "hop": [
            {
                "rate": "1Gbps",
                "delay": "1ms",
                "channel": {"kind": "sojourn", "good": ["1h", "1us"], "bad": "1us"},
            }
        ]
    },
    "flow": [{"start": "86399s"}],
    "stop": {"time": "86400s", "replications": 1},
}
WAITING_ON_SLOTS: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": "reno", "timeout": 1_000_000_000},
    "channel": [
        {"kind": "trace", "lost": [1]},
        {"kind": "two-state", "p_gb": 0.3, "p_bg": 0.5},
    ],
    "link": {"rate": "10Gbps", "packet": "1250B"},
    "stop": {"slots": 10**12, "replications": 1},
}
EXACT: dict[str, Any] = {  # 500 solutions of a second or two each
    "profile": "zorzi",
    "tcp": {"variant": "newreno", "window": 48},
    "channel": {
        "kind": "rayleigh-two-state",
        "doppler": 0.01,
        "loss_rate": {"from": 0.005, "to": 0.02, "points": 500, "scale": "log"},
    },
    "stop": {"slots": 1000},
    "analysis": {"method": "exact"},
}
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from airtcp.cli.main import main
main()
"""
CALL = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import airtcp as at
from airtcp import _native
at.fates, at.trace  # what they import is there
{before}
print("under way", flush=True)
{call}
"""


@pytest.mark.parametrize(
    ("command", "document", "sent", "code"),
    [
        ("run", IDLE_FOR_A_DAY, signal.SIGINT, 130),
        ("run", WAITING_ON_SLOTS, signal.SIGTERM, 143),
        ("sweep", IDLE_FOR_A_DAY, signal.SIGTERM, 143),
    ],
)
def test_a_command_ends_while_nothing_is_sent(
    command: str, document: dict[str, Any], sent: signal.Signals, code: int, tmp_path: Path
) -> None:
    file, out = tmp_path / "x.toml", tmp_path / "out"
    file.write_text(Scenario.from_dict(document).to_toml(), encoding="utf-8")
    engine = ["--engine", "simulation"] if command == "run" else []
    arguments = [sys.executable, "-c", COMMAND, command, str(file), *engine, "--out", str(out)]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
        while not kept(out / "runs.sqlite"):
            assert process.poll() is None
            time.sleep(0.01)
        errors, seconds = ended_by(process, sent)
    assert seconds < SOON
    assert errors.startswith("interrupted: 1 of 2 runs"), errors
    assert (process.returncode, errors.count("\n")) == (code, 1)


@pytest.mark.parametrize(
    "call",
    [
        'at.fates({"kind": "sojourn", "good": "1bits", "bad": "1bits"}, 9, packet="1000MB")',
        'at.fates({"kind": "rayleigh", "snr": "60dB", "doppler": "70kHz"}, 2**32 - 1)',
        f"at.trace({IDLE_FOR_A_DAY!r}, point=1)",
        f"at.analyse({EXACT!r})",
        """_native.outages('{"kind": "on-off", "up": "1us", "down": "1us"}', 1, "x", 0, 2**31)""",
    ],
)
def test_a_call_ends_with_ctrl_c(call: str) -> None:
    ends_with_ctrl_c(call)


def ends_with_ctrl_c(call: str, before: str = "") -> None:
    command = [sys.executable, "-c", CALL.format(call=call, before=before)]
    ended = interrupted_at_work(command, 0.2)
    assert ended.lines == ["under way\n"]
    assert ended.seconds < SOON
    assert ended.errors.endswith("KeyboardInterrupt\n"), ended.errors


def test_a_query_ends_with_ctrl_c(tmp_path: Path) -> None:
    results_folder.write(tmp_path / "slots", results_folder.SLOTS)
    found = f"found = at.results({str(tmp_path / 'slots')!r}); found.query('SELECT 1')"
    endless = "SELECT sum(a.range * b.range) FROM range(100000000) a, range(1000000) b"
    ends_with_ctrl_c(f"found.query({endless!r})", before=found)


def test_a_flag_that_is_set_ends_a_solution() -> None:
    cancel = _native.Cancel()
    case = ("newreno", (1e-4, 0.01), (48, 3, 100), (1, 1))
    assert _native.exact_rates(*case, cancel)["states"] > 0
    cancel.set()
    with pytest.raises(ValueError, match="interrupted"):
        _native.exact_rates(*case, cancel)


def test_ctrl_c_ends_calls_that_have_begun_while_others_are_handed_out() -> None:
    ended, begun = [], threading.Event()

    def solve(cancel: _native.Cancel) -> None:
        begun.set()
        try:
            _native.exact_rates("newreno", (1e-4, 0.01), (48, 3, 100), (1, 1), cancel)
        except ValueError as error:
            ended.append(str(error))

    class Calls(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            yield from super().__iter__()
            assert begun.wait(HUNG)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in_parallel(Calls([solve]), lambda _: None)
    assert len(ended) == 1
    assert "interrupted" in ended[0]


def test_threads_that_integrate_end_when_they_are_given_up() -> None:
    """Signals reach the main thread alone."""
    STOP_INTEGRATION.set()
    try:
        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(packet_errors, snr_db=21.5, doppler_hz=100, bytes=1024)
            assert isinstance(task.exception(), KeyboardInterrupt)
    finally:
        STOP_INTEGRATION.clear()
    assert packet_errors(snr_db=21.5, doppler_hz=1, bytes=8).loss_rate > 0.0  # and none is kept
