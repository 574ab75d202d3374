"""Values as ns's scripts write them."""

from __future__ import annotations

import re


class Unknown(Exception):  # noqa: N818
    """A feature that profile `ns2` does not have."""


def truth(text: str) -> bool:
    """True if Tcl takes `text` for true."""
    return text.lower() in ("1", "true", "yes", "on")


def seconds(text: str) -> float:
    """A time of ns: a number in seconds, or with a unit."""
    value, unit = _parts(text)
    return value * {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}[unit]


def rate(text: str) -> float:
    """A rate of ns in bits per second."""
    value, unit = _parts(text)
    return value * {"": 1.0, "b": 1.0, "k": 1e3, "m": 1e6}[unit.lower()[:1]]


def _parts(text: str) -> tuple[float, str]:
    found = re.fullmatch(r"([\d.eE+-]+)\s*([A-Za-z]*)", text.strip())
    assert found, text
    return float(found[1]), found[2]
