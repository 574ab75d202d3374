"""Quantities in points, each a number with its unit, converted to base units."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, NamedTuple

_QUANTITY = re.compile(r"([0-9.]+(?:e[+-]?[0-9]+)?) *([A-Za-z]+)")
_FACTORS = {
    "bps": ("1", "bit/s"),
    "kbps": ("1e3", "bit/s"),
    "Mbps": ("1e6", "bit/s"),
    "Gbps": ("1e9", "bit/s"),
    "B": ("1", "B"),
    "kB": ("1e3", "B"),
    "MB": ("1e6", "B"),
    "KiB": ("1024", "B"),
    "MiB": ("1048576", "B"),
    "ns": ("1e-9", "s"),
    "us": ("1e-6", "s"),
    "ms": ("1e-3", "s"),
    "s": ("1", "s"),
    "min": ("60", "s"),
    "h": ("3600", "s"),
    "bits": ("1", "bits"),
    "packets": ("1", "packets"),
}


class Quantity(NamedTuple):
    """A number of base units."""

    number: Decimal
    unit: str


def parse_quantity(value: Any) -> Quantity | None:
    """The quantity in a text such as "10ms" or "1.5Mbps"; None for anything else."""
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[2] not in _FACTORS:
        return None
    factor, unit = _FACTORS[found[2]]
    return Quantity(Decimal(found[1]) * Decimal(factor), unit)


def base_units_of(text: str) -> Decimal:
    """The number of base units in a text that is known to be a quantity."""
    found = parse_quantity(text)
    assert found is not None, text
    return found.number


def nanoseconds(text: str) -> int:
    """The whole nanoseconds in a duration."""
    return round(base_units_of(text) * 1_000_000_000)
