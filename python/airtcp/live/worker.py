"""The process that runs the emulator, and what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from airtcp import _live_worker, _native
from airtcp._isolation import helper
from airtcp.errors import InputError

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_running: set[subprocess.Popen[bytes]] = set()
_ending = threading.Event()


def answer(plan: Mapping[str, Any], files: Sequence[int] = ()) -> dict[str, Any]:
    """The report about a plan, whose programs inherit `files`.

    Raises `InputError` with the refusal.
    """
    if not hasattr(os, "memfd_create"):
        raise InputError("live: needs Linux")
    asked, said = os.memfd_create("plan"), os.memfd_create("answer")
    try:
        os.write(asked, json.dumps(plan).encode())
        os.lseek(asked, 0, os.SEEK_SET)
        code = _ended(asked, said, *files)
        os.lseek(said, 0, os.SEEK_SET)
        with open(said, encoding="utf-8", closefd=False) as file:
            text = file.read()
    finally:
        os.close(said)
        os.close(asked)
    if not text:
        raise InputError(f"live: the emulator's process ended with {code}")
    found: dict[str, Any] = json.loads(text)
    if "refused" in found:
        raise InputError(f"live: {found['refused']}")
    report: dict[str, Any] = found["report"]
    return report


@contextmanager
def all_ending() -> Iterator[None]:
    """Ask the emulators that threads wait for to end, and those that start in the meantime."""
    _ending.set()
    try:
        for worker in tuple(_running):
            worker.send_signal(signal.SIGTERM)
        yield
    finally:
        _ending.clear()


def _ended(asked: int, said: int, *files: int) -> int:
    """The exit code of the worker."""
    words = helper(_live_worker.__file__, _native.__file__, str(asked), str(said))
    with subprocess.Popen(words, pass_fds=(asked, said, *files)) as worker, _passing_on(worker):
        _running.add(worker)
        if _ending.is_set():
            worker.terminate()
        try:
            return worker.wait()
        finally:
            _running.discard(worker)


@contextmanager
def _passing_on(worker: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leave Ctrl-C and the like to the worker, which ends the run and reports."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def forward(number: int, _frame: object) -> None:
        if number != signal.SIGINT or not sys.stdin.isatty():  # a terminal tells it by itself
            worker.send_signal(number)

    before = {number: signal.signal(number, forward) for number in FORWARDED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
