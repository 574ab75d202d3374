"""Optional libraries: used where they are installed, and named in a refusal where they are not."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from airtcp.errors import InputError

ARROW = "arrow"  # the extra that brings pyarrow


def import_optional(module: str, what: str, extra: str = "") -> Any:
    """A module of a library that `what` needs. Raises `InputError` where it is not installed."""
    library = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError:
        install = f"pip install {library}, or airtcp[{extra or library}]"
        raise InputError(f"{what}: needs {library}: {install}") from None


def is_installed(library: str) -> bool:
    """True if a library can be imported; this does not import it."""
    return find_spec(library) is not None
