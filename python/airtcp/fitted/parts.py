"""The parts of a fitted link: a hop for a scenario, and the fits that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.fitted.hop import ASSUMED_DELAY, ASSUMED_QUEUE, ASSUMED_RATE, FittedHop
from airtcp.fitted.link_rate import EMULATOR_SETTING, carried_rate, link_rate, rate_text
from airtcp.fitted.options import FitOptions
from airtcp.measured.measurement import NO_DELAY, Measurement
from airtcp.scenario.scenario import Scenario
from airtcp.support.earlier_names import earlier_attributes
from airtcp.support.units import base_units_of

if TYPE_CHECKING:
    from airtcp.fitted.goodput_comparison import GoodputComparison
    from airtcp.fitted.trains_words import TrainSummary
    from airtcp.fitting.delays import DelayFit
    from airtcp.fitting.epochs import EpochModel
    from airtcp.fitting.losses import LossFit
    from airtcp.fitting.outages import OutageFit
    from airtcp.fitting.rates import RateModel

ASSUMED_COMMENT = "not in the files: put your link's here"
ASKED_COMMENT = "as asked for"
# Seconds of a scenario, and of one that goes through recorded rates.
RUN_SECONDS, MOST_RUN_SECONDS = 60.0, 600.0


@earlier_attributes(beside="goodput_comparisons")
@dataclass(frozen=True, eq=False)
class FittedParts:
    """The result of a fit.

    - `hop`: keys of a hop with comments; `channel`: the name of the loss model in it, "record"
      where the record is replayed, "" without losses;
    - `losses`, `outages`, `delays`, `rates`, `epochs`: the fits; None for a part without data in
      the files; `trains`: the recorded trains over the idle link, if there are some;
    - `goodput_comparisons`: TCP over the record and over models, in the order of the trials;
    - `remarks`: sentences about what these files cannot show.
    """

    hop: FittedHop
    channel: str = ""
    losses: LossFit | None = None
    outages: OutageFit | None = None
    delays: DelayFit | None = None
    goodput_comparisons: tuple[GoodputComparison, ...] = ()
    remarks: tuple[str, ...] = ()
    rates: RateModel | None = None
    epochs: EpochModel | None = None
    trains: TrainSummary | None = None


def base_hop(measurement: Measurement, options: FitOptions) -> FittedHop:
    """Rate and queue of the link, as asked for, as measured, or assumed.

    Raises `InputError` for what a scenario refuses, before anything is fitted.
    """
    hop = _with_rate(FittedHop({}), measurement, options)
    for key, asked, assumed in (
        ("delay", None, ASSUMED_DELAY),
        ("queue", options.queue, ASSUMED_QUEUE),
    ):
        if asked is not None:
            hop = hop.with_key(key, asked, ASKED_COMMENT)
        elif key in measurement.emulated_hop:
            hop = hop.with_key(key, measurement.emulated_hop[key], EMULATOR_SETTING)
        elif key == "delay" and options.link_delay is not None:
            hop = hop.with_key(key, *options.link_delay)
        else:
            hop = hop.with_key(key, assumed, ASSUMED_COMMENT)
    Scenario.from_dict(scenario_document(hop, "", options.tcps), source="the link")
    return hop


def _with_rate(hop: FittedHop, measurement: Measurement, options: FitOptions) -> FittedHop:
    if options.rate:
        return hop.with_key("rate", options.rate, ASKED_COMMENT)
    known = link_rate(measurement)
    if known is not None:
        hop = hop.with_key(known.key, known.value, known.source)
        return replace(hop, notes=(known.note,)) if known.note else hop
    least = None if measurement.is_probing else carried_rate(measurement.packets)
    if least is None:
        return hop.with_key("rate", ASSUMED_RATE, ASSUMED_COMMENT)
    assumed = max(float(base_units_of(ASSUMED_RATE)), least)
    assert measurement.packets is not None  # they carried the least rate
    if (measurement.packets.delay == NO_DELAY).all():
        why = (
            "no delays are known, as of a capture at the receiver alone, so nothing tells when the"
            " sender kept the link busy, nor how its rate changes"
        )
    else:
        why = "the sender did not keep the link busy"
    note = (
        f"{why}: it carries at least {rate_text(least)}, and how much more the record does not show"
    )
    return replace(hop.with_key("rate", rate_text(assumed), ASSUMED_COMMENT), notes=(note,))


def hop_notes(hop: FittedHop) -> tuple[str, ...]:
    """Sentences about the assumed values of a hop, and its own notes."""
    options = {"rate": " (--rate)", "queue": " (--queue)", "delay": ""}
    assumed = [
        f"{key} {hop.keys[key]}{option}"
        for key, option in options.items()
        if hop.comments.get(key) == ASSUMED_COMMENT
    ]
    if not assumed:
        return hop.notes
    said = f"not in the files but assumed, and the answer depends on it: {', '.join(assumed)}"
    return (said, *hop.notes)


def scenario_document(hop: FittedHop, title: str, tcps: Sequence[str]) -> dict[str, Any]:
    """A scenario with this hop, once through recorded rates, for `MOST_RUN_SECONDS` at most."""
    end = RUN_SECONDS
    if hop.keys.get("rates", {}).get("kind") == "steps":
        *_, before, last = (
            float(base_units_of(value["at"])) for value in hop.keys["rates"]["values"]
        )
        end = min(max(RUN_SECONDS, float(np.ceil(2.0 * last - before))), MOST_RUN_SECONDS)
    return {
        "title": title,
        "profile": "linux",
        "tcp": {"congestion": list(tcps)},
        "path": {"hop": [dict(hop.keys)]},
        "stop": {"time": f"{end:g}s", "warmup": "5s", "replications": 10},
    }
