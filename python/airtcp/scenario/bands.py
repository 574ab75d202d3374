"""The places where hops name flows by number: bands of priority queues, and forced losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

BandMember = int | str  # a flow's number, or its table
Hop = Mapping[str, Any]


def forced_loss_key(hop: Hop) -> str:
    """The key of a hop, or of its way back, by which packets of the first flow are lost; or ""."""
    if hop.get("drop"):
        return "drop"
    back = _way_back(hop)
    key = forced_loss_key(back) if back else ""
    return f"back.{key}" if key else ""


def with_band_members(
    hop: Hop, where: str, members: Callable[[BandMember, str], Sequence[BandMember]]
) -> dict[str, Any]:
    """A hop at `where` with its way back, each member of whose bands gives way to others.

    `members` gives these, from a member and the place of its bands.
    """
    banded_hop, queue = dict(hop), hop.get("queue")
    if isinstance(queue, Mapping) and "bands" in queue:
        at = f"{where}.queue.bands"
        bands = [[new for member in band for new in members(member, at)] for band in queue["bands"]]
        banded_hop["queue"] = {**queue, "bands": bands}
    if back := _way_back(hop):
        banded_hop["back"] = with_band_members(back, f"{where}.back", members)
    return banded_hop


def _way_back(hop: Hop) -> Hop:
    back = hop.get("back")
    return back if isinstance(back, Mapping) else {}
