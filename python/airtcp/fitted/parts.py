"""The parts of a fitted link: a hop for a scenario, and the fits that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airtcp.fitted.hop import DELAY, QUEUE, RATE, Hop, Sourced, rate_of
from airtcp.fitted.wanted import Wanted
from airtcp.measured.measurement import Measurement
from airtcp.scenario.scenario import Scenario

if TYPE_CHECKING:
    from airtcp.fitted.tcp_beside import Beside
    from airtcp.fitting.delays import DelayFit
    from airtcp.fitting.losses import LossFit
    from airtcp.fitting.outages import OutageFit

ASSUMED = "not in the files: put your link's here"


@dataclass(frozen=True, eq=False)
class Parts:
    """What a fit found.

    - `hop`: keys of a hop with comments; `channel`: the name of the loss model in it, "record"
      where the record is replayed, "" without losses;
    - `losses`, `outages`, `delays`: the fits; None of what the files do not hold;
    - `beside`: TCP over the record and over models, in the order of the trials;
    - `remarks`: sentences about what cannot be told from these files.
    """

    hop: Hop
    channel: str = ""
    losses: LossFit | None = None
    outages: OutageFit | None = None
    delays: DelayFit | None = None
    beside: tuple[Beside, ...] = ()
    remarks: tuple[str, ...] = ()


def base_hop(one: Measurement, wanted: Wanted) -> Hop:
    """Rate and queue of the link, as asked for, as measured, or assumed.

    Raises `InputError` for what a scenario refuses, before anything is fitted.
    """
    rate = Sourced(wanted.rate, "as asked for") if wanted.rate else None
    rate = rate or rate_of(one.packets, one.intervals) or Sourced(RATE, ASSUMED)
    queue = Sourced(wanted.queue, "as asked for") if wanted.queue is not None else None
    queue = queue or Sourced(QUEUE, ASSUMED)
    hop = Hop({}).with_key("rate", rate.value, rate.said).with_key("delay", DELAY, ASSUMED)
    hop = hop.with_key("queue", queue.value, queue.said)
    Scenario.from_dict(document(hop, "", wanted.tcps), source="the link")
    return hop


def document(hop: Hop, title: str, tcps: Sequence[str]) -> dict[str, Any]:
    """A scenario with this hop."""
    return {
        "title": title,
        "profile": "linux",
        "tcp": {"congestion": list(tcps)},
        "path": {"hop": [dict(hop.keys)]},
        "stop": {"time": "60s", "warmup": "5s", "replications": 10},
    }
