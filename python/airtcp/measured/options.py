"""Options by which a reader of a file is told what the file does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airtcp.errors import known_name, real_number, refusal

ROLES = ("time", "seq", "rtt", "delay", "lost", "rate", "loss_rate")  # of columns
TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}  # ns in a unit
RATES = {  # bit/s in a unit
    **{"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9},
    **{"B/s": 8.0, "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9},
}
_WITHOUT = ("seq", "lost", "loss_rate")  # roles of numbers without a unit
_POSITIVE = "a number of seconds above 0, at most 1e6"


def units_of() -> dict[str, Mapping[str, float]]:
    """Units by the role of a column; roles that have some."""
    return {role: RATES if role == "rate" else TIMES for role in ROLES if role not in _WITHOUT}


@dataclass(frozen=True)
class Options:
    """Answers to what a file leaves open.

    - `interval`: seconds between packets, where a file has no times: None, as the file says or 1 s;
    - `timeout`: seconds that ping waits on Windows before it says that a request is lost;
    - `columns`: columns of a table by `ROLES`, each a name or a number from 1;
    - `units`: units of `ROLES`, where the head of a column does not name one.
    """

    interval: float | None = None
    timeout: float = 4.0
    columns: Mapping[str, str | int] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check all options. Raises `InputError`."""
        for name in ("interval", "timeout"):
            _check_seconds(name, getattr(self, name), optional=name == "interval")
        for name in ("columns", "units"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise refusal(name, value, f"a table with keys of {', '.join(ROLES)}")
            for role in value:
                known_name(name, role, ROLES if name == "columns" else units_of())
        for role, column in self.columns.items():
            number = isinstance(column, int) and not isinstance(column, bool) and column > 0
            if not (number or (isinstance(column, str) and column)):
                raise refusal(f"columns.{role}", column, "the name of a column, or a number from 1")
        for role, unit in self.units.items():
            known_name(f"units.{role}", unit, units_of()[role])


def _check_seconds(name: str, value: Any, *, optional: bool) -> None:
    if not (optional and value is None) and not 0.0 < real_number(name, value, _POSITIVE) <= 1e6:
        raise refusal(name, value, _POSITIVE)
