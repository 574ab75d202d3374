"""Where the formulas hold: each beside the simulator on a grid of links.

A grid varies three things at a round trip of 0.1 s: how many packets are lost, how many packets
the link carries per round trip (a queue of as many is before it), and how many packets are lost in
a row. For Reno through outages it is the share of time that the link is down, the same pipe, and
the mean time up. TCP is that of profile rfc, every packet acknowledged at once. Runs are as long
as the half-width `HALF_WIDTH` of the interval needs, as short runs before them estimate it, or as
`_PACKETS` packets take together, and at least `_OUTAGES` outages. Slow start ends at the window
that a formula says, so that its overshoot does not count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from airtcp.models.zoo import ZOO
from airtcp.models.zoo.model import Conditions
from airtcp.models.zoo.path import Found, conditions
from airtcp.scenario.scenario import Scenario
from airtcp.simulation.replications import simulate

if TYPE_CHECKING:
    import pandas

RTT = 0.1  # s
REPLICATIONS = 10
HALF_WIDTH = 0.02  # of the mean
_PACKETS = 3e6  # of all runs of a point at most
_PILOT = 1e5  # of all short runs of a point, as the formula has it
_LEAST = 30.0  # s
_OUTAGES = 15  # of a run at least, in the mean
_WARMUP = 0.1  # of a run


@dataclass(frozen=True)
class Axis:
    """What varies: its name as a column, what it is called, its values."""

    name: str
    label: str
    values: Sequence[float]


PIPE = Axis("pipe", "rate x round trip (packets)", (10, 30, 100, 300, 1000))
LOSSES = (
    Axis("loss_rate", "loss rate", (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)),
    PIPE,
    Axis("burst", "lost in a row", (1, 1.25, 1.5, 2, 4, 8)),
)
SMALL_PIPE = Axis(PIPE.name, PIPE.label, (5, 10, 20, 50, 100))  # outages are seldom
OUTAGES = (
    Axis("down_share", "share of time down", (0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7)),
    SMALL_PIPE,
    Axis("up", "mean time up (s)", (1, 2, 5, 10, 30, 100)),
)


@dataclass(frozen=True)
class Sort:
    """Models that are compared with the same runs."""

    models: tuple[str, ...]
    variants: tuple[str, ...]
    growth: str
    axes: tuple[Axis, Axis, Axis]

    @cached_property
    def links(self) -> list[tuple[float, float, float]]:
        """The grid."""
        first, second, third = (axis.values for axis in self.axes)
        return list(product(first, second, third))

    def hop(self, x: float, pipe: float, z: float) -> dict[str, Any]:
        """The link of a point of the grid."""
        rate = pipe * _BITS / RTT
        hop = {"rate": f"{rate:g}bps", "delay": f"{RTT / 2.0}s", "queue": max(int(pipe), 10)}
        if self.axes is OUTAGES:
            down = z * x / (1.0 - x)
            return {**hop, "gate": {"kind": "on-off", "up": f"{z}s", "down": f"{down!r}s"}}
        channel: dict[str, Any] = {"kind": "iid", "loss_rate": x}
        if z > 1.0:
            channel = {"kind": "burst", "loss_rate": x, "mean_burst": z, "clock": "packet"}
        return {**hop, "channel": channel}


_BITS = 1500 * 8
SORTS = (
    Sort(("mathis", "pftk", "pftk-approximate"), ("reno", "sack"), "reno", LOSSES),
    Sort(("rfc9438", "cubic-chain"), ("sack",), "cubic", LOSSES),
    Sort(("outages",), ("sack",), "reno", OUTAGES),
)


def validity(
    every: int = 1, advance: Callable[[int], object] = lambda _: None, seed: int = 1
) -> pandas.DataFrame:
    """Each formula beside the simulator at every point of its grid, or at `every` so-manyth.

    Columns: `model`, `variant`, the axes (those of the other kind of grid are NaN), `simulation`
    with its 95 % interval `low`, `high` and `runs` runs of `seconds`, all but the first tenth of
    each counted; `answer`, both in packets/s; `error_percent` of it; `load`, the simulation by
    what the link carries; `note`, why there is no answer. `advance` is told of points.
    """
    import pandas  # noqa: PLC0415  (slow to import)

    rows = [row for sort in SORTS for row in _rows(sort, every, advance, seed)]
    return pandas.DataFrame(rows)


def points(every: int = 1) -> int:
    """How many points `validity` simulates."""
    return sum(len(sort.links[::every]) * len(sort.variants) for sort in SORTS)


def _rows(
    sort: Sort, every: int, advance: Callable[[int], object], seed: int
) -> Iterator[dict[str, Any]]:
    names = [axis.name for axis in sort.axes]
    for variant, (place, link) in product(sort.variants, list(enumerate(sort.links))[::every]):
        found, at = _simulated(sort, variant, link, seed + place)
        advance(1)
        for name in sort.models:
            where = dict(zip(names, link, strict=True))
            beside = _beside(name, at, found["simulation"])
            yield {"model": name, "variant": variant, **where, **found, **beside}


def _simulated(
    sort: Sort, variant: str, link: tuple[float, float, float], seed: int
) -> tuple[dict[str, Any], Conditions]:
    """The simulator's answer at a point of a grid, and the point for the formulas."""
    tcp = {"variant": variant, "growth": sort.growth, "window": 10_000, "delayed_ack": "0s"}
    scenario = Scenario.from_dict(
        {"profile": "rfc", "tcp": tcp, "path": {"hop": [sort.hop(*link)]}}
    )
    found = conditions(scenario.points()[0])
    assert isinstance(found, Found), found
    at = found.conditions
    guess = min(ZOO[sort.models[-1]].answer(at), at.capacity)
    scenario = scenario.replace("tcp.ssthresh", max(2, round(guess * RTT)))
    least = max(_LEAST, _OUTAGES * (at.up + at.down) if at.down > 0.0 else 0.0)
    short = max(least, _PILOT / guess / REPLICATIONS)
    seconds, row = short, _runs(scenario, short, seed)
    if (wanted := max(least, _seconds(short, row))) > short:
        seconds, row = wanted, _runs(scenario, wanted, seed)
    said = {
        "simulation": row["throughput_pps"],
        "low": row["throughput_pps_low"],
        "high": row["throughput_pps_high"],
        "runs": REPLICATIONS,
        "seconds": seconds,
        "load": row["throughput_pps"] / at.capacity,
    }
    return said, at


def _runs(scenario: Scenario, seconds: float, seed: int) -> Any:
    """The summary of runs of so many seconds, without their beginnings."""
    stop = {"stop.time": f"{seconds!r}s", "stop.warmup": f"{_WARMUP * seconds!r}s"}
    runs = simulate(scenario.replace(stop), seed=seed, replications=REPLICATIONS)
    return runs.summary().iloc[0]


def _seconds(short: float, pilot: Any) -> float:
    """Of a run, so that the interval is narrow enough, and not too many packets are sent."""
    mean, high = pilot["throughput_pps"], pilot["throughput_pps_high"]
    if mean == 0.0:
        return 10.0 * short
    wanted = short * ((high / mean - 1.0) / HALF_WIDTH) ** 2
    return float(math.ceil(max(_LEAST, min(wanted, _PACKETS / mean / REPLICATIONS))))


def _beside(name: str, at: Conditions, simulation: float) -> dict[str, Any]:
    """What a model answers, and how far off that is."""
    covered = ZOO[name].covers(at)
    if isinstance(covered, str):
        return {"answer": math.nan, "error_percent": math.nan, "note": covered}
    answer = ZOO[name].answer(at)
    return {
        "answer": answer,
        "error_percent": 100.0 * (answer / simulation - 1.0),
        "note": "",
    }
