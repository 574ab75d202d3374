"""A link from a trace of opportunities: a process of its rate, or the trace itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, count, known_name
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import FittedParts, base_hop
from airtcp.fitting.rates import FEWEST, NAME, RateModel, fit_rates_and_outages
from airtcp.fitting.rates_data import of_opportunities as rates_of
from airtcp.links.mahimahi import hop_of
from airtcp.measured.measurement import Measurement
from airtcp.support.progress import Report

NO_LOSSES_OR_DELAYS_REMARK = "a trace of opportunities has no losses and no delay"


def fit_opportunities(measurement: Measurement, options: FitOptions, report: Report) -> FittedParts:
    """The fitted process if it stands for the trace or if it is asked for; else the trace.

    Raises `InputError` for a model of losses, and for a rate.
    """
    if options.rate is not None:
        raise InputError(f"rate: {measurement.source} has the opportunities of the link, its rate")
    if options.model is not None:
        known_name("model", options.model, (NAME,))
    hop = base_hop(measurement, options).without_rate()
    assert measurement.opportunities is not None  # by the caller
    rates = rates_of(measurement.opportunities)
    model = None
    if rates is not None:
        model = fit_rates_and_outages(rates, seed=options.seed, report=report)
    if (
        model is not None
        and not options.replay
        and (options.model == NAME or model.stands_for_record)
    ):
        made, words = hop, _model_words(model, measurement)
        for key, value in model.hop().items():
            made = made.with_key(key, value, words[key])
    else:
        made = with_recorded_trace(hop, measurement.source, measurement.opportunities)
    return FittedParts(
        made, rates=model, remarks=(*_remarks(model, options, made), NO_LOSSES_OR_DELAYS_REMARK)
    )


def with_recorded_trace(hop: FittedHop, source: str, millis: NDArray[np.int64]) -> FittedHop:
    """The opportunities of a record themselves, with their mean rate."""
    trace = hop_of(millis.tolist(), hop.keys["delay"])
    number = count(len(trace["opportunities"]), "line")
    said = f"all opportunities of {source} ({number}), from its beginning"
    hop = hop.with_key("rate", trace["rate"], "the mean of the opportunities below")
    return hop.with_key("opportunities", trace["opportunities"], said)


def _model_words(model: RateModel, measurement: Measurement) -> dict[str, str]:
    """Comments on the keys of the process, by key."""
    mean = model.estimates[0]
    span = (
        ""
        if mean.low is None or mean.high is None
        else (
            f"; mean {mean.value / 1e6:.3g} Mbit/s, 95 % interval {mean.low / 1e6:.3g} to"
            f" {mean.high / 1e6:.3g}"
        )
    )
    process = f"a process fitted to {model.rates.seconds:.4g} s of {measurement.source}"
    if model.outages is None:
        return {"rates": f"{process}{span}"}
    return {"rates": f"{process}, between outages{span}", "gate": model.outages.words()}


def _remarks(model: RateModel | None, options: FitOptions, hop: FittedHop) -> list[str]:
    if model is None:
        few = f"fewer than {FEWEST} steps, or a rate that does not change"
        return [f"the trace has {few}: no process is fitted, the scenario has the trace itself"]
    said = model.objections()
    if not said or options.replay:
        return []
    if "opportunities" in hop.keys:
        return [
            f"{said}: the scenario has the trace itself, which every run repeats from its"
            f" beginning; --model {NAME} takes the process, of which every run is another draw"
        ]
    return [f"{said}; the scenario has the process as asked for"]
