"""Isolation: neither this command nor its children execute code from the working directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager

from airtcp.support.import_path import python_path

_SETTINGS_FILE = "matplotlibrc"


def helper_command(script: str, *words: str) -> list[str]:
    """The command line of a script of airtcp's, which imports the standard library alone.

    `-I`: no PYTHONPATH, neither the working directory nor that of the script; `-S`: no `.pth` file,
    no `sitecustomize`. The environment, which the script's own programs inherit, stays as it is.
    """
    return [sys.executable, "-I", "-S", script, *words]


@contextmanager
def isolated_children() -> Iterator[None]:
    """Let processes that `multiprocessing` starts meanwhile look for it in the standard library.

    They run `python -c`, which would look in the working directory first; after that they have the
    path of this process.
    """
    absolute = os.pathsep.join(filter(os.path.isabs, python_path()))
    ours = {"PYTHONSAFEPATH": "1", "PYTHONPATH": absolute}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def pass_over_local_settings() -> None:
    """Import Matplotlib elsewhere if it would find settings in the working directory.

    Such settings can name programs and modules to run. This is for a process of one thread.
    """
    if "matplotlib" not in sys.modules and os.path.exists(_SETTINGS_FILE):
        with chdir("/"):
            import matplotlib  # noqa: F401, PLC0415
