"""Terminals of a run's own, for programs of another user.

A program that holds the terminal of root's shell can type into it, or read the keys typed for the
shell. So each program gets a pseudo-terminal instead; its output goes to the terminal of this
process, and keys typed there go to the command.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

try:  # not on Windows
    import fcntl
    import termios
    import tty
except ImportError:
    pass

STREAMS = (0, 1, 2)  # stdin, stdout, stderr
MOST_BYTES_PER_READ = 1 << 16  # bytes at once, and of what is typed ahead
MOST_BYTES_UNPRINTED = 2 * MOST_BYTES_PER_READ  # bytes that a pseudo-terminal can hold, and more
POLL_MS = 500  # ms, after which a run in the background looks whether it still is


class Terminals:
    """Pseudo-terminals, one per program, the command's first; they carry input and output."""

    def __init__(self, programs: int, owner: int) -> None:
        """Open them for the user number `owner`. One of this process's streams is a terminal."""
        self._keyboard = 0 if os.isatty(0) else None
        self._screen = next(number for number in (1, 2, 0) if os.isatty(number))
        self._before = termios.tcgetattr(self._screen if self._keyboard is None else 0)
        pairs = [os.openpty() for _ in range(programs)]
        self._ours = [ours for ours, _ in pairs]
        self.theirs = [theirs for _, theirs in pairs]
        self._typed = b""
        for ours, theirs in pairs:
            os.set_blocking(ours, False)
            os.fchown(theirs, owner, -1)
            termios.tcsetattr(theirs, termios.TCSANOW, self._before)
            _print_plainly(theirs, True)  # the terminal behind it makes the ends of lines
        self._resize()

    def release(self) -> None:
        """Close the programs' ends, which the emulator has inherited."""
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self) -> None:
        """Close both ends of each."""
        self.release()
        while self._ours:
            os.close(self._ours.pop())

    def carry(self, worker: int, interrupt: Callable[[], None]) -> None:
        """Carry input and output until the process `worker` has ended, a child of ours.

        `interrupt` is called at a Ctrl-C that is for the run.
        """
        with self._watching_size(), self._restored_terminal(), _process_end_file(worker) as end:
            printing = set(self._ours)
            ready = self._ready_files(printing, end)
            while end not in ready:
                printing -= {ours for ours in printing & ready if self._print_output(ours) is None}
                if self._keyboard in ready:
                    self._read_keys(interrupt)
                self._type_keys()
                ready = self._ready_files(printing, end)
            for ours in printing:
                self._print_remaining_output(ours)

    def _ready_files(self, printing: set[int], end: int) -> set[int]:
        """The files that are ready to be read."""
        waiting = select.poll()
        waiting.register(end, select.POLLIN)
        for ours in printing:
            more = select.POLLOUT if self._typed and ours == self._ours[0] else 0
            waiting.register(ours, select.POLLIN | more)
        if self._has_keys():
            waiting.register(0, select.POLLIN)
        return {file for file, _ in waiting.poll(POLL_MS if self._keyboard is not None else None)}

    def _has_keys(self) -> bool:
        """True if the keys typed are for this run; the terminal then hands on every key."""
        if self._keyboard is None or not _may_use_terminal(0):
            return False
        with _ignore_closed_terminal():
            if termios.tcgetattr(0)[tty.LFLAG] & termios.ICANON:
                tty.setraw(0, termios.TCSADRAIN)
                for ours in self._ours:
                    _print_plainly(ours, False)
            return True
        return False

    def _print_output(self, ours: int) -> int | None:
        """Print a program's output; returns its length, or None if nobody has its end any more."""
        try:
            text = os.read(ours, MOST_BYTES_PER_READ)
        except BlockingIOError:
            return 0
        except OSError:  # EIO
            return None
        printed = len(text)
        with _ignore_closed_terminal():
            while text:
                text = text[os.write(self._screen, text) :]
        return printed

    def _print_remaining_output(self, ours: int) -> None:
        """Print the rest of a program's output. A process outside the run may print for ever."""
        left = MOST_BYTES_UNPRINTED
        while left > 0 and (printed := self._print_output(ours)):
            left -= printed

    def _read_keys(self, interrupt: Callable[[], None]) -> None:
        """Take the keys typed; keys beyond the buffer of a command that does not read are lost."""
        try:
            keys = os.read(0, MOST_BYTES_PER_READ)
        except OSError:
            keys = b""
        if not keys:  # it is gone
            self._keyboard = None
        if self._interrupts(keys):
            interrupt()
        self._typed = (self._typed + keys)[:MOST_BYTES_PER_READ]

    def _type_keys(self) -> None:
        """Hand the keys typed to the command, as far as it takes them."""
        with suppress(BlockingIOError):
            while self._typed:
                self._typed = self._typed[os.write(self._ours[0], self._typed) :]

    def _interrupts(self, keys: bytes) -> bool:
        """True if Ctrl-C is among the keys, for the group in which the command was started.

        A shell moves itself, and the programs it starts, into other groups, and keeps its Ctrl-C.
        Before the command, and after it, there is no group.
        """
        attributes = termios.tcgetattr(self._ours[0])
        is_a_signal = attributes[tty.LFLAG] & termios.ISIG
        if not is_a_signal or attributes[tty.CC][termios.VINTR] not in _split_keys(keys):
            return False
        group = os.tcgetpgrp(self._ours[0])
        return group == 0 or _session_leader(self._ours[0]) in (None, group)

    def _resize(self) -> None:
        with _ignore_closed_terminal():
            size = termios.tcgetwinsize(self._screen)
            for ours in self._ours:
                termios.tcsetwinsize(ours, size)

    @contextmanager
    def _watching_size(self) -> Iterator[None]:
        """Keep the terminals at the size of the screen, where a handler can be set."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGWINCH, lambda *_: self._resize())
        try:
            yield
        finally:
            signal.signal(signal.SIGWINCH, before)

    @contextmanager
    def _restored_terminal(self) -> Iterator[None]:
        """Restore the terminal at the end, and discard its answers to programs' output."""
        try:
            yield
        finally:
            with _ignore_closed_terminal():
                if self._keyboard is not None and _may_use_terminal(0):
                    termios.tcsetattr(0, termios.TCSAFLUSH, self._before)
                if _may_use_terminal(self._screen):
                    termios.tcflush(self._screen, termios.TCIFLUSH)


def is_terminal_needed() -> bool:
    """True if a stream of this process, which programs inherit, is a terminal."""
    return any(map(os.isatty, STREAMS))


@contextmanager
def _process_end_file(process: int) -> Iterator[int]:
    """A file that is ready to be read once a child of this process has ended."""
    try:
        file = os.pidfd_open(process)
    except ProcessLookupError:  # it has, and its exit code is known
        file, other = os.pipe()
        os.close(other)
    try:
        yield file
    finally:
        os.close(file)


def _print_plainly(terminal: int, plainly: bool) -> None:
    """Let a terminal pass on output as it is, or else convert the ends of lines."""
    attributes = termios.tcgetattr(terminal)
    attributes[tty.OFLAG] &= ~termios.OPOST
    attributes[tty.OFLAG] |= 0 if plainly else termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)


def _split_keys(keys: bytes) -> list[bytes]:
    return [bytes([key]) for key in keys]


def _may_use_terminal(terminal: int) -> bool:
    """True if this process may read and set a terminal: it exists, and no other job has it.

    A process without jobs on it, because it is not the controlling terminal, may do so as well.
    """
    try:
        termios.tcgetattr(terminal)
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except termios.error:
        return False
    except OSError as error:
        return error.errno == errno.ENOTTY


def _ignore_closed_terminal() -> suppress:
    """Do without a terminal that has been closed meanwhile; `termios.error` is no OSError."""
    return suppress(OSError, termios.error)


def _session_leader(terminal: int) -> int | None:
    """The leader of the session that the terminal controls; None: it controls no session."""
    try:
        answer: Any = fcntl.ioctl(terminal, 0x5429, bytes(4))  # TIOCGSID, asm-generic/ioctls.h
    except OSError:
        return None
    return int.from_bytes(answer, sys.byteorder, signed=True)
