"""The order in which a scenario lists its flows, where that decides something.

Flows that start at the same instant send their first packets in the order of the file: whoever
stands first is served first, and goes on to get more or less than the others by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airtcp.errors import InputError
from airtcp.scenario.bands import BandMember, forced_loss_key, with_band_members
from airtcp.scenario.scenario import Point, Scenario


def has_ties(data: Mapping[str, Any]) -> bool:
    """True if several flows of a point begin at the same instant in the same place."""
    begins: Counter[tuple[str, str, str]] = Counter()
    for flow in data.get("flow", []):
        place = (flow["start"], flow.get("access_delay", "0s"), flow.get("sender", ""))
        begins[place] += flow["count"]
    return any(number > 1 for number in begins.values())


def any_has_ties(points: Iterable[Point]) -> bool:
    """True if flows of some point begin at the same instant in the same place."""
    return any(has_ties(point.data) for point in points)


def reversed_flows(point: Point) -> Point | None:
    """The point with its flows in the reverse order; None where it says something of the first one.

    The flow of number i has the number n - 1 - i there, of n.
    """
    data = dict(point.data)
    flows = list(reversed(data["flow"]))
    given: Sequence[Mapping[str, Any]] = data["path"]["hop"]
    if any(map(forced_loss_key, given)):
        return None
    number = sum(flow["count"] for flow in flows)
    hops = [
        with_band_members(
            hop,
            "path.hop",
            lambda old_number, _: [_reversed_band_member(old_number, len(flows), number)],
        )
        for hop in given
    ]
    data |= {"flow": flows, "path": {**data["path"], "hop": hops}}
    try:
        return Scenario.from_dict(data).points()[0]
    except InputError:  # as of a document that has become too long
        return None


def _reversed_band_member(member: BandMember, tables: int, flows: int) -> BandMember:
    if isinstance(member, int):
        return flows - 1 - member if member < flows else member
    if not member.startswith("flow["):
        return member
    return f"flow[{tables - 1 - int(member[5:-1])}]"
