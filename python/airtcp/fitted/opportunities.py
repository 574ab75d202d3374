"""A link from a trace of opportunities: a process of its rate, or the trace itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from airtcp.errors import InputError, count, known_name
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.light_load import LEVEL, LightLoad, difference, read_light_load
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import FittedParts, base_hop
from airtcp.fitting.rates import FEWEST, NAME, RateModel, fit_rates_and_outages
from airtcp.fitting.rates_data import of_opportunities as rates_of
from airtcp.links.mahimahi import hop_of
from airtcp.measured.measurement import Measurement
from airtcp.support.progress import Report

NO_LOSSES_OR_DELAYS_REMARK = "a trace of opportunities has no losses and no delay"


NO_LOSSES_REMARK = "a trace of opportunities and trains have no losses"


def fit_opportunities(
    one: Measurement, options: FitOptions, report: Report, reading: Mapping[str, Any]
) -> FittedParts:
    """The fitted process if a test does not reject it or if it is asked for; else the trace.

    With a recording under light load that differs, the trace and the trains. Raises `InputError`
    for a model of losses, and for a rate.
    """
    if options.rate is not None:
        raise InputError(f"rate: {one.source} has the opportunities of the link, its rate")
    if options.model is not None:
        known_name("model", options.model, (NAME,))
    hop = base_hop(one, options).without_rate()
    if options.light is None:
        return _fit_saturated(hop, one, options, report)
    if options.model is not None:
        raise InputError(f"model: {options.model} has no trains; give either this or light")
    light = read_light_load(options.light, report=report, **reading)
    return _fit_both(hop, one, light, options, report)


def _fit_both(
    hop: FittedHop, one: Measurement, light: LightLoad, options: FitOptions, report: Report
) -> FittedParts:
    """The trace and the trains where the recordings differ, else as of the trace alone."""
    assert one.opportunities is not None  # by the caller
    kept = light.before(int(one.opportunities[-1]))
    p = difference(kept, one.opportunities)
    least = f"the least of {light.source}"
    hop = hop.with_key("delay", kept.least_delay, least)
    result = f"p = {p:.2g}, {count(len(kept.trains), 'train')} of {light.source}"
    if p >= LEVEL:
        same = (
            "a test finds no difference between the saturated link and the link under light load"
            f" ({result}): one recording stands for both"
        )
        found = _fit_saturated(hop, one, options, report)
        return replace(found, remarks=(same, *found.remarks))
    said = f"trains of {light.source}, which begin every busy period"
    made = _with_recorded_trace(hop, one).with_key("trains", kept.trains, said)
    remarks = [
        f"under light load the link serves packets otherwise than saturated ({result}): a busy"
        " period begins with a recorded train, and goes on with the opportunities"
    ]
    if len(kept.trains) < len(light.trains):
        left_out = count(len(light.trains) - len(kept.trains), "train")
        remarks.append(f"{left_out} after the end of {one.source} are left out")
    return FittedParts(made, remarks=(*remarks, NO_LOSSES_REMARK))


def _fit_saturated(
    hop: FittedHop, one: Measurement, options: FitOptions, report: Report
) -> FittedParts:
    """The fitted process if a test does not reject it or if it is asked for; else the trace."""
    assert one.opportunities is not None  # by the caller
    rates = rates_of(one.opportunities)
    model = None
    if rates is not None:
        model = fit_rates_and_outages(rates, seed=options.seed, report=report)
    if (
        model is not None
        and not options.replay
        and (options.model == NAME or not model.is_rejected)
    ):
        made = hop.with_key("rates", model.keys(), _model_words(model, one))
        if model.outages is not None:
            made = made.with_key("gate", model.outages.gate(), model.outages.words())
    else:
        made = _with_recorded_trace(hop, one)
    return FittedParts(
        made, rates=model, remarks=(*_remarks(model, options, made), NO_LOSSES_OR_DELAYS_REMARK)
    )


def _with_recorded_trace(hop: FittedHop, one: Measurement) -> FittedHop:
    """The trace itself, with its mean rate."""
    assert one.opportunities is not None  # by the caller
    trace = hop_of(one.opportunities.tolist(), hop.keys["delay"])
    number = count(len(trace["opportunities"]), "line")
    said = f"all opportunities of {one.source} ({number}), from its beginning"
    hop = hop.with_key("rate", trace["rate"], "the mean of the opportunities below")
    return hop.with_key("opportunities", trace["opportunities"], said)


def _model_words(model: RateModel, one: Measurement) -> str:
    mean = model.estimates[0]
    span = (
        ""
        if mean.low is None or mean.high is None
        else (
            f"; mean {mean.value / 1e6:.3g} Mbit/s, 95 % interval {mean.low / 1e6:.3g} to"
            f" {mean.high / 1e6:.3g}"
        )
    )
    between = "" if model.outages is None else ", between outages"
    return f"a process fitted to {model.rates.seconds:.4g} s of {one.source}{between}{span}"


def _remarks(model: RateModel | None, options: FitOptions, hop: FittedHop) -> list[str]:
    if model is None:
        few = f"fewer than {FEWEST} steps, or a rate that does not change"
        return [f"the trace has {few}: no process is fitted, the scenario has the trace itself"]
    if not model.is_rejected:
        return []
    test = f"a goodness-of-fit test rejects the process of rates (p = {model.p_value:.2g})"
    if "opportunities" in hop.keys and not options.replay:
        return [
            f"{test}: the scenario has the trace itself, which every run repeats from its"
            f" beginning; --model {NAME} takes the process, of which every run is another draw"
        ]
    return [] if options.replay else [f"{test}; the scenario has it as asked for"]
