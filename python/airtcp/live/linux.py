"""Requirements of live runs on the system."""

from __future__ import annotations

import platform
import sys

from airtcp.errors import InputError


def require_linux() -> None:
    """Raise `InputError` where there are no Linux namespaces, whose devices carry the packets."""
    if not sys.platform.startswith("linux"):
        raise InputError(f"live: needs Linux, but this is {platform.system() or sys.platform}")
