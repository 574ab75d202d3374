"""The tables of links and of cross-traffic: the owners of rows, and a limit on their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airtcp.errors import InputError
from airtcp.metrics.table import metrics_by_kind

RECORD_KEYS = {
    "links": ("hop", "direction"),
    "traffic": ("source",),
}  # with the point: whose a row is
MOST_ROWS = 1_000_000  # of a run that is cut into parts, as of flows
RECORD_NODES = {
    "links": ("near", "far"),
    "traffic": ("sender", "receiver"),
}  # of the nodes at its ends


def metrics_of_records(scenario: Mapping[str, Any]) -> dict[str, str]:
    """The metrics that runs of a point have if links are counted: name -> kind of its rows."""
    has_records = {"links": "path" in scenario, "traffic": bool(scenario.get("traffic"))}
    return {
        name: kind for kind in has_records if has_records[kind] for name in metrics_by_kind(kind)
    }


_TABLES = ("stop", "path")


def check_rows(scenario: Mapping[str, Any]) -> None:
    """Refuse a scenario whose runs have too many rows of links or sources. Raises `InputError`."""
    for case in [scenario, *(scenario.get("case") or ())]:
        # A case may bring a path of its own, and keeps what it does not say.
        own = {key: {**(scenario.get(key) or {}), **(case.get(key) or {})} for key in _TABLES}
        parts, hops = own["stop"].get("batches") or 1, len(own["path"].get("hop") or ())
        traffic = case.get("traffic") or scenario.get("traffic") or []
        sources = sum(_largest_axis_value(of.get("count")) for of in traffic)
        for what, number in {"links": 2 * hops, "sources of cross-traffic": sources}.items():
            if parts > 1 and parts * number > MOST_ROWS:
                raise InputError(
                    f"links: {parts} parts (stop.batches) of {number} {what} are"
                    f" {parts * number} rows: at most {MOST_ROWS}"
                )


def _largest_axis_value(count: Any) -> int:
    """The largest value of a count that may be an axis."""
    if isinstance(count, Mapping):
        return int(max(count["from"], count["to"]))
    return max(count) if isinstance(count, list) else count or 1
