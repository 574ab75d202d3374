"""The rate of a hop from intervals that its sender filled: a process, a mean, or no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from airtcp.errors import InputError, count
from airtcp.fitted.hop import FittedHop
from airtcp.fitted.link_rate import LEAST_VARIATION, MOST_STEPS, rate_text
from airtcp.fitted.options import FitOptions
from airtcp.fitting.rates import FEWEST, RateModel, fit_rates
from airtcp.fitting.rates_filled import ENOUGH, FilledIntervals, filled_by_counts, filled_by_packets
from airtcp.measured import iperf3
from airtcp.measured.captures import TCP_FORM
from airtcp.measured.measurement import Measurement
from airtcp.stats.batches import batch_means
from airtcp.support.progress import Report


@dataclass(frozen=True, eq=False)
class FilledRate:
    """A hop with the rate of filled intervals, the process fitted to them, and remarks.

    `is_filled`: True if a queue stood nearly all the time, so that delays measure the queue.
    """

    hop: FittedHop
    model: RateModel | None = None
    remarks: tuple[str, ...] = ()
    is_filled: bool = False

    @property
    def changes(self) -> bool:
        """True if the hop has rates that change."""
        return "rates" in self.hop.keys


def with_filled_rate(
    hop: FittedHop, one: Measurement, options: FitOptions, report: Report
) -> FilledRate:
    """Replace the rate of a hop where filled intervals show how it changes; say what they show."""
    if options.rate is not None or "rate" in one.emulated_hop or one.is_probing:
        return FilledRate(hop)
    found, why = _filled_intervals(one)
    if found is None:
        return FilledRate(hop, remarks=(why,) if why else ())
    if not found.is_enough:
        return FilledRate(hop, remarks=(_too_few_text(found),))
    rates = found.rates.known
    used = (
        f"{len(rates)} of {count(len(found.rates.bps), 'interval')} of"
        f" {found.rates.every / 1e6:g} ms were used, in which {found.said}"
    )
    if rates.std() <= LEAST_VARIATION * rates.mean():
        return FilledRate(hop, remarks=(f"{_mean_text(rates)}; {used}",), is_filled=True)
    model = None
    if len(rates) >= FEWEST:
        model = fit_rates(found.rates, seed=options.seed, report=report)
    if model is not None and not model.is_rejected:
        made = hop.without_rate().with_key("rates", model.keys(), f"a process; {used}")
        shared = "it is what the link gave this test: traffic beside it would hide the rest"
        return FilledRate(made, model, (f"the rate changes: {used}; {shared}",), is_filled=True)
    if model is None:
        said = f"fewer than {FEWEST} intervals are too few for a process of the rate"
    else:
        said = f"a goodness-of-fit test rejects the process of rates (p = {model.p_value:.2g})"
    made = hop if "rates" in hop.keys else _with_recorded_rates(hop, found)
    said = f"{said}: the scenario repeats the rates of the record; {_mean_text(rates)}; {used}"
    return FilledRate(made, model, (said,), is_filled=True)


def _filled_intervals(one: Measurement) -> tuple[FilledIntervals | None, str]:
    """Rates of the intervals that were filled, or the reason why these cannot be found."""
    if one.packets is not None:
        return (filled_by_packets(one.packets) if one.form == TCP_FORM else None), ""
    if one.intervals is None or one.form != iperf3.FORMAT_NAME:
        return None, ""
    if any(odd.kind == "sender" for odd in one.oddities):
        return None, (
            "the file has what the sender wrote, not what arrived: no interval is a sample of the"
            " rate of the link (iperf3 --get-server-output has what arrived)"
        )
    found = filled_by_counts(one.intervals, streams=one.streams)
    if found is None:
        return None, (
            "nothing shows when the sender filled the link, so that its rate cannot be told from"
            " that of the sender: a test of several streams (iperf3 -P 8) keeps it busy"
        )
    return found, ""


def _too_few_text(found: FilledIntervals) -> str:
    used = len(found.rates.known)
    return (
        f"the sender did not fill the link: in {used} of"
        f" {count(len(found.rates.bps), 'interval')} of {found.rates.every / 1e6:g} ms"
        f" {found.said}, and {100 * ENOUGH:g} % are needed; how the rate changes cannot be told"
    )


def _mean_text(rates: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """The mean with its interval, by batches that are long against the memory of the rate."""
    try:
        found = batch_means(rates)
    except InputError:  # fewer rates than batches
        return f"mean rate {rate_text(float(rates.mean()))}"
    low, high = rate_text(max(found.low, 0.0)), rate_text(found.high)
    return f"mean rate {rate_text(float(rates.mean()))}, 95 % interval {low} to {high} by batches"


def _with_recorded_rates(hop: FittedHop, found: FilledIntervals) -> FittedHop:
    """The rates of the record, from the beginning again at its end."""
    own = found.rates.bps
    known = np.flatnonzero(np.isfinite(own))
    whole = np.interp(np.arange(len(own)), known, own[known])
    size = -(-len(whole) // MOST_STEPS)
    means = [float(part.mean()) for part in np.split(whole, range(size, len(whole), size))]
    width = size * found.rates.every / 1e9
    values = [{"at": f"{i * width:.6g}s", "rate": rate_text(one)} for i, one in enumerate(means)]
    rates = {"kind": "steps", "values": values, "end": "repeat"}
    said = f"of the record, by windows of {width:.4g} s; then from the beginning again"
    return hop.without_rate().with_key("rates", rates, said)
