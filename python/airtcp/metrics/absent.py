"""Reasons for which a scenario lacks a metric, or a value of one; and the nearest metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from airtcp.errors import (
    InputError,
    RenamedMetric,
    nearest_name,
    quote_value,
    unknown_name,
    warn_renamed,
)
from airtcp.metrics.layout import flows_that_end
from airtcp.metrics.table import KIND_WORDS, RENAMED_METRICS, SIZES, TABLE, VIDEO_ENTRIES

_RECORD_HINTS = {"links": "--links counts it", "traffic": "--links counts it"}
_NEAREST_METRICS = {  # the beginning of a name -> what comes nearest where there is no such thing
    "completion": "transfer_time",
    "transfers": "transfer_time",
    "ll_": "transmissions_per_delivery",
}

_REASONS_WITHOUT_VALUE = {
    "channel_lost_share": "no packet has met a chain on the slot clock",
    "channel_asked_share": "no packet has met a chain on the slot clock",
    "startup_delay": "no video began to play in the time that counts (after stop.warmup)",
    "video_bitrate": "no chunk has come",
    "rebuffering": "no video has played",
}


def present_name(name: object) -> object:
    """The present name of a metric; a warning if `name` is that of an earlier version."""
    now = RENAMED_METRICS.get(name) if isinstance(name, str) else None
    if now is None:
        return name
    message = f"the metric {name!r} is now called {now!r}; use {now!r}"
    warn_renamed(message, RenamedMetric)
    return now


def check_metric(
    field: str, given: object, family: str, known: Collection[str], links: bool = False
) -> str:
    """The present name of a metric.

    Raises `InputError` unless it is one of `known`, the metrics of a scenario of `family`. The line
    says why a metric that exists elsewhere is missing here, and which one is nearest. `links`: true
    if `known` has the metrics of links and cross-traffic.
    """
    name = present_name(given)
    if isinstance(name, str) and name in known:
        return name
    if not isinstance(name, str) or name not in TABLE:
        raise unknown_name(field, name, known)
    near = nearest_metric(name, known)
    instead = f"; nearest here: {near!r}" if near else ""
    raise InputError(
        f"{field} = {quote_value(name)}: {_reason_without_metric(name, family, links)}{instead}"
    )


def _reason_without_metric(name: str, family: str, links: bool) -> str:
    """The reason why a scenario does not have a metric."""
    of = TABLE[name].of
    if family not in of:
        kind = next(iter(of), "")
        if links and kind == "traffic":
            return f"is a metric of {_kind_words(kind)}, but the scenario has none ([[traffic]])"
        hint = f" ({_RECORD_HINTS[kind]})" if kind in _RECORD_HINTS and family == "path" else ""
        place_words = "flows" if kind in _RECORD_HINTS else "a scenario " + KIND_WORDS[family]
        return f"is a metric of {_kind_words(kind)}{hint}, not of {place_words}"
    if name.startswith(("completion", "transfers")):
        return "needs a flow of many transfers (flow.arrivals, flow.think), and no flow is one"
    if name in {metric.name for metric in VIDEO_ENTRIES}:
        return "needs a video (flow.video), and no flow is one"
    if name.startswith("ll_") or name == "in_order_throughput":
        return "needs a link layer that retransmits (arq), and there is none"
    return "cannot be computed from the counts of this scenario"


def _kind_words(kind: str) -> str:
    """Words for a kind; without a kind, only runs that an engine measures have the metric."""
    words = {"traffic": "cross-traffic", "": "runs that an engine measures"}
    return words.get(kind) or KIND_WORDS[kind].replace("on ", "scenarios on ", 1)


def nearest_metric(name: str, known: Collection[str]) -> str:
    """The metric among `known` that comes closest to another one; empty if none does."""
    for start, near in _NEAREST_METRICS.items():
        if name.startswith(start) and near in known:
            return near
    return nearest_name(name, known)


def reason_without_values(name: str, data: Mapping[str, Any]) -> str:
    """The reason why simulated runs of a point have a metric but no value of it."""
    for size, words in SIZES.items():
        if name.startswith(f"completion_{size}"):
            return f"no transfer of {words} was completed"
    if name.startswith("completion"):
        return "no transfer was completed"
    if name in _REASONS_WITHOUT_VALUE:
        return _REASONS_WITHOUT_VALUE[name]
    if name == "transfer_time":
        ends = any(flows_that_end(data)) or any(
            "milestone" in flow for flow in data.get("flow", [])
        )
        if ends:
            return "some flow did not reach its end or milestone in the time of the run"
        return "no flow ends (flow.packets, flow.size) or has a milestone (flow.milestone)"
    return "the runs have nothing to divide by"
