"""Options that supply what a file leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airtcp.errors import known_name, real_number, refusal

COLUMN_ROLES = ("time", "seq", "rtt", "delay", "lost", "rate", "loss_rate")  # of columns
TIME_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}  # ns in a unit
RATE_UNITS = {  # bit/s in a unit
    **{"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9},
    **{"B/s": 8.0, "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9},
}
_ROLES_WITHOUT_UNIT = ("seq", "lost", "loss_rate")  # roles of numbers without a unit
_SECONDS_DOMAIN = "a number of seconds above 0, at most 1e6"


def units_by_role() -> dict[str, Mapping[str, float]]:
    """Units by the role of a column; roles that have some."""
    return {
        role: RATE_UNITS if role == "rate" else TIME_UNITS
        for role in COLUMN_ROLES
        if role not in _ROLES_WITHOUT_UNIT
    }


@dataclass(frozen=True)
class ReadOptions:
    """Answers to what a file leaves open.

    - `interval`: seconds between packets, where a file has no times: None, as the file says or 1 s;
    - `timeout`: seconds that ping waits on Windows before it says that a request is lost;
    - `columns`: columns of a table by `COLUMN_ROLES`, each a name or a number from 1;
    - `units`: units of `COLUMN_ROLES`, where the head of a column does not name one.
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
                raise refusal(name, value, f"a table with keys of {', '.join(COLUMN_ROLES)}")
            for role in value:
                known_name(name, role, COLUMN_ROLES if name == "columns" else units_by_role())
        for role, column in self.columns.items():
            number = isinstance(column, int) and not isinstance(column, bool) and column > 0
            if not (number or (isinstance(column, str) and column)):
                raise refusal(f"columns.{role}", column, "the name of a column, or a number from 1")
        for role, unit in self.units.items():
            known_name(f"units.{role}", unit, units_by_role()[role])


def _check_seconds(name: str, value: Any, *, optional: bool) -> None:
    if (
        not (optional and value is None)
        and not 0.0 < real_number(name, value, _SECONDS_DOMAIN) <= 1e6
    ):
        raise refusal(name, value, _SECONDS_DOMAIN)
