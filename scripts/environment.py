"""An environment of Python in a folder of the repository, and the programs that run in it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
QUIETLY = ("install", "--quiet", "--disable-pip-version-check", "--no-compile")


@dataclass(frozen=True)
class Environment:
    """Programs of the environment go before those of the machine.

    - `folder`: where it lies, or will.
    """

    folder: Path

    @property
    def bin(self) -> Path:
        """The folder of its programs."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    def make(self) -> None:
        """Make it anew, with pip alone in it."""
        venv.create(self.folder, with_pip=True, clear=True)

    def pip_install(self, *words: object) -> None:
        """Install by pip, which says nothing unless it fails."""
        self.run("python", "-m", "pip", *QUIETLY, *words)

    def run(self, program: str, *words: object, **variables: str) -> None:
        """Run a program in the repository. Raises `CalledProcessError` where it fails."""
        command = [self.found(program), *map(str, words)]
        subprocess.run(command, cwd=ROOT, env=self.active() | variables, check=True)

    def active(self) -> dict[str, str]:
        """The variables of a shell in which it is active."""
        path = os.pathsep.join([str(self.bin), os.environ["PATH"]])
        return os.environ | {"PATH": path, "VIRTUAL_ENV": str(self.folder)}

    def found(self, program: str) -> str:
        """The path of a program of the environment, or the name of one of the machine."""
        for name in (program, f"{program}.exe"):
            if (self.bin / name).exists():
                return str(self.bin / name)
        return program


def end_with(main: Callable[[], int]) -> None:
    """End the process as `main` says, or with a line that names the program that failed."""
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {Path(error.cmd[0]).name} ended with {error.returncode}")
