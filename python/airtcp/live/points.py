"""The TCP that sends live at a point, and its congestion control; or why none can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airtcp.metrics.layout import flows_of, has_transfers
from airtcp.metrics.layout import tcp_of as transport_of
from airtcp.support.units import base_units_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point

KERNEL_VARIANTS = ("newreno", "sack")  # the kernel's loss recovery without and with SACK
DRAFT_VARIANTS = ("bbr3", "ledbat++")  # congestion controls that no kernel has


def value_for_live(data: Mapping[str, Any], key: str) -> str | None:
    """The value of a key that a point sets for live runs only."""
    value = (data.get("live") or {}).get(key)
    return None if value is None else str(value)


def stack_of(data: Mapping[str, Any], stack: str) -> str:
    """The TCP that answers for a point: the one that the point names, else `stack`.

    "auto" chooses the kernel's where it has the variant.
    """
    if named_stack := value_for_live(data, "stack"):
        return named_stack
    if stack != "auto":
        return stack
    return "kernel" if not reason_against_kernel(data) else "airtcp"


def reason_against_kernel(data: Mapping[str, Any]) -> str:
    """The reason why the kernel's TCP cannot answer for a point; empty if it can."""
    if data["profile"] == "linux":
        return reason_without_control(live_congestion_of(data))
    variant = str(transport_of(data)["variant"])
    return "" if variant in KERNEL_VARIANTS else f"the kernel has no {variant}"


def reason_without_control(name: str) -> str:
    """The reason why the kernel has no congestion control of this name; empty if it may have it."""
    return f"the kernel has no {name}, which is only a draft" if name in DRAFT_VARIANTS else ""


def reason_against_own_stack(data: Mapping[str, Any]) -> str:
    """The reason why our own TCP cannot answer; empty if it can.

    It has the simulator's congestion control, whatever the kernel's is to be.
    """
    asked, own = value_for_live(data, "congestion"), control_of(data)
    if asked is None or asked == own:
        return ""
    return f"live.congestion {asked} is the kernel's, but our own TCP uses tcp.congestion {own}"


def control_of(data: Mapping[str, Any]) -> str:
    """Name of the congestion control that the simulation has at a point."""
    control = transport_of(data).get("congestion", "reno")
    return str(control["kind"] if isinstance(control, Mapping) else control)


def live_congestion_of(data: Mapping[str, Any]) -> str:
    """Name of the congestion control that live runs have at a point."""
    return value_for_live(data, "congestion") or control_of(data)


def reason_not_comparable(data: Mapping[str, Any], tcp: str = "kernel") -> str:
    """The reason why live runs over `tcp` answer another question than the simulation, or "".

    With such a reason the two say nothing about the agreement of the engines.
    """
    live, simulated = live_congestion_of(data), control_of(data)
    if live != simulated:
        return f"live under {live}, simulated under {simulated}"
    is_sized = any("size" in flow for flow in data.get("flow", []))
    if (tcp != "kernel" or is_sized) and base_units_of(data["stop"].get("warmup", "0s")):
        whose = "a transfer of a given size" if is_sized else "our own TCP"
        return f"stop.warmup: live, {whose} counts from its start"
    return ""


def live_tcp_of(point: Point, stack: str) -> str:
    """The TCP that answers for a point, as in `stack_of`."""
    return stack_of(point.data, stack)


def reason_without_live_run(point: Point, stack: str) -> str:
    """The reason why no TCP can answer for a point; empty if one can."""
    if flows_of(point) != 1:
        return "a live transfer has a single flow"
    if has_transfers(point):
        return "a live run makes one transfer, but the flow has many (flow.sizes or flow.video)"
    if not _is_end_to_end(point):
        return "a live transfer goes from end to end, without access delay"
    why_not = (
        reason_against_kernel if live_tcp_of(point, stack) == "kernel" else reason_against_own_stack
    )
    return why_not(point.data)


def _is_end_to_end(point: Point) -> bool:
    """True if only hops, crossed forward, lie on the way of the only flow."""
    (flow,) = point.data.get("flow", [{}])
    return not {"sender", "receiver", "access_delay"} & flow.keys()
