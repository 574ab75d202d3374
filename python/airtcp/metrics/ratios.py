"""The metrics of runs from their counts, by the table of metrics (docs/reference/metrics.md)."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp import _native
from airtcp.metrics import voice
from airtcp.metrics.layout import Layout, shape_counts
from airtcp.metrics.parts import add_parts
from airtcp.metrics.table import TABLE, Metric, metrics_by_kind
from airtcp.scenario.scenario import Point

Floats: TypeAlias = NDArray[np.float64]
Columns: TypeAlias = Mapping[str, Any]

NEVER_COUNTED = {"probe_bits": 0, "copies": 0}  # in runs of versions that had no probes
RARE_METRICS = ("channel_lost_share", "channel_asked_share")
DURATIONS = {"seconds", "slots"}  # below a rate: how long a run was
PLAIN_COLUMNS = ("throughput", "transmissions_per_slot", "transmissions_per_delivery")


@dataclass(frozen=True)
class Quotient:
    """Quotient of two sums of columns with signs, as in `Metric.of`; an empty sum is 1."""

    above: tuple[tuple[int, str], ...]
    below: tuple[tuple[int, str], ...]

    @classmethod
    @cache
    def parse(cls, text: str) -> Quotient:
        """Read a text such as "sent - resent over sent"."""
        above, _, below = text.partition(" over ")
        return cls(_terms(above), _terms(below))

    @property
    def columns(self) -> set[str]:
        """The columns that occur in it."""
        return {name for _, name in (*self.above, *self.below)}

    @property
    def divides_counts(self) -> bool:
        """True if the denominator is also a count, and not only a duration."""
        return bool(self.below) and not {name for _, name in self.below} <= DURATIONS

    def sums(self, known: Columns, rows: int) -> tuple[Any, Any]:
        """Numerators and denominators, row by row."""
        return _signed_sum(self.above, known, rows), _signed_sum(self.below, known, rows)

    def value(self, known: Columns, rows: int) -> Floats:
        """The quotient, row by row; NaN where the denominator is 0."""
        return _divide_or_nan(*self.sums(known, rows))


def _terms(text: str) -> tuple[tuple[int, str], ...]:
    words = text.split()
    signs = [1, *(1 if word == "+" else -1 for word in words[1::2])]
    return tuple(zip(signs, words[::2], strict=False))


def _signed_sum(terms: tuple[tuple[int, str], ...], known: Columns, rows: int) -> Any:
    if not terms:
        return np.ones(rows)
    return reduce(operator.add, (known[name] * sign for sign, name in terms))


def metrics_of(kind: str, columns: Collection[str]) -> dict[str, Metric]:
    """The metrics of a kind ("slot", "path", "links", "traffic", "live") that follow from columns.

    A link layer that retransmits has columns of its own, and older versions counted less.
    """
    known = _known_columns(kind, columns)
    metrics = metrics_by_kind(kind)
    return {n: metrics[n] for n in metrics if Quotient.parse(metrics[n].of[kind]).columns <= known}


def missing_counts(kind: str, metric: Metric, columns: Collection[str]) -> list[str]:
    """The counts that a metric of a kind follows from, and that are not among columns."""
    return sorted(Quotient.parse(metric.of[kind]).columns - _known_columns(kind, columns))


def _known_columns(kind: str, columns: Collection[str]) -> set[str]:
    known = {*columns, *NEVER_COUNTED, *DERIVED_COLUMNS.get(kind, ())}
    known |= {base for name in columns if (base := name_in_seconds(name))}
    known |= {name[:-4] for name in columns if name.endswith("_ppm")}
    return known | ({"voice_r", "voice_mos"} if "late" in columns else set())


def stored_metrics(kind: str, columns: Collection[str]) -> list[str]:
    """The metrics that are columns of the table of runs: those that are not counts already.

    Metrics without a value in most runs are left out; they are computed when asked for.
    """
    metrics_found = metrics_of(kind, columns)
    plain = [
        name
        for name in metrics_found
        if metrics_found[name].of[kind] != name and name not in RARE_METRICS
    ]
    if kind != "slot":
        return plain
    return [name for name in plain if name in PLAIN_COLUMNS or _is_of_arq(name)]


def _is_of_arq(name: str) -> bool:
    return name.startswith("ll_") or name == "in_order_throughput"


def ratios(columns: Columns, kind: str, *scales: Any) -> dict[str, Floats]:
    """Every metric of rows of counts; NaN where a denominator is 0.

    `scales` are `units`, row by row: bits of payload, seconds per slot and slots per packet, for
    metrics per second or in bits, and where a packet takes several slots.
    """
    known, quotients = _quotients(columns, kind, *scales)
    rows = len(next(iter(columns.values())))
    return {name: quotient.value(known, rows) for name, quotient in quotients.items()}


def averaged_ratios(
    columns: Columns,
    kind: str,
    groups: Any,
    *scales: Any,
    only: Collection[str] = (),
    parts: Any = False,
) -> dict[str, Floats]:
    """Metrics as values whose mean over a group of rows is the ratio of the group's means.

    This is for metrics that divide counts by counts, as losses by packets: the mean of the ratios
    of rows would give a row with few packets the weight of one with many. A row's value is R +
    (above - R * below) / mean of below, R being the ratio in its group: its deviations are the
    residuals of the classical interval [law2015, 9.5.3]. Other metrics are as in `ratios`. `only`:
    the metrics to compute; empty for all. `parts`: mask of the rows that are parts of one run, or
    True for all. Their rates are averaged in the same way, because a flow may have begun in the
    middle of a part, or after it.
    """
    known, quotients = _quotients(columns, kind, *scales)
    number = np.unique(np.asarray(groups), return_inverse=True)[1]
    rows = len(number)

    def values(quotient: Quotient) -> Floats:
        pooled: Any = quotient.divides_counts or (bool(quotient.below) and parts)
        if not np.any(pooled):
            return quotient.value(known, rows)
        quotient_values = linearised_ratio(*quotient.sums(known, rows), number)
        return (
            quotient_values
            if np.all(pooled)
            else np.where(pooled, quotient_values, quotient.value(known, rows))
        )

    return {
        name: values(quotient) for name, quotient in quotients.items() if not only or name in only
    }


def linearised_ratio(above: Any, below: Any, group: NDArray[np.intp]) -> Floats:
    """Values whose mean over each group is the ratio of its sums; NaN where that divides by 0."""
    above, below, number = *np.broadcast_arrays(above, below), np.bincount(group)
    ratio = _divide_or_nan(np.bincount(group, above), np.bincount(group, below))[group]
    mean = (np.bincount(group, below) / number)[group]
    constant, least = _constant_groups(_divide_or_nan(above, below), group)
    # A ratio is not constant if something is counted over a denominator of zero.
    constant &= np.bincount(group, (below == 0) & (above != 0))[group] == 0
    return np.where(constant, least, ratio + _divide_or_nan(above - ratio * below, mean))


def _constant_groups(values: Floats, group: NDArray[np.intp]) -> tuple[NDArray[np.bool_], Floats]:
    """For each value, true if all known values of its group are equal; and the least of them."""
    least = np.full(int(group.max(initial=-1)) + 1, np.inf)
    most = -least
    np.fmin.at(least, group, values)
    np.fmax.at(most, group, values)
    return (least == most)[group], least[group]


def _quotients(
    columns: Columns,
    kind: str,
    payload_bits: Any = np.nan,
    slot: Any = np.nan,
    fragments: Any = 1.0,
) -> tuple[dict[str, Any], dict[str, Quotient]]:
    """Counts and values derived from them, row by row; and each metric as a quotient of these."""
    known: dict[str, Any] = NEVER_COUNTED | dict(columns)
    known |= {
        base: _counts_in_seconds(name, columns[name])
        for name in columns
        if (base := name_in_seconds(name))
    }
    known |= {name[:-4]: columns[name] / 1e6 for name in columns if name.endswith("_ppm")}
    if kind == "slot":
        known["in_order_bits"] = columns["in_order"] * payload_bits
        known["seconds"] = columns["slots"] * slot
        known["useful"] = columns["deliveries"] * fragments
        known["in_order_useful"] = columns["in_order"] * fragments
    elif kind == "path":
        # Runs of versions that counted packets only.
        known.setdefault("in_order_bits", columns["in_order"] * payload_bits)
        known.setdefault("acked_bits", columns["acked"] * payload_bits)
    if kind == "traffic" and "late" in columns:
        packets = (known[name] for name in ("due", "arrivals", "late"))
        known["voice_r"] = voice.rating_of_counts(known["delay_p99_s"], *packets)
        known["voice_mos"] = voice.mean_opinion_score(known["voice_r"])
    if "time_ns" in columns:
        known["seconds"] = known["time_s"]
    metrics_wanted = metrics_of(kind, columns.keys())
    return known, {name: Quotient.parse(metric.of[kind]) for name, metric in metrics_wanted.items()}


DERIVED_COLUMNS = {  # beside counts and times in seconds
    "slot": ("in_order_bits", "seconds", "useful", "in_order_useful"),
    "path": ("in_order_bits", "seconds", "acked_bits"),
    "links": ("seconds",),
    "traffic": ("seconds",),
}
_TIME_SUFFIXES = {"_ns": 1e9, "_us": 1e6}


def name_in_seconds(name: str) -> str:
    """The name of a time in seconds that is counted in nano- or microseconds; empty for others."""
    return f"{name[:-3]}_s" if name[-3:] in _TIME_SUFFIXES else ""


def _counts_in_seconds(name: str, values: Any) -> Floats:
    """NaN for -1, where there is no such time; infinite for -2, where it has not ended."""
    values = np.asarray(values)
    known = np.where(values < 0, np.nan, values / _TIME_SUFFIXES[name[-3:]])
    return np.where(values == -2, np.inf, known)


def _divide_or_nan(above: Any, below: Any) -> Floats:
    above, below = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    nothing: Floats = np.full_like(above, np.nan)
    np.divide(above, below, out=nothing, where=below != 0)
    return nothing


def metric_of_whole_runs(point: Point, layout: Layout, counts: list[bytes], metric: str) -> Floats:
    """A metric of runs, with their batches taken together: by flow and run.

    For each flow, values whose mean is the metric over all of these runs (`averaged_ratios`).
    """
    parts = shape_counts(layout, counts).swapaxes(1, 2).reshape(-1, len(layout.names))
    starts = np.arange(0, len(parts), layout.batches)
    columns = add_parts(dict(zip(layout.names, parts.T, strict=True)), starts)
    scales = units_of_rows([units_of_point(point)], [len(counts) * layout.flows])
    flows = np.tile(np.arange(layout.flows), len(counts))
    values = averaged_ratios(columns, layout.family, flows, *scales, only=[metric])[metric]
    return values.reshape(len(counts), layout.flows).T


def units_of_point(point: Point) -> Floats:
    """(bits of payload in a full packet, seconds per slot, slots per packet: NaN on a path).

    One row for all flows, or a row per flow where their packets differ.
    """
    if point.family == "slot":
        seconds, bits, fragments = _native.slot(point.compiled)
        return np.array([[bits, seconds, fragments]], dtype=float)
    rows = np.array(
        [[8 * flow["payload"], np.nan, np.nan] for flow in _native.implied(point.compiled)]
    )
    if (rows[:, 0] == rows[0, 0]).all():
        return rows[:1]
    return np.repeat(rows, [int(flow["count"]) for flow in point.data["flow"]], axis=0)


def packet_lengths(points: Sequence[Point]) -> list[int]:
    """The payloads of a full packet, in bytes, that occur among points and flows of paths."""
    if not points or points[0].family == "slot":
        return []
    return sorted({flow["payload"] for point in points for flow in _native.implied(point.compiled)})


def packet_length_warning(points: Sequence[Point], metrics: Collection[str]) -> list[str]:
    """A line of warning where packets/s compare packets of different lengths."""
    lengths = packet_lengths(points) if "throughput_pps" in metrics else []
    if len(lengths) < 2:
        return []
    return [
        f"Warning: packets/s of packets with {lengths[0]} to {lengths[-1]} bytes of payload are no"
        " common measure; compare goodput_bps."
    ]


def means_of_ratios_note(engine: str, metrics: Collection[str]) -> list[str]:
    """A line on metrics that an engine averages over runs in another way than the simulation.

    It keeps the ratio of each run, and not the counts behind it.
    """
    known = (TABLE[name] for name in metrics if name in TABLE)
    ratios = [
        ratio.name for ratio in known if Quotient.parse(ratio.of.get("path", "")).divides_counts
    ]
    if not ratios:
        return []
    return [
        f"{', '.join(ratios)}: {engine} runs have the mean of each run's ratio, simulated ones the"
        " ratio of the means; the two may differ a little."
    ]


def units_of_rows(scales: Sequence[Floats], rows: Sequence[int] | NDArray[np.int64]) -> Floats:
    """The `units` of rows, one column per row; each point has `rows` rows, flows fastest."""
    if all(len(scale) == 1 for scale in scales):
        return np.repeat(np.concatenate(scales), rows, axis=0).T
    return np.concatenate(
        [np.tile(scale, (int(n) // len(scale), 1)) for scale, n in zip(scales, rows, strict=True)]
    ).T


def jain_index(shares: Floats) -> Floats:
    """Jain's index of each row: (sum x)^2 / (n sum x^2), from 1/n (one has all) to 1 (equal)."""
    return _divide_or_nan(shares.sum(axis=1) ** 2, shares.shape[1] * (shares**2).sum(axis=1))
