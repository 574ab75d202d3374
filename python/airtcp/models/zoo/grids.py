"""The grids of links on which the formulas are compared with the simulator.

A grid is a union of full products (`designs`): loss rate, rate and runs of losses at one round
trip, say, and loss rate and rate at several round trips, with and without delayed ACKs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from airtcp.models.zoo.grid_links import (
    Link,
    link_with_arq,
    link_with_outages,
    link_with_spikes,
    lossy_link,
    lossy_link_of_linux,
    slotted_link,
)

Design = Mapping[str, Sequence[float]]
Part = tuple[str, Link]  # of a map: what it is called, and which points belong to it

_RTTS = (0.02, 0.1, 0.5)
_ACK_DELAYS = (0.0, 0.1)  # s: every packet acknowledged at once; as the profile has it


@dataclass(frozen=True, kw_only=True)
class ValidityGrid:
    """Models that are compared with the same runs.

    - `document`: the hop and the TCP of a link of the grid;
    - `x`, `y`: the axes of a map, names of columns with their labels; `columns`: its panels side by
      side; `rows`: its panels one above the other, for every variant;
    - `box`: the coordinates of a range (`model.coordinate`) with the ends that it may have;
    - `words`: a description of the grid, for its page;
    - `profile`: profile of the TCP; with "linux", `variants` are congestion controls; `seconds`:
      least length of a run.
    """

    name: str
    models: tuple[str, ...]
    variants: tuple[str, ...]
    designs: tuple[Design, ...]
    growth: str = "reno"
    profile: str = "rfc"
    seconds: float = 20.0
    document: Callable[[Link], tuple[dict[str, Any], dict[str, Any]]]
    x: tuple[str, str]
    y: tuple[str, str]
    columns: tuple[Part, ...]
    rows: tuple[Part, ...] = (("", {}),)
    box: Design = field(default_factory=dict)
    words: str = ""

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The names of the coordinates that vary."""
        return tuple(self.designs[0])

    @cached_property
    def links(self) -> list[dict[str, float]]:
        """The grid, each link once."""
        links_found: dict[tuple[float, ...], dict[str, float]] = {}
        for design in self.designs:
            for values in product(*design.values()):
                links_found.setdefault(values, dict(zip(design, values, strict=True)))
        return list(links_found.values())


def _rows(key: str, values: Sequence[float], words: str) -> list[Part]:
    return [(words.format(value), {key: value}) for value in values]


def _round_trip_panels(more: Link) -> tuple[Part, ...]:
    """Panels for round trips and delayed ACKs."""
    ack_words = {0.0: "each ACKed", 0.1: "delayed ACKs"}
    return tuple(
        (f"RTT {rtt:g} s\n{ack_words[ack]}", {**more, "rtt": rtt, "delayed_ack": ack})
        for ack, rtt in product(_ACK_DELAYS, _RTTS)
    )


_RATES = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)
_PIPES = (10, 30, 100, 1000)
_CLUSTERINGS = (1.0, 1.5, 3.0, 8.0)
_LOSSES: dict[str, Any] = {
    "designs": (
        {
            "loss_rate": _RATES,
            "pipe": _PIPES,
            "clustering": _CLUSTERINGS,
            "rtt": (0.1,),
            "delayed_ack": (0.0,),
        },
        {
            "loss_rate": _RATES,
            "pipe": _PIPES,
            "clustering": (1.0,),
            "rtt": _RTTS,
            "delayed_ack": _ACK_DELAYS,
        },
    ),
    "document": lossy_link,
    "x": ("loss_rate", "loss rate"),
    "y": ("pipe", "rate x RTT (packets)"),
    "columns": (
        *_round_trip_panels({"clustering": 1.0}),
        *(
            (f"RTT 0.1 s\nruns x {value:g}", {"clustering": value, "rtt": 0.1, "delayed_ack": 0.0})
            for value in _CLUSTERINGS[1:]
        ),
    ),
    "box": {
        "loss_rate": _RATES,
        "clustering": _CLUSTERINGS,
        "rtt": _RTTS,
        "delayed_ack": _ACK_DELAYS,
        "load": (0.0, 0.25, 0.5, 0.75, 1.0),
    },
    "words": "loss rates of 1e-4 to 0.1 and links of 10 to 1000 packets per round trip: independent"
    " losses at round trips of 0.02, 0.1 and 0.5 s, with every packet acknowledged at once and with"
    " ACKs delayed by up to 0.1 s; and losses in runs 1.5, 3 and 8 times as long at 0.1 s",
}
RENO = ValidityGrid(
    name="reno",
    models=("mathis", "pftk", "pftk-approximate"),
    variants=("reno", "sack"),
    **_LOSSES,
)
CUBIC = ValidityGrid(
    name="cubic", growth="cubic", models=("rfc9438", "cubic-chain"), variants=("sack",), **_LOSSES
)

_BBR_LOSS_RATES = (1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)
_LINUX_CLUSTERINGS, _LINUX_PIPES = (1.0, 1.5, 3.0), (10, 30, 100, 300)
BBR = ValidityGrid(
    name="bbr",
    profile="linux",
    growth="bbr",
    models=("bbr",),
    variants=("bbr",),
    seconds=100.0,  # some nine times PROBE_RTT
    designs=(
        {
            "loss_rate": _BBR_LOSS_RATES,
            "pipe": _LINUX_PIPES,
            "clustering": _LINUX_CLUSTERINGS,
            "rtt": _RTTS,
        },
    ),
    document=lossy_link_of_linux,
    x=("loss_rate", "loss rate"),
    y=("pipe", "rate x RTT (packets)"),
    columns=tuple(
        (f"RTT {rtt:g} s\nruns x {run:g}", {"rtt": rtt, "clustering": run})
        for run, rtt in product(_LINUX_CLUSTERINGS, _RTTS)
    ),
    box={
        "loss_rate": _BBR_LOSS_RATES,
        "clustering": _LINUX_CLUSTERINGS,
        "rtt": _RTTS,
        "pipe": _LINUX_PIPES,
    },
    words="loss rates of 1e-4 to 0.1, links of 10 to 300 packets per round trip and round trips of"
    " 0.02, 0.1 and 0.5 s, with losses independent and in runs 1.5 and 3 times as long; profile"
    " `linux`, whose timeout is the round trip and 0.2 s; runs of 100 s at least",
)

_LINUX_PROFILE: dict[str, Any] = {
    "profile": "linux",
    "designs": (
        {
            "loss_rate": _RATES,
            "pipe": _LINUX_PIPES,
            "clustering": _LINUX_CLUSTERINGS,
            "rtt": (0.1,),
        },
        {"loss_rate": _RATES, "pipe": _LINUX_PIPES, "clustering": (1.0,), "rtt": _RTTS},
    ),
    "document": lossy_link_of_linux,
    "x": ("loss_rate", "loss rate"),
    "y": ("pipe", "rate x RTT (packets)"),
    "columns": (
        *((f"RTT {rtt:g} s", {"rtt": rtt, "clustering": 1.0}) for rtt in _RTTS),
        *(
            (f"RTT 0.1 s\nruns x {run:g}", {"rtt": 0.1, "clustering": run})
            for run in _LINUX_CLUSTERINGS[1:]
        ),
    ),
    "box": {
        "loss_rate": _RATES,
        "clustering": _LINUX_CLUSTERINGS,
        "rtt": _RTTS,
        "load": (0.0, 0.25, 0.5, 0.75, 1.0),
    },
    "words": "loss rates of 1e-4 to 0.1 and links of 10 to 300 packets per round trip: independent"
    " losses at round trips of 0.02, 0.1 and 0.5 s, and losses in runs 1.5 and 3 times as long at"
    " 0.1 s; profile `linux`, whose timeout is the round trip and 0.2 s",
}
RENO_LINUX = ValidityGrid(
    name="reno-linux", models=RENO.models, variants=("reno",), **_LINUX_PROFILE
)
CUBIC_LINUX = ValidityGrid(
    name="cubic-linux", growth="cubic", models=CUBIC.models, variants=("cubic",), **_LINUX_PROFILE
)

_UP_TIMES, _DOWN_SHARES, _SMALL_PIPES = (1, 3, 10, 30), (0.01, 0.03, 0.1, 0.3, 0.5), (5, 30)
OUTAGES = ValidityGrid(
    name="outages",
    models=("outages",),
    variants=("sack",),
    designs=(
        {
            "up": _UP_TIMES,
            "down_share": _DOWN_SHARES,
            "pipe": _SMALL_PIPES,
            "rtt": _RTTS,
            "delayed_ack": _ACK_DELAYS,
        },
    ),
    document=link_with_outages,
    x=("down_share", "share of time down"),
    y=("up", "mean time up (s)"),
    columns=_round_trip_panels({}),
    rows=tuple(_rows("pipe", _SMALL_PIPES, "{:g} packets per RTT")),
    box={
        "up": _UP_TIMES,
        "down_share": _DOWN_SHARES,
        "pipe": _SMALL_PIPES,
        "rtt": _RTTS,
        "delayed_ack": _ACK_DELAYS,
    },
    words="mean times up of 1 to 30 s and a link that is down for 1 to 50 % of the time, at round"
    " trips of 0.02, 0.1 and 0.5 s, with and without delayed ACKs",
)

_INTERVALS, _SPIKES, _SPIKE_PIPES = (5, 10, 20, 40), (0.5, 1.5, 5), (5, 20, 60)
SPIKES = ValidityGrid(
    name="spikes",
    models=("kuusela",),
    variants=("sack",),
    designs=(
        {
            "interval": _INTERVALS,
            "spike": _SPIKES,
            "pipe": _SPIKE_PIPES,
            "rtt": _RTTS,
            "delayed_ack": _ACK_DELAYS,
        },
    ),
    document=link_with_spikes,
    x=("interval", "mean interval (s)"),
    y=("spike", "spike (s)"),
    columns=_round_trip_panels({}),
    rows=tuple(_rows("pipe", _SPIKE_PIPES, "{:g} packets per RTT")),
    box={
        "interval": _INTERVALS,
        "spike": _SPIKES,
        "pipe": _SPIKE_PIPES,
        "rtt": _RTTS,
        "delayed_ack": _ACK_DELAYS,
    },
    words="exponential intervals of 5 to 40 s in the mean and spikes of 0.5, 1.5 and 5 s, at round"
    " trips of 0.02, 0.1 and 0.5 s, with and without delayed ACKs",
)

_SLOT_RATES, _SLOT_CLUSTERINGS = (1e-3, 0.01, 0.1, 0.3), (1.0, 3.0, 10.0)
_WINDOWS, _FEEDBACKS, _TIMERS = (6, 24), (0.0, 3.0), (30, 100, 400)
SLOTS = ValidityGrid(
    name="slots",
    models=("zorzi",),
    variants=("tahoe", "reno", "newreno", "sack"),
    designs=(
        {
            "loss_rate": _SLOT_RATES,
            "clustering": _SLOT_CLUSTERINGS,
            "window": _WINDOWS,
            "feedback": _FEEDBACKS,
            "timer": _TIMERS,
        },
    ),
    document=slotted_link,
    x=("loss_rate", "loss rate"),
    y=("clustering", "runs"),
    columns=tuple(
        (f"ACK after {late:g}\ntimer {timer}", {"feedback": late, "timer": timer})
        for late, timer in product(_FEEDBACKS, _TIMERS)
    ),
    rows=tuple(_rows("window", _WINDOWS, "window {:g}")),
    box={
        "loss_rate": _SLOT_RATES,
        "clustering": _SLOT_CLUSTERINGS,
        "window": _WINDOWS,
        "feedback": _FEEDBACKS,
        "timer": _TIMERS,
    },
    words="loss rates of 0.001 to 0.3, in runs as long as independent ones, 3 and 10 times as long,"
    " for windows of 6 and 24 packets, timers of 30, 100 and 400 packets, and ACKs that arrive at"
    " once or 3 packets later",
)

_FRAGMENT_LOSSES, _FRAGMENTS, _ATTEMPTS = (0.01, 0.03, 0.1), (4, 15), (1, 2, 4, 8)
_RESIDUAL = (0.0, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0)
ARQ = ValidityGrid(
    name="arq",
    models=("chockalingam",),
    variants=("tahoe", "newreno"),
    designs=(
        {
            "fragment_loss": _FRAGMENT_LOSSES,
            "attempts": _ATTEMPTS,
            "fragments": _FRAGMENTS,
            "clustering": (1.0, 4.0),
            "window": _WINDOWS,
            "timer": (100, 400),
        },
    ),
    document=link_with_arq,
    x=("fragment_loss", "fragments lost"),
    y=("attempts", "attempts"),
    columns=tuple(
        (
            f"{n} fragments\nruns x {run:g}\ntimer {timer}",
            {"fragments": n, "clustering": run, "timer": timer},
        )
        for n, run, timer in product(_FRAGMENTS, (1.0, 4.0), (100, 400))
    ),
    rows=tuple(_rows("window", _WINDOWS, "window {:g}")),
    box={"loss_rate": _RESIDUAL, "window": _WINDOWS, "timer": (100, 400)},
    words="1 to 10 % of the fragments lost, independently or in runs 4 times as long, 4 and 15"
    " fragments per packet, 1 to 8 attempts, windows of 6 and 24 packets, timers of 100 and 400"
    " packets",
)
VALIDITY_GRIDS = (RENO, CUBIC, RENO_LINUX, CUBIC_LINUX, BBR, OUTAGES, SPIKES, SLOTS, ARQ)


def grids_of(model: str) -> list[ValidityGrid]:
    """The grids of a model: one for each profile that it was compared with."""
    return [sort for sort in VALIDITY_GRIDS if model in sort.models]
