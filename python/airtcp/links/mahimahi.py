"""Traces of Mahimahi: a line per opportunity to deliver 1504 bytes, in whole milliseconds.

A trace is repeated after its end. A trace that is read becomes a hop with these opportunities
(`path.hop.opportunities`), and writing that hop gives the same trace. For a hop with a rate, or
with rates that change, the trace has the times at which the hop completes 1504 bytes while its gate
lets packets through.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import InputError, refusal, whole_number
from airtcp.links.rates import rate_steps
from airtcp.scenario.tables import read_trace
from airtcp.support.files import file_name, name_in_write_errors

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point

__all__ = ["hop_of", "opportunities", "read_trace", "write_trace"]
BYTES = 1504  # PACKET_SIZE in Mahimahi's link_queue.cc, with the header of its tunnel
NS_PER_SECOND = 1_000_000_000


def opportunities(point: Point, seconds: float, *, seed: int = 1, hop: int = 0) -> list[int]:
    """The milliseconds at which hop number `hop` could deliver 1504 bytes, over `seconds`.

    The opportunities of a trace are repeated as often as needed. The outages of a gate are those of
    replication 0 under `seed`. Raises `InputError`.
    """
    if point.family != "path":
        raise InputError(
            f"profile {point.data['profile']}: has slots, but no path; give a scenario with a path"
        )
    if not 0 < seconds <= 1e6:
        raise refusal("seconds", seconds, "a number above 0, at most 1e6")
    hops = point.data["path"]["hop"]
    chosen = hops[whole_number("hop", hop, 0, len(hops) - 1)]
    if chosen.get("trains"):
        raise InputError(f"path.hop[{hop}].trains: Mahimahi has no trains over an idle link")
    if trace := chosen.get("opportunities"):
        return _repeated(trace, round(1000 * seconds))
    end = int(seconds * NS_PER_SECOND)
    steps = rate_steps(chosen, end=end, seed=seed, hop_number=hop)
    down = _outages(chosen.get("gate"), seed, hop, end)
    times = map(int, _delivery_times(steps, end))
    up = (time for time in times if not any(start <= time < end for start, end in down))
    return [max(1, time // 1_000_000) for time in up]


def _delivery_times(steps: list[tuple[int, float]], end: int) -> Iterator[float]:
    """Times (ns) at which 1504 bytes have been sent, again and again; `steps`: start and rate."""
    left = 8.0 * BYTES * NS_PER_SECOND
    for (at, rate), (until, _) in pairwise([*steps, (end, 0.0)]):
        now = float(at)
        while rate > 0 and now + left / rate <= until:
            now += left / rate
            left = 8.0 * BYTES * NS_PER_SECOND
            yield now
        left -= (until - now) * rate


def _repeated(trace: list[int], end: int) -> list[int]:
    passes = range(0, end, trace[-1])
    return [start + time for start in passes for time in trace if start + time <= end]


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
        raise InputError("times: is empty; a trace needs at least one opportunity")
    target = file_name("path", path)
    with name_in_write_errors(target):
        target.write_text("".join(f"{time}\n" for time in times), encoding="ascii")
    return target


def hop_of(times: list[int], delay: str) -> dict[str, Any]:
    """A hop with these opportunities, and their mean rate. Raises `InputError`."""
    if not times or times[-1] <= 0:
        raise InputError("times: a trace needs at least one opportunity after 0 ms")
    rate = f"{8 * BYTES * len(times) / (times[-1] / 1000):.6f}bps"
    return {"rate": rate, "delay": delay, "opportunities": list(times)}
