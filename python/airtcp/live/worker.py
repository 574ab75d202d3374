"""The process that runs the emulator, and its answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from airtcp import _native
from airtcp.errors import InputError, one_line
from airtcp.live import worker_process
from airtcp.live.report import LiveReport, report_of
from airtcp.live.shapes import check_shape, one_key_shape, parse_strict_json, text_shape
from airtcp.live.terminal import Terminals
from airtcp.support.isolation import helper_command

_SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # the last is none of Windows
FORWARDED_SIGNALS = [getattr(signal, name) for name in _SIGNAL_NAMES if hasattr(signal, name)]
SOURCE_NAME = "live: the emulator's answer"
MOST_BYTES = 1 << 24  # of an answer
_ANSWER_SHAPE = one_key_shape({"report": report_of, "refused": text_shape})
_running: set[subprocess.Popen[bytes]] = set()
_ending = threading.Event()


def run_worker(
    plan: Mapping[str, Any],
    files: Sequence[int] = (),
    own: Sequence[int] = (),
    terminals: Terminals | None = None,
) -> LiveReport:
    """The report about a plan, whose programs inherit the open `files`, the worker `own` as well.

    Meanwhile it carries the input and output of `terminals`. Raises `InputError` with the refusal,
    and where the worker did not end well or gave an impossible answer.
    """
    with memory_files("plan", "answer") as (asked, report_file):
        os.write(asked, json.dumps(plan).encode())
        os.lseek(asked, 0, os.SEEK_SET)
        code = _wait_for_worker((asked, report_file), files, own, terminals)
        return parse_worker_report(code, os.pread(report_file, MOST_BYTES, 0))


def parse_worker_report(code: int, report_text: bytes) -> LiveReport:
    """The report of a worker that ended with this exit code. Raises `InputError`."""
    if code != 0:
        raise InputError(f"live: the emulator's process ended with {code}")
    report_found = check_shape(
        SOURCE_NAME, _ANSWER_SHAPE, parse_strict_json(SOURCE_NAME, report_text)
    )
    if "refused" in report_found:
        raise InputError(one_line(f"live: {report_found['refused']}"))
    report: LiveReport = report_found["report"]
    return report


@contextmanager
def memory_files(*names: str) -> Iterator[list[int]]:
    """Empty files that are gone with the last process that has them, whatever ends it.

    No descriptor has the number of stdin, stdout or stderr, which a program would inherit.
    """
    from fcntl import F_DUPFD_CLOEXEC, fcntl  # noqa: PLC0415  (not on Windows)

    with ExitStack() as until_closed:
        files = []
        for name in names:
            file = os.memfd_create(name)
            try:
                files.append(fcntl(file, F_DUPFD_CLOEXEC, 3))
            finally:
                os.close(file)
            until_closed.callback(os.close, files[-1])
        yield files


@contextmanager
def end_all_emulators() -> Iterator[None]:
    """Ask the emulators that threads wait for to end, and emulators that start in the meantime."""
    _ending.set()
    try:
        for worker in tuple(_running):
            worker.send_signal(signal.SIGTERM)
        yield
    finally:
        _ending.clear()


def _wait_for_worker(
    talk: tuple[int, int], files: Sequence[int], own: Sequence[int], terminals: Terminals | None
) -> int:
    """The exit code of the worker."""
    words = helper_command(worker_process.__file__, _native.__file__, *map(str, (*talk, *files)))
    inherited = (*talk, *files, *own, *(() if terminals is None else terminals.theirs))
    keyboard = sys.stdin is not None and sys.stdin.isatty()  # it is closed by <&-
    terminal_interrupts = keyboard and terminals is None
    with (
        subprocess.Popen(words, pass_fds=inherited) as worker,
        _forward_signals(worker, terminal_interrupts),
    ):
        _running.add(worker)
        if _ending.is_set():
            worker.terminate()
        try:
            if terminals is not None:
                terminals.release()
                terminals.carry(worker.pid, lambda: worker.send_signal(signal.SIGINT))
            return worker.wait()
        finally:
            _running.discard(worker)


@contextmanager
def _forward_signals(worker: subprocess.Popen[bytes], terminal_interrupts: bool) -> Iterator[None]:
    """Leave Ctrl-C and similar signals to the worker, which ends the run and reports.

    `terminal_interrupts`: True if the terminal itself sends Ctrl-C to the worker.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def forward(number: int, _frame: object) -> None:
        if number != signal.SIGINT or not terminal_interrupts:
            worker.send_signal(number)

    before = {number: signal.signal(number, forward) for number in FORWARDED_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
