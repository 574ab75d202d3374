"""Delay spikes on a path by renewal reward [kuusela 2.1, 2.2].

A spike silences the link; then the rate doubles every round trip, from a packet per round trip up
to what the link or the window allows [kuusela eq. 2]. The goodput is the mean of the packets from
spike to spike [kuusela eq. 3] over the mean interval.

Every spike is taken to end in slow start, which takes one longer than the timeout. Left out: the
threshold of slow start, packets that are sent twice, other losses.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from airtcp.models.zoo.model import RFC_REFUSALS, SLOT_REFUSALS, Conditions, Model, has_outages
from airtcp.models.zoo.spikes import DelaySpikes, Table, seconds_of_text


@lru_cache(maxsize=256)
def answer(conditions: Conditions) -> float:
    """Segments per second."""
    from airtcp.models.kuusela import markov_renewal, renewal  # noqa: PLC0415  (imports SciPy)

    at, spikes = conditions, conditions.spikes
    assert isinstance(spikes, DelaySpikes), spikes
    capacity = min(at.capacity, at.window / at.rtt)
    intervals = json.loads(spikes.intervals)
    options: dict[str, Any] = {
        "spike": _scipy_distribution(json.loads(spikes.lengths)),
        "rtt": at.rtt,
        "capacity": capacity,
        "initial_rate": min(1.0 / at.rtt, capacity),
        "reading": spikes.reading,
    }
    if intervals["kind"] == "modulated":
        distributions = [_scipy_distribution(part) for part in intervals["laws"]]
        return markov_renewal(distributions, intervals["transition"], **options)
    return renewal(_scipy_distribution(intervals), **options)


def _scipy_distribution(distribution: Table) -> Any:
    """A distribution of a scenario as a number or as a distribution of SciPy."""
    from scipy import stats  # noqa: PLC0415  (slow to import)

    match distribution["kind"]:
        case "fixed":
            return seconds_of_text(distribution["value"])
        case "uniform":
            low, high = seconds_of_text(distribution["min"]), seconds_of_text(distribution["max"])
            return stats.uniform(low, high - low) if high > low else low
        case "exponential":
            return stats.expon(scale=seconds_of_text(distribution["mean"]))
        case "pareto":
            shape = distribution["shape"]
            least = distribution.get("min")
            scale = (
                seconds_of_text(least)
                if least
                else seconds_of_text(distribution["mean"]) * (shape - 1.0) / shape
            )
            return stats.pareto(shape, scale=scale)
        case "lomax":
            return stats.lomax(
                distribution["shape"],
                scale=seconds_of_text(distribution["mean"]) * (distribution["shape"] - 1.0),
            )
        case kind:
            raise AssertionError(kind)


MODEL = Model(
    name="kuusela",
    title="delay spikes: silence, then a doubling per round trip; renewal-reward",
    source="kuusela2004",
    refuses={
        **RFC_REFUSALS,
        "the model needs delay spikes": lambda at: at.spikes is None,
        "the model does not cover other losses": lambda at: at.loss_rate > 0.0,
        "the model does not cover outages": has_outages,
        **SLOT_REFUSALS,
        "the model needs a link with a rate": lambda at: min(at.rate, at.window) == float("inf"),
    },
    answer=answer,
    variants=("sack",),
)
