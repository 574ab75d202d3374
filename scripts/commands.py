"""Commands of airtcp, run one after another without reading its modules anew for each.

Half of what a short command takes is the import of pandas, SciPy and matplotlib. `Commands` starts
one process that has imported them; each command is a fork of it, with its own folder and streams.
Windows has no fork, and on macOS libraries of the system end one: there each is a new process.
"""

from __future__ import annotations

import importlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

MODULES = (
    "airtcp.cli.main",
    "airtcp.engines.run",
    "airtcp.plot.runs",
    "airtcp.plot.sequence",
    "airtcp.report.page",
    "airtcp.simulation.results",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "rich.table",
)


MOST_SECONDS = 300  # of a command


class Commands:
    """A process that runs commands of airtcp; `with` ends it."""

    def __init__(self, environment: dict[str, str]) -> None:
        """Start it; `environment` is added to that of this process."""
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        self._asked = cast("IO[str]", self._process.stdin)
        self._answers = cast("IO[str]", self._process.stdout)

    def __enter__(self) -> Self:
        """The process, started."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """End the process: there are no more commands."""
        self._process.communicate()

    def output(self, line: str, folder: Path) -> str:
        """The output of `airtcp ...` in `folder`; `RuntimeError` with its messages if it fails."""
        with tempfile.TemporaryDirectory() as streams:
            printed, said = (Path(streams) / name for name in ("out", "err"))
            asked = [shlex.split(line), str(folder), str(printed), str(said)]
            print(json.dumps(asked), file=self._asked, flush=True)
            answer = self._answers.readline()
            if answer.strip() != "0":
                raise RuntimeError(f"{line}\n{said.read_text(encoding='utf-8')}")
            return printed.read_text(encoding="utf-8")


def serve() -> None:
    """Run a command for each line of the standard input, and answer with its status."""
    run = _started
    if sys.platform == "linux":
        run = _forked
        sys.path.remove(str(Path(__file__).parent))
        for name in MODULES:
            importlib.import_module(name)
    for line in sys.stdin:
        print(run(*json.loads(line)), flush=True)


def _started(arguments: list[str], folder: str, printed: str, said: str) -> int:
    """Run a command in a new process."""
    words = [sys.executable, "-m", *arguments]
    with open(printed, "wb") as out, open(said, "wb") as err:
        streams: Any = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
        done = subprocess.run(words, cwd=folder, check=False, timeout=MOST_SECONDS, **streams)
    return done.returncode


def _forked(arguments: list[str], folder: str, printed: str, said: str) -> int:
    """Run a command in a fork of this process."""
    child = os.fork()
    if not child:
        _become(arguments, folder, printed, said)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _become(arguments: list[str], folder: str, printed: str, said: str) -> None:
    """Run a command in place of this process."""
    from airtcp.__main__ import main  # noqa: PLC0415

    nothing = os.open(os.devnull, os.O_RDONLY)
    made = os.O_WRONLY | os.O_CREAT
    for number, there in enumerate((nothing, os.open(printed, made), os.open(said, made))):
        os.dup2(there, number)
    os.chdir(folder)
    signal.alarm(MOST_SECONDS)  # ends it
    sys.argv = arguments
    main()
    sys.exit()


if __name__ == "__main__":
    serve()
