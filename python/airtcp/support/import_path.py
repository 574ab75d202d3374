"""The import path: it leaves out the working directory.

Every entry point imports this module first, and it imports nothing that could come from there.
"""

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
PACKAGE_PARENT = os.path.dirname(_PACKAGE)  # where this airtcp lies


def python_path() -> list[str]:
    """The parts of PYTHONPATH."""
    given = os.environ.get("PYTHONPATH")
    return given.split(os.pathsep) if given else []


def leave_working_directory() -> None:
    """Import nothing from the working directory from now on, unless airtcp itself lies there.

    `python -m airtcp` puts it first on the path, and so does an empty part of PYTHONPATH.
    """
    relative = [entry for entry in python_path() if not os.path.isabs(entry)]
    try:
        unwanted = {os.path.realpath(entry) for entry in (*relative, os.curdir)} - {PACKAGE_PARENT}
    except FileNotFoundError:  # The working directory was removed, with all that it held.
        return
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) not in unwanted]
