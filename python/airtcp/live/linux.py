"""What live runs need of the system before all else."""

from __future__ import annotations

import platform
import sys

from airtcp.errors import InputError


def needs_linux() -> None:
    """Raise `InputError` where there are no namespaces of Linux, on whose devices packets go."""
    if not sys.platform.startswith("linux"):
        raise InputError(f"live: needs Linux, and this is {platform.system() or sys.platform}")
