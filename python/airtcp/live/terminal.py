"""Terminals of a run's own, for programs of another user.

Who holds the terminal of root's shell can type into it, or read from it what is typed for the
shell. Each program gets a pseudo-terminal instead; what it prints comes to the terminal of this
process, and what is typed there goes to the command.
"""

from __future__ import annotations

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
MOST = 1 << 16  # bytes at once
LOOK = 500  # ms, after which a run in the background looks whether it still is


class Terminals:
    """Pseudo-terminals, one per program, the command's first; and who carries what passes."""

    def __init__(self, programs: int, owner: int) -> None:
        """Open them for a user of the number `owner`. One of this process's streams is one too."""
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

    def carry(self, interrupt: Callable[[], None]) -> None:
        """Carry what is typed and printed until nobody has the programs' ends any more.

        `interrupt` is called at a Ctrl-C that is for the run.
        """
        with self._watching_size(), self._as_it_was():
            printing = set(self._ours)
            while printing:
                ready = self._ready(printing)
                printing -= {ours for ours in printing & ready.keys() if not self._show(ours)}
                if self._keyboard in ready:
                    self._read_keys(interrupt)
                self._type()

    def _ready(self, printing: set[int]) -> dict[int, int]:
        """The files in which something has happened."""
        waiting = select.poll()
        for ours in printing:
            more = select.POLLOUT if self._typed and ours == self._ours[0] else 0
            waiting.register(ours, select.POLLIN | more)
        if self._has_keys() and not self._typed:
            waiting.register(0, select.POLLIN)
        return dict(waiting.poll(LOOK if self._keyboard is not None else None))

    def _has_keys(self) -> bool:
        """Whether what is typed is for this run; the terminal then hands on every key."""
        if self._keyboard is None or not _in_foreground():
            return False
        try:
            if termios.tcgetattr(0)[tty.LFLAG] & termios.ICANON:
                tty.setraw(0, termios.TCSADRAIN)
                for ours in self._ours:
                    _print_plainly(ours, False)
        except termios.error:  # it is gone
            self._keyboard = None
        return self._keyboard is not None

    def _show(self, ours: int) -> bool:
        """Print what a program has printed; whether more may come."""
        try:
            text = os.read(ours, MOST)
        except BlockingIOError:
            return True
        except OSError:  # EIO: nobody has the other end
            return False
        with suppress(OSError):  # a terminal that is gone
            while text:
                text = text[os.write(self._screen, text) :]
        return True

    def _read_keys(self, interrupt: Callable[[], None]) -> None:
        try:
            self._typed = os.read(0, MOST)
        except OSError:
            self._typed = b""
        if not self._typed:  # it is gone
            self._keyboard = None
        if self._interrupts(self._typed):
            interrupt()

    def _type(self) -> None:
        """Hand what was typed to the command, as far as it takes it."""
        with suppress(BlockingIOError):
            while self._typed:
                self._typed = self._typed[os.write(self._ours[0], self._typed) :]

    def _interrupts(self, keys: bytes) -> bool:
        """Whether Ctrl-C is among them, for the group in which the command was started.

        A shell moves itself, and what it starts, into other groups, and keeps its Ctrl-C.
        """
        attributes = termios.tcgetattr(self._ours[0])
        is_a_signal = attributes[tty.LFLAG] & termios.ISIG
        if not is_a_signal or attributes[tty.CC][termios.VINTR] not in _single(keys):
            return False
        return os.tcgetpgrp(self._ours[0]) in (0, _session(self._ours[0]))

    def _resize(self) -> None:
        size = termios.tcgetwinsize(self._screen)
        for ours in self._ours:
            termios.tcsetwinsize(ours, size)

    @contextmanager
    def _watching_size(self) -> Iterator[None]:
        """Let the terminals have the size of the screen, where a handler can be set."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGWINCH, lambda *_: self._resize())
        try:
            yield
        finally:
            signal.signal(signal.SIGWINCH, before)

    @contextmanager
    def _as_it_was(self) -> Iterator[None]:
        """Leave the terminal as it was, without answers of its own to what programs printed."""
        try:
            yield
        finally:
            if self._keyboard is not None and _in_foreground():
                with suppress(termios.error):  # it is gone
                    termios.tcsetattr(0, termios.TCSAFLUSH, self._before)


def needed() -> bool:
    """Whether a stream of this process, which programs inherit, is a terminal."""
    return any(map(os.isatty, STREAMS))


def _print_plainly(terminal: int, plainly: bool) -> None:
    """Let a terminal hand on what is printed as it is, or else make the ends of lines."""
    attributes = termios.tcgetattr(terminal)
    attributes[tty.OFLAG] &= ~termios.OPOST
    attributes[tty.OFLAG] |= 0 if plainly else termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)


def _single(keys: bytes) -> list[bytes]:
    return [bytes([key]) for key in keys]


def _in_foreground() -> bool:
    """Whether this process may read what is typed; who has no jobs on the terminal may."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return True


def _session(terminal: int) -> int:
    """The leader of the session whose controlling terminal it is; 0: of none, or none any more."""
    try:
        answer: Any = fcntl.ioctl(terminal, 0x5429, bytes(4))  # TIOCGSID, asm-generic/ioctls.h
    except OSError:
        return 0
    return int.from_bytes(answer, sys.byteorder, signed=True)
