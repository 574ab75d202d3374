"""Traces of Mahimahi: a line per opportunity to deliver 1504 bytes, in whole milliseconds.

A trace is repeated from its end on. Written are the opportunities of a hop: those of its rate,
while its gate lets packets through. Read is a hop that has the same mean rate while it is up, and
is down where the trace has a gap; rates that vary otherwise are averaged.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp._files import file_name, writing
from airtcp._units import number_of
from airtcp.errors import InputError, refusal, unusable, whole_number

if TYPE_CHECKING:
    from airtcp.scenario import Point

BYTES = 1504  # PACKET_SIZE in Mahimahi's link_queue.cc, with the header of its tunnel
SECOND = 1_000_000_000


def opportunities(point: Point, seconds: float, *, seed: int = 1, hop: int = 0) -> list[int]:
    """The milliseconds at which hop number `hop` could deliver 1504 bytes, over `seconds`.

    The outages are those of replication 0 under `seed`. Raises `InputError`.
    """
    if point.family != "path":
        raise InputError(f"profile {point.data['profile']}: has slots, and no path")
    if not 0 < seconds <= 1e6:
        raise refusal("seconds", seconds, "a number above 0, at most 1e6")
    hops = point.data["path"]["hop"]
    chosen = hops[whole_number("hop", hop, 0, len(hops) - 1)]
    each = 8 * BYTES * SECOND / float(number_of(chosen["rate"]))
    down = _outages(chosen.get("gate"), seed, hop, int(seconds * SECOND))
    times = (int(each * number) for number in range(1, math.floor(seconds * SECOND / each) + 1))
    up = (time for time in times if not any(start <= time < end for start, end in down))
    return [max(1, time // 1_000_000) for time in up]


def _outages(gate: Any, seed: int, hop: int, end: int) -> list[tuple[int, int]]:
    if gate is None:
        return []
    known, text = 64, json.dumps(gate)
    while True:
        found = _native.outages(text, seed, f"hop{hop}/gate", 0, known)
        if len(found) < known or found[-1][0] > end:
            return found
        known *= 2


def write_trace(times: list[int], path: str | Path) -> Path:
    """Write opportunities as a trace of Mahimahi. Raises `InputError`."""
    if not times:
        raise InputError("times: a trace has one opportunity at least")
    target = file_name("path", path)
    with writing(target):
        target.write_text("".join(f"{time}\n" for time in times), encoding="ascii")
    return target


def read_trace(path: str | Path) -> list[int]:
    """The opportunities in a trace of Mahimahi, in ms. Raises `InputError`."""
    source = file_name("path", path)
    try:
        lines = source.read_text(encoding="ascii").split()
    except OSError as error:
        raise unusable(source, error) from None
    except UnicodeDecodeError:
        raise InputError(f"{source}: is not a trace: a whole number per line") from None
    times = [int(line) if line.isdigit() and len(line) < 16 else -1 for line in lines]
    if not times or min(times) < 0 or times != sorted(times) or times[-1] == 0:
        raise InputError(f"{source}: is not a trace: whole numbers that never fall, one per line")
    return times


def hop_of(times: list[int], delay: str, *, gap: int = 100) -> dict[str, Any]:
    """A hop with the mean rate of a trace while it is up, down in gaps of `gap` ms or more.

    The gaps are those of the first pass through the trace.
    """
    gap = whole_number("gap", gap, 2, 10**9)
    pairs = list(zip([0, *times], times, strict=False))
    outages = [(start, end) for start, end in pairs if end - start >= gap]
    up = times[-1] - sum(end - start for start, end in outages)
    if up <= 0:
        raise InputError(f"gap = {gap}: the trace is never up")
    hop = {"rate": f"{8 * BYTES * len(times) / (up / 1000):.6f}bps", "delay": delay}
    if not outages:
        return hop
    toggles = [f"{time}ms" for outage in outages for time in outage]
    return hop | {"gate": {"kind": "schedule", "toggles": toggles, "loses": "nothing"}}
