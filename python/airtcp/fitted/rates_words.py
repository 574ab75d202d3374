"""A fitted process of rates as a table of words for the terminal and for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.fitting.losses_tests import TEST_LEVEL
from airtcp.measured.facts_tables import TextTable

if TYPE_CHECKING:
    from airtcp.fitting.estimates import Estimate
    from airtcp.fitting.rates import RateModel


def rates_table(model: RateModel) -> TextTable:
    """A row for each parameter with its interval; below, the test."""
    rows = tuple((estimate.name, *_numbers(estimate)) for estimate in model.estimates)
    every = f"{model.rates.every / 1e6:g} ms"
    verdict = "rejects" if model.is_rejected else "does not reject"
    below = (
        f"Parameters of mean rates over steps of {every}, in which shorter changes are evened out:"
        " an autoregressive process in normal scores. A"
        f" goodness-of-fit test {verdict} it (p = {model.p_value:.2g}; rejected below"
        f" {TEST_LEVEL:g}).",
        "Intervals are those of records as long as this one, drawn from the process and fitted"
        " again.",
        *_outage_words(model),
        *_bunch_words(model),
    )
    return TextTable("", ("rate", "estimate", "95 % interval"), rows, below, numeric_columns=2)


def _outage_words(model: RateModel) -> tuple[str, ...]:
    if model.outages is None:
        return ()
    share = f"{100.0 * model.outages.share:.3g} %"
    return (
        f"A gate has {model.outages.words()}: {share} of the time. Parameters and test are those of"
        " the process, which leaves the outages out.",
    )


def _bunch_words(model: RateModel) -> tuple[str, ...]:
    if not model.evens_out_bunches:
        return ()
    return (
        f"Within a step opportunities come in bunches, for which {model.rates.bunch:.2g} packets"
        " wait: neither the process nor the test has them.",
    )


def _numbers(estimate: Estimate) -> tuple[str, str]:
    scale, unit = (
        (1e6, " Mbit/s") if estimate.unit == "bit/s" else (1.0, f" {estimate.unit}".rstrip())
    )
    value = f"{estimate.value / scale:.3g}{unit}"
    if estimate.low is None or estimate.high is None:
        return value, estimate.remark
    return value, f"{estimate.low / scale:.3g} to {estimate.high / scale:.3g}"
