"""The main metrics of a scenario, chosen by what its flows carry.

Page load times, stalls of a video and the opinion of a call are what its user sees; goodput and
delay of packets are means to these ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from airtcp.metrics.table import DEFAULT_METRICS
from airtcp.metrics.voice import is_call

TRANSFER_METRICS = ("completion_median", "completion_p95", "unfinished_share")
VIDEO_METRICS = ("rebuffering", "video_bitrate", "startup_delay")
CALL_METRICS = ("voice_mos", "delay_median")
_BULK_KIND, _TRANSFERS_KIND, _VIDEO_KIND, _ONE_TRANSFER_KIND = (
    "bulk",
    "transfers",
    "video",
    "one transfer",
)
FLOWS_WITH_METRICS = (_VIDEO_KIND, _TRANSFERS_KIND)  # flows that have metrics of their own
FLOW_KIND_WORDS = {  # by their kind, in a sentence
    _BULK_KIND: "bulk flows",
    _ONE_TRANSFER_KIND: "flows of one transfer",
    _TRANSFERS_KIND: "flows of many transfers",
    _VIDEO_KIND: "videos",
}
Data = Mapping[str, Any]


def main_metrics(data: Iterable[Data]) -> tuple[str, ...]:
    """Metrics of the flows of points that carry a video or many transfers; empty for bulk flows."""
    kinds = {kind for point in data for kind in kinds_of_flows(point)}
    video = VIDEO_METRICS if _VIDEO_KIND in kinds else ()
    return (*video, *(TRANSFER_METRICS if _TRANSFERS_KIND in kinds else ()))


def kinds_of_flows(point: Data) -> list[str]:
    """A word for what each flow of a point carries: "bulk", "transfers", "video"."""
    flows = point.get("flow", [])
    return [_flow_kind(flow) for flow in flows for _ in range(int(flow.get("count", 1)))]


def _flow_kind(flow: Data) -> str:
    if "video" in flow:
        return _VIDEO_KIND
    if "sizes" in flow:
        return _TRANSFERS_KIND
    return _ONE_TRANSFER_KIND if "packets" in flow or "size" in flow else _BULK_KIND


def usual_metrics(kind: str, data: Iterable[Data]) -> tuple[str, ...]:
    """The metrics of a kind that tables show where nobody chooses: those in question come first."""
    points = list(data)
    first: tuple[str, ...] = ()
    if kind == "path":
        first = main_metrics(points)
    elif kind == "traffic" and has_calls(points):
        first = CALL_METRICS
    return tuple(dict.fromkeys((*first, *DEFAULT_METRICS[kind])))


def has_calls(data: Iterable[Data]) -> bool:
    """True if there is a call among the cross-traffic of points."""
    return any(is_call(source) for point in data for source in point.get("traffic", []))
