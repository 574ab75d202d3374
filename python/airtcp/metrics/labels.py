"""What metrics and counts are called at an axis, and their units."""

from __future__ import annotations

from collections.abc import Iterable

from airtcp.metrics.records import CAUSES

UNITS = {
    "throughput": "packets per slot",
    "transmissions_per_slot": "1",
    "transmissions_per_delivery": "1",
    "timeouts_per_slot": "1/slot",
    "fast_retransmits_per_slot": "1/slot",
    "throughput_pps": "packets/s",
    "throughput_bps": "bit/s",
    "goodput_bps": "bit/s",
    "efficiency": "1",
    "resent_share": "1",
    "overhead": "1",
    "loss_rate": "1",
    "transfer_time": "s",
    "delay_first_arrival": "s",
    "delay_own_ack": "s",
    "delay_cumulative_ack": "s",
    "timeouts": "per run",
    "spurious_timeouts": "per run",
    "fast_retransmits": "per run",
    "spurious_retransmissions": "packets",
    "bits_on_air": "bits",
    "in_order_throughput": "1",
    "ll_transmissions_per_slot": "1",
    "ll_transmissions_per_delivery": "1",
    "ll_resent_share": "1",
    "ll_failure_rate": "1",
    "ll_bits_per_bit": "1",
    "valid": "1",
    "utilisation": "1",
    "mean_queue": "packets",
    "mean_queue_bytes": "bytes",
    "longest_queue": "packets",
    "longest_queue_bytes": "bytes",
    "mean_sojourn": "s",
    "longest_sojourn": "s",
    "offered_bps": "bit/s",
    "delivered_bps": "bit/s",
    "link_loss_rate": "1",
}
_AXES = {  # where the name and the unit would not say it
    "transmissions_per_slot": "Packets sent per slot",
    "transmissions_per_delivery": "Packets sent per packet delivered",
    "timeouts_per_slot": "Timeouts per slot",
    "fast_retransmits_per_slot": "Fast retransmits per slot",
    "throughput_pps": "Throughput (packets/s)",
    "throughput_bps": "Throughput (bit/s)",
    "goodput_bps": "Goodput (bit/s)",
    "efficiency": "Efficiency (first transmissions per packet sent)",
    "resent_share": "Share of packets that were resent",
    "overhead": "Overhead (bits per bit of payload)",
    "loss_rate": "Packets lost per packet sent",
    "delay_first_arrival": "Delay to the first arrival (s)",
    "delay_own_ack": "Delay to the packet's own ACK (s)",
    "delay_cumulative_ack": "Delay to the first ACK that covers the packet (s)",
    "timeouts": "Timeouts per run",
    "spurious_timeouts": "Spurious timeouts per run",
    "fast_retransmits": "Fast retransmits per run",
    "spurious_retransmissions": "Spurious retransmissions per run",
    "bits_on_air": "Bits on the air",
    "in_order_throughput": "Share of slots that carried packets delivered in order",
    "ll_transmissions_per_slot": "Link packets sent per slot",
    "ll_transmissions_per_delivery": "Link packets sent per packet delivered",
    "ll_resent_share": "Share of link packets that were resent",
    "ll_failure_rate": "Packets that the link gave up per packet sent",
    "ll_failures": "Packets that the link gave up per run",
    "ll_bits_per_bit": "Bits on the air per bit delivered",
    "valid": "Share of runs in which the machine kept up",
    "utilisation": "Share of time in which the link is busy",
    "mean_queue": "Mean queue (packets)",
    "mean_queue_bytes": "Mean queue (bytes)",
    "longest_queue": "Longest queue (packets)",
    "longest_queue_bytes": "Longest queue (bytes)",
    "mean_sojourn": "Mean time in the queue (s)",
    "longest_sojourn": "Longest time in the queue (s)",
    "offered_bps": "Offered (bit/s)",
    "delivered_bps": "Delivered (bit/s)",
    "link_loss_rate": "Packets lost on the link per packet that came",
    "lost_queue": "Packets lost to the queue per run",
    "lost_channel": "Packets lost to the channel per run",
    "lost_gate": "Packets lost as the link went down, per run",
    "lost_down": "Packets that came while the link was down, per run",
    "lost_forced": "Forced losses per run",
    "lost_arq": "Packets that the link layer gave up per run",
}
DIRECTIONS = "forward: from near to far; back: from far to near."
LESS_IS_BETTER = {
    "transmissions_per_delivery",
    "timeouts_per_slot",
    "fast_retransmits_per_slot",
    "resent_share",
    "overhead",
    "loss_rate",
    "transfer_time",
    "delay_first_arrival",
    "delay_own_ack",
    "delay_cumulative_ack",
    "timeouts",
    "spurious_timeouts",
    "fast_retransmits",
    "spurious_retransmissions",
    "bits_on_air",
    "ll_transmissions_per_delivery",
    "ll_resent_share",
    "ll_failure_rate",
    "ll_failures",
    "ll_bits_per_bit",
    "mean_queue",
    "mean_queue_bytes",
    "longest_queue",
    "longest_queue_bytes",
    "mean_sojourn",
    "longest_sojourn",
    "link_loss_rate",
    *(f"lost_{cause}" for cause in CAUSES),
}


def has_unit(metric: str) -> bool:
    """Whether a metric has a unit that its name does not say."""
    return UNITS.get(metric, "1") not in ("1", "per run", "1/slot")


def units(metrics: Iterable[str]) -> str:
    """In which units those of the metrics are that have one: "mean_queue in packets, ..."."""
    return ", ".join(f"{metric} in {UNITS[metric]}" for metric in metrics if has_unit(metric))


def axis_label(metric: str) -> str:
    """A metric, or a count, in words with its unit."""
    if metric in _AXES:
        return _AXES[metric]
    words = metric.replace("_", " ").capitalize()
    unit = UNITS.get(metric, "per run")
    return f"{words} ({unit})"


def scaled_label(metric: str, largest: float) -> tuple[str, float]:
    """(label, how many of the metric's units are one on the axis): Mbit/s for large bit/s."""
    label, unit = axis_label(metric), UNITS.get(metric, "")
    if unit not in ("bit/s", "bits"):
        return label, 1.0
    prefixes = (("G", 1e9), ("M", 1e6), ("k", 1e3))
    prefix, scale = next((one for one in prefixes if largest >= one[1]), ("", 1.0))
    bare = label.removesuffix(f" ({unit})")
    return f"{bare} ({prefix}{unit.removesuffix('s') if unit == 'bits' else unit})", scale


def readable(metric: str, largest: float) -> tuple[str, float]:
    """(unit, how many of the metric's own are one of it) for values up to `largest`."""
    unit = UNITS.get(metric, "")
    if metric.endswith(("_share", "_rate")) and unit == "1":
        return "%", 0.01
    if unit == "s":
        return ("s", 1.0) if not largest < 1.0 else ("ms", 1e-3)
    if unit == "bit/s":
        prefixes = (("G", 1e9), ("M", 1e6), ("k", 1e3))
        prefix, scale = next((one for one in prefixes if largest >= one[1]), ("", 1.0))
        return f"{prefix}{unit}", scale
    return ("" if unit in ("1", "per run") else unit), 1.0


def better(metric: str) -> str:
    """Whether "high" or "low" values of a metric are the better ones."""
    return "low" if metric in LESS_IS_BETTER else "high"
