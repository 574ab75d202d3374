"""Ctrl-C and SIGTERM while no work is under way that would need tidying up.

A `KeyboardInterrupt` that is raised while modules are imported ends in a traceback, or is lost in
compiled code. So until a command is at work, and while it imports, a signal ends the process at
once, with a line. This is imported before all else and imports nothing that takes time.
"""

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself imports more
import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import NoReturn

EXIT_INTERRUPTED, EXIT_TERMINATED = 130, 143  # 128 + SIGINT and SIGTERM, as shells count
EXIT_CODES = {signal.SIGINT: EXIT_INTERRUPTED, signal.SIGTERM: EXIT_TERMINATED}
_IMPORT_FRAME = "<frozen importlib._bootstrap>"
_COMMAND_PREFIX = "airtcp.cli."  # reads and prints; what is to be tidied up lies below


def is_command() -> bool:
    """True if this process is `airtcp` or `python -m airtcp`, as far as that is known so early."""
    if sys.argv[:1] == ["-m"]:  # what is run is being looked for
        return ["-m", "airtcp"] in (sys.orig_argv[i : i + 2] for i in range(len(sys.orig_argv)))
    return bool(sys.argv) and os.path.basename(sys.argv[0]) in ("airtcp", "airtcp.exe")


def end_on_signals() -> None:
    """Let a signal end the process with a line, until somebody else takes it.

    A signal that the caller of the process ignores stays ignored.
    """
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    for number, handler in usual.items():
        if signal.getsignal(number) is handler:
            signal.signal(number, end_process)
    atexit.register(_ignore_signals)


def end_process(number: int, frame: "FrameType | None") -> "NoReturn":
    """End the process now, in answer to a signal."""
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(EXIT_CODES[number])


def is_library_at_work(frame: "FrameType | None", command: "CodeType") -> bool:
    """True if the library is at work below the innermost call of `command`, and imports nothing."""
    found = False
    while frame is not None and frame.f_code is not command:
        if frame.f_code.co_filename == _IMPORT_FRAME:
            return False
        name = str(frame.f_globals.get("__name__"))
        found = found or (name.startswith("airtcp.") and not name.startswith(_COMMAND_PREFIX))
        frame = frame.f_back
    return found


def _ignore_signals() -> None:
    """Ignore signals: the process ends already, and its output is complete."""
    for number in EXIT_CODES:
        if signal.getsignal(number) is end_process:
            signal.signal(number, signal.SIG_IGN)
