"""The rate of a hop from intervals that its sender filled: a process, a mean, or no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from airtcp.errors import count
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.link_rate import (
    LEAST_VARIATION,
    MOST_STEPS,
    rate_text,
    repeated_rates,
    share_text,
)
from airtcp.fitted.options import FitOptions
from airtcp.fitting.estimates import Estimate
from airtcp.fitting.rates import DRAWS, FEWEST, RateModel, fit_rates
from airtcp.fitting.rates_data import Floats
from airtcp.fitting.rates_filled import ENOUGH, QUEUE_SIGN, FilledIntervals, filled_by_packets
from airtcp.measured.captures import TCP_FORM
from airtcp.measured.measurement import Measurement
from airtcp.support.progress import Report

_NO_RATE = rate_text(0.0)
_OUTAGES = "begin and end of times without a rate are not seen"


@dataclass(frozen=True, eq=False)
class FilledRate:
    """A hop with the rate of filled intervals, the process fitted to them, and remarks."""

    hop: FittedHop
    model: RateModel | None = None
    remarks: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """True if the hop has rates that change, seen while a queue stood nearly all the time."""
        return "rates" in self.hop.keys

    @property
    def holds_packets(self) -> bool:
        """True if a rate of 0 is among rates that change: it holds packets, as a gate does."""
        rates = self.hop.keys.get("rates", {})
        levels = rates.get("levels", rates.get("values", []))
        return any(level["rate"] == _NO_RATE for level in levels)


def with_filled_rate(
    hop: FittedHop, chosen: Sequence[Measurement], options: FitOptions, report: Report
) -> FilledRate:
    """Replace the rate of a hop where filled intervals show how it changes; say what they show.

    Of several captures the first is taken: memories do not reach from one to another.
    """
    first = chosen[0]
    if options.rate is not None or "rate" in first.emulated_hop or first.form != TCP_FORM:
        return FilledRate(hop)
    assert first.packets is not None  # a capture
    found = filled_by_packets(first.packets)
    if found is None:
        return FilledRate(hop)
    whose = f" of {first.source}, the first of {len(chosen)} captures," if len(chosen) > 1 else ""
    if not found.is_enough:
        return FilledRate(hop, remarks=(_too_few_text(found, whose),))
    rates = found.rates.known
    used = (
        f"{len(rates)} of {count(len(found.rates.bps), 'interval')} of"
        f" {found.rates.every / 1e6:g} ms{whose} were used, in which {QUEUE_SIGN}"
    )
    if rates.std() <= LEAST_VARIATION * rates.mean():
        return FilledRate(hop, remarks=(f"{_mean_text(rates)}; {used}",))
    shown = f"it is {share_text(first.packets)}"
    model = filled_model(found, seed=options.seed, report=report)
    if model is not None and not model.is_rejected:
        made = hop.without_rate().with_key("rates", model.keys(), f"a process; {used}")
        said = f"the rate changes: {used}; {shown}"
        if (rates == 0.0).any():
            said += f"; {_OUTAGES}: parameters have no errors"
        return FilledRate(made, model, (said,))
    if model is None:
        said = f"fewer than {FEWEST} intervals are too few for a process of the rate"
    else:
        said = model.rejection()
    said += f": the scenario repeats the rates of the record; {_mean_text(rates)}; {used}; {shown}"
    return FilledRate(_with_recorded_rates(hop, found), model, (said,))


def filled_model(
    found: FilledIntervals, *, seed: int, draws: int = DRAWS, report: Report | None = None
) -> RateModel | None:
    """The process of the rates of filled intervals; None where these are fewer than `FEWEST`.

    Its parameters have no errors where a rate is 0, as ACKs that wait and steps make times without
    a rate shorter. In simulated captures with outages these are a sixth too short, correlations an
    eighth too low, and intervals of both miss.
    """
    model = fit_rates(found.rates, seed=seed, draws=draws, report=report)
    if model is None or (found.rates.known > 0.0).all():
        return model
    bare = [
        Estimate(estimate.name, estimate.value, unit=estimate.unit, remark=_OUTAGES)
        for estimate in model.estimates
    ]
    return replace(model, estimates=tuple(bare))


def _too_few_text(found: FilledIntervals, whose: str) -> str:
    used = len(found.rates.known)
    return (
        f"the sender did not fill the link: in {used} of"
        f" {count(len(found.rates.bps), 'interval')} of {found.rates.every / 1e6:g} ms{whose}"
        f" {QUEUE_SIGN}, and {100 * ENOUGH:g} % are needed; how the rate changes cannot be told"
    )


def _mean_text(rates: Floats) -> str:
    """The mean, without an interval: its memory is not known without a process.

    Intervals from batch means covered 50 to 80 % of records as short as those without a process,
    and a test of the batches passes many of these.
    """
    return f"mean rate {rate_text(float(rates.mean()))}, whose error is not known"


def _with_recorded_rates(hop: FittedHop, found: FilledIntervals) -> FittedHop:
    """The rates of the record, from the beginning again at its end.

    Intervals that were not filled have the rate between their neighbours.
    """
    own = found.rates.bps
    known = np.flatnonzero(np.isfinite(own))
    whole = np.interp(np.arange(len(own)), known, own[known])
    size = -(-len(whole) // MOST_STEPS)
    means = [float(part.mean()) for part in np.split(whole, range(size, len(whole), size))]
    width = size * found.rates.every / 1e9
    rates = repeated_rates([i * width for i in range(len(means))], means)
    said = f"of the record, by windows of {width:.4g} s; then from the beginning again"
    if len(known) < len(own):
        said += f"; {count(len(own) - len(known), 'interval')} that were not filled: interpolated"
    return hop.without_rate().with_key("rates", rates, said)
