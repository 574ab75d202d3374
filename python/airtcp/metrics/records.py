"""The tables of links and of cross-traffic: the owners of rows, and a limit on their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airtcp.errors import InputError
from airtcp.metrics.table import metrics_by_kind

KEYS = {"links": ("hop", "direction"), "traffic": ("source",)}  # with the point: whose a row is
MOST_ROWS = 1_000_000  # of a run that is cut into parts, as of flows
NAMES = {"links": ("near", "far"), "traffic": ("sender", "receiver")}  # of the nodes at its ends


def metrics_of_records(scenario: Mapping[str, Any]) -> dict[str, str]:
    """The metrics that runs of a point have if links are counted: name -> kind of its rows."""
    there = {"links": "path" in scenario, "traffic": bool(scenario.get("traffic"))}
    return {name: kind for kind in there if there[kind] for name in metrics_by_kind(kind)}


def check_rows(scenario: Mapping[str, Any]) -> None:
    """Refuse a scenario whose runs have too many rows of links or sources. Raises `InputError`."""
    said = [scenario, *(scenario.get("case") or ())]  # a case may bring a path of its own
    parts = max((one.get("stop") or {}).get("batches") or 1 for one in said)
    hops = max(len((one.get("path") or {}).get("hop") or ()) for one in said)
    sources = max(sum(_most(of.get("count")) for of in one.get("traffic") or []) for one in said)
    for what, number in {"links": 2 * hops, "sources of cross-traffic": sources}.items():
        if parts > 1 and parts * number > MOST_ROWS:
            raise InputError(
                f"links: {parts} parts (stop.batches) of {number} {what} are {parts * number} rows:"
                f" at most {MOST_ROWS}"
            )


def _most(count: Any) -> int:
    """The largest value of a count that may be an axis."""
    if isinstance(count, Mapping):
        return int(max(count["from"], count["to"]))
    return max(count) if isinstance(count, list) else count or 1
