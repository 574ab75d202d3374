"""Shared parts of all commands: messages about mistakes, ends by a signal, printing."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

import click

from airtcp.errors import ClusterError, InputError, Renamed, os_reason, shorten_message
from airtcp.support import signals as _signals
from airtcp.support.isolation import pass_over_local_settings
from airtcp.terminal import Printable, visible_line


class InterruptExit:
    """Exit code of a `KeyboardInterrupt`, and the leave to end the process at once on a signal."""

    code = _signals.EXIT_INTERRUPTED
    at_once = False


class _InterruptedError(Exception):
    """A `KeyboardInterrupt` on its way past click, which would begin a line for it."""


def _raise_interrupt(number: int, frame: FrameType | None) -> NoReturn:
    if InterruptExit.at_once and not _signals.is_library_at_work(frame, AirtcpGroup.main.__code__):
        _signals.end_process(number, frame)
    InterruptExit.code = _signals.EXIT_CODES[number]
    raise KeyboardInterrupt


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does, so that it tidies up and says what is kept."""
    InterruptExit.code = _signals.EXIT_INTERRUPTED
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [
        number for number in _signals.EXIT_CODES if signal.getsignal(number) is _signals.end_process
    ]
    InterruptExit.at_once = bool(ours)
    before = {number: signal.signal(number, _raise_interrupt) for number in {signal.SIGTERM, *ours}}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _hints_on_earlier_names() -> Iterator[None]:
    """Turn Python's warning about an earlier name into one line with the present name."""
    with warnings.catch_warnings():
        usual, shown_messages = warnings.showwarning, set[str]()

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, Renamed):
                usual(message, category, *where, **more)
            elif str(message) not in shown_messages:
                shown_messages.add(str(message))
                print_warnings([str(message)])

        warnings.simplefilter("always", Renamed)
        warnings.showwarning = show
        yield


class AirtcpGroup(click.Group):
    """A group whose mistakes are one line."""

    def main(  # type: ignore[override]  # click types it as overloads
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and turn whatever went wrong into a line and an exit code."""
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")  # a table must not fail on an old terminal
        try:
            with _signals_interrupt(), _hints_on_earlier_names():
                pass_over_local_settings()
                code = super().main(args, prog_name, standalone_mode=False, **extra)
            if sys.stdout is not None:  # it is closed by >&-
                sys.stdout.flush()
        except (InputError, click.ClickException, ClusterError, OSError) as error:
            _exit_with_error(error)
        except (_InterruptedError, click.Abort, KeyboardInterrupt):
            print_notice("interrupted")
            sys.exit(InterruptExit.code)
        sys.exit(code if isinstance(code, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order in which they were added."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _InterruptedError from None


def _exit_with_error(error: Exception) -> NoReturn:
    if isinstance(error, BrokenPipeError):  # the reader has seen enough
        _discard_output()
        sys.exit(1)
    print_notice(f"error: {shorten_message(_error_message(error))}")
    if isinstance(error, OSError):
        _discard_output()
    sys.exit(1 if isinstance(error, (ClusterError, OSError)) else 2)


def _error_message(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {os_reason(error)}"
    if isinstance(error, click.NoSuchOption) and _is_report_option_of_run(error):
        return f"no option {error.option_name}: --out DIR writes DIR/report.html"
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def _is_report_option_of_run(error: click.NoSuchOption) -> bool:
    """True if `run` was asked for a report by the option that `fit` and `advise` have."""
    command = error.ctx.command.name if error.ctx else ""
    return command == "run" and error.option_name == "--report"


def _discard_output() -> None:
    """Discard the rest of stdout's buffer, about which Python would complain at exit."""
    with suppress(OSError, ValueError, AttributeError):  # stdout is closed, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_stderr_terminal() -> bool:
    """True if stderr is a terminal, so that somebody sees a progress bar."""
    return sys.stderr is not None and sys.stderr.isatty()


def print_warnings(problems: Iterable[str]) -> None:
    """A line on stderr for each of what was passed over."""
    for problem in problems:
        print_notice(f"warning: {shorten_message(problem)}")


def print_result(text: str) -> None:
    """The result, on stdout: `Printable` as it is, any other text as a line."""
    shown = text if isinstance(text, Printable) else visible_line(text)
    click.echo(shown, nl=not shown.endswith("\n"))


def print_notice(line: str) -> None:
    """A line beside the result, on stderr."""
    click.echo(visible_line(line), err=True)
