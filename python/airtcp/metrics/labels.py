"""Labels of metrics and counts in tables and at axes, and their units."""

from __future__ import annotations

from collections.abc import Iterable

from airtcp.metrics.table import TABLE

DIRECTIONS_NOTE = "forward: from near to far; back: from far to near."
SI_PREFIXES = (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0))
_UNWRITTEN_UNITS = ("1", "per run", "1/slot")  # units that the label says


def unit_of(metric: str) -> str:
    """The unit of a metric; empty where there is none to write, and for counts."""
    unit = TABLE[metric].unit if metric in TABLE else ""
    return "" if unit in _UNWRITTEN_UNITS else unit


def units_text(metrics: Iterable[str]) -> str:
    """The units of those metrics that have one: "mean_queue in packets, ..."."""
    return ", ".join(f"{metric} in {unit_of(metric)}" for metric in metrics if unit_of(metric))


def axis_label(metric: str) -> str:
    """A metric, or a count, in words with its own unit."""
    return label_with_unit(metric, unit_of(metric))


def label_with_unit(metric: str, unit: str) -> str:
    """A metric, or a count, in words with the unit of the numbers beside it."""
    if metric not in TABLE:
        return f"{metric.replace('_', ' ').capitalize()} (per run)"
    label = TABLE[metric].label
    return f"{label} ({unit})" if unit else label


def scaled_label(metric: str, largest: float) -> tuple[str, float]:
    """(label, metric's units per unit on the axis) for values up to `largest`."""
    unit, scale = readable_unit(metric, largest)
    return label_with_unit(metric, unit), scale


def readable_unit(metric: str, largest: float) -> tuple[str, float]:
    """(unit, metric's own units per such unit) for values up to `largest`.

    Tables, axes and the texts beside them use these units.
    """
    unit = unit_of(metric)
    if metric.endswith(("_share", "_rate", "rebuffering", "utilisation")) and not unit:
        return "%", 0.01
    if unit == "s":
        return ("s", 1.0) if not largest < 1.0 else ("ms", 1e-3)
    if unit in ("bit/s", "bits"):
        prefix, scale = _prefix_for(largest)
        return f"{prefix}{unit.removesuffix('s') if prefix and unit == 'bits' else unit}", scale
    return unit, 1.0


def column_head(metric: str, unit: str, between: str = " ") -> str:
    """Head of a metric's column in a table, with the unit of its numbers."""
    name = (TABLE[metric].head if metric in TABLE else "") or metric
    return f"{name}{between}({unit})" if unit and unit != name else name


def explain_heads(metrics: Iterable[str]) -> str:
    """Explanations of those column heads that are not the names of their metrics."""
    known = (TABLE[metric] for metric in metrics if metric in TABLE)
    return " ".join(f"{metric.head}: {metric.definition}." for metric in known if metric.head)


def better_direction(metric: str) -> str:
    """The better values of a metric: "high" or "low"."""
    return TABLE[metric].better if metric in TABLE else "high"


def _prefix_for(largest: float) -> tuple[str, float]:
    return next((prefix for prefix in SI_PREFIXES if largest >= prefix[1]), ("", 1.0))
