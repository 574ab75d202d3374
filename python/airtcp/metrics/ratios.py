"""The metrics of runs: each is a ratio of two columns, by name (docs/metrics.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp import _native
from airtcp.metrics.layout import Layout, counted, tcp_of
from airtcp.metrics.live import COLUMNS as LIVE
from airtcp.metrics.records import RECORDS, record_known
from airtcp.scenario.scenario import Point
from airtcp.support.units import number_of

Floats: TypeAlias = NDArray[np.float64]
Columns: TypeAlias = Mapping[str, Any]

METRICS: dict[str, dict[str, tuple[str, str]]] = {
    "slot": {
        "throughput": ("useful", "slots"),
        "transmissions_per_slot": ("transmissions", "slots"),
        "transmissions_per_delivery": ("transmissions", "deliveries"),
        "timeouts_per_slot": ("timeouts", "slots"),
        "fast_retransmits_per_slot": ("fast_retransmits", "slots"),
        "goodput_bps": ("in_order_bits", "seconds"),
    },
    "path": {
        "throughput_pps": ("acked", "seconds"),
        "throughput_bps": ("acked_bits", "seconds"),
        "goodput_bps": ("in_order_bits", "seconds"),
        "efficiency": ("first_sent", "sent"),
        "resent_share": ("resent", "sent"),
        "overhead": ("excess_bits", "in_order_bits"),
        "transmissions_per_delivery": ("sent", "deliveries"),
        "loss_rate": ("not_arrived", "sent"),
        "transfer_time": ("milestone", "one"),
        "delay_first_arrival": ("first_arrival_time", "first_arrivals"),
        "delay_own_ack": ("own_ack_time", "own_acks"),
        "delay_cumulative_ack": ("cumulative_ack_time", "cumulative_acks"),
        "timeouts": ("timeouts", "one"),
        "spurious_timeouts": ("spurious_timeouts", "one"),
        "fast_retransmits": ("fast_retransmits", "one"),
        "spurious_retransmissions": ("duplicates", "one"),
        "bits_on_air": ("air_bits", "one"),
        "probes": ("probes", "one"),
    },
}
LINK: dict[str, dict[str, tuple[str, str]]] = {  # where a link layer retransmits
    "slot": {
        "in_order_throughput": ("in_order_useful", "slots"),
        "ll_transmissions_per_slot": ("ll_transmissions", "slots"),
        "ll_transmissions_per_delivery": ("ll_transmissions", "deliveries"),
        "ll_resent_share": ("ll_retransmissions", "ll_transmissions"),
        "ll_failure_rate": ("ll_failures", "transmissions"),
        "ll_bits_per_bit": ("ll_bits", "in_order_bits"),
    },
    "path": {
        "ll_transmissions_per_delivery": ("ll_transmissions", "deliveries"),
        "ll_resent_share": ("ll_retransmissions", "ll_transmissions"),
        "ll_failures": ("ll_failures", "one"),
        "ll_bits_per_bit": ("ll_bits", "in_order_bits"),
    },
}
OF_A_RUN = {  # the metrics that are columns of the table of runs
    "slot": ("throughput", "transmissions_per_slot", "transmissions_per_delivery"),
    "path": tuple(name for name in METRICS["path"] if METRICS["path"][name] != (name, "one")),
}


def metrics_of(family: str, columns: Collection[str]) -> dict[str, tuple[str, str]]:
    """The metrics of a family, or of "links", "traffic", "live", that follow from columns."""
    if family in RECORDS:
        return RECORDS[family]
    if family == "live":
        return {name: (name, "one") for name in LIVE}
    return METRICS[family] | (LINK[family] if "ll_transmissions" in columns else {})


def ratios(
    columns: Columns,
    family: str,
    payload_bits: Any = np.nan,
    slot: Any = np.nan,
    fragments: Any = 1.0,
) -> dict[str, Floats]:
    """Every metric of rows of counts; NaN where a denominator is 0.

    `payload_bits`, `slot` and `fragments` are `units`, row by row (for metrics per second or in
    bits, and where a packet takes several slots).
    """
    if family in RECORDS:
        known = record_known(family, columns)
        return {name: _ratio(known[a], known[b]) for name, (a, b) in RECORDS[family].items()}
    in_order = {"in_order_bits": columns["in_order"] * payload_bits}
    if family == "path":
        known = in_order | dict(columns)  # where the last packet is short it is counted in bits
        known |= _derived(columns, payload_bits, known["in_order_bits"])
    else:
        known = dict(columns) | in_order | {"seconds": columns["slots"] * slot}
        known["useful"] = columns["deliveries"] * fragments
        known["in_order_useful"] = columns["in_order"] * fragments
    wanted = metrics_of(family, columns.keys())
    return {name: _ratio(known[a], known[b]) for name, (a, b) in wanted.items()}


def _derived(n: Columns, payload_bits: Any, in_order_bits: Any) -> dict[str, Floats]:
    """What the metrics of a path need beside the counts; times in seconds."""
    probe_bits = n.get("probe_bits", 0)
    return {
        "one": np.ones(len(n["sent"])),
        "seconds": n["time_ns"] / 1e9,
        "acked_bits": n["acked"] * payload_bits,
        "excess_bits": n["sent_bits"] + probe_bits - in_order_bits,
        "air_bits": n["sent_bits"] + probe_bits + n["ack_bits"],
        "first_sent": n["sent"] - n["resent"],
        "not_arrived": n["sent"] - n["arrivals"],
        "milestone": np.where(n["milestone_ns"] < 0, np.nan, n["milestone_ns"] / 1e9),
        "first_arrival_time": n["first_arrival_ns"] / 1e9,
        "own_ack_time": n["own_ack_ns"] / 1e9,
        "cumulative_ack_time": n["cumulative_ack_ns"] / 1e9,
    }


def _ratio(above: Any, below: Any) -> Floats:
    above, below = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    nothing: Floats = np.full_like(above, np.nan)
    np.divide(above, below, out=nothing, where=below != 0)
    return nothing


def of_whole_runs(point: Point, layout: Layout, counts: list[bytes], metric: str) -> Floats:
    """A metric of runs, with their batches taken together: by flow and run."""
    totals = counted(layout, counts).sum(axis=1)
    columns = {name: totals[..., i].ravel() for i, name in enumerate(layout.names)}
    if "milestone_ns" in columns:  # it is in one of the batches, or in none
        place = layout.names.index("milestone_ns")
        columns["milestone_ns"] = counted(layout, counts)[..., place].max(axis=1).ravel()
    scales = of_rows([units(point)], [len(counts) * layout.flows])
    values = ratios(columns, layout.family, *scales)[metric]
    return values.reshape(len(counts), layout.flows).T


def units(point: Point) -> Floats:
    """(bits of payload in a full packet, seconds per slot, slots per packet: NaN on a path).

    One row for all flows, or a row per flow where their packets differ.
    """
    if point.family == "slot":
        seconds, bits, fragments = _native.slot(point.json)
        return np.array([[bits, seconds, fragments]], dtype=float)
    tables = range(len(point.data["flow"]))
    rows = np.array([[payload_bits(point, flow), np.nan, np.nan] for flow in tables])
    if (rows[:, 0] == rows[0, 0]).all():
        return rows[:1]
    return np.repeat(rows, [int(flow["count"]) for flow in point.data["flow"]], axis=0)


def packet_lengths(points: Sequence[Point]) -> list[int]:
    """The payloads of a full packet, in bytes, that occur among points and flows of paths."""
    if not points or points[0].family == "slot":
        return []
    flows = [(point, flow) for point in points for flow in range(len(point.data["flow"]))]
    return sorted({payload_bits(point, flow) // 8 for point, flow in flows})


def unlike_packets(points: Sequence[Point], metrics: Collection[str]) -> list[str]:
    """A line of warning where packets/s compare packets of different lengths."""
    lengths = packet_lengths(points) if "throughput_pps" in metrics else []
    if len(lengths) < 2:
        return []
    return [
        f"Warning: packets/s of packets with {lengths[0]} to {lengths[-1]} bytes of payload are no"
        " common measure; compare goodput_bps."
    ]


def of_rows(scales: Sequence[Floats], rows: Sequence[int] | NDArray[np.int64]) -> Floats:
    """The `units` of rows, one column per row: so many of each point, whose flows vary fastest."""
    if all(len(one) == 1 for one in scales):
        return np.repeat(np.concatenate(scales), rows, axis=0).T
    return np.concatenate(
        [np.tile(one, (int(n) // len(one), 1)) for one, n in zip(scales, rows, strict=True)]
    ).T


def payload_bits(point: Point, flow: int = 0) -> int:
    """Payload of a full packet, by table of flows: without headers and options; ns2 knows none."""
    tcp = tcp_of(point.data, flow)
    _, option_bytes = _native.capabilities()
    options = option_bytes.get(tcp.get("spurious", ""), 0)
    return 8 * int(number_of(tcp["packet"]) - number_of(tcp.get("header", "0B")) - options)


def fairness(shares: Floats) -> Floats:
    """Jain's index of each row: (sum x)^2 / (n sum x^2), from 1/n (one has all) to 1 (equal)."""
    return _ratio(shares.sum(axis=1) ** 2, shares.shape[1] * (shares**2).sum(axis=1))
