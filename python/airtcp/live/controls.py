"""Congestion controls of the kernel."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.errors import InputError, nearest_name_error
from airtcp.live.points import stack_of, value_for_live

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point

AVAILABLE_SYSCTL = "net.ipv4.tcp_available_congestion_control"
TCP_CONGESTION = 13  # linux/tcp.h, TCP_CONGESTION


def refuse_unknown(points: Iterable[Point], stack: str) -> None:
    """Refuse a control that a point names and the kernel lacks, if it is to run. `InputError`."""
    asked = dict.fromkeys(
        name
        for point in points
        if (name := value_for_live(point.data, "congestion"))
        and stack_of(point.data, stack) == "kernel"
    )
    for name in asked:
        refuse_if_unknown("live.congestion", name)


def refuse_if_unknown(field: str, name: str) -> None:
    """Raise `InputError` if the kernel lacks this control."""
    if not has_control(name):
        known = available_controls()
        allowed = f"one that this kernel has: {', '.join(known)} ({AVAILABLE_SYSCTL})"
        raise nearest_name_error(field, name, allowed, known)


def has_control(name: str) -> bool:
    """True if the kernel has this control or can load it, which only an attempt to set it shows.

    A run finds out if the kernel offers it to this user.
    """
    if sys.platform != "linux":
        return True  # nothing is live there, which the run says
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, name.encode())
        except OSError as error:
            return error.errno != errno.ENOENT
    return True


def available_controls() -> tuple[str, ...]:
    """The controls that the kernel lists."""
    try:
        text = Path("/proc/sys", *AVAILABLE_SYSCTL.split(".")).read_text(encoding="ascii")
    except OSError as error:
        raise InputError(f"{AVAILABLE_SYSCTL}: cannot be read: {error.strerror}") from None
    return tuple(sorted(text.split()))
