"""The main metrics of a scenario, chosen by what its flows carry.

Page load times, stalls of a video and the opinion of a call are what its user sees; goodput and
delay of packets are means to these ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from airtcp.metrics.table import DEFAULT
from airtcp.metrics.voice import is_call

TRANSFER_METRICS = ("completion_median", "completion_p95", "unfinished_share")
VIDEO_METRICS = ("rebuffering", "video_bitrate", "startup_delay")
CALL_METRICS = ("voice_mos", "delay_median")
_BULK, _MANY, _VIDEO, _ONE = "bulk", "transfers", "video", "one transfer"
FLOWS_WITH_METRICS = (_VIDEO, _MANY)  # flows that have metrics of their own
FLOWS = {  # by their kind, in a sentence
    _BULK: "bulk flows",
    _ONE: "flows of one transfer",
    _MANY: "flows of many transfers",
    _VIDEO: "videos",
}
Data = Mapping[str, Any]


def question_of(data: Iterable[Data]) -> tuple[str, ...]:
    """Metrics of the flows of points that carry a video or many transfers; none of bulk flows."""
    kinds = {kind for point in data for kind in kinds_of_flows(point)}
    video = VIDEO_METRICS if _VIDEO in kinds else ()
    return (*video, *(TRANSFER_METRICS if _MANY in kinds else ()))


def kinds_of_flows(point: Data) -> list[str]:
    """A word for what each flow of a point carries: "bulk", "transfers", "video"."""
    flows = point.get("flow", [])
    return [_kind(flow) for flow in flows for _ in range(int(flow.get("count", 1)))]


def _kind(flow: Data) -> str:
    if "video" in flow:
        return _VIDEO
    if "sizes" in flow:
        return _MANY
    return _ONE if "packets" in flow or "size" in flow else _BULK


def usual_metrics(kind: str, data: Iterable[Data]) -> tuple[str, ...]:
    """The metrics of a kind that tables show where nobody chooses: those in question come first."""
    points = list(data)
    first: tuple[str, ...] = ()
    if kind == "path":
        first = question_of(points)
    elif kind == "traffic" and has_calls(points):
        first = CALL_METRICS
    return tuple(dict.fromkeys((*first, *DEFAULT[kind])))


def has_calls(data: Iterable[Data]) -> bool:
    """True if there is a call among the cross-traffic of points."""
    return any(is_call(source) for point in data for source in point.get("traffic", []))
