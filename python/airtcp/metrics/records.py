"""The metrics of links and of cross-traffic: ratios of two columns, by name (docs/metrics.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from airtcp.errors import InputError

Columns: TypeAlias = Mapping[str, Any]

CAUSES = ("queue", "channel", "gate", "forced", "arq", "down")
RECORDS: dict[str, dict[str, tuple[str, str]]] = {
    "links": {
        "utilisation": ("busy", "seconds"),
        "mean_queue": ("queue_packet_seconds", "seconds"),
        "mean_queue_bytes": ("queue_byte_seconds", "seconds"),
        "longest_queue": ("most_packets", "one"),
        "longest_queue_bytes": ("most_bytes", "one"),
        "mean_sojourn": ("sojourn", "started"),
        "longest_sojourn": ("longest", "one"),
        "offered_bps": ("offered_bits", "seconds"),
        "delivered_bps": ("delivered_bits", "seconds"),
        "link_loss_rate": ("lost", "came"),
        "offered": ("offered", "one"),
        "delivered": ("delivered", "one"),
        **{f"lost_{cause}": (f"lost_{cause}", "one") for cause in CAUSES},
        "marked": ("marked", "one"),
        "duplicated": ("duplicated", "one"),
    },
    "traffic": {
        "offered_bps": ("sent_bits", "seconds"),
        "delivered_bps": ("arrived_bits", "seconds"),
        "loss_rate": ("not_arrived", "sent"),
        "sent": ("sent", "one"),
        "arrivals": ("arrivals", "one"),
    },
}
SHOWN = {  # in a table that nobody asked for others
    "links": ("utilisation", "mean_queue", "mean_sojourn", "link_loss_rate", "delivered_bps"),
    "traffic": ("delivered_bps", "offered_bps", "loss_rate"),
}
KEYS = {"links": ("hop", "direction"), "traffic": ("source",)}  # with the point: whose a row is
MOST_ROWS = 1_000_000  # of a run that is cut into parts, as of flows
NAMES = {"links": ("near", "far"), "traffic": ("sender", "receiver")}  # of the nodes at its ends


def record_known(kind: str, columns: Columns) -> dict[str, Any]:
    """What the metrics of a kind are ratios of: the columns, and what follows from them; in s."""
    known = dict(columns) | {"one": 1.0, "seconds": columns["time_ns"] / 1e9}
    if kind == "traffic":
        return known | {"not_arrived": columns["sent"] - columns["arrivals"]}
    return known | {
        "busy": columns["busy_ns"] / 1e9,
        "queue_packet_seconds": columns["queue_packet_us"] / 1e6,
        "queue_byte_seconds": columns["queue_byte_us"] / 1e6,
        "sojourn": columns["sojourn_ns"] / 1e9,
        "longest": columns["longest_sojourn_ns"] / 1e9,
        "lost": sum(columns[f"lost_{cause}"] for cause in CAUSES),
        "came": columns["offered"] + columns["duplicated"],
    }


def check_rows(scenario: Mapping[str, Any]) -> None:
    """Raises `InputError` if the parts of a run are too many rows of links or of sources."""
    parts = (scenario.get("stop") or {}).get("batches") or 1
    sources = sum(_most(one.get("count")) for one in scenario.get("traffic") or [])
    of = {"links": 2 * len(scenario["path"]["hop"]), "sources of cross-traffic": sources}
    for what, number in of.items():
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
