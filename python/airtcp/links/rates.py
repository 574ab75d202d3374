"""The rates of a hop over time: one that stays, or one that changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from airtcp import _native
from airtcp.support.units import base_units_of

Hop = Mapping[str, Any]
NEVER = 2**63 - 1


def rate_of(hop: Hop, *, back: bool = False) -> dict[str, Any]:
    """`rate` or `rates` of a hop, forward or back."""
    own = (hop.get("back") or {}) if back else hop
    found = {key: own[key] for key in ("rate", "rates") if key in own}
    return found or rate_of(hop)


def rate_steps(
    hop: Hop,
    *,
    end: int,
    seed: int = 1,
    replication: int = 0,
    hop_number: int = 0,
    back: bool = False,
) -> list[tuple[int, float]]:
    """Start (ns) and rate (bit/s) of each step of a hop's rate, up to `end`.

    Random rates are drawn as for hop number `hop_number` in a replication under `seed`.
    """
    found = rate_of(hop, back=back)
    if "rate" in found:
        return [(0, float(base_units_of(found["rate"])))]
    rates = found["rates"]
    table = {"kind": "steps", "values": rates} if isinstance(rates, list) else rates
    own = back and "rates" in (hop.get("back") or {})
    name = f"hop{hop_number}/{'up' if own else 'down'}/rates"
    return _native.rate_steps(json.dumps(table), seed, name, replication, end)


def fastest(hop: Hop) -> float:
    """The highest rate that a hop may have, either way, in bit/s."""
    return max(_fastest(rate_of(hop, back=back)) for back in (False, True))


def _fastest(found: dict[str, Any]) -> float:
    rates = found.get("rates")
    if isinstance(rates, dict) and rates["kind"] != "steps":
        keys = ("mean", "amplitude") if rates["kind"] == "sine" else ("high",)
        return sum(float(base_units_of(rates[key])) for key in keys)
    if isinstance(rates, dict):  # all rows, once
        found = {"rates": {**rates, "end": "hold"}}
    return max(rate for _, rate in rate_steps(found, end=NEVER))
