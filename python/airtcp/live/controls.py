"""Whose TCP sends at a point, under which congestion control, and whether the kernel has that."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.errors import InputError, nearest
from airtcp.metrics.layout import tcp_of as transport_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point

KERNEL_VARIANTS = ("newreno", "sack")  # the kernel's loss recovery without and with SACK
AVAILABLE = "net.ipv4.tcp_available_congestion_control"
CONGESTION = 13  # linux/tcp.h, TCP_CONGESTION


def said_to_live(data: Mapping[str, Any], key: str) -> str | None:
    """What a point says to live runs only."""
    found = (data.get("live") or {}).get(key)
    return None if found is None else str(found)


def stack_of(data: Mapping[str, Any], stack: str) -> str:
    """Whose TCP answers for a point: what it says itself, else `stack`.

    "auto" is the kernel's where it has the variant.
    """
    if said := said_to_live(data, "stack"):
        return said
    if stack != "auto":
        return stack
    return "kernel" if not why_not_kernel(data) else "airtcp"


def why_not_kernel(data: Mapping[str, Any]) -> str:
    """Why the kernel's TCP cannot answer for a point; empty if it can."""
    variant = str(transport_of(data)["variant"])
    return "" if variant in KERNEL_VARIANTS else f"the kernel has no {variant}"


def why_not_own(data: Mapping[str, Any]) -> str:
    """Why our own TCP cannot: it has the simulator's control, whatever the kernel's is to be."""
    asked, own = said_to_live(data, "congestion"), growth_of(data)
    if asked is None or asked == own:
        return ""
    return f"live.congestion {asked} is the kernel's, and our own TCP has tcp.growth {own}"


def growth_of(data: Mapping[str, Any]) -> str:
    """The congestion control that the simulation has at a point, by its name."""
    growth = transport_of(data).get("growth") or "reno"
    return str(growth["kind"] if isinstance(growth, Mapping) else growth)


def congestion_of(data: Mapping[str, Any]) -> str:
    """The one that live runs have."""
    return said_to_live(data, "congestion") or growth_of(data)


def why_unlike(data: Mapping[str, Any]) -> str:
    """Why live runs of a point answer another question than its simulation; empty if they do not.

    The two are then no statement about whether the engines agree.
    """
    live, simulated = congestion_of(data), growth_of(data)
    return "" if live == simulated else f"live under {live}, simulated under {simulated}"


def refuse_unknown(points: Iterable[Point], stack: str) -> None:
    """`InputError` if the kernel has not a control that a point names and the kernel is to run."""
    asked = dict.fromkeys(
        name
        for point in points
        if (name := said_to_live(point.data, "congestion"))
        and stack_of(point.data, stack) == "kernel"
    )
    for name in asked:
        if not has(name):
            known = available()
            allowed = f"one that this kernel has: {', '.join(known)} ({AVAILABLE})"
            raise nearest("live.congestion", name, allowed, known)


def has(name: str) -> bool:
    """Whether the kernel has this control, or can load it: only setting it tells.

    Whether it offers it to this user, a run says.
    """
    if sys.platform != "linux":
        return True  # nothing is live there, which the run says
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, CONGESTION, name.encode())
        except OSError as error:
            return error.errno != errno.ENOENT
    return True


def available() -> tuple[str, ...]:
    """What the kernel says that it has."""
    try:
        text = Path("/proc/sys", *AVAILABLE.split(".")).read_text(encoding="ascii")
    except OSError as error:
        raise InputError(f"{AVAILABLE}: cannot be read: {error.strerror}") from None
    return tuple(sorted(text.split()))
